/* The rank arithmetic of algorithms/patterns, for every p up to 64: blocks, rings, trees, folds, kings, groups. About a second. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "patterns/block.h"
#include "patterns/fold.h"
#include "patterns/king.h"
#include "patterns/leaders.h"
#include "patterns/lg.h"
#include "patterns/mst.h"
#include "patterns/preorder.h"
#include "patterns/ring.h"
#include "patterns/segment.h"
#include "patterns/tree.h"
#include "tests/algorithms/check.h"

enum { MAX_SIZE = 64 };

static void lg_and_ring(int p) {
  int k = coll_lg_up(p);
  CHECK((1L << k) >= p && (k == 0 || (1L << (k - 1)) < p), "p=%d: %d", p, k);
  CHECK(coll_is_power_of_two(p) == ((1L << k) == p), "p=%d", p);
  for (int base = 2, digits; base <= 9; base++) {
    long below = 0, reach = 1;
    for (digits = 0; reach < p; digits++) below = reach, reach *= base;
    CHECK(coll_log_up(base, p) == digits && below < p, "p=%d base %d", p, base);
    CHECK(coll_is_power_of(base, p) == (reach == p), "p=%d base %d", p, base);
  }
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
  static coll_mst_node node[MAX_SIZE];
  for (int r = 0; r < p; r++) node[r] = coll_mst_place(p, root, r, dest);
  int round[MAX_SIZE], last = 0, order[MAX_SIZE], known = 1;
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
      CHECK(node[c.root].parent == r && node[c.root].lo == c.lo && node[c.root].hi == c.hi, "p=%d root=%d edge %d-%d",
            p, root, r, c.root);
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

/* ---- trees ------------------------------------------------------------------------------------------ */

typedef struct {
  int root, parent[MAX_SIZE], children[MAX_SIZE], child[MAX_SIZE][MAX_SIZE];
} whole_tree;

static void tree_all(whole_tree *w, coll_tree_shape shape, int k, int p, int root) {
  int fanout = coll_tree_fanout(shape, k, p);
  for (int r = 0; r < p; r++) {
    coll_tree t = { .child = w->child[r] };
    coll_tree_make(&t, shape, k, p, root, r);
    CHECK(t.children <= fanout, "shape %d k=%d p=%d root=%d rank %d has %d children", shape, k, p, root, r, t.children);
    w->root = t.root;
    w->parent[r] = t.parent;
    w->children[r] = t.children;
  }
}

/* Every rank but the root is the child of exactly the rank that it calls its parent. */
static void tree_agrees(const whole_tree *w, coll_tree_shape shape, int k, int p, int root) {
  int named[MAX_SIZE] = { 0 };
  for (int r = 0; r < p; r++)
    for (int i = 0; i < w->children[r]; i++) named[w->child[r][i]] += 1 + r * MAX_SIZE * MAX_SIZE;
  for (int r = 0; r < p; r++)
    CHECK(r == w->root ? w->parent[r] == -1 && !named[r] : named[r] == 1 + w->parent[r] * MAX_SIZE * MAX_SIZE,
          "shape %d k=%d p=%d root=%d rank %d", shape, k, p, root, r);
  CHECK(w->root == (shape == COLL_TREE_IN_ORDER_BINARY ? p - 1 : root), "shape %d p=%d root=%d", shape, p, root);
}

/* Walks down from a rank; members in the order in which they are met. Returns how many; too many are a circle. */
static int subtree(const whole_tree *w, int p, int top, int *member) {
  int n = 1;
  member[0] = top;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < w->children[member[i]] && n < p; c++) member[n++] = w->child[member[i]][c];
  return n;
}

/* All of an unbroken range of virtual ranks, `v` its first. */
static bool is_range_from(int v, const int *member, int n, int p, int root) {
  bool in[2 * MAX_SIZE] = { false };
  for (int i = 0; i < n; i++) in[(member[i] - root + p) % p] = true;
  for (int i = v; i < v + n; i++)
    if (!in[i]) return false;
  return true;
}

/* What the header promises of subtrees, and what the closed forms are made of. */
static void tree_covers(const whole_tree *w, coll_tree_shape shape, int k, int p, int root) {
  int member[MAX_SIZE], round[MAX_SIZE], most = 0, deepest = 0, n = subtree(w, p, w->root, member);
  CHECK(n == p, "shape %d k=%d p=%d root=%d reaches %d", shape, k, p, root, n);
  round[w->root] = 0;
  for (int i = 0; i < n; i++) {
    int r = member[i];
    if (w->children[r] > most) most = w->children[r];
    if (round[r] > deepest) deepest = round[r];
    for (int c = 0; c < w->children[r]; c++) round[w->child[r][c]] = round[r] + c + 1;
  }
  coll_tree_steps steps = coll_tree_count(shape, k, p);
  CHECK(steps.depth == deepest && steps.children == most, "shape %d k=%d p=%d: %d rounds, %d children", shape, k, p,
        deepest, most);
  bool ranges = shape == COLL_TREE_CHAIN || shape == COLL_TREE_IN_ORDER_BINOMIAL || shape == COLL_TREE_KNOMIAL ||
                shape == COLL_TREE_KNOMIAL_REVERSED || shape == COLL_TREE_KNOMIAL_PREORDER;
  for (int r = 0; r < p; r++) {
    int v = (r - root + p) % p, below[MAX_SIZE], size = subtree(w, p, r, below);
    if (ranges)
      CHECK(is_range_from(v, below, size, p, root), "shape %d k=%d p=%d root=%d rank %d", shape, k, p, root, r);
    if (shape == COLL_TREE_IN_ORDER_BINOMIAL) CHECK(coll_tree_span(v, p) == size, "p=%d v=%d: %d", p, v, size);
    if (shape == COLL_TREE_KNOMIAL) CHECK(coll_tree_knomial_span(k, v, p) == size, "k=%d p=%d v=%d: %d", k, p, v, size);
    if (shape != COLL_TREE_IN_ORDER_BINARY) continue;
    /* (second child's ranks, first child's, parent), in this order. */
    int lowest = r - size + 1;
    CHECK(is_range_from(lowest, below, size, p, 0), "p=%d rank %d covers no range that ends with it", p, r);
    if (w->children[r]) CHECK(w->child[r][0] == r - 1, "p=%d rank %d: first child %d", p, r, w->child[r][0]);
    if (w->children[r] == 2) {
      CHECK(subtree(w, p, w->child[r][1], member) == size / 2, "p=%d rank %d: uneven halves", p, r);
      CHECK(w->child[r][1] == r - 1 - subtree(w, p, r - 1, below), "p=%d rank %d: second child %d", p, r,
            w->child[r][1]);
    }
  }
}

static void tree(coll_tree_shape shape, int k, int p, int root) {
  static whole_tree w;
  tree_all(&w, shape, k, p, root);
  tree_agrees(&w, shape, k, p, root);
  tree_covers(&w, shape, k, p, root);
}

/* Children lie behind their parent, side by side, and only the last level has gaps, on its right. */
static void preorder(int p) {
  int depth[MAX_SIZE], deepest = 0;
  bool gap = false;
  for (int v = 0; v < p; v++) {
    coll_preorder_node n = coll_preorder_place(p, v);
    int at = v + 1;
    CHECK((n.parent < 0) == (v == 0) && n.parent < v, "p=%d v=%d: parent %d", p, v, n.parent);
    depth[v] = v ? depth[n.parent] + 1 : 0;
    if (depth[v] > deepest) deepest = depth[v];
    for (int i = 0; i < n.children; i++) {
      coll_preorder_node c = coll_preorder_place(p, n.child[i]);
      CHECK(n.child[i] == at && c.parent == v && c.span == n.child_span[i], "p=%d v=%d child %d", p, v, n.child[i]);
      at += n.child_span[i];
    }
    CHECK(at == v + n.span, "p=%d v=%d: its children cover up to %d of %d", p, v, at, v + n.span);
  }
  CHECK((1 << deepest) <= p && p < (2 << deepest), "p=%d: %d levels", p, deepest);
  for (int v = 0; v < p; v++) {
    if (depth[v] != deepest - 1) continue;
    int children = coll_preorder_place(p, v).children;
    CHECK(!gap || !children, "p=%d v=%d has children right of a gap", p, v);
    gap |= children < 2;
  }
}

/* ---- exchanges -------------------------------------------------------------------------------------- */

/* Those who meet in a step meet mutually, and after the last everybody has met everybody, directly or not. */
static void king(int p, int k) {
  coll_king r = coll_king_make(p, k);
  long power = 1;
  for (int i = 0; i < r.steps; i++) power *= r.k;
  CHECK(r.power == power && power <= p && (r.k == 1 ? p == 1 : power * r.k > p), "p=%d k=%d: %d", p, k, r.power);
  uint64_t knows[MAX_SIZE], then[MAX_SIZE];
  for (int v = 0; v < r.power; v++) knows[v] = (uint64_t)1 << v;
  for (int distance = 1; distance < r.power; distance *= r.k) {
    for (int v = 0; v < r.power; v++) {
      then[v] = knows[v];
      for (int j = 1; j < r.k; j++) {
        int other = coll_king_partner(r, v, distance, j);
        bool fits = other >= 0 && other < r.power && other != v;
        CHECK(fits, "p=%d k=%d rank %d distance %d: partner %d", p, k, v, distance, other);
        if (!fits) return;
        CHECK(coll_king_partner(r, other, distance, -j) == v, "p=%d k=%d rank %d and %d", p, k, v, other);
        CHECK(other / (distance * r.k) == v / (distance * r.k) && other % distance == v % distance,
              "p=%d k=%d rank %d and %d differ in more than one digit", p, k, v, other);
        then[v] |= knows[other];
      }
    }
    memcpy(knows, then, sizeof knows);
  }
  for (int v = 0; v < r.power; v++)
    CHECK(knows[v] == (r.power == 64 ? ~(uint64_t)0 : ((uint64_t)1 << r.power) - 1), "p=%d k=%d rank %d", p, k, v);
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

/* ---- groups ----------------------------------------------------------------------------------------- */

/* Nodes of 3, 5 and 4 ranks in turn with two sockets, in blocks; or five nodes, dealt out in an order of no use. */
static void uneven_places(int p, bool dealt, coll_place *place) {
  static const int sizes[] = { 3, 5, 4 };
  for (int r = 0, node = 0, k = 0; r < p; r++) {
    int n = dealt ? r * 7 % 5 : node, core = dealt ? r / 5 : k;
    place[r] = (coll_place){ n, 2 * n + core % 2, 8 * n + core % 2 + core / 2 % 2 * 2 };
    if (++k == sizes[node % 3]) {
      node++;
      k = 0;
    }
  }
}

static int level_of(const coll_place *place, int level) {
  return level == COLL_LEVEL_NODE ? place->node : level == COLL_LEVEL_SOCKET ? place->socket : place->cache;
}

/* Each rank in one group, of those who share the level's unit; members ascend, groups by their first. */
static void grouping(int p, const coll_place *place) {
  for (int level = 0; level < COLL_LEVELS; level++) {
    coll_grouping g;
    coll_grouping_make(&g, (coll_level)level, p, place);
    CHECK(g.first[0] == 0 && g.first[g.groups] == p, "p=%d level %d", p, level);
    for (int k = 0; k < g.groups; k++)
      for (int i = g.first[k]; i < g.first[k + 1]; i++) {
        CHECK(g.group_of[g.member[i]] == k, "p=%d level %d rank %d", p, level, g.member[i]);
        CHECK(i == g.first[k] || g.member[i - 1] < g.member[i], "p=%d level %d group %d descends", p, level, k);
        CHECK(!k || g.member[g.first[k]] > g.member[g.first[k - 1]], "p=%d level %d group %d is out of order", p, level,
              k);
      }
    for (int a = 0; a < p; a++)
      for (int b = 0; b < a; b++)
        CHECK((g.group_of[a] == g.group_of[b]) == (level_of(&place[a], level) == level_of(&place[b], level)),
              "p=%d level %d ranks %d and %d", p, level, a, b);
    coll_grouping_free(&g);
  }
}

/* As many groups on each node, that share all its ranks out; refused when, and only when, a leader would lack a rank. */
static void leaders(int p, const coll_place *place, int per_node, bool one_socket) {
  int first[MAX_SIZE + 1], member[MAX_SIZE], found[MAX_SIZE] = { 0 };
  coll_leaders l = { .first = first, .member = member };
  coll_grouping node;
  coll_grouping_make(&node, COLL_LEVEL_NODE, p, place);
  bool enough = true;
  for (int k = 0; k < node.groups; k++) {
    int ranks = node.first[k + 1] - node.first[k], on_first = 0;
    for (int i = node.first[k]; i < node.first[k + 1]; i++)
      on_first += place[node.member[i]].socket == place[node.member[node.first[k]]].socket;
    enough &= one_socket ? on_first >= per_node : ranks >= per_node;
  }
  const char *refused = coll_leaders_make(&l, p, place, per_node, one_socket);
  CHECK(one_socket || per_node == 1 ? !refused == enough : !refused <= enough, "p=%d per_node=%d one_socket=%d: %s", p,
        per_node, one_socket, refused ? refused : "done");
  if (!refused) {
    CHECK(l.groups == node.groups * per_node && first[0] == 0 && first[l.groups] == p, "p=%d: %d groups", p, l.groups);
    for (int g = 0; g < l.groups; g++) {
      int leader = member[first[g]], k = g / per_node, home = node.member[node.first[k]];
      CHECK(first[g] < first[g + 1], "p=%d per_node=%d: group %d is empty", p, per_node, g);
      if (one_socket)
        CHECK(place[leader].socket == place[home].socket, "p=%d: leader %d sits on another socket", p, leader);
      for (int i = first[g]; i < first[g + 1]; i++) {
        found[member[i]]++;
        CHECK(node.group_of[member[i]] == k, "p=%d per_node=%d: rank %d is led from another node", p, per_node,
              member[i]);
      }
    }
    for (int r = 0; r < p; r++)
      CHECK(found[r] == 1, "p=%d per_node=%d: rank %d is in %d groups", p, per_node, r, found[r]);
  }
  coll_grouping_free(&node);
}

int main(void) {
  for (int p = 1; p <= MAX_SIZE; p++) {
    size_t n[] = { 0, 1, (size_t)p - 1, (size_t)p, (size_t)p + 1, 1000 };
    lg_and_ring(p);
    for (int i = 0; i < 6; i++) blocks(p, n[i]);
    for (int i = 0; i < 6; i++)
      for (size_t s = 0; s <= 64; s += 3) segments(n[i], 4, s);
    fold(p, COLL_FOLD_EVEN);
    fold(p, COLL_FOLD_ODD);
    preorder(p);
    for (int k = 2; k <= 9; k++) king(p, k);
    for (int dealt = 0; dealt < 2; dealt++) {
      coll_place place[MAX_SIZE];
      uneven_places(p, dealt, place);
      grouping(p, place);
      for (int per_node = 1; per_node <= 4; per_node++)
        for (int one_socket = 0; one_socket < 2; one_socket++) leaders(p, place, per_node, one_socket);
    }
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
