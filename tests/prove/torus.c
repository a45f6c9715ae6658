/* Where messages go on a torus, from the schedules. Buckets and Hamiltonian rings: to neighbours alone, and with all ports every link carries
 * as much in both directions. Swing: along one dimension, and less far than recursive doubling. */
#include <stdio.h>
#include <stdlib.h>

#include "core/catalogue/find.h"
#include "core/schedule/recorder/record.h"
#include "patterns/torus.h"

enum { MAX_RANKS = 128 };

static int failed, calls;
static record *made;

typedef struct {
  size_t link[MAX_RANKS][COLL_TORUS][2]; /* bytes to the next rank in each dimension, and to the one before */
  size_t steps;                          /* messages times distance, of the rank with most */
  int longest, turns;                    /* distance; messages along more than one dimension */
} traffic;

static void add(traffic *t, const coll_torus *torus, int rank, const rec_op *op, size_t *steps) {
  int moves = 0, distance = 0;
  for (int d = 0; d < COLL_TORUS; d++) {
    int extent = torus->extent[d], on = coll_torus_at(torus, op->peer, d) - coll_torus_at(torus, rank, d);
    on = (on + extent) % extent;
    if (!on) continue;
    bool back = on > extent - on;
    moves++;
    distance += back ? extent - on : on;
    t->link[rank][d][back] += op->bytes;
  }
  t->turns += moves != 1;
  t->longest = distance > t->longest ? distance : t->longest;
  *steps += (size_t)distance;
}

static traffic traffic_of(const char *key, const coll_torus *torus) {
  traffic t = { .longest = 0 };
  char error[512];
  long param[COLL_PARAMS] = { 0 };
  const coll_alg *alg = coll_find(key, param, error, sizeof error);
  if (!alg) {
    fprintf(stderr, "%s\n", error);
    exit(2);
  }
  bool blocks = alg->collective == COLL_ALLGATHER || alg->collective == COLL_REDUCE_SCATTER_BLOCK;
  coll_args a = {
    .size = torus->p, .count = 12 * (size_t)(blocks ? 1 : torus->p), .elem = 1, .commutes = true, .param = param
  };
  made = record_make(made, alg, &a, 1, 0);
  if (*made->error) {
    fprintf(stderr, "%s: %s\n", key, made->error);
    exit(2);
  }
  for (int rank = 0; rank < torus->p; rank++) {
    size_t steps = 0;
    for (const rec_op *op = made->rank[rank].op; op < made->rank[rank].op + made->rank[rank].n; op++)
      if (rec_sends(op->kind)) add(&t, torus, rank, op, &steps);
    t.steps = steps > t.steps ? steps : t.steps;
  }
  calls++;
  return t;
}

static void check(bool fine, const char *key, const char *what) {
  if (fine) return;
  failed++;
  printf("FAILED %s: %s\n", key, what);
}

static coll_torus torus_of(int x, int y, int z) {
  coll_torus t;
  coll_torus_make(&t, x * y * z, x, y);
  return t;
}

/* All messages to neighbours. with > 0: so much over each link in each direction. */
static void neighbours(const char *key, int x, int y, int z, size_t with) {
  char full[128];
  coll_torus torus = torus_of(x, y, z);
  snprintf(full, sizeof full, key, x, y);
  traffic t = traffic_of(full, &torus);
  check(t.longest == 1 && !t.turns, full, "a message to a rank that is not a neighbour");
  for (int r = 0; with && r < torus.p; r++)
    for (int i = 0; i < torus.dims; i++)
      for (int back = 0; back < 2; back++)
        check(t.link[r][torus.dim[i]][back] == with, full, "links do not carry the same");
}

int main(void) {
  neighbours("allgather/bucket_torus[x=%d,y=%d]", 5, 3, 1, 0);
  neighbours("allgather/bucket_torus[x=%d,y=%d]", 4, 3, 5, 0);
  neighbours("reduce_scatter/bucket_torus[x=%d,y=%d]", 3, 4, 5, 0);
  neighbours("reduce_scatter_block/bucket_torus[x=%d,y=%d]", 7, 3, 1, 0);
  neighbours("allreduce/bucket_torus[x=%d,y=%d,ports=one]", 4, 8, 3, 0);
  /* n bytes, 12 p: each link takes 2 (p-1)/p n divided by the ports. */
  neighbours("allreduce/bucket_torus[x=%d,y=%d]", 4, 4, 1, 12 * 15 * 2 / 4);
  neighbours("allreduce/bucket_torus[x=%d,y=%d]", 7, 7, 1, 12 * 48 * 2 / 4);
  neighbours("allreduce/bucket_torus[x=%d,y=%d]", 4, 4, 4, 12 * 63 * 2 / 6);
  neighbours("allreduce/hamiltonian_rings[x=%d]", 3, 3, 1, 12 * 8 * 2 / 4);
  neighbours("allreduce/hamiltonian_rings[x=%d]", 3, 9, 1, 12 * 26 * 2 / 4);
  neighbours("allreduce/hamiltonian_rings[x=%d]", 4, 8, 1, 12 * 31 * 2 / 4);
  neighbours("allreduce/hamiltonian_rings[x=%d]", 6, 6, 1, 12 * 35 * 2 / 4);
  /* Swing: 1, 1 and 3 away in each dimension of eight; recursive doubling 1, 2 and 4. */
  static const char *const swing[] = { "allgather/swing_torus[x=8,y=8,ports=one]",
                                       "reduce_scatter/swing_torus[x=8,y=8,ports=one]",
                                       "reduce_scatter_block/swing_torus[x=8,y=8,ports=one]" };
  coll_torus square = torus_of(8, 8, 1);
  for (int i = 0; i < 3; i++) {
    traffic t = traffic_of(swing[i], &square);
    check(!t.turns && t.longest == 3 && t.steps == 10, swing[i], "not 1, 1 and 3 away in both dimensions");
  }
  traffic doubling = traffic_of("allgather/recursive_doubling", &square);
  check(doubling.steps == 14, "allgather/recursive_doubling", "not 1, 2 and 4 away in both dimensions");
  printf("%d calls, %d failed\n", calls, failed);
  record_free(made);
  return failed != 0;
}
