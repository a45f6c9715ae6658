/* The rank arithmetic of algorithms/patterns, for every p up to 64: blocks, rings, trees, folds. Milliseconds. */
#include <stdio.h>
#include <stdlib.h>

#include "patterns/block.h"
#include "patterns/fold.h"
#include "patterns/lg.h"
#include "patterns/mst.h"
#include "patterns/ring.h"
#include "patterns/segment.h"
#include "patterns/tree.h"

enum { MOST = 64 };

static int failed;
static long checked;

#define CHECK(what, ...)                                          \
  do {                                                            \
    checked++;                                                    \
    if (!(what) && failed++ < 20) {                               \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #what);  \
      fprintf(stderr, __VA_ARGS__);                               \
      fputc('\n', stderr);                                        \
    }                                                             \
  } while (0)

static void lg_and_ring(int p) {
  int k = coll_lg_up(p);
  CHECK((1L << k) >= p && (k == 0 || (1L << (k - 1)) < p), "p=%d: %d", p, k);
  CHECK(coll_is_power_of_two(p) == ((1L << k) == p), "p=%d", p);
  for (int r = 0; r < p; r++) {
    CHECK(coll_ring_right(p, r) == (r + 1) % p, "p=%d rank %d", p, r);
    CHECK(coll_ring_left(p, coll_ring_right(p, r)) == r, "p=%d rank %d", p, r);
  }
}

static void blocks(int p, size_t n) {
  size_t at = 0;
  for (int i = 0; i < p; i++) {
    coll_span b = coll_block(n, p, i);
    CHECK(b.first == at, "n=%zu p=%d block %d starts at %zu", n, p, i, b.first);
    CHECK(b.count == n / (size_t)p + ((size_t)i < n % (size_t)p), "n=%zu p=%d block %d has %zu", n, p, i, b.count);
    CHECK(b.count <= coll_block_max(n, p), "n=%zu p=%d block %d has %zu", n, p, i, b.count);
    coll_span rest = coll_blocks(n, p, i, p);
    CHECK(rest.first == at && rest.first + rest.count == n, "n=%zu p=%d from block %d", n, p, i);
    at += b.count;
  }
  CHECK(at == n, "n=%zu p=%d: blocks hold %zu", n, p, at);
}

static void segments(size_t count, size_t elem, size_t s) {
  size_t each = coll_segment(count, elem, s), number = coll_segments(count, each);
  CHECK(count == 0 || (each > 0 && each <= count), "count=%zu elem=%zu s=%zu: %zu", count, elem, s, each);
  CHECK(count == 0 || ((number - 1) * each < count && number * each >= count), "count=%zu elem=%zu s=%zu: %zu of %zu",
        count, elem, s, number, each);
}

/* Both ends of every edge agree, what hangs on a rank is an unbroken range in which its children's ranges lie side by
 * side, and the last rank is reached in round ⌈lg p⌉. */
static void mst(int p, int root, coll_mst_dest dest) {
  static coll_mst_node node[MOST];
  for (int r = 0; r < p; r++) node[r] = coll_mst_place(p, root, r, dest);
  int round[MOST], last = 0, order[MOST], known = 1;
  order[0] = root;
  round[root] = 0;
  CHECK(node[root].parent == -1 && node[root].lo == 0 && node[root].hi == p, "p=%d root=%d", p, root);
  for (int k = 0; k < known; k++) {
    int r = order[k], lo = r, hi = r + 1;
    for (int i = node[r].children; i-- > 0;) {
      coll_mst_range c = node[r].child[i];
      CHECK(c.hi == lo || c.lo == hi, "p=%d root=%d: child %d of %d does not touch the others", p, root, c.root, r);
      if (c.hi == lo) lo = c.lo;
      else hi = c.hi;
    }
    CHECK(lo == node[r].lo && hi == node[r].hi, "p=%d root=%d rank %d covers %d to %d", p, root, r, lo, hi - 1);
    for (int i = 0; i < node[r].children; i++) {
      coll_mst_range c = node[r].child[i];
      CHECK(node[c.root].parent == r && node[c.root].lo == c.lo && node[c.root].hi == c.hi, "p=%d root=%d edge %d-%d", p,
            root, r, c.root);
      CHECK(c.root == (dest == COLL_MST_END && c.lo > r ? c.hi - 1 : c.lo), "p=%d root=%d edge %d-%d", p, root, r,
            c.root);
      round[c.root] = round[r] + i + 1;
      if (round[c.root] > last) last = round[c.root];
      if (known < p) order[known++] = c.root;
    }
  }
  CHECK(known == p, "p=%d root=%d: %d ranks reached", p, root, known);
  CHECK(last == coll_lg_up(p), "p=%d root=%d: %d rounds", p, root, last);
}

/* Every rank but the root is the child of exactly the rank that it calls its parent. */
static void tree(coll_tree_shape shape, int k, int p, int root) {
  int fanout = coll_tree_fanout(shape, k, p), named[MOST] = { 0 }, parent[MOST], top = -1;
  int *child = malloc(sizeof *child * (size_t)(fanout + 1));
  for (int r = 0; r < p; r++) {
    coll_tree t = { .child = child };
    coll_tree_make(&t, shape, k, p, root, r);
    CHECK(t.children <= fanout, "shape %d k=%d p=%d root=%d rank %d has %d children", shape, k, p, root, r, t.children);
    top = t.root;
    parent[r] = t.parent;
    for (int i = 0; i < t.children; i++) named[child[i]] += 1 + r * MOST * MOST;
  }
  free(child);
  for (int r = 0; r < p; r++)
    CHECK(r == top ? parent[r] == -1 && !named[r] : named[r] == 1 + parent[r] * MOST * MOST,
          "shape %d k=%d p=%d root=%d rank %d", shape, k, p, root, r);
}

static void fold(int p, coll_fold_stays stays) {
  coll_fold f = coll_fold_make(p, stays);
  CHECK(f.power == 1 << f.lg && f.power <= p && 2 * f.power > p && f.power + f.extra == p, "p=%d", p);
  int stay = 0;
  for (int r = 0; r < p; r++) {
    int v = coll_fold_virtual(f, r);
    stay += v >= 0;
    CHECK(v < 0 || coll_fold_real(f, v) == r, "p=%d rank %d", p, r);
  }
  CHECK(stay == f.power, "p=%d: %d stay", p, stay);
  for (int v = 0; v < f.power; v++) {
    int first = coll_fold_first(f, v), real = coll_fold_real(f, v);
    CHECK(first <= real && real < coll_fold_first(f, v + 1), "p=%d virtual rank %d", p, v);
  }
  CHECK(coll_fold_first(f, f.power) == p, "p=%d", p);
}

int main(void) {
  for (int p = 1; p <= MOST; p++) {
    size_t n[] = { 0, 1, (size_t)p - 1, (size_t)p, (size_t)p + 1, 1000 };
    lg_and_ring(p);
    for (int i = 0; i < 6; i++) blocks(p, n[i]);
    for (int i = 0; i < 6; i++)
      for (size_t s = 0; s <= 64; s += 3) segments(n[i], 4, s);
    fold(p, COLL_FOLD_EVEN);
    fold(p, COLL_FOLD_ODD);
    for (int root = 0; root < p; root++) {
      mst(p, root, COLL_MST_FIRST);
      mst(p, root, COLL_MST_END);
      for (int shape = COLL_TREE_CHAIN; shape <= COLL_TREE_IN_ORDER_BINARY; shape++)
        for (int k = 2; k <= 5; k++) tree((coll_tree_shape)shape, k, p, root);
    }
  }
  CHECK(coll_mst_place(4, 1, 1, COLL_MST_FIRST).child[0].root == 2, "Bird's figure 4.1.1 sends from 1 to 2 first");
  printf("%ld checks, %d failed\n", checked, failed);
  return failed != 0;
}
