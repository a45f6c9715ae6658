/* reduce_scatter/nonoverlapping[reduce,reduce_s]
 * Idea     reduce to rank 0, which then sends each rank its block
 * Rounds   those of the reduce, and p-1
 * Cost     that of the reduce, and (p-1) (alpha + (n/p) beta)          n = bytes of the vector; no closed form of its
 *          own
 * Needs    what its reduce needs
 * Scratch  that of the reduce, and a vector at rank 0 when not in place
 * Source   Open MPI's coll/tuned reduce_scatter 1, whose reduce is chosen by the library: here the key names it
 *
 *          rank 0   rank 1   rank 2        rows: blocks 0-2
 *  start   aaa      bbb      ccc
 *  reduce  XXX      .        .             X = abc
 *  1       XXX      .X.      .             0 → 1
 *  2       X..      .X.      ..X           0 → 2
 */
#include "patterns/rank_block.h"
#include "composite/part.h"

static const char *supports(const coll_args *a) {
  return coll_part_supports(a, coll_reduce_parts[a->param[0]], a->param[1]);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  void *sum = NULL;
  if (c->rank == 0) sum = a->in == a->out ? a->out : coll_scratch(c, a->count);
  coll_part_run(c, a, coll_reduce_parts[a->param[0]], a->param[1], a->in, sum);
  coll_span own = coll_rank_part(a, c->rank);
  if (c->rank) {
    if (own.count) coll_recv(c, a->out, own.count, 0);
    return;
  }
  coll_copy(c, a->out, sum, own.count);
  for (int to = 1; to < c->size; to++) {
    coll_span block = coll_rank_part(a, to);
    if (block.count) coll_send(c, coll_at(c, sum, block.first), block.count, to);
  }
}

static const coll_param params[] = { COLL_REDUCE_PART_PARAMS, { .name = NULL } };

const coll_alg reduce_scatter_nonoverlapping = {
  .key = "reduce_scatter/nonoverlapping",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "a reduce to rank 0, then it sends each rank its block",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .flags = COLL_ANY_BLOCKS,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 1 },
  .supports = supports,
  .run = run,
};
