/* scatterv/irregular_binomial
 * Idea     gatherv/irregular_binomial backwards: who has the blocks of a group sends those of the half with fewer elements to a rank of
 *          that half; the root stays where it is
 * Rounds   ⌈lg p⌉
 * Cost     each message alpha and its blocks × beta, one after the other at each rank of the tree; exact
 * Needs    any p, any root, any counts, which all ranks know: see gatherv/irregular_binomial
 * Scratch  what a rank passes on, if it is not the root
 * Source   Traff 2017, arXiv 1702.05967
 *
 *          rank 0   rank 1   rank 2   rank 3        root 3; rank 1 gets three elements
 *  start   .        .        .        abbbcd
 *  1       .        abbb     .        cd            3 → 1
 *  2       a        bbb      c        d             1 → 0, 3 → 2
 */
#include "patterns/irregular_tree.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, r = c->rank, top = 0;
  while (1 << top < p && coll_irregular_collector(a, r >> (top + 1) << (top + 1), top + 1) == r) top++;
  int lo = r >> top << top;
  coll_span own = coll_rank_block(a, r), mine = coll_rank_blocks(a, lo, coll_irregular_end(p, lo, top));
  const void *hold = a->in;
  size_t begins = 0;
  if (!mine.count) return;
  if (r != a->root) {
    void *takes = top ? coll_scratch(c, mine.count) : a->out;
    coll_recv(c, takes, mine.count, coll_irregular_collector(a, lo >> (top + 1) << (top + 1), top + 1));
    hold = takes;
    begins = mine.first;
  }
  for (int d = top; d >= 1; d--) {
    int other = coll_irregular_other(r, d);
    if (other >= p) continue;
    coll_span leaves = coll_rank_blocks(a, other, coll_irregular_end(p, other, d - 1));
    if (leaves.count)
      coll_send(c, coll_at(c, hold, leaves.first - begins), leaves.count, coll_irregular_collector(a, other, d - 1));
  }
  if (r == a->root ? !a->in_place : top > 0) coll_copy(c, a->out, coll_at(c, hold, own.first - begins), own.count);
}

/* When the last rank of a group has its block, its collector having all of them at this time. */
static double done(const coll_args *a, int lo, int d, double time, double alpha, double beta) {
  if (!d) return time;
  int middle = lo + (1 << (d - 1)), end = coll_irregular_end(a->size, lo, d);
  if (middle >= end) return done(a, lo, d - 1, time, alpha, beta);
  bool up = coll_irregular_collector(a, lo, d) >= middle; /* the lower half is sent */
  size_t n = (up ? coll_rank_blocks(a, lo, middle) : coll_rank_blocks(a, middle, end)).count;
  if (n) time += alpha + (double)(n * a->elem) * beta;
  double low = n || !up ? done(a, lo, d - 1, time, alpha, beta) : 0;
  double high = n || up ? done(a, middle, d - 1, time, alpha, beta) : 0;
  return low > high ? low : high;
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int d = 0;
  while (1 << d < a->size) d++;
  return done(a, 0, d, 0, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg scatterv_irregular_binomial = {
  .key = "scatterv/irregular_binomial",
  .collective = COLL_SCATTERV,
  .summary = "groups part in two, the half with fewer elements is sent",
  .source = "Traff 2017, arXiv 1702.05967",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
