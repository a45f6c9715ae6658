/* How far messages go on a ring, from the schedules: what the papers of Bine trees and of Swing promise against binomial trees and
 * recursive doubling. A message counts once in a broadcast, where all have the same length, and else with its bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/find.h"
#include "core/schedule/recorder/record.h"
#include "prove/prover.h"

static int failed;
static record *made;

/* Messages (or bytes) times distance, over all ranks. */
static size_t distance(const char *key, int p, size_t count, int root, bool bytes) {
  char error[512];
  long param[COLL_PARAMS] = { 0 };
  size_t sum = 0;
  const coll_alg *alg = coll_find(key, param, error, sizeof error);
  if (!alg) {
    fprintf(stderr, "%s\n", error);
    exit(2);
  }
  coll_args a = { .size = p, .count = count, .elem = 1, .root = root, .commutes = true, .param = param };
  made = record_make(made, alg, &a, 1, 0);
  if (*made->error) {
    fprintf(stderr, "%s: %s\n", key, made->error);
    exit(2);
  }
  for (int rank = 0; rank < p; rank++)
    for (const rec_op *op = made->rank[rank].op; op < made->rank[rank].op + made->rank[rank].n; op++) {
      if (!rec_sends(op->kind)) continue;
      int d = abs(op->peer - rank);
      sum += (size_t)(d < p - d ? d : p - d) * (bytes ? op->bytes : 1);
    }
  return sum;
}

/* `part` of `whole`: what the paper's formula gives, as a fraction. */
static void promised(const char *key, const char *other, int p, size_t count, int root, bool bytes, size_t part,
                     size_t whole) {
  size_t ours = distance(key, p, count, root, bytes), theirs = distance(other, p, count, root, bytes);
  if (ours * whole == theirs * part && ours && theirs) return;
  failed++;
  printf("FAILED %s, p=%d root=%d: %zu of %s's %zu, not %zu of %zu\n", key, p, root, ours, other, theirs, part, whole);
}

int main(void) {
  /* A tree of 2^q ranks has 2^i messages of distance rho(q-1-i) or 2^(q-1-i): 9/12, 23/32, 135/192, 711/1024. */
  static const struct {
    int p;
    size_t bine, binomial;
  } trees[] = { { 8, 9, 12 }, { 16, 23, 32 }, { 64, 135, 192 }, { 256, 711, 1024 } };
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
    for (int root = 0; root < trees[i].p; root += trees[i].p < 64 ? 1 : 37)
      promised("bcast/bine", "bcast/knomial[k=2]", trees[i].p, 1, root, false, trees[i].bine, trees[i].binomial);
  promised("reduce/bine", "bcast/bine", 64, 1, 5, false, 1, 1);
  /* Butterflies over 16 ranks: 1 + 2·1 + 4·3 + 8·5 of 1 + 2·2 + 4·4 + 8·8 blocks times distance, and with the longest messages to the
   * nearest 8·1 + 4·1 + 2·3 + 1·5 of 8·1 + 4·2 + 2·4 + 1·8. */
  promised("allgather/bine", "allgather/recursive_doubling", 16, 3, 0, true, 55, 85);
  promised("reduce_scatter/bine", "reduce_scatter/recursive_halving", 16, 48, 0, true, 55, 85);
  promised("allgather/swing", "allgather/recursive_doubling", 16, 3, 0, true, 23, 85);
  promised("allreduce/swing_bandwidth[ports=one]", "allreduce/rabenseifner", 16, 48, 0, true, 23, 32);
  promised("allreduce/bine_reduce_scatter_allgather", "allreduce/rabenseifner", 16, 48, 0, true, 23, 32);
  promised("allreduce/bine", "allreduce/recursive_doubling", 16, 1, 0, true, 10, 15);
  printf("%d failed\n", failed);
  record_free(made);
  return failed != 0;
}
