/* What the cases of broken.c share. A case is an algorithm and what the proof must say of it. Every algorithm is as small as
 * it can be; p is the number of ranks, m the count, me the rank. */
#ifndef COLLSCOPE_TESTS_PROVE_BROKEN_H
#define COLLSCOPE_TESTS_PROVE_BROKEN_H

#include "collscope.h"
#include "prove/proof/proof.h"

typedef struct {
  const coll_alg alg;
  int p;
  size_t count;
  int root;
  bool commutes, in_place;
  proof_kind want;
  const char *says;
} test;

typedef struct {
  const test *list;
  int n;
} test_list;
enum {
  PATIENCE_S = 3
}; /* with an algorithm that computes, on a clock of which nothing but the algorithm sends ticks */
extern const test_list wrong_schedule, wrong_memory, wrong_data, segments, right;

/* In the file of the cases: `name` is those of tests[]. */
#define TEST_LIST(name) const test_list name = { tests, (int)(sizeof tests / sizeof *tests) }

#define ALGORITHM(name) static void name(coll_ctx *c, const coll_args *a)
#define NAMES                                          \
  const int p = c->size, me = c->rank, root = a->root; \
  const size_t m = a->count;                           \
  (void)p;                                             \
  (void)me;                                            \
  (void)root;                                          \
  (void)m

static inline void *out_at(coll_ctx *c, const coll_args *a, size_t i) { return coll_at(c, a->out, i); }
static inline const void *in_at(coll_ctx *c, const coll_args *a, size_t i) { return coll_at(c, a->in, i); }

/* Rank 0 adds up in the order 0, step, 2 step, … modulo p, without rank skip's. */
void sum_of(coll_ctx *, const coll_args *, int step, int skip);

#define CASE(coll, fn, want_, says_, ...)                        \
  { .alg = { .key = #fn, .collective = COLL_##coll, .run = fn }, \
    .p = 5,                                                      \
    .count = 7,                                                  \
    .root = 0,                                                   \
    .want = PROOF_##want_,                                       \
    .says = says_,                                               \
    __VA_ARGS__ }
#define SEGMENT(fn, open, want_, says_)                                                                  \
  { .alg = { .key = #fn, .collective = COLL_BCAST, .run = fn, .prepare = open, .flags = COLL_SEGMENTS }, \
    .p = 5,                                                                                              \
    .count = 7,                                                                                          \
    .want = PROOF_##want_,                                                                               \
    .says = says_ }
#define ANY(coll, fn, want_, says_, ...)                                                   \
  { .alg = { .key = #fn, .collective = COLL_##coll, .run = fn, .flags = COLL_ANY_SOURCE }, \
    .p = 5,                                                                                \
    .count = 7,                                                                            \
    .root = 1,                                                                             \
    .commutes = true,                                                                      \
    .want = PROOF_##want_,                                                                 \
    .says = says_,                                                                         \
    __VA_ARGS__ }

#endif
