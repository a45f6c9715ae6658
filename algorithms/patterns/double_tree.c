#include "patterns/double_tree.h"

#include <stdbool.h>
#include <stdlib.h>

/* Which vertex of its tree a rank is, and the other way around. */
static int vertex_of(coll_double_tree_form form, int which, int p, int root, int rank) {
  if (form == COLL_DOUBLE_TREE_NCCL) {
    if (!which) return rank;
    return p % 2 ? (rank + p - 1) % p : p - 1 - rank;
  }
  int v = (rank + p - root) % p;
  if (!which || !v) return v;
  return p % 2 ? p - v : v > 1 ? v - 1 : p - 1;
}

static int rank_of(coll_double_tree_form form, int which, int p, int root, int vertex) {
  if (form == COLL_DOUBLE_TREE_NCCL) {
    if (!which) return vertex;
    return p % 2 ? (vertex + 1) % p : p - 1 - vertex;
  }
  int v = vertex;
  if (which && vertex) v = p % 2 ? p - vertex : vertex < p - 1 ? vertex + 1 : 1;
  return (v + root) % p;
}

coll_double_tree coll_double_tree_place(coll_double_tree_form form, int which, int p, int root, int rank) {
  coll_double_tree t = { .parent = -1 };
  int vertex = vertex_of(form, which, p, root, rank), bit = 1;
  while (bit < p && !(vertex & bit)) bit *= 2;
  if (vertex) {
    int up = (vertex ^ bit) | bit * 2;
    t.parent = rank_of(form, which, p, root, up < p ? up : vertex ^ bit);
    if (bit > 1) t.child[t.children++] = rank_of(form, which, p, root, vertex - bit / 2);
  }
  int right = bit / 2;
  while (right && vertex + right >= p) right /= 2;
  if (right) t.child[t.children++] = rank_of(form, which, p, root, vertex + right);
  return t;
}

/* ---- steps ------------------------------------------------------------------------------------------ */

/* The edge into rank r in tree `half` is step[half * p + r]; so is its place. */
typedef struct {
  int p, *step;
  coll_double_tree *place;
} steps;
typedef struct {
  int half, rank; /* rank -1: no edge */
} edge;
enum { TOP = -1, EVEN = -2, ODD = -3, OPEN = -4 }; /* before a step is known */

static const coll_double_tree *place_of(const steps *s, edge e) { return &s->place[e.half * s->p + e.rank]; }
static int *step_of(const steps *s, edge e) { return &s->step[e.half * s->p + e.rank]; }

/* The other edge over which the sender of e sends: at most two leave a rank, in both trees together. */
static edge same_sender(const steps *s, edge e) {
  int sender = place_of(s, e)->parent;
  for (int half = 0; half < 2; half++) {
    const coll_double_tree *t = place_of(s, (edge){ half, sender });
    for (int i = 0; i < t->children; i++)
      if (half != e.half || t->child[i] != e.rank) return (edge){ half, t->child[i] };
  }
  return (edge){ 0, -1 };
}

static edge same_receiver(const steps *s, edge e) {
  edge other = { 1 - e.half, e.rank };
  return *step_of(s, other) == TOP ? (edge){ 0, -1 } : other;
}

/* From e on, by edges that share a sender and a receiver in turn: even and odd steps alternate. These walks are paths, or circles of even
 * length, as two edges in turn share the one and the other. */
static void walk(const steps *s, edge e, bool by_sender) {
  for (int parity = *step_of(s, e);; by_sender = !by_sender) {
    e = by_sender ? same_sender(s, e) : same_receiver(s, e);
    if (e.rank < 0 || *step_of(s, e) != OPEN) return;
    *step_of(s, e) = parity = parity == EVEN ? ODD : EVEN;
  }
}

/* The first step after its sender has the first segment, of the right parity. */
static int settle(const steps *s, edge e) {
  int *step = step_of(s, e);
  if (*step >= TOP) return *step;
  int odd = *step == ODD, at = settle(s, (edge){ e.half, place_of(s, e)->parent }) + 1;
  return *step = at + (at % 2 != odd);
}

void coll_double_tree_steps(coll_double_tree_form form, int p, int root, int *step) {
  steps s = { p, step, malloc(sizeof *s.place * 2 * (size_t)p) };
  if (!s.place) abort();
  for (int half = 0; half < 2; half++)
    for (int r = 0; r < p; r++) {
      coll_double_tree *t = &s.place[half * p + r];
      *t = coll_double_tree_place(form, half, p, root, r);
      step[half * p + r] = t->parent < 0 ? TOP : OPEN;
    }
  for (int half = 0; half < 2; half++)
    for (int r = 0; r < p; r++) {
      edge e = { half, r };
      if (*step_of(&s, e) != OPEN) continue;
      *step_of(&s, e) = EVEN;
      walk(&s, e, true);
      walk(&s, e, false);
    }
  for (int half = 0; half < 2; half++)
    for (int r = 0; r < p; r++) settle(&s, (edge){ half, r });
  free(s.place);
}
