/* What node-aware algorithms send between nodes, from the schedules: what their papers promise for g nodes of l ranks. */
#include <stdio.h>
#include <stdlib.h>

#include "core/catalogue/find.h"
#include "core/schedule/recorder/record.h"

enum { MAX_RANKS = 96 };

static int failed, points;
static record *made;

/* Between nodes: the messages of the rank that sends the most of them, its bytes, and all bytes. */
typedef struct {
  size_t messages, bytes, all;
} traffic;

static traffic between_nodes(const char *key, int nodes, int ranks, size_t count, bool dealt) {
  static coll_place place[MAX_RANKS];
  char error[512];
  long param[COLL_PARAMS] = { 0 };
  traffic t = { 0, 0, 0 };
  const coll_alg *alg = coll_find(key, param, error, sizeof error);
  if (!alg) {
    fprintf(stderr, "%s\n", error);
    exit(2);
  }
  int p = nodes * ranks;
  for (int r = 0; r < p; r++) {
    int node = dealt ? r % nodes : r / ranks;
    place[r] = (coll_place){ node, node, node };
  }
  coll_args a = { .size = p, .count = count, .elem = 1, .commutes = true, .param = param, .place = place };
  made = record_make(made, alg, &a, 1, 0);
  if (*made->error) {
    fprintf(stderr, "%s: %s\n", key, made->error);
    exit(2);
  }
  for (int rank = 0; rank < p; rank++) {
    size_t messages = 0, bytes = 0;
    for (const rec_op *op = made->rank[rank].op; op < made->rank[rank].op + made->rank[rank].n; op++)
      if (rec_sends(op->kind) && place[op->peer].node != place[rank].node) messages++, bytes += op->bytes;
    t.messages = messages > t.messages ? messages : t.messages;
    t.bytes = bytes > t.bytes ? bytes : t.bytes;
    t.all += bytes;
  }
  return t;
}

static void promised(const char *key, int nodes, int ranks, size_t count, traffic t) {
  for (int dealt = 0; dealt < 2; dealt++, points++) {
    traffic found = between_nodes(key, nodes, ranks, count, dealt);
    if (found.messages == t.messages && found.bytes == t.bytes && found.all == t.all) continue;
    failed++;
    printf("FAILED %s, %d nodes of %d ranks: %zu messages and %zu bytes of a rank, %zu in all; not %zu, %zu, %zu\n",
           key, nodes, ranks, found.messages, found.bytes, found.all, t.messages, t.bytes, t.all);
  }
}

int main(void) {
  for (int g = 2; g <= 16; g++)
    for (int l = 2; l * g <= MAX_RANKS && l <= 8; l++) {
      size_t nodes = (size_t)g, ranks = (size_t)l, others = nodes - 1, m = 3, steps = 0, widest = 0;
      /* Each node's blocks come to each other node once; a rank sends one message in each step, of w nodes' blocks or of fewer. */
      for (size_t w = 1; w < nodes; w *= ranks) {
        steps++;
        widest += w < nodes - w ? w : nodes - w; /* those of the rank with index 1 */
      }
      promised("allgather/bruck_locality_aware", g, l, m,
               (traffic){ steps, widest * ranks * m, nodes * others * ranks * m });
      /* One message of l blocks to each other node; as many bytes as any alltoall has to send. */
      promised("alltoall/node_aware", g, l, m,
               (traffic){ others, others * ranks * m, nodes * ranks * others * ranks * m });
      /* One rank of a node sends all its blocks for another node in one message. */
      promised("alltoall/multileader", g, l, m,
               (traffic){ others, others * ranks * ranks * m, nodes * ranks * others * ranks * m });
      /* Every rank of a node sends an equal part; each part comes to each other node once. */
      promised("allreduce/lanes[inter=bucket]", g, l, nodes * ranks * m,
               (traffic){ 2 * others, 2 * others * m, 2 * others * ranks * nodes * m });
      size_t lg = 0;
      while (1 << lg < g) lg++;
      promised("bcast/lanes", g, l, ranks * m, (traffic){ lg, lg * m, others * ranks * m });
    }
  printf("%d calls, %d failed\n", points, failed);
  record_free(made);
  return failed || points < 500;
}
