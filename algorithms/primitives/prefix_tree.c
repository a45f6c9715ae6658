#include "primitives/prefix_tree.h"

#include "patterns/in_order.h"
#include "patterns/segment.h"
#include "primitives/swap.h"

typedef struct {
  coll_ctx *c;
  const void *in;
  void *out;
  bool inclusive;
  coll_in_order t;
  bool before, after;                 /* there are ranks before, and after, those below this one */
  void *inbox, *above, *sum, *passed; /* a segment each */
} state;

static const void *in_at(const state *s, coll_span x) { return coll_at(s->c, s->in, x.first); }
static void *out_at(const state *s, coll_span x) { return coll_at(s->c, s->out, x.first); }

/* The left part's sum comes up. Until the ranks before are known, out is the sum of the part from its first rank on. */
static void meet_left(const state *s, coll_span up, coll_span below) {
  bool direct = !s->inclusive;
  coll_swap(s->c, s->t.left, s->above, s->before ? below.count : 0, direct ? out_at(s, up) : s->inbox, up.count);
  if (up.count && !direct) coll_reduce(s->c, s->inbox, out_at(s, up), up.count);
}

/* The sum up to this rank goes down to the right; the right part's comes up where a rank above needs it. */
static void meet_right(const state *s, coll_span up, coll_span below) {
  const void *prefix = s->inclusive ? out_at(s, below) : in_at(s, below);
  if (!s->inclusive && below.count && (s->before || s->t.left >= 0)) {
    coll_copy(s->c, s->passed, prefix, below.count);
    coll_reduce(s->c, out_at(s, below), s->passed, below.count);
    prefix = s->passed;
  }
  coll_swap(s->c, s->t.right, prefix, below.count, s->sum, s->after ? up.count : 0);
}

/* The sum of all ranks below, this one among them. */
static const void *part_sum(const state *s, coll_span up) {
  coll_ctx *c = s->c;
  bool left = s->t.left >= 0, right = s->t.right >= 0;
  if (s->inclusive) {
    if (!right) return out_at(s, up);
    coll_reduce(c, out_at(s, up), s->sum, up.count);
    return s->sum;
  }
  if (right) coll_reduce(c, in_at(s, up), s->sum, up.count);
  else if (left) coll_copy(c, s->sum, in_at(s, up), up.count);
  else return in_at(s, up);
  if (left) coll_reduce(c, out_at(s, up), s->sum, up.count);
  return s->sum;
}

static void meet_parent(const state *s, coll_span up, coll_span down) {
  size_t leaves = s->after ? up.count : 0, comes = s->before ? down.count : 0;
  bool direct = !s->inclusive && s->t.left < 0; /* nothing to add: what comes is the result */
  const void *sum = leaves ? part_sum(s, up) : NULL;
  coll_swap(s->c, s->t.parent, sum, leaves, direct ? out_at(s, down) : s->above, comes);
  if (comes && !direct) coll_reduce(s->c, s->above, out_at(s, down), comes);
}

void coll_prefix_tree(coll_ctx *c, const coll_args *a, size_t s_bytes, bool inclusive) {
  size_t n = a->count, length = coll_segment(n, a->elem, s_bytes);
  if (inclusive) coll_copy(c, a->out, a->in, n);
  if (!n || c->size < 2) return;
  state s = { .c = c, .in = a->in, .out = a->out, .inclusive = inclusive, .t = coll_in_order_place(c->size, c->rank) };
  bool left = s.t.left >= 0, right = s.t.right >= 0;
  s.before = s.t.lo > 0;
  s.after = s.t.hi < c->size;
  if (left && inclusive) s.inbox = coll_scratch(c, length);
  if (s.before && (left || inclusive)) s.above = coll_scratch(c, length);
  if (s.after && (right || (left && !inclusive))) s.sum = coll_scratch(c, length);
  if (right && !inclusive && (s.before || left)) s.passed = coll_scratch(c, length);
  bool serves = right || (left && s.before);
  long end = (long)coll_segments(n, length) + (serves ? s.t.depth + 1 : s.before ? s.t.depth : 0);
  for (long i = 0; i < end; i++) {
    /* In round i segment i goes up; what comes down, comes so many rounds later as a rank is deep. */
    coll_span up = coll_segment_at(n, length, i), down = coll_segment_at(n, length, i - s.t.depth),
              below = coll_segment_at(n, length, i - s.t.depth - 1);
    if (left) meet_left(&s, up, below);
    if (right) meet_right(&s, up, below);
    if (s.t.parent >= 0) meet_parent(&s, up, down);
  }
}
