/* bcast/mst[dest=first|end]
 * Idea     halve the ranks; the root sends to one rank of the other half, which is root there; both halves go on alike
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ (alpha + n beta)          n = bytes; exact for any p and root
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (short vectors), figure 4.1.1
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 1, dest=first
 *  start   .        x        .        .        .
 *  1       .        x        .        x        .             1 → 3
 *  2       .        x        x        x        x             1 → 2, 3 → 4
 *  3       x        x        x        x        x             1 → 0
 */
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_mst_bcast(c, a->out, a->count, a->root, (coll_mst_dest)a->param[0]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_mst_bcast_cost(a->size, (double)a->count * (double)a->elem, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

static const char *const dest_words[] = { "first", "end" };
static const coll_param params[] = {
  { .name = "dest",
    .value = COLL_MST_FIRST,
    .min = COLL_MST_FIRST,
    .max = COLL_MST_END,
    .words = dest_words,
    .help = "rank of the other half that is sent to: its first, or the one farthest from the root's half" },
  { .name = NULL },
};

const coll_alg bcast_mst = {
  .key = "bcast/mst",
  .collective = COLL_BCAST,
  .summary = "minimum spanning tree: halve the ranks, send to the other half",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, short vectors",
  .params = params,
  .run = run,
  .cost = cost,
  .exact = exact,
};
