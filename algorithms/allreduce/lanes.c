/* allreduce/lanes[lanes,inter]
 * Idea     each node adds up so that each of its ranks has a part of the vector; ranks with the same index on their nodes, a lane, do an
 *          allreduce of that part, all lanes at the same time; each node brings the parts together again. So every rank uses the
 *          network, for an equal part
 * Rounds   2 (r-1) on a node of r ranks, and those of allreduce/recursive_doubling or bucket among the nodes
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any count, any nodes: where they are uneven there are as many lanes as the smallest has ranks; the operator must
 *          commute
 * Scratch  a part of the vector, and what the inner allreduce needs for a part
 * Source   Träff and Hunold 2020, Decomposing MPI collectives for exploiting multi-lane communication, arXiv:1910.13373
 *
 *           ranks 0 1 on one node, 2 3 on another; rows: elements 0, 1
 *           rank 0   rank 1   rank 2   rank 3
 *  start    aa       bb       cc       dd
 *  reduce   S.       .S       T.       .T            0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  inter    X.       .X       X.       .X            0 ↔ 2, 1 ↔ 3       X = abcd
 *  spread   XX       XX       XX       XX            0 ↔ 1, 2 ↔ 3
 */
#include "primitives/lanes.h"

extern const coll_alg allreduce_recursive_doubling, allreduce_bucket;

enum { LANES, INTER };

static const char *supports(const coll_args *a) { return coll_lanes_supports(a, a->param[LANES]); }

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_lanes_make(c, a->param[LANES]); }

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_lanes *l = a->prepared;
  coll_copy(c, a->out, a->in, a->count);
  coll_lanes_reduce(l, a->out, a->count);
  coll_lane_cut cut = { a->count, l->lanes };
  coll_cut parts = coll_lanes_even(&cut);
  coll_span own = parts.block(parts.how, l->within.rank);
  if (own.count) {
    coll_args among = *a;
    among.size = l->across.size;
    among.place = l->across.place;
    among.count = own.count;
    among.in = among.out = coll_at(c, a->out, own.first);
    among.in_place = true;
    (a->param[INTER] ? allreduce_bucket : allreduce_recursive_doubling).run(&l->across, &among);
  }
  coll_lanes_spread(&l->within, a->out, parts, -1);
}

static const char *const inters[] = { "recursive_doubling", "bucket" };

static const coll_param params[] = {
  [LANES] = COLL_LANES_PARAM,
  [INTER] = { .name = "inter", .max = 1, .words = inters, .help = "a lane's allreduce" },
  { .name = NULL },
};

const coll_alg allreduce_lanes = {
  .key = "allreduce/lanes",
  .collective = COLL_ALLREDUCE,
  .summary = "reduce-scatter on nodes, an allreduce of each part along its lane, allgather on nodes",
  .source = "Träff and Hunold 2020, arXiv:1910.13373",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY | COLL_PLACES,
  .supports = supports,
  .prepare = prepare,
  .run = run,
};
