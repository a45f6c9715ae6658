/* gather/binary_tree
 * Idea     blocks climb a binary tree that is numbered in preorder, so that they lie in rank order on the way; both
 *          children are received at once
 * Rounds   2 ⌊lg p⌋ for p = 2^k - 1: two children a level, through one port
 * Cost     T(n) = the later child's T, or the end of the earlier one's transfer, + alpha + its blocks; see cost()
 *          exact for one port
 * Needs    any p, any root, any count
 * Scratch  the blocks of its subtree at ranks with children; all blocks at a root that is not rank 0
 * Source   Donninelli (gather_binary_tree)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5        root 0: children 1 and 4; 1 has 2 and 3, 4 has 5
 *  start   a        b        c        d        e        f
 *  1       a        bcd      -        -        ef       -             2 → 1 and 3 → 1, 5 → 4
 *  2       abcdef   -        -        -        -        -             4 → 0 and 1 → 0
 */
#include "primitives/preorder.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t held = coll_preorder_held(c, a->count, a->root);
  bool root = c->rank == a->root, leaf = held == a->count; /* a leaf sends from where its block lies */
  void *hold = root && a->root == 0 ? a->out : leaf && !root ? (void *)a->in : coll_scratch(c, held);
  coll_copy(c, hold, a->in, a->count);
  coll_preorder_gather(c, hold, a->count, a->root);
  if (root) coll_turn(c, a->out, hold, a->count, a->root);
}

/* When a subtree of n ranks has its blocks together. Of two children the smaller is ready first. */
static double ready(int n, double m, double alpha, double beta) {
  int left = coll_preorder_left(n), right = n - 1 - left;
  if (n < 2) return 0;
  double second = ready(left, m, alpha, beta);
  if (right) {
    double first = ready(right, m, alpha, beta) + alpha + right * m * beta;
    if (first > second) second = first;
  }
  return second + alpha + left * m * beta;
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? ready(a->size, (double)(a->count * a->elem), alpha, beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gather_binary_tree = {
  .key = "gather/binary_tree",
  .collective = COLL_GATHER,
  .summary = "binary tree in preorder, both children at once",
  .source = "Donninelli (gather_binary_tree)",
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
