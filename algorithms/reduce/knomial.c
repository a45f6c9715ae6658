/* reduce/knomial[k]
 * Idea     up a k-nomial tree: a rank takes the vectors of all its children at once, then adds them up and passes the sum on
 * Rounds   (k-1) ⌈log_k p⌉ at most
 * Cost     (k-1) log_k p (alpha + n beta) + (k-1) s (s+1) / 2 n gamma          n = bytes, s = log_k p; exact for p a power of k: the
 *          1, 2, …, s-th rank on the longest path adds up k-1, 2 (k-1), …, s (k-1) vectors, none before all have come
 * Needs    any p, any root, any count, any k; the operator must commute
 * Scratch  a vector for each child, and one more at ranks with children (not at the root)
 * Source   "knomial" in the main branch of Open MPI's coll/tuned; Wilkins et al. 2023, CLUSTER; UCC's knomial
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0, k = 3
 *  start   a        b        c        d        e
 *  1       abc      .        .        de       .             1 → 0, 2 → 0, 4 → 3
 *  2       abcde    .        .        .        .             3 → 0
 */
#include "patterns/lg.h"
#include "primitives/tree_here.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_tree t = coll_tree_here(c, COLL_TREE_KNOMIAL, (int)a->param[0], a->root);
  if (!t.children && t.parent >= 0) {
    coll_send(c, a->in, n, t.parent);
    return;
  }
  void *sum = t.parent < 0 ? a->out : coll_scratch(c, n);
  coll_copy(c, sum, a->in, n);
  void *child = t.children ? coll_scratch(c, (size_t)t.children * n) : NULL;
  coll_req *coming = coll_keep(c, sizeof(coll_req) * ((size_t)t.children + 1));
  for (int i = 0; i < t.children; i++) coming[i] = coll_irecv(c, coll_at(c, child, (size_t)i * n), n, t.child[i]);
  coll_waitall(c, t.children, coming);
  for (int i = 0; i < t.children; i++) coll_reduce(c, coll_at(c, child, (size_t)i * n), sum, n);
  if (t.parent >= 0) coll_send(c, sum, n, t.parent);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int k = (int)a->param[0];
  double s = coll_log_up(k, a->size), n = (double)(a->count * a->elem);
  return a->count ? (k - 1) * (s * (alpha + n * beta) + s * (s + 1) / 2 * n * gamma) : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of((int)a->param[0], a->size); }

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: k-1 children per step" },
  { .name = NULL },
};

const coll_alg reduce_knomial = {
  .key = "reduce/knomial",
  .collective = COLL_REDUCE,
  .summary = "k-nomial tree, all children at once",
  .source = "Open MPI, coll/tuned; UCC",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
