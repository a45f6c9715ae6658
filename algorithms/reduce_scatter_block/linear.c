/* reduce_scatter_block/linear[reduce,reduce_s,scatter]
 * Idea     reduce to rank 0, which scatters the sum
 * Rounds   those of the parts
 * Cost     that of the parts; no closed form of its own
 * Needs    what its reduce needs
 * Scratch  that of the parts, and a whole vector at rank 0
 * Source   Open MPI's coll/tuned reduce_scatter_block 1, whose reduce and scatter are chosen by the library: here the
 *          key names them
 *
 *          rank 0   rank 1   rank 2        rows: blocks 0-2
 *  start   aaa      bbb      ccc
 *  reduce  XXX      .        .             X = abc
 *  scatter X..      .X.      ..X
 */
#include "composite/part.h"

static const char *supports(const coll_args *a) {
  coll_args w = coll_part_whole(a);
  return coll_part_supports(&w, coll_reduce_parts[a->param[0]], a->param[1]);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_args w = coll_part_whole(a);
  void *sum = c->rank ? NULL : coll_scratch(c, w.count);
  coll_part_run(c, &w, coll_reduce_parts[a->param[0]], a->param[1], a->in, sum);
  coll_part_run(c, a, coll_scatter_parts[a->param[2]], 0, sum, a->out);
}

static const coll_param params[] = { COLL_REDUCE_PART_PARAMS, COLL_SCATTER_PART_PARAMS, { .name = NULL } };

const coll_alg reduce_scatter_block_linear = {
  .key = "reduce_scatter_block/linear",
  .collective = COLL_REDUCE_SCATTER_BLOCK,
  .summary = "a reduce to rank 0, then a scatter",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 1 },
  .supports = supports,
  .run = run,
};
