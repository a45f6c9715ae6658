/* exscan/doubling_123
 * Idea     sums of ever more ranks on the left come from distance 1, 2, 3, 6, 12, …: only what is sent by 2 holds the rank's own
 * Rounds   ⌈lg (4/3 (p-1))⌉: one fewer than exscan/recursive_doubling for many p
 * Cost     rounds × (alpha + n (beta + gamma)), for p < 4 with one n gamma less          n = bytes; exact
 * Needs    any p, any count; keeps the rank order
 * Scratch  two vectors
 * Source   Traff 2025, arXiv 2507.04785
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        results
 *  start   -        -        -        -        -
 *  1       -        a        b        c        d             by 1, own
 *  2       -        a        ab       abc      bcd           by 2, what has come with own: a, ab, bc
 *  3       -        a        ab       abc      abcd          by 3, what has come: 1 → 4
 */
#include "collscope.h"

/* 1, 2, 3, 6, 12, … */
static int after(int distance) { return distance < 3 ? distance + 1 : 2 * distance; }

/* The round is needed: some rank takes something in it. From distance 3 on nothing comes from rank 0, which has no sum. */
static bool needed(int p, int distance) { return distance < (distance < 3 ? p : p - 1); }

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, r = c->rank;
  size_t n = a->count;
  if (!n || p < 2) return;
  void *own = coll_scratch(c, n), *inbox = coll_scratch(c, n);
  coll_copy(c, own, a->in, n); /* in place, out is about to be overwritten */
  for (int distance = 1; needed(p, distance); distance = after(distance)) {
    bool sends = r + distance < p && (r || distance < 3), takes = distance < 3 ? r >= distance : r > distance;
    if (distance == 2 && sends && r) coll_reduce(c, a->out, own, n);
    const void *leaves = distance < 3 ? own : a->out;
    void *comes = distance > 1 ? inbox : a->out;
    if (sends && takes) coll_sendrecv(c, leaves, n, r + distance, comes, n, r - distance);
    else if (sends) coll_send(c, leaves, n, r + distance);
    else if (takes) coll_recv(c, comes, n, r - distance);
    if (takes && distance > 1) coll_reduce(c, inbox, a->out, n);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double n = (double)(a->count * a->elem);
  int rounds = 0;
  for (int distance = 1; needed(a->size, distance); distance = after(distance)) rounds++;
  int sums = a->size < 4 ? rounds - 1 : rounds;
  return a->count && rounds ? rounds * (alpha + n * beta) + sums * n * gamma : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg exscan_doubling_123 = {
  .key = "exscan/doubling_123",
  .collective = COLL_EXSCAN,
  .summary = "sums from distance 1, 2, 3, 6, 12, …",
  .source = "Traff 2025, arXiv 2507.04785",
  .run = run,
  .cost = cost,
  .exact = exact,
};
