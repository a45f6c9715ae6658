/* bcast/split_binary[s]
 * Idea     each half of the vector goes down one half of a binary tree, in segments; then neighbours swap halves
 * Rounds   about lg p + 2 (n/2s) + 1
 * Cost     no closed form
 * Needs    any p, any root; two elements at least, and halves that are no shorter than a segment
 * Scratch  none
 * Source   Open MPI's coll/tuned bcast 4
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0, one segment; odd virtual ranks are on the left
 *  start   LR       ..       ..       ..
 *  1       LR       L.       ..       ..            0 → 1
 *  2       LR       L.       .R       L.            0 → 2, 1 → 3
 *  3       LR       LR       LR       LR            1 ↔ 2; 3 has no partner: 0 → 3
 */
#include "collscope.h"
#include "patterns/block.h"
#include "patterns/ring.h"
#include "patterns/segment.h"
#include "patterns/tree.h"

enum { LEFT, RIGHT };

/* Segments are whole elements, rounded down. */
static size_t segment_of(const coll_args *a, size_t half) {
  size_t s = (size_t)a->param[0];
  if (!s) return half;
  return s < a->elem ? 1 : s / a->elem;
}

static const char *supports(const coll_args *a) {
  size_t s = (size_t)a->param[0], right = a->count / 2;
  if (a->size < 2 || !a->count) return NULL;
  if (s && s < a->elem) s = a->elem;
  if (!right || s > right * a->elem)
    return "a half of the vector is shorter than a segment; Open MPI takes bcast/chain[chains=1] with this s instead";
  return NULL;
}

/* Segment i of a half; its count is 0 past the end. */
static coll_span segment_at(coll_span half, size_t segment, size_t i) {
  size_t first = i * segment;
  if (first >= half.count) return (coll_span){ half.first, 0 };
  return (coll_span){ half.first + first, half.count - first < segment ? half.count - first : segment };
}

static void root_sends(coll_ctx *c, const coll_args *a, const coll_tree *t, const coll_span *half) {
  for (size_t i = 0; segment_at(half[LEFT], segment_of(a, half[LEFT].count), i).count; i++)
    for (int side = 0; side < t->children; side++) {
      coll_span s = segment_at(half[side], segment_of(a, half[side].count), i);
      if (s.count) coll_send(c, coll_at(c, a->out, s.first), s.count, t->child[side]);
    }
}

static void pass_on(coll_ctx *c, const coll_args *a, const coll_tree *t, coll_span half) {
  size_t segment = segment_of(a, half.count);
  coll_span now = segment_at(half, segment, 0);
  coll_req coming = t->children ? coll_irecv(c, coll_at(c, a->out, now.first), now.count, t->parent) : 0;
  for (size_t i = 0; now.count; i++) {
    coll_span next = segment_at(half, segment, i + 1);
    if (t->children) { /* the next segment may come while this one is passed on */
      coll_req later = next.count ? coll_irecv(c, coll_at(c, a->out, next.first), next.count, t->parent) : 0;
      coll_wait(c, &coming);
      coming = later;
    } else {
      coll_recv(c, coll_at(c, a->out, now.first), now.count, t->parent);
    }
    for (int j = 0; j < t->children; j++) coll_send(c, coll_at(c, a->out, now.first), now.count, t->child[j]);
    now = next;
  }
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, v = (c->rank - a->root + p) % p, side = v % 2 ? LEFT : RIGHT;
  if (p < 2 || !a->count) return;
  int child[2];
  coll_tree t = { .child = child };
  coll_tree_make(&t, COLL_TREE_BINARY, 0, p, a->root, c->rank);
  coll_span half[2] = { coll_block(a->count, 2, LEFT), coll_block(a->count, 2, RIGHT) };
  if (v) pass_on(c, a, &t, half[side]);
  else root_sends(c, a, &t, half);

  int next = coll_ring_right(p, c->rank), before = coll_ring_left(p, c->rank);
  void *left = coll_at(c, a->out, half[LEFT].first), *right = coll_at(c, a->out, half[RIGHT].first);
  bool alone = p % 2 == 0 && v == p - 1; /* last on the left: its partner is the root, which needs nothing */
  if (alone) coll_recv(c, right, half[RIGHT].count, a->root);
  else if (v && side == LEFT) coll_sendrecv(c, left, half[LEFT].count, next, right, half[RIGHT].count, next);
  else if (v) coll_sendrecv(c, right, half[RIGHT].count, before, left, half[LEFT].count, before);
  else if (p % 2 == 0) coll_send(c, right, half[RIGHT].count, coll_ring_left(p, a->root));
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg bcast_split_binary = {
  .key = "bcast/split_binary",
  .collective = COLL_BCAST,
  .summary = "each half of the vector down one half of a binary tree, then a swap",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 4 },
  .supports = supports,
  .run = run,
};
