/* Plans without MPI: every algorithm that can, with the points that a sweep visits. Each plan has the order it needs and no more; all ranks'
 * plans together, played in orders drawn by a seed, end with the right data. And a plan that lacks an edge is noticed.
 *
 * usage: graph_test RANKS: for 1 … RANKS. */
#include <stdio.h>
#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "driver/check/points.h"
#include "driver/check/verify.h"
#include "tests/nonblocking/orders.h"
#include "tests/nonblocking/sound.h"

enum { RANKS_MAX = 16, EDGES_TRIED = 2, BYTES_PER_OPERATION = 64 };

typedef struct {
  size_t plans, plays, wrong;
  size_t without, noticed; /* plans that lack an edge */
  size_t operations, bytes;
  double most; /* bytes per operation, of plans that have any */
  char most_at[POINTS_NAME];
} tester;

static void fails(tester *t, const coll_alg *alg, const coll_args *a, plan_type type, const char *why) {
  char name[POINTS_NAME];
  points_name(name, sizeof name, alg, a, type);
  if (t->wrong++ < 20) fprintf(stderr, "FAILED %s: %s\n", name, why);
}

static void weigh(tester *t, const coll_alg *alg, const coll_args *a, plan_type type, const coll_plan *g) {
  size_t operations = coll_plan_operations(g), bytes = coll_plan_bytes(g);
  t->operations += operations;
  t->bytes += bytes;
  if (!operations || (double)bytes / (double)operations <= t->most) return;
  t->most = (double)bytes / (double)operations;
  points_name(t->most_at, sizeof t->most_at, alg, a, type);
}

/* Takes away an edge here and there. Those that only spare a look at another path are not missed. */
static void lack_edges(tester *t, const coll_plan *g) {
  plan_edges all = plan_all_edges(g);
  size_t edges = (size_t)(all.end - all.at);
  for (size_t k = 0; k < EDGES_TRIED && k < edges; k++) {
    t->without++;
    t->noticed += plan_fault(g, all.at + (t->plans * 7919 + k * 104729) % edges) != NULL;
  }
}

static void play_all(tester *t, const coll_alg *alg, const coll_args *shape, plan_type type, plan_op op,
                     const coll_plan *const *graph) {
  coll_collective k = alg->collective;
  player_rank of[RANKS_MAX];
  buffers b[RANKS_MAX];
  for (int order = 0; order < ORDERS; order++) {
    for (int i = 0; i < shape->size; i++) {
      buffers_make(&b[i], k, shape, i);
      buffers_fill(&b[i], k, shape, i, type, op);
      of[i] = (player_rank){ graph[i], b[i].in, b[i].out };
    }
    const char *why = play_in_order(of, shape->size, type, op, (order_of_play)order, t->plays++);
    if (why) fails(t, alg, shape, type, why);
    for (int i = 0; i < shape->size; i++) {
      if (!why && buffers_check(&b[i], k, shape, i, type, op, NULL)) fails(t, alg, shape, type, "wrong data");
      buffers_free(&b[i]);
    }
  }
}

static void one_point(void *self, const coll_alg *alg, const coll_args *shape, plan_type type, plan_op op) {
  tester *t = self;
  char why[512];
  coll_plan *graph[RANKS_MAX] = { NULL };
  if (alg->flags & (COLL_ANY_SOURCE | COLL_SEGMENTS) || coll_unsupported(alg, shape, why, sizeof why)) return;
  bool all = true;
  for (int i = 0; i < shape->size; i++, t->plans++) {
    graph[i] = coll_plan_make(alg, shape, i, why, sizeof why);
    all &= graph[i] != NULL;
    const char *fault = graph[i] ? plan_fault(graph[i], NULL) : why;
    if (fault) fails(t, alg, shape, type, fault);
    if (!graph[i]) continue;
    weigh(t, alg, shape, type, graph[i]);
    lack_edges(t, graph[i]);
  }
  if (all) play_all(t, alg, shape, type, op, (const coll_plan *const *)graph);
  for (int i = 0; i < shape->size; i++) coll_plan_free(graph[i]);
}

int main(int argc, char **argv) {
  int ranks = argc > 1 ? atoi(argv[1]) : 4;
  coll_place place[RANKS_MAX] = { { 0 } }; /* two nodes, the second with two sockets */
  for (int i = 0; i < RANKS_MAX; i++) place[i] = (coll_place){ i % 3 == 2, i % 3 + i % 2, i % 3 + i % 2 };
  tester t = { 0 };
  if (ranks < 1 || ranks > RANKS_MAX) return 2;
  for (int at = 0; coll_registry[at]; at++)
    for (int p = 1; p <= ranks; p++) points_each(coll_registry[at], p, place, 3, one_point, &t);
  printf("%zu plans, %zu plays, %zu wrong; %zu of %zu noticed that lack an edge\n", t.plans, t.plays, t.wrong,
         t.noticed, t.without);
  printf("%.1f bytes per operation, at most %.1f: %s\n", (double)t.bytes / (double)t.operations, t.most, t.most_at);
  bool notices = t.noticed * 100 >= t.without * 95;
  return t.wrong || !t.plays || !notices || t.most > BYTES_PER_OPERATION;
}
