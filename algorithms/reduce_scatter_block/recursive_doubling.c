/* reduce_scatter_block/recursive_doubling
 * Idea     exchange and add at distance 1, 2, 4, … all blocks that are of no use to the sender's group. With p no power
 *          of two some ranks have no partner: those of their group that have one hand down what they got
 * Rounds   lg p; more when p is no power of two
 * Cost     lg p alpha + (p lg p - (p-1)) m beta + (p lg p - 2 (p-1) + lg p) m gamma          m = bytes of a
 *          block; exact for p a power of two
 * Needs    any p, any count; keeps the rank order
 * Scratch  three vectors
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned reduce_scatter_block 2
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       S.SS     .SSS     TTT.     TT.T          0 ↔ 1, 2 ↔ 3: three blocks       S = ab, T = cd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 2, 1 ↔ 3: two blocks         X = abcd
 */
#include "collscope.h"
#include "patterns/lg.h"

/* All blocks but those of one group: two pieces, which travel as one message. */
typedef struct {
  size_t low, high, gap;
} pieces; /* elements below the group, above it, and up to its end */

static pieces others(const coll_args *a, int group, int size) {
  int end = group + size < a->size ? group + size : a->size;
  return (pieces){ (size_t)group * a->count, (size_t)(a->size - end) * a->count, (size_t)end * a->count };
}

/* A group with partners at its first `served` ranks only: these send on, at halving distance. Returns whether this rank
 * has the message in the end. */
static bool hand_down(coll_ctx *c, int distance, int served, void *message, size_t n, bool has) {
  for (int half = distance / 2; half && served > 0; half /= 2) {
    int other = c->rank ^ half, first = c->rank & -(2 * half);
    bool i_was_served = c->rank < first + served, other_was = other < first + served;
    if (other > c->rank && i_was_served && !other_was) coll_send(c, message, n, other);
    else if (other < c->rank && other_was && !i_was_served) {
      coll_recv(c, message, n, other);
      has = true;
    }
  }
  return has;
}

/* Elements first … first + n - 1 of what came, which lie at `at`. The lower group's part goes to the left. */
static void add(coll_ctx *c, void *sum, size_t first, void *at, size_t n, bool on_the_left) {
  if (!n) return;
  sum = coll_at(c, sum, first);
  if (on_the_left) {
    coll_reduce(c, at, sum, n);
    return;
  }
  coll_reduce(c, sum, at, n);
  coll_copy(c, sum, at, n);
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count, all = (size_t)c->size * m, own = (size_t)c->rank * m;
  if (!m) return;
  void *sum = coll_scratch(c, all), *leaving = coll_scratch(c, all), *coming = coll_scratch(c, all);
  coll_copy(c, sum, a->in, all);
  for (int distance = 1; distance < c->size; distance *= 2) {
    int partner = c->rank ^ distance, mine = c->rank & -distance, theirs = partner & -distance;
    if (theirs >= c->size) continue;
    pieces give = others(a, mine, distance), take = others(a, theirs, distance);
    size_t given = give.low + give.high, taken = take.low + take.high;
    bool has = partner < c->size;
    if (has) {
      coll_copy(c, leaving, sum, give.low);
      coll_copy(c, coll_at(c, leaving, give.low), coll_at(c, sum, give.gap), give.high);
      coll_sendrecv(c, leaving, given, partner, coming, taken, partner);
    }
    if (theirs + distance > c->size) has = hand_down(c, distance, c->size - theirs, coming, taken, has);
    if (!has) continue;
    /* Of the two groups' own blocks only this rank's is complete: the others were left to their ranks before. */
    bool on_the_left = a->commutes || theirs < mine;
    pieces keep = others(a, mine & theirs, 2 * distance);
    size_t own_at = theirs < mine ? take.low + own - take.gap : own;
    add(c, sum, 0, coming, keep.low, on_the_left);
    add(c, sum, own, coll_at(c, coming, own_at), m, on_the_left);
    add(c, sum, keep.gap, coll_at(c, coming, taken - keep.high), keep.high, on_the_left);
  }
  coll_copy(c, a->out, coll_at(c, sum, own), m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, lg = coll_lg_up(a->size), m = (double)(a->count * a->elem);
  return a->count ? lg * alpha + (p * lg - (p - 1)) * m * beta + (p * lg - 2 * (p - 1) + lg) * m * gamma : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg reduce_scatter_block_recursive_doubling = {
  .key = "reduce_scatter_block/recursive_doubling",
  .collective = COLL_REDUCE_SCATTER_BLOCK,
  .summary = "exchange and add all that others need at distance 1, 2, 4, …",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521",
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
