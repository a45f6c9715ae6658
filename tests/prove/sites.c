/* A message names the place in the source where the operation was called: the innermost, be it in a helper or a sub-group. */
#include "core/catalogue/collective.h"
#include "prove/prover.h"

#include <stdio.h>
#include <string.h>

static void unmatched(coll_ctx *c, const coll_args *a) {
  if (c->rank == 1)
#line 11 "toy/first.c"
    coll_send(c, a->out, a->count, 0);
  if (c->rank == 2)
#line 12 "toy/second.c"
    coll_recv(c, a->out, a->count, 0);
}

static void helper(coll_ctx *c, const coll_args *a) {
#line 21 "toy/helper.c"
  coll_recv(c, a->out, a->count, (c->rank + 1) % c->size);
}
static void deadlock(coll_ctx *c, const coll_args *a) {
  int all[] = { 0, 1, 2 };
  coll_ctx sub;
  coll_sub(c, 1, all, c->size, &sub);
  helper(&sub, a);
#line 30 "toy/deadlock.c"
  coll_send(&sub, a->out, a->count, (c->rank + c->size - 1) % c->size);
}

static void out_of_bounds(coll_ctx *c, const coll_args *a) {
#line 41 "toy/bounds.c"
  coll_copy(c, a->out, coll_scratch(c, 1), a->count + 1);
}

static void wrong_twice(coll_ctx *c, const coll_args *a) {
  void *s = coll_scratch(c, a->count);
  coll_copy(c, s, a->in, a->count);
#line 51 "toy/twice.c"
  coll_reduce(c, a->in, s, a->count);
}

static void sends_for_ever(coll_ctx *c, const coll_args *a) {
#line 61 "toy/sends.c"
  for (;;) coll_send(c, a->in, a->count, 1);
}

static void by_pointer(coll_ctx *c, const coll_args *a) {
  void (*send)(coll_ctx *, const void *, size_t, int) = coll_send;
#line 67 "toy/copies.c"
  coll_copy(c, coll_scratch(c, a->count), a->out, a->count);
  if (c->rank == 0) send(c, a->out, a->count, 1);
}

static void computes_for_ever(coll_ctx *c, const coll_args *a) {
#line 71 "toy/computes.c"
  coll_copy(c, a->out, a->in, a->count);
  for (volatile int i = 0;; i = i & 7) {}
}
#line 59 "tests/prove/sites.c"

static const struct {
  coll_alg alg;
  const char *kind, *says[2];
} cases[] = {
  { { .key = "a", .collective = COLL_BCAST, .run = unmatched },
    "unmatched",
    { "(toy/first.c:11,", "(toy/second.c:12," } },
  { { .key = "b", .collective = COLL_BCAST, .run = deadlock }, "deadlock", { "(toy/helper.c:21,", "rank 1: recv" } },
  { { .key = "c", .collective = COLL_BCAST, .run = out_of_bounds }, "misuse", { "; called at toy/bounds.c:41", "" } },
  { { .key = "d", .collective = COLL_ALLREDUCE, .run = wrong_twice },
    "twice",
    { "(toy/twice.c:51, operation 1)", "" } },
  { { .key = "e", .collective = COLL_ALLREDUCE, .run = sends_for_ever },
    "endless",
    { "records more than 1000 operations", "; called at toy/sends.c:61" } },
  { { .key = "f", .collective = COLL_BCAST, .run = by_pointer }, "unmatched", { "rank 1 (operation 1)", "" } },
  { { .key = "g", .collective = COLL_ALLREDUCE, .run = computes_for_ever },
    "endless",
    { "without an operation (after 1)", "; its last operation was called at toy/computes.c:71" } },
};

/* Whoever looks at a rank that is recorded is not the algorithm: no operation is under way then. */
static bool sees(void *user, const record *r, int rank) {
  char text[128];
  record_now(text, sizeof text);
  if (!*text) return true;
  ++*(int *)user;
  printf("FAILED: rank %d of %s is recorded, but still: %s\n", rank, coll_collective_name(r->collective), text);
  return true;
}

static int view_from_outside(prover *v) {
  static const coll_alg forwards = { .key = "h", .collective = COLL_BCAST, .run = by_pointer };
  int inside = 0;
  coll_args a = { .size = 3, .count = 5, .elem = 4, .place = prover_places(v, 3) };
  record_free(record_view(NULL, &forwards, &a, 0, (record_viewer){ sees, &inside }));
  return inside;
}

int main(void) {
  prover *v = prover_new();
  int failed = 0;
  record_limits(1, record_processor_time, 1000);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    coll_args a = { .size = 3, .count = 5, .elem = 4, .commutes = true, .place = prover_places(v, 3) };
    bool proven = prover_point(v, &cases[i].alg, &a);
    bool good = !proven && !strcmp(v->kind, cases[i].kind) && strstr(v->failure, cases[i].says[0]) &&
                strstr(v->failure, cases[i].says[1]);
    if (good) continue;
    failed++;
    printf("FAILED %s: wanted %s: %s … %s\n       %s: %s\n", cases[i].alg.key, cases[i].kind, cases[i].says[0],
           cases[i].says[1], v->kind, v->failure);
  }
  failed += view_from_outside(v);
  prover_free(v);
  return failed != 0;
}
