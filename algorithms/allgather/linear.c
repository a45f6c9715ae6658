/* allgather/linear[gather,gather_first,bcast,bcast_s]
 * Idea     gather to rank 0, which broadcasts all blocks
 * Rounds   those of the parts
 * Cost     that of the parts; no closed form of its own
 * Needs    what its parts need
 * Scratch  that of the parts
 * Source   Open MPI's coll/tuned allgather 1, whose gather and bcast are chosen by the library: here the key names them
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  gather  abc      .        .
 *  bcast   abc      abc      abc
 */
#include "composite/part.h"

static const char *supports(const coll_args *a) {
  coll_args w = coll_part_whole(a);
  return coll_part_supports(&w, coll_bcast_parts[a->param[2]], a->param[3]);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_args w = coll_part_whole(a);
  coll_part_run(c, a, coll_gather_parts[a->param[0]], a->param[1], a->in, c->rank ? NULL : a->out);
  coll_part_run(c, &w, coll_bcast_parts[a->param[2]], a->param[3], a->out, a->out);
}

static const coll_param params[] = { COLL_GATHER_PART_PARAMS, COLL_BCAST_PART_PARAMS, { .name = NULL } };

const coll_alg allgather_linear = {
  .key = "allgather/linear",
  .collective = COLL_ALLGATHER,
  .summary = "a gather to rank 0, then a broadcast",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 1 },
  .supports = supports,
  .run = run,
};
