#include "primitives/double_tree.h"

#include "patterns/segment.h"

static coll_double_tree_call here(coll_ctx *c, const coll_args *a, coll_double_tree_form form, int root, size_t s) {
  int p = c->size;
  coll_double_tree_call t = { .count = a->count, .segment = coll_segment(coll_block_max(a->count, 2), a->elem, s) };
  int *step = coll_keep(c, sizeof(int) * 2 * (size_t)p);
  coll_double_tree_steps(form, p, root, step);
  for (int half = 0; half < 2; half++) {
    size_t segments = coll_segments(coll_block(a->count, 2, half).count, t.segment);
    coll_double_tree tree = coll_double_tree_place(form, half, p, root, c->rank);
    if (tree.parent >= 0)
      t.from[t.parents++] = (coll_double_tree_edge){ tree.parent, half, (size_t)step[half * p + c->rank] };
    for (int i = 0; i < tree.children; i++)
      t.to[t.children++] = (coll_double_tree_edge){ tree.child[i], half, (size_t)step[half * p + tree.child[i]] };
    for (int r = 0; r < p && segments; r++) {
      size_t end = (size_t)step[half * p + r] + 2 * segments - 1;
      if (step[half * p + r] >= 0 && end > t.steps) t.steps = end;
    }
  }
  return t;
}

coll_double_tree_call *coll_double_tree_prepare(coll_ctx *c, const coll_args *a, coll_double_tree_form form, int root,
                                                size_t s) {
  if (c->size < 2 || !a->count) return NULL;
  coll_double_tree_call *t = coll_keep(c, sizeof *t);
  *t = here(c, a, form, root, s);
  return t;
}

/* What goes over an edge in a step: nothing, or a segment. */
static coll_span crossing(const coll_double_tree_call *t, const coll_double_tree_edge *e, size_t step) {
  if (step < e->first || (step - e->first) % 2) return (coll_span){ 0, 0 };
  coll_span half = coll_block(t->count, 2, e->half);
  coll_span s = coll_segment_at(half.count, t->segment, (long)((step - e->first) / 2));
  return (coll_span){ half.first + s.first, s.count };
}

/* The edge, of n, that something goes over in this step; NULL: none. */
static const coll_double_tree_edge *busy(const coll_double_tree_call *t, const coll_double_tree_edge *edge, int n,
                                         size_t step, coll_span *what) {
  for (int i = 0; i < n; i++) {
    *what = crossing(t, &edge[i], step);
    if (what->count) return &edge[i];
  }
  return NULL;
}

static void exchange(coll_ctx *c, const coll_double_tree_edge *to, const void *leaves, size_t ln,
                     const coll_double_tree_edge *from, void *comes, size_t cn) {
  if (to && from) coll_sendrecv(c, leaves, ln, to->peer, comes, cn, from->peer);
  else if (to) coll_send(c, leaves, ln, to->peer);
  else if (from) coll_recv(c, comes, cn, from->peer);
}

void coll_double_tree_bcast(coll_ctx *c, const coll_double_tree_call *t, void *buf) {
  for (size_t step = 0; step < t->steps; step++) {
    coll_span give = { 0, 0 }, take = { 0, 0 };
    const coll_double_tree_edge *to = busy(t, t->to, t->children, step, &give);
    const coll_double_tree_edge *from = busy(t, t->from, t->parents, step, &take);
    exchange(c, to, coll_at(c, buf, give.first), give.count, from, coll_at(c, buf, take.first), take.count);
  }
}

/* Of how many children this rank has not yet added the segment that comes now from one of them. */
static bool comes_first(const coll_double_tree_call *t, const coll_double_tree_edge *from) {
  for (int i = 0; i < t->children; i++)
    if (t->to[i].half == from->half && t->to[i].first > from->first) return false;
  return true;
}

static bool has_children(const coll_double_tree_call *t, int half) {
  return (t->children && t->to[0].half == half) || (t->children == 2 && t->to[1].half == half);
}

void coll_double_tree_reduce(coll_ctx *c, const coll_double_tree_call *t, const void *in, void *sum) {
  bool direct = sum != in; /* what comes first arrives in its place, and this rank's own is added to it: no copy */
  void *inbox = t->children ? coll_scratch(c, t->segment) : NULL;
  for (size_t step = t->steps; step-- > 0;) {
    coll_span give = { 0, 0 }, take = { 0, 0 };
    const coll_double_tree_edge *to = busy(t, t->from, t->parents, step, &give);
    const coll_double_tree_edge *from = busy(t, t->to, t->children, step, &take);
    const void *leaves = to ? coll_at(c, has_children(t, to->half) ? sum : in, give.first) : NULL;
    void *own = from ? coll_at(c, sum, take.first) : NULL;
    bool first = from && direct && comes_first(t, from);
    exchange(c, to, leaves, give.count, from, first ? own : inbox, take.count);
    if (from) coll_reduce(c, first ? coll_at(c, in, take.first) : inbox, own, take.count);
  }
}
