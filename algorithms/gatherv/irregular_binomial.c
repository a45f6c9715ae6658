/* gatherv/irregular_binomial
 * Idea     as gatherv/binomial, but of two groups that are joined the one with fewer elements goes to the other, so that most data
 *          travels once; see patterns/irregular_tree.h
 * Rounds   ⌈lg p⌉
 * Cost     each message alpha and its blocks × beta, one after the other at each rank of the tree; exact. At most ⌈lg p⌉ alpha + all
 *          blocks but the root's × beta, and what a root that is in the smaller group waits for
 * Needs    any p, any root, any counts, which all ranks know: the paper's ranks, which know their own, find the tree in 2 ⌈lg p⌉ more
 *          rounds of a few numbers
 * Scratch  what a rank collects, if it is not the root
 * Source   Traff 2017, arXiv 1702.05967
 *
 *          rank 0   rank 1   rank 2   rank 3        root 3; rank 1 has three elements
 *  start   a        bbb      c        d
 *  1       -        abbb     -        cd            0 → 1, 2 → 3
 *  2       -        -        -        abbbcd        1 → 3
 */
#include "patterns/irregular_tree.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, r = c->rank, top = 0;
  while (1 << top < p && coll_irregular_collector(a, r >> (top + 1) << (top + 1), top + 1) == r) top++;
  int lo = r >> top << top;
  coll_span own = coll_rank_block(a, r), mine = coll_rank_blocks(a, lo, coll_irregular_end(p, lo, top));
  if (r != a->root && (!mine.count || !top)) {
    if (mine.count) coll_send(c, a->in, mine.count, coll_irregular_collector(a, lo >> 1 << 1, 1));
    return;
  }
  void *hold = r == a->root ? a->out : coll_scratch(c, mine.count);
  size_t begins = r == a->root ? 0 : mine.first;
  coll_copy(c, coll_at(c, hold, own.first - begins), a->in, own.count);
  for (int d = 1; d <= top; d++) {
    int other = coll_irregular_other(r, d);
    if (other >= p) continue;
    coll_span comes = coll_rank_blocks(a, other, coll_irregular_end(p, other, d - 1));
    if (comes.count)
      coll_recv(c, coll_at(c, hold, comes.first - begins), comes.count, coll_irregular_collector(a, other, d - 1));
  }
  if (r != a->root) coll_send(c, hold, mine.count, coll_irregular_collector(a, lo >> (top + 1) << (top + 1), top + 1));
}

/* When the collector of a group has all of it. */
static double ready(const coll_args *a, int lo, int d, double alpha, double beta) {
  if (!d) return 0;
  int middle = lo + (1 << (d - 1)), end = coll_irregular_end(a->size, lo, d);
  if (middle >= end) return ready(a, lo, d - 1, alpha, beta);
  double low = ready(a, lo, d - 1, alpha, beta), high = ready(a, middle, d - 1, alpha, beta);
  bool up = coll_irregular_collector(a, lo, d) >= middle; /* the lower half is sent to the upper one */
  size_t n = (up ? coll_rank_blocks(a, lo, middle) : coll_rank_blocks(a, middle, end)).count;
  if (!n) return up ? high : low;
  return (low > high ? low : high) + alpha + (double)(n * a->elem) * beta;
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int d = 0;
  while (1 << d < a->size) d++;
  return ready(a, 0, d, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gatherv_irregular_binomial = {
  .key = "gatherv/irregular_binomial",
  .collective = COLL_GATHERV,
  .summary = "groups join two by two, the one with fewer elements sends",
  .source = "Traff 2017, arXiv 1702.05967",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
