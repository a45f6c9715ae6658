/* allreduce/nonoverlapping[reduce,reduce_s,bcast,bcast_s]
 * Idea     reduce to rank 0, which then broadcasts the sum
 * Rounds   those of the parts
 * Cost     that of the parts; no closed form of its own
 * Needs    what its parts need
 * Scratch  that of the parts
 * Source   Open MPI's coll/tuned allreduce 2, whose reduce and bcast are chosen by the library: here the key names them
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  reduce  X        .        .             X = abc
 *  bcast   X        X        X
 */
#include "composite/part.h"

static const char *supports(const coll_args *a) {
  const char *why = coll_part_supports(a, coll_reduce_parts[a->param[0]], a->param[1]);
  return why ? why : coll_part_supports(a, coll_bcast_parts[a->param[2]], a->param[3]);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_part_run(c, a, coll_reduce_parts[a->param[0]], a->param[1], a->in, c->rank ? NULL : a->out);
  coll_part_run(c, a, coll_bcast_parts[a->param[2]], a->param[3], a->out, a->out);
}

static const coll_param params[] = { COLL_REDUCE_PART_PARAMS, COLL_BCAST_PART_PARAMS, { .name = NULL } };

const coll_alg allreduce_nonoverlapping = {
  .key = "allreduce/nonoverlapping",
  .collective = COLL_ALLREDUCE,
  .summary = "a reduce to rank 0, then a broadcast",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 2 },
  .supports = supports,
  .run = run,
};
