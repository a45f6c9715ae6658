/* Every algorithm over threads, data checked, several consecutive calls on the same plan with nothing between them. Under
 * ThreadSanitizer this shows races: in shared segments, between successive calls, and in buffers that a request still holds.
 *
 *   threads_test registry [options]      the points of a sweep
 *   threads_test segments [options]      algorithms with shared segments: all combinations of their parameters
 *   threads_test broken NAME             a wrong one (tests/threads/broken.c), which must be caught
 *
 * Prints one line per algorithm; exit status 1 when data was wrong, a barrier let somebody through, or nothing ran. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "driver/check/points.h"
#include "driver/check/verify.h"
#include "tests/threads/back_end.h"
#include "tests/threads/broken.h"

/* A deadlock is seen by what ranks wait for; a point that takes so long loops for ever. */
enum { MAX_RANKS = 16, CALLS = 4, PATIENCE_S = 300 };

typedef struct {
  const char *algorithm;     /* only keys that begin so */
  int from, to;              /* ranks */
  unsigned every, seed;      /* one point of so many, another one for each seed */
  bool segments;             /* only algorithms with shared segments, all combinations of their parameters */
  const broken_case *broken; /* nothing but this */
} options;

typedef struct {
  unsigned long calls, unsupported, segments;
  _Atomic unsigned long wrong;
} tally;

/* What the threads of one world share. */
typedef struct {
  const options *o;
  coll_place place[MAX_RANKS];
  int size, placement;
  threads_world *world;
  tally *tally; /* one an algorithm; counts are rank 0's */
  /* A barrier's meaning: how many have entered a call, and what each wrote before. */
  _Atomic int entered[CALLS];
  int written[CALLS][MAX_RANKS];
} stage;

typedef struct {
  stage *g;
  int rank, algorithm; /* index into the registry */
  unsigned points;     /* of this algorithm so far, unsupported ones left out */
  tally *tally;
} actor;

/* ---- one point -------------------------------------------------------------------------------------- */

static char doing[320]; /* for the last words */

/* Past the sanitizer: a signal comes without order. */
__attribute__((no_sanitize("thread"))) static void nothing_moves(void) {
  size_t n = 0;
  while (doing[n]) n++;
  syscall(SYS_write, 2, "nothing moves: ", 15);
  syscall(SYS_write, 2, doing, n);
  syscall(SYS_write, 2, "\n", 1);
  syscall(SYS_exit_group, 3);
}

static void out_of_patience(int signal) {
  (void)signal;
  nothing_moves();
}

/* Nobody leaves before all have entered. The counter catches who did; what others wrote, read without any other order than the
 * barrier's, is a race wherever one could. */
static unsigned long left_early(stage *g, int call) {
  unsigned long wrong = atomic_load_explicit(&g->entered[call], memory_order_relaxed) != g->size;
  for (int r = 0; r < g->size; r++) wrong += g->written[call][r] != r + 1;
  return wrong;
}

static void enter(stage *g, int call, int rank) {
  /* Each call waits for somebody else: barriers are put to the test, and leads of whole calls arise. */
  if ((call * 5 + 3) % g->size == rank) usleep(200);
  g->written[call][rank] = rank + 1;
  atomic_fetch_add_explicit(&g->entered[call], 1, memory_order_relaxed);
}

/* Every algorithm's first point on two ranks, and one point in so many by lot, the same lot at each rank. */
static bool drawn(const actor *me) {
  const stage *g = me->g;
  if (g->o->every == 1 || (g->size == 2 && !me->points)) return true;
  uint64_t h = ((uint64_t)g->o->seed << 48) ^ ((uint64_t)g->size << 40) ^ ((uint64_t)g->placement << 36) ^
               ((uint64_t)me->algorithm << 24) ^ me->points;
  h = (h ^ h >> 31) * 0x9E3779B97F4A7C15u;
  h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
  return (h >> 32) % g->o->every == 0;
}

/* Several consecutive calls on one plan; the number of mistakes that this rank sees. */
static unsigned long mistakes(const actor *me, const coll_alg *alg, coll_args a, plan_type type, plan_op op,
                              const char *what) {
  stage *g = me->g;
  unsigned long wrong = 0;
  buffers b;
  buffers_make(&b, alg->collective, &a, me->rank);
  a.in = b.in;
  a.out = b.out;
  threads_meet(g->world);
  threads_call *s = threads_open(g->world, me->rank, g->o->broken ? &g->o->broken->ops : &threads_operations, alg, &a,
                                 type, op);
  for (int call = 0; call < CALLS; call++) {
    buffers_fill(&b, alg->collective, &a, me->rank, type, op);
    enter(g, call, me->rank);
    threads_run(s);
    wrong += buffers_check(&b, alg->collective, &a, me->rank, type, op, what);
    if (alg->collective == COLL_BARRIER && left_early(g, call)) {
      fprintf(stderr, "%s: rank %d left before all had entered\n", what, me->rank);
      wrong++;
    }
  }
  threads_close(s);
  buffers_free(&b);
  return wrong;
}

static void one_point(void *self, const coll_alg *alg, const coll_args *shape, plan_type type, plan_op op) {
  actor *me = self;
  stage *g = me->g;
  char why[256], what[POINTS_NAME];
  coll_args a = *shape;
  if (coll_unsupported(alg, &a, why, sizeof why)) {
    if (me->rank == 0) me->tally->unsupported++;
    return;
  }
  bool chosen = drawn(me);
  me->points++;
  if (!chosen) return;
  points_name(what, sizeof what, alg, &a, type);
  if (me->rank == 0) {
    snprintf(doing, sizeof doing, "%.300s", what);
    alarm(PATIENCE_S);
    me->tally->calls++;
    for (int call = 0; call < CALLS; call++) atomic_store_explicit(&g->entered[call], 0, memory_order_relaxed);
    memset(g->written, 0, sizeof g->written);
  }
  if (mistakes(me, alg, a, type, op, what)) atomic_fetch_add(&me->tally->wrong, 1);
}

/* ---- which points ----------------------------------------------------------------------------------- */

/* All words, and the smallest numbers: where segments are used, it matters which parameters meet. */
static void combinations(actor *me, const coll_alg *alg, coll_args *a, long *param, int i) {
  const coll_param *p = alg->params ? &alg->params[i] : NULL;
  if (p && p->name) {
    for (long v = p->min; v <= p->max && (p->words || v <= p->min + 2); v++) {
      param[i] = v;
      combinations(me, alg, a, param, i + 1);
    }
    return;
  }
  static const size_t counts[] = { 1, 5, 130 };
  for (int k = 0; k < 3; k++)
    for (int in_place = 0; in_place < 2; in_place++) {
      if (alg->collective == COLL_BARRIER && (k || in_place)) continue;
      a->count = alg->collective == COLL_BARRIER ? 0 : counts[k];
      a->in_place = in_place;
      one_point(me, alg, a, PLAN_INT, coll_has_operator(alg->collective) ? PLAN_SUM : PLAN_NONE);
    }
}

static void broken_point(actor *me) {
  const broken_case *b = me->g->o->broken;
  long param[COLL_PARAMS];
  char error[256];
  const coll_alg *alg = b->alg ? b->alg : coll_find(b->key, param, error, sizeof error);
  if (!alg) abort();
  coll_args a = {
    .size = me->g->size, .count = 40, .elem = plan_type_bytes(PLAN_INT), .param = param, .place = me->g->place
  };
  one_point(me, alg, &a, PLAN_INT, PLAN_NONE);
}

static void *act(void *self) {
  actor *me = self;
  stage *g = me->g;
  const options *o = g->o;
  me->tally = g->tally;
  if (o->broken) {
    broken_point(me);
    return NULL;
  }
  for (int i = 0; coll_registry[i]; i++) {
    const coll_alg *alg = coll_registry[i];
    if (o->algorithm && strncmp(alg->key, o->algorithm, strlen(o->algorithm))) continue;
    if (o->segments && !(alg->flags & COLL_SEGMENTS)) continue;
    me->tally = &g->tally[i];
    me->algorithm = i;
    me->points = 0;
    unsigned long before = threads_segments(g->world);
    long param[COLL_PARAMS];
    coll_args a = {
      .size = g->size, .elem = plan_type_bytes(PLAN_INT), .commutes = true, .param = param, .place = g->place
    };
    if (o->segments) combinations(me, alg, &a, param, 0);
    else points_each(alg, g->size, g->place, 3, one_point, me);
    if (me->rank == 0) me->tally->segments += threads_segments(g->world) - before;
  }
  return NULL;
}

/* Where ranks sit: all on one node of two sockets; blocks on uneven nodes; dealt out in turn. */
enum { PLACEMENTS = 3 };
static coll_place place_of(int placement, int rank) {
  static const int ends[] = { 1, 5, 7, MAX_RANKS };
  int node = 0;
  if (placement == 1)
    while (rank >= ends[node]) node++;
  if (placement == 2) node = rank % 3;
  int socket = 2 * node + (placement == 2 ? rank / 3 : rank) % 5 / 3;
  return (coll_place){ .node = node, .socket = socket, .cache = 4 * socket + rank / 2 % 2 };
}

static void perform(const options *o, int p, int placement, tally *t) {
  static const size_t eager[] = { 0, (size_t)-1, 64 };
  stage *g = calloc(1, sizeof *g);
  actor actors[MAX_RANKS];
  pthread_t thread[MAX_RANKS];
  *g = (stage){ .o = o, .size = p, .placement = placement, .tally = t };
  g->world = threads_world_make(p, eager[(o->seed + (unsigned)placement) % 3], o->seed, nothing_moves);
  for (int r = 0; r < p; r++) g->place[r] = place_of(placement, r);
  for (int r = 0; r < p; r++) {
    actors[r] = (actor){ .g = g, .rank = r };
    if (pthread_create(&thread[r], NULL, act, &actors[r])) abort();
  }
  for (int r = 0; r < p; r++) pthread_join(thread[r], NULL);
  threads_world_free(g->world);
  free(g);
}

/* ---- the program ------------------------------------------------------------------------------------ */

static int usage(const char *why) {
  fprintf(
      stderr,
      "threads_test: %s\nusage: threads_test registry|segments [--algorithm PREFIX] [--ranks FROM..TO] [--every N] [--seed N]\n"
      "       threads_test broken NAME\n",
      why);
  return 2;
}

static int run_broken(const char *name) {
  broken_case b;
  if (!broken_find(name, &b)) return usage("no such broken case");
  options o = { .every = 1, .broken = &b };
  tally t = { 0 };
  perform(&o, 8, 0, &t);
  printf("%s: %lu calls, %lu wrong\n", name, t.calls, t.wrong);
  return t.wrong ? 1 : 0;
}

int main(int argc, char **argv) {
  options o = { .from = 1, .to = MAX_RANKS, .every = 1 };
  if (argc < 2) return usage("what shall run?");
  signal(SIGALRM, out_of_patience);
  if (!strcmp(argv[1], "broken")) return argc == 3 ? run_broken(argv[2]) : usage("which one?");
  o.segments = !strcmp(argv[1], "segments");
  if (!o.segments && strcmp(argv[1], "registry")) return usage(argv[1]);
  for (int i = 2; i + 1 < argc; i += 2) {
    const char *name = argv[i], *value = argv[i + 1];
    if (!strcmp(name, "--algorithm")) o.algorithm = value;
    else if (!strcmp(name, "--every")) o.every = (unsigned)atoi(value);
    else if (!strcmp(name, "--seed")) o.seed = (unsigned)atoi(value);
    else if (strcmp(name, "--ranks") || sscanf(value, "%d..%d", &o.from, &o.to) != 2) return usage(name);
  }
  if (argc % 2 || o.from < 1 || o.to > MAX_RANKS || !o.every) return usage("ranks are 1..16, every at least 1");
  int algorithms = 0;
  while (coll_registry[algorithms]) algorithms++;
  tally *t = calloc((size_t)algorithms, sizeof *t), sum = { 0 };
  for (int p = o.from; p <= o.to; p++)
    for (int placement = 0; placement < PLACEMENTS; placement++) perform(&o, p, placement, t);
  bool unused = false;
  for (int i = 0; i < algorithms; i++) {
    if (!t[i].calls && !t[i].unsupported) continue;
    printf("%s: %lu calls, %lu unsupported, %lu segments, %lu wrong\n", coll_registry[i]->key, t[i].calls,
           t[i].unsupported, t[i].segments, t[i].wrong);
    unused |= !t[i].calls || (o.segments && !t[i].segments);
    sum.calls += t[i].calls;
    sum.wrong += t[i].wrong;
  }
  printf("%lu points, each %d calls, %lu wrong%s\n", sum.calls, CALLS, sum.wrong,
         unused ? "; an algorithm was not tried" : "");
  free(t);
  return sum.wrong || unused || !sum.calls;
}
