/* bcast/scatter_recursive_doubling
 * Idea     scatter the vector down a binomial tree, then exchange all that one has at distance 1, 2, 4, … Where the
 *          rank to exchange with does not exist, ranks that got the data hand it on within their group
 * Rounds   2 ⌈lg p⌉, and more when p is no power of two
 * Cost     2 lg p alpha + 2 (p-1)/p n beta          n = bytes; exact for p a power of two that divides the count
 * Needs    any p, any root, count >= p (or 0)
 * Scratch  none
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned bcast 8
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   abcd     ....     ....     ....
 *  1       abcd     ....     ..cd     ....          0 → 2
 *  2       abcd     .b..     ..cd     ...d          0 → 1, 2 → 3
 *  3       abcd     ab..     ..cd     ..cd          0 ↔ 1, 2 ↔ 3
 *  4       abcd     abcd     abcd     abcd          0 ↔ 2, 1 ↔ 3
 */
#include "patterns/lg.h"
#include "primitives/bcast_scatter.h"

static const char *supports(const coll_args *a) {
  return a->count && a->count < (size_t)a->size
             ? "needs at least one element per rank; Open MPI takes bcast/linear instead"
             : NULL;
}

/* Group `mine` of `width` ranks has met the group behind it, of which only `others` ranks exist: the ranks of mine
 * that had a partner there pass its blocks on to those that had none, down a binomial tree. */
static void forward(coll_ctx *c, const coll_args *a, int v, int mine, int width, int others) {
  int p = c->size;
  coll_span news = coll_ceil_blocks(a->count, p, mine + width, width);
  for (int half = width / 2; half; half /= 2) {
    int partner = v ^ half, known = (v & -(2 * half)) + others, real = (partner + a->root) % p;
    if (partner > v && v < known && partner >= known) coll_send(c, coll_at(c, a->out, news.first), news.count, real);
    if (partner < v && partner < known && v >= known) coll_recv(c, coll_at(c, a->out, news.first), news.count, real);
  }
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, v = (c->rank - a->root + p) % p;
  if (p < 2 || !a->count) return;
  coll_bcast_scatter(c, a);
  for (int width = 1; width < p; width *= 2) {
    int partner = v ^ width, mine = v & -width, theirs = partner & -width;
    if (partner < p) {
      coll_span have = coll_ceil_blocks(a->count, p, mine, width), lack = coll_ceil_blocks(a->count, p, theirs, width);
      int real = (partner + a->root) % p;
      coll_sendrecv(c, coll_at(c, a->out, have.first), have.count, real, coll_at(c, a->out, lack.first), lack.count,
                    real);
    }
    if (theirs + width > p) forward(c, a, v, mine, width, p - mine - width);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, n = (double)(a->count * a->elem);
  return a->count ? 2 * coll_lg_up(a->size) * alpha + 2 * (p - 1) / p * n * beta : 0;
}

static bool exact(const coll_args *a) { return coll_is_power_of_two(a->size) && a->count % (size_t)a->size == 0; }

const coll_alg bcast_scatter_recursive_doubling = {
  .key = "bcast/scatter_recursive_doubling",
  .collective = COLL_BCAST,
  .summary = "binomial scatter, then exchanges at distance 1, 2, 4, …",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521",
  .twin = { "Open MPI", 8 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
