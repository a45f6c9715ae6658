/* How many messages each rank sends, and how much in them, where the sources say it: nothing of cost() is asked here, the messages of the
 * schedule are counted. All ranks of these calls send the same. */
#include <stdio.h>

#include "core/catalogue/find.h"
#include "core/schedule/recorder/record.h"
#include "prove/prover.h"

/* Blocks are of so many elements, and vectors of so many blocks, that all parts are even. */
enum { BLOCK = 108, ELEM = 4 };

static const struct {
  const char *key;
  int ranks, messages;
  double blocks; /* of an allreduce: blocks of a vector of as many as there are ranks */
} stated[] = {
  /* Radix-r Bruck (Fan et al., arXiv:2411.02581): digits of the distances, all values but 0, and the blocks that have them. */
  { "alltoall/bruck", 64, 6, 192 },
  { "alltoall/bruck_k[k=2]", 64, 6, 192 },
  { "alltoall/bruck_k[k=4]", 64, 9, 144 },
  { "alltoall/bruck_k[k=8]", 64, 14, 112 },
  { "alltoall/bruck_k[k=16]", 64, 18, 108 },
  { "alltoall/bruck_k[k=64]", 64, 63, 63 },
  { "alltoallv/bruck_two_phase[lengths=known]", 64, 6, 192 },
  { "alltoallv/bruck_two_phase[k=4,lengths=known]", 64, 9, 144 },
  { "alltoallv/bruck_two_phase[k=8,lengths=known]", 64, 14, 112 },
  { "alltoallv/bruck_two_phase[k=8,lengths=sent]", 64, 28, 112 },
  /* Bruck et al. 1997: the concatenation in ⌈log_k p⌉ rounds of k-1 ports. */
  { "allgather/bruck_k[k=2]", 64, 6, 63 },
  { "allgather/bruck_k[k=4]", 64, 9, 63 },
  { "allgather/bruck_k[k=3]", 27, 6, 26 },
  { "allgather/bruck_k[k=3]", 25, 6, 24 },
  { "allgather/bruck_k[k=64]", 64, 63, 63 },
  /* PAT (arXiv:2506.20252): lg a + P/a - 1 steps. */
  { "allgather/pat[a=1]", 16, 15, 15 },
  { "allgather/pat[a=2]", 16, 8, 15 },
  { "allgather/pat[a=4]", 16, 5, 15 },
  { "allgather/pat[a=8]", 16, 4, 15 },
  { "reduce_scatter_block/pat[a=1]", 16, 15, 15 },
  { "reduce_scatter_block/pat[a=2]", 16, 8, 15 },
  { "reduce_scatter_block/pat[a=4]", 16, 5, 15 },
  { "reduce_scatter_block/pat[a=8]", 16, 4, 15 },
  { "reduce_scatter/pat[a=2]", 16, 8, 15 },
  /* Recursive multiplying (Wilkins et al. 2023): k-1 messages in each of log_k p steps; of whole vectors in an allreduce. */
  { "allreduce/recursive_multiplying[k=2]", 64, 6, 6 * 64 },
  { "allreduce/recursive_multiplying[k=4]", 64, 9, 9 * 64 },
  { "allreduce/recursive_exchange[k=8]", 64, 14, 14 * 64 },
  { "allgather/recursive_multiplying[k=4]", 64, 9, 63 },
  /* k-nomial scatter-reduce and allgather: the volume of Rabenseifner's at any k. */
  { "allreduce/rabenseifner", 64, 12, 2 * 63 },
  { "allreduce/knomial_rabenseifner[k=2]", 64, 12, 2 * 63 },
  { "allreduce/knomial_rabenseifner[k=4]", 64, 18, 2 * 63 },
  { "allreduce/knomial_rabenseifner[k=8]", 64, 28, 2 * 63 },
  { "allreduce/knomial_rabenseifner[k=3]", 27, 12, 2 * 26 },
  { "reduce_scatter/recursive_exchange[k=4]", 64, 9, 63 },
  { "reduce_scatter_block/recursive_exchange[k=8]", 64, 14, 63 },
  /* Buckets on a torus (Jain and Sabharwal 2010): as many rounds as the extents less one, in all ports at once for each part. */
  { "allgather/bucket_torus[x=8]", 64, 14, 63 },
  { "allgather/bucket_torus[x=4,y=4]", 64, 9, 63 },
  { "reduce_scatter/bucket_torus[x=3]", 27, 10, 26 },
  { "reduce_scatter_block/bucket_torus[x=3,y=3]", 27, 6, 26 },
  { "allreduce/bucket_torus[ports=one]", 64, 28, 2 * 63 },
  { "allreduce/bucket_torus[x=9]", 27, 4 * 20, 2 * 26 },
  /* Swing (NSDI '24): lg p steps on a torus of any dimensions, in each port; half of what is left in each. */
  { "allgather/swing_torus[ports=one]", 64, 6, 63 },
  { "reduce_scatter_block/swing_torus[x=4,y=4,ports=one]", 64, 6, 63 },
  { "reduce_scatter/swing_torus[x=4,ports=one]", 64, 6, 63 },
  /* Hamiltonian rings (NSDI '24): 2 (p-1) rounds of four messages. */
  { "allreduce/hamiltonian_rings", 27, 4 * 52, 2 * 26 },
  /* Trivance (arXiv:2602.17254): log_3 p steps through two ports. */
  { "allreduce/trivance", 27, 6, 6 * 27 },
  /* Everything to everybody; and signals alone. */
  { "allgather/batched", 16, 15, 15 },
  { "barrier/dissemination_k[k=2]", 64, 6, 0 },
  { "barrier/dissemination_k[k=4]", 64, 9, 0 },
  { "barrier/dissemination_k[k=8]", 64, 14, 0 },
};

int main(void) {
  int failed = 0;
  record *r = NULL;
  prover *v = prover_new();
  for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
    char error[512];
    long param[COLL_PARAMS] = { 0 };
    const coll_alg *alg = coll_find(stated[i].key, param, error, sizeof error);
    if (!alg) {
      failed++;
      printf("FAILED %s: %s\n", stated[i].key, error);
      continue;
    }
    int p = stated[i].ranks;
    bool vector = alg->collective == COLL_ALLREDUCE || alg->collective == COLL_REDUCE_SCATTER;
    coll_args a = { .size = p,
                    .count = alg->collective == COLL_BARRIER ? 0 : (size_t)(vector ? p : 1) * BLOCK,
                    .elem = ELEM,
                    .commutes = true,
                    .param = param,
                    .place = prover_places(v, p) };
    r = record_make(r, alg, &a, 1, 0);
    for (int rank = 0; rank < p; rank++) {
      int messages = 0;
      double bytes = 0;
      for (size_t k = 0; k < r->rank[rank].n; k++)
        if (rec_sends(r->rank[rank].op[k].kind)) messages++, bytes += (double)r->rank[rank].op[k].bytes;
      if (!*r->error && messages == stated[i].messages && bytes == stated[i].blocks * BLOCK * ELEM) continue;
      failed++;
      printf("FAILED %s, %d ranks, rank %d: %d messages, %g blocks; stated are %d and %g %s\n", stated[i].key, p, rank,
             messages, bytes / BLOCK / ELEM, stated[i].messages, stated[i].blocks, r->error);
      break;
    }
  }
  printf("%zu calls, %d failed\n", sizeof stated / sizeof *stated, failed);
  record_free(r);
  prover_free(v);
  return failed != 0;
}
