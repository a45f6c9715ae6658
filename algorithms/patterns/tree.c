#include "patterns/tree.h"

#include <stdlib.h>

#include "patterns/lg.h"

int coll_tree_fanout(coll_tree_shape shape, int k, int p) {
  switch (shape) {
    case COLL_TREE_CHAIN:
    case COLL_TREE_N_ARY: return k < p - 1 ? k : p - 1;
    case COLL_TREE_BINARY:
    case COLL_TREE_IN_ORDER_BINARY: return 2;
    case COLL_TREE_BINOMIAL:
    case COLL_TREE_IN_ORDER_BINOMIAL: return coll_log_up(2, p);
    case COLL_TREE_KNOMIAL:
    case COLL_TREE_KNOMIAL_REVERSED:
    case COLL_TREE_KNOMIAL_PREORDER: return (k - 1) * coll_log_up(k, p);
  }
  return 0;
}

/* All the shapes below speak of virtual ranks; coll_tree_make turns them into real ones. */

/* Chains of `longest` members come first; once there are enough of these the rest have one member less. */
static void chain(coll_tree *t, int chains, int p, int v) {
  if (p < 2) return;
  if (chains > p - 1) chains = p - 1;
  int longest = (p - 1 + chains - 1) / chains, full = chains - (longest * chains - (p - 1));
  if (v == 0) {
    for (int c = 0; c < chains; c++) t->child[t->children++] = 1 + c * longest - (c > full ? c - full : 0);
    return;
  }
  int in_full = full * longest, at = v - 1;
  int place = at < in_full ? at % longest : (at - in_full) % (longest - 1);
  int length = at < in_full ? longest : longest - 1;
  t->parent = place ? v - 1 : 0;
  if (place < length - 1) t->child[t->children++] = v + 1;
}

/* A level holds 2^l ranks; a rank's children lie one and two level widths after it. */
static void binary(coll_tree *t, int p, int v) {
  int width = 1, above = 0;
  while (above + width <= v) {
    above += width;
    width *= 2;
  }
  for (int i = 1; i <= 2 && v + width * i < p; i++) t->child[t->children++] = v + width * i;
  if (v == 0) return;
  int up = v;
  while (up >= above) up -= width / 2;
  t->parent = up;
}

static void binomial(coll_tree *t, int p, int v) {
  int bit = 1;
  while (bit <= v) bit *= 2; /* above the highest bit of v: the first that v may set */
  if (v) t->parent = v ^ (bit / 2);
  for (; v + bit < p; bit *= 2) t->child[t->children++] = v + bit;
}

static void in_order_binomial(coll_tree *t, int p, int v) {
  for (int bit = 1; bit < p; bit *= 2) {
    if (v & bit) {
      t->parent = v - bit;
      return;
    }
    if (v + bit < p) t->child[t->children++] = v + bit;
  }
}

static void knomial(coll_tree *t, int k, int p, int v, bool reversed) {
  int unit = 1;
  while (unit < p && v % (k * unit) == 0) unit *= k;
  if (unit < p) t->parent = v / (k * unit) * (k * unit);
  while ((unit /= k) > 0)
    for (int i = 1; i < k; i++) {
      int child = v + unit * (reversed ? k - i : i);
      if (child < p) t->child[t->children++] = child;
    }
}

/* Of the children of a rank whose subtree has room for `span` ranks, k-1 have room for a k-th of it, then k-1 for a k-th of that, and so
 * on. */
static void knomial_preorder(coll_tree *t, int k, int p, int v) {
  int span = 1, at = 0;
  while (span < p) span *= k;
  while (at != v) {
    int child = at + 1, room = span / k;
    for (int i = 1; v >= child + room; i++) {
      child += room;
      if (i % (k - 1) == 0) room /= k;
    }
    t->parent = at;
    at = child;
    span = room;
  }
  for (int room = span / k, child = v + 1; room; room /= k)
    for (int i = 1; i < k; i++, child += room)
      if (child < p) t->child[t->children++] = child;
}

static void n_ary(coll_tree *t, int k, int p, int v) {
  if (v) t->parent = (v - 1) / k;
  for (long i = 1; i <= k && (long)k * v + i < p; i++) t->child[t->children++] = (int)((long)k * v + i);
}

/* The range of `size` ranks from `first` on: its highest rank is the parent, the lower half (rounded down) is the
 * second child's subtree and the rest the first child's. */
static void in_order_binary(coll_tree *t, int p, int rank) {
  int first = 0, size = p;
  for (;;) {
    int top = first + size - 1, low = size / 2;
    int left = size > 1 ? top - 1 : -1, right = size > 2 ? first + low - 1 : -1;
    if (rank == top) {
      if (left >= 0) t->child[t->children++] = left;
      if (right >= 0) t->child[t->children++] = right;
      return;
    }
    if (right >= 0 && rank <= right) {
      if (rank == right) t->parent = top;
      size = low;
    } else {
      if (rank == left) t->parent = top;
      int skip = right >= 0 ? low : 0;
      first += skip;
      size -= skip + 1;
    }
  }
}

void coll_tree_make(coll_tree *t, coll_tree_shape shape, int k, int p, int root, int rank) {
  t->root = root;
  t->parent = -1;
  t->children = 0;
  if (shape == COLL_TREE_IN_ORDER_BINARY) {
    t->root = p - 1;
    in_order_binary(t, p, rank);
    return;
  }
  int v = (rank - root + p) % p;
  switch (shape) {
    case COLL_TREE_CHAIN: chain(t, k, p, v); break;
    case COLL_TREE_BINARY: binary(t, p, v); break;
    case COLL_TREE_BINOMIAL: binomial(t, p, v); break;
    case COLL_TREE_IN_ORDER_BINOMIAL: in_order_binomial(t, p, v); break;
    case COLL_TREE_N_ARY: n_ary(t, k, p, v); break;
    case COLL_TREE_KNOMIAL_PREORDER: knomial_preorder(t, k, p, v); break;
    default: knomial(t, k, p, v, shape == COLL_TREE_KNOMIAL_REVERSED); break;
  }
  if (t->parent >= 0) t->parent = (t->parent + root) % p;
  for (int i = 0; i < t->children; i++) t->child[i] = (t->child[i] + root) % p;
}

int coll_tree_span(int v, int p) {
  int span = v ? v & -v : p;
  return span < p - v ? span : p - v;
}

int coll_tree_knomial_span(int k, int v, int p) {
  int span = 1;
  while (span < p && v % (k * span) == 0) span *= k;
  return span < p - v ? span : p - v;
}

/* A node's children are served one after the other, each child's own service starts when it has been reached. Parents
 * may have higher numbers than children, so nodes are visited from the root down with an explicit stack. */
coll_tree_steps coll_tree_count(coll_tree_shape shape, int k, int p) {
  coll_tree_steps most = { 0, 0 };
  if (p < 2) return most;
  int fanout = coll_tree_fanout(shape, k, p);
  int *child = malloc(sizeof(int) * (size_t)(fanout + 2 * p)), *stack = child + fanout, *reached = stack + p, top = 0;
  if (!child) abort();
  int root = shape == COLL_TREE_IN_ORDER_BINARY ? p - 1 : 0;
  reached[root] = 0;
  stack[top++] = root;
  while (top) {
    int at = stack[--top];
    coll_tree t = { .child = child };
    coll_tree_make(&t, shape, k, p, 0, at);
    if (t.children > most.children) most.children = t.children;
    if (reached[at] > most.depth) most.depth = reached[at];
    for (int i = 0; i < t.children; i++) {
      reached[t.child[i]] = reached[at] + i + 1;
      stack[top++] = t.child[i];
    }
  }
  free(child);
  return most;
}
