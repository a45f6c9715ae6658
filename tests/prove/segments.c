/* Shared segments, wrong and right. */
#include <signal.h>

#include "tests/prove/broken.h"

typedef struct {
  coll_seg seg;
  uint64_t epoch;
} shared_state;

static void *open_segment(coll_ctx *c, const coll_args *a) {
  shared_state *s = coll_keep(c, sizeof *s);
  *s = (shared_state){ coll_seg_open(c, a->count, 2), 0 };
  return s;
}
static void *open_different(coll_ctx *c, const coll_args *a) {
  coll_seg_open(c, a->count + (size_t)(c->rank == 1), 2);
  return NULL;
}
static void *open_not_all(coll_ctx *c, const coll_args *a) {
  if (c->rank) coll_seg_open(c, a->count, 2);
  return NULL;
}

static void *open_many(coll_ctx *c, const coll_args *a) {
  for (int i = 0; i < 1 << 10; i++) coll_seg_open(c, a->count, 2);
  return NULL;
}
static void *open_large(coll_ctx *c, const coll_args *a) {
  shared_state *s = coll_keep(c, sizeof *s);
  *s = (shared_state){ coll_seg_open(c, ((size_t)1 << 34) + a->count, 2), 0 };
  return s;
}
/* As much as a part may have. */
static void *open_largest(coll_ctx *c, const coll_args *a) {
  shared_state *s = coll_keep(c, sizeof *s);
  *s = (shared_state){ coll_seg_open(c, (size_t)1 << 30, 2), 0 };
  return s;
}
static void *open_for_two(coll_ctx *c, const coll_args *a) {
  static const int two[] = { 0, 1 };
  coll_ctx sub;
  shared_state *s = coll_keep(c, sizeof *s);
  if (coll_sub(c, 1, two, 2, &sub)) *s = (shared_state){ coll_seg_open(&sub, a->count, 2), 0 };
  return s;
}

enum { NO_AWAIT = 1, NO_PUBLISH = 2, EARLY_PUBLISH = 4, NO_REUSE_AWAIT = 8, SAME_VALUE = 16, TOO_FAR = 32 };

/* The root writes its part, the others read it; before it writes again they must have read. */
static void segment_bcast(coll_ctx *c, const coll_args *a, int wrong) {
  NAMES;
  shared_state *s = a->prepared;
  uint64_t now = wrong & SAME_VALUE ? 1 : ++s->epoch;
  if (me == root) {
    if (!(wrong & NO_REUSE_AWAIT) && now > 1)
      for (int i = 0; i < p; i++)
        if (i != root) coll_await(c, s->seg, i, 1, now - 1);
    if (wrong & EARLY_PUBLISH) coll_publish(c, s->seg, root, 0, now);
    coll_seg_write(c, s->seg, root, wrong & TOO_FAR ? 1 : 0, a->out, m);
    if (!(wrong & (NO_PUBLISH | EARLY_PUBLISH))) coll_publish(c, s->seg, root, 0, now);
  } else {
    if (!(wrong & NO_AWAIT)) coll_await(c, s->seg, root, 0, now);
    coll_seg_read(c, s->seg, root, 0, a->out, m);
    if (!(wrong & SAME_VALUE)) coll_publish(c, s->seg, me, 1, now);
  }
}
ALGORITHM(segment_right) { segment_bcast(c, a, 0); }
ALGORITHM(segment_no_await) { segment_bcast(c, a, NO_AWAIT); }
ALGORITHM(segment_no_publish) { segment_bcast(c, a, NO_PUBLISH); }
ALGORITHM(segment_early_publish) { segment_bcast(c, a, EARLY_PUBLISH); }
ALGORITHM(segment_no_reuse_await) { segment_bcast(c, a, NO_REUSE_AWAIT); }
ALGORITHM(segment_same_value) { segment_bcast(c, a, SAME_VALUE); }
ALGORITHM(segment_too_far) { segment_bcast(c, a, TOO_FAR); }
ALGORITHM(segment_opened_late) { open_segment(c, a); }
ALGORITHM(nothing) { NAMES; }

ALGORITHM(names_a_stranger) {
  if (c->rank == 1) coll_publish(c, ((shared_state *)a->prepared)->seg, 3, 0, 1);
}
ALGORITHM(names_a_third_flag) {
  if (c->rank == 1) coll_await(c, ((shared_state *)a->prepared)->seg, 3, 2, 1);
}
ALGORITHM(names_no_flag) {
  if (c->rank == 1) coll_publish(c, ((shared_state *)a->prepared)->seg, 3, -1, 1);
}
ALGORITHM(reads_too_far) {
  if (c->rank == 1) coll_seg_read(c, ((shared_state *)a->prepared)->seg, 0, 3, a->out, a->count);
}
ALGORITHM(takes_the_largest_part) {
  void *part = coll_seg_part(c, ((shared_state *)a->prepared)->seg);
  coll_copy(c, out_at(c, a, 0), part, 0);
}
ALGORITHM(takes_a_large_part) { coll_seg_part(c, ((shared_state *)a->prepared)->seg); }
ALGORITHM(both_publish) {
  shared_state *s = a->prepared;
  uint64_t now = 2 * ++s->epoch;
  if (c->rank < 2) coll_publish(c, s->seg, 0, 0, now + (uint64_t)c->rank);
}

enum { HURRIED = 1, LOOKS_EARLY = 2, PAST_PART = 4, WHILE_READ = 8, WAITS_LAST = 16 };

/* The root sends to the last rank, which receives into its own part, whence all others but the root read. */
static void part_bcast(coll_ctx *c, const coll_args *a, int wrong) {
  NAMES;
  shared_state *s = a->prepared;
  int home = p - 1;
  uint64_t now = ++s->epoch;
  if (me == root) coll_send(c, a->out, m, home);
  else if (me == home) {
    void *part = coll_seg_part(c, s->seg);
    if (now > 1 && !(wrong & WHILE_READ))
      for (int i = 1; i < home; i++) coll_await(c, s->seg, i, 1, now - 1);
    coll_req got = coll_irecv(c, coll_at(c, part, wrong & PAST_PART ? 1 : 0), m, root);
    if (wrong & LOOKS_EARLY) coll_copy(c, a->out, part, m);
    if (wrong & HURRIED) coll_publish(c, s->seg, home, 0, now);
    for (int i = 1; i < home && wrong & WAITS_LAST; i++) coll_await(c, s->seg, i, 1, now);
    coll_wait(c, &got);
    if (!(wrong & HURRIED)) coll_publish(c, s->seg, home, 0, now);
    coll_copy(c, a->out, part, m);
  } else {
    coll_await(c, s->seg, home, 0, now);
    coll_seg_read(c, s->seg, home, 0, a->out, m);
    coll_publish(c, s->seg, me, 1, now);
  }
}
ALGORITHM(part_right) { part_bcast(c, a, 0); }
ALGORITHM(part_hurried) { part_bcast(c, a, HURRIED); }
ALGORITHM(part_read_before_it_came) { part_bcast(c, a, HURRIED | WAITS_LAST); }
ALGORITHM(part_looks_early) { part_bcast(c, a, LOOKS_EARLY); }
ALGORITHM(part_too_far) { part_bcast(c, a, PAST_PART); }
ALGORITHM(part_while_read) { part_bcast(c, a, WHILE_READ); }
ALGORITHM(part_before) {
  NAMES;
  shared_state *s = a->prepared;
  coll_copy(c, (char *)coll_seg_part(c, s->seg) - 4, a->out, m);
}

/* Computes while the clock ticks so often; the first tick may come at once. */
static void compute(int ticks) {
  while (ticks--) raise(SIGVTALRM);
}
ALGORITHM(loops_for_ever) {
  NAMES;
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
  if (me == 2) compute(PATIENCE_S + 1);
}
ALGORITHM(sends_for_ever) {
  NAMES;
  for (;;) coll_send(c, a->in, m, (me + 1) % p);
}
ALGORITHM(computes_for_long) {
  NAMES; /* less than patience lasts, each time */
  if (me == 1) compute(PATIENCE_S);
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
  if (me == 1) compute(PATIENCE_S);
}

static const test tests[] = {
  CASE(ROTATION, loops_for_ever, ENDLESS, "rank 2: computes for 3 s of processor time without an operation (after 4)",
       .p = 4),
  CASE(ROTATION, sends_for_ever, ENDLESS, "rank 0: records more than 65536 operations"),
  SEGMENT(segment_no_await, open_segment, RACE, "races with rank 0's seg_write"),
  SEGMENT(segment_no_publish, open_segment, DEADLOCK, "await of flag 0 = 1 at rank 0's part"),
  SEGMENT(segment_early_publish, open_segment, RACE, "races"),
  SEGMENT(segment_no_reuse_await, open_segment, RACE, "call 2"),
  SEGMENT(segment_same_value, open_segment, RACE, "flags only grow"),
  SEGMENT(segment_too_far, open_segment, MISUSE, "past the end of its part"),
  SEGMENT(part_hurried, open_segment, RACE, "races"),
  SEGMENT(part_read_before_it_came, open_segment, RACE, "races with rank 4's irecv"),
  SEGMENT(part_looks_early, open_segment, PENDING, "of segment 0 while the irecv of 28 bytes"),
  SEGMENT(part_too_far, open_segment, MISUSE, "past the end of segment 0 (bytes 4 to 32 of 28)"),
  SEGMENT(part_before, open_segment, MISUSE, "4 bytes before the start of segment 0"),
  SEGMENT(part_while_read, open_segment, RACE, "call 2"),
  SEGMENT(segment_opened_late, NULL, MISUSE, "segments are opened in prepare()"),
  SEGMENT(nothing, open_different, MISUSE, "opens a segment of 32 bytes and 2 flags where rank 0 has 28 bytes"),
  SEGMENT(nothing, open_not_all, MISUSE, "of 5 members, 4 of which open it"),
  SEGMENT(nothing, open_many, MISUSE, "opens more than"),
  SEGMENT(takes_a_large_part, open_large, MISUSE, "a part that is used as a buffer has at most"),
  { .alg = { .key = "takes_the_largest_part",
             .collective = COLL_BCAST,
             .run = takes_the_largest_part,
             .prepare = open_largest,
             .flags = COLL_SEGMENTS },
    .p = 5,
    .want = PROOF_OK,
    .says = "" },
  SEGMENT(names_a_stranger, open_for_two, MISUSE, "publish names rank 3, which is not a member of the segment"),
  SEGMENT(names_a_third_flag, open_segment, MISUSE, "await names flag 2 of 2"),
  SEGMENT(names_no_flag, open_segment, MISUSE, "publish names flag -1 of 2"),
  SEGMENT(reads_too_far, open_segment, MISUSE, "seg_read reads 12 bytes past the end of its part of segment 0"),
  SEGMENT(both_publish, open_segment, RACE, "which sets the same flag to"),
  { .alg = { .key = "undeclared", .collective = COLL_BCAST, .run = nothing, .prepare = open_segment },
    .p = 5,
    .count = 7,
    .want = PROOF_MISUSE,
    .says = "seg_open, but the descriptor does not say COLL_SEGMENTS" },
  CASE(BCAST, nothing, RESULT, "holds nothing"),
  CASE(ALLREDUCE, nothing, RESULT, "holds nothing"),
  CASE(BARRIER, nothing, RESULT, "leaves the barrier"),
  CASE(ROTATION, computes_for_long, OK, ""),
  CASE(BCAST, nothing, OK, "", .p = 1),
  CASE(BCAST, nothing, OK, "", .count = 0),
  SEGMENT(segment_right, open_segment, OK, ""),
  SEGMENT(part_right, open_segment, OK, ""),
};

TEST_LIST(segments);
