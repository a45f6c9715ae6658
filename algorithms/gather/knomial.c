/* gather/knomial[k]
 * Idea     up a k-nomial tree: a rank takes the blocks of all its children at once, and passes them on with its own
 * Rounds   (k-1) ⌈log_k p⌉ at most
 * Cost     (k-1) log_k p alpha + (p-1) m beta          m = bytes of a block; exact for p a power of k
 * Needs    any p, any root, any count, any k
 * Scratch  the blocks of its part of the tree at ranks with children; all blocks at a root that is not rank 0
 * Source   MPICH's tree (of igather); Wilkins et al. 2023, CLUSTER; UCC's knomial
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0, k = 3
 *  start   a        b        c        d        e
 *  1       abc      -        -        de       -             1 → 0, 2 → 0, 4 → 3
 *  2       abcde    -        -        -        -             3 → 0
 */
#include "patterns/lg.h"
#include "primitives/tree_here.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  int p = c->size, k = (int)a->param[0], v = (c->rank - a->root + p) % p, span = coll_tree_knomial_span(k, v, p);
  size_t m = a->count;
  coll_tree t = coll_tree_here(c, COLL_TREE_KNOMIAL, k, a->root);
  if (!t.children && t.parent >= 0) {
    coll_send(c, a->in, m, t.parent);
    return;
  }
  /* Blocks lie in the order of virtual ranks; only from rank 0 on is that the order of the result. */
  void *hold = v == 0 && a->root == 0 ? a->out : coll_scratch(c, (size_t)span * m);
  coll_copy(c, hold, a->in, m);
  coll_req *coming = coll_keep(c, sizeof(coll_req) * ((size_t)t.children + 1));
  for (int i = t.children - 1; i >= 0; i--) { /* the nearest child has least to wait for */
    int child = (t.child[i] - a->root + p) % p;
    coming[i] = coll_irecv(c, coll_at(c, hold, (size_t)(child - v) * m),
                           (size_t)coll_tree_knomial_span(k, child, p) * m, t.child[i]);
  }
  coll_waitall(c, t.children, coming);
  if (v) coll_send(c, hold, (size_t)span * m, t.parent);
  else coll_turn(c, a->out, hold, m, a->root);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int k = (int)a->param[0];
  return a->count ? (k - 1) * coll_log_up(k, a->size) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta
                  : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of((int)a->param[0], a->size); }

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: k-1 children per step" },
  { .name = NULL },
};

const coll_alg gather_knomial = {
  .key = "gather/knomial",
  .collective = COLL_GATHER,
  .summary = "k-nomial tree, blocks joined on the way",
  .source = "MPICH; UCC",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
