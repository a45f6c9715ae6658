/* bcast/lanes[lanes]
 * Idea     the root scatters the vector over its node; ranks with the same index on their nodes, a lane, do a broadcast of that part, all
 *          lanes at the same time; each node brings the parts together. So every rank uses the network, for an equal part
 * Rounds   r-1 on a node of r ranks, ⌈lg g⌉ among g nodes, r-1
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any root, any count, any nodes: where they are uneven there are as many lanes as the smallest has ranks
 * Scratch  none
 * Source   Träff and Hunold 2020, Decomposing MPI collectives for exploiting multi-lane communication, arXiv:1910.13373
 *
 *           ranks 0 1 on one node, 2 3 on another; root 0; rows: elements 0, 1
 *           rank 0   rank 1   rank 2   rank 3
 *  start    ab       .        .        .
 *  scatter  ab       .b       .        .             0 → 1
 *  inter    ab       .b       a.       .b            0 → 2, 1 → 3
 *  spread   ab       ab       ab       ab            0 → 1, 2 ↔ 3
 */
#include "primitives/lanes.h"
#include "primitives/mst.h"

static const char *supports(const coll_args *a) { return coll_lanes_supports(a, a->param[0]); }

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_lanes_make(c, a->param[0]); }

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_lanes *l = a->prepared;
  coll_ctx *g = &l->within;
  coll_lane_cut cut = { a->count, l->lanes };
  coll_cut parts = coll_lanes_even(&cut);
  coll_span own = parts.block(parts.how, g->rank);
  int home = l->nodes->group_of[a->root], root = -1; /* its index, on its node */
  if (l->node == home) {
    root = 0;
    while (l->nodes->member[l->nodes->first[home] + root] != a->root) root++;
    if (g->rank != root) {
      if (own.count) coll_recv(g, coll_at(c, a->out, own.first), own.count, root);
    } else {
      for (int lane = 0; lane < l->lanes; lane++) {
        coll_span part = parts.block(parts.how, lane);
        if (lane != root && part.count) coll_send(g, coll_at(c, a->out, part.first), part.count, lane);
      }
    }
  }
  if (own.count) coll_mst_bcast(&l->across, coll_at(c, a->out, own.first), own.count, home, COLL_MST_FIRST);
  coll_lanes_spread(g, a->out, parts, root);
}

static const coll_param params[] = { COLL_LANES_PARAM, { .name = NULL } };

const coll_alg bcast_lanes = {
  .key = "bcast/lanes",
  .collective = COLL_BCAST,
  .summary = "scatter on the root's node, a broadcast of each part along its lane, allgather on nodes",
  .source = "Träff and Hunold 2020, arXiv:1910.13373",
  .params = params,
  .flags = COLL_PLACES,
  .supports = supports,
  .prepare = prepare,
  .run = run,
};
