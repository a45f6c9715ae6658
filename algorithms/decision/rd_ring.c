/* decision/rd_ring[threshold,bruck]: the conventional allgather that Kandalla et al. compare with: recursive doubling for
 * short vectors, the ring (allgather/bucket) for long ones.
 *
 * The paper (CAC 2009, 3.1) names the two and says that MVAPICH2 has them from MPICH2, but not where one gives way to the
 * other. In MPICH2 of those years (1.0.6 to 1.2: allgather.c, mpiimpl.h) a number of ranks that is a power of two takes
 * recursive doubling below 512 KiB of the whole vector, count × size × ranks: with the paper's 64 ranks, below blocks of
 * 8 KiB. Other numbers of ranks take Bruck's algorithm below 80 KiB of it. What is not short is a ring.
 */
#include "decision/rows.h"

#include <limits.h>

/* 1 TiB, or what a long holds where it has 32 bits. */
#define MAX_THRESHOLD (1LL << 40 < LONG_MAX ? (long)(1LL << 40) : LONG_MAX)

static const coll_param params[] = {
  { "threshold", 512 << 10, 0, MAX_THRESHOLD, NULL,
    "bytes of the whole vector from which a power of two of ranks takes the ring" },
  { "bruck", 80 << 10, 0, MAX_THRESHOLD, NULL,
    "the same for other numbers of ranks, which take Bruck's algorithm below it" },
  { .name = NULL },
};

static const coll_rule rules[] = {
  ROW(ALLGATHER, 1, 0, ANY, 0, COLL_BOUND_PARAM(0), "allgather/recursive_doubling", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(ALLGATHER, 1, 0, ANY, 0, 0, "allgather/bucket", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(ALLGATHER, 1, 0, ANY, 0, COLL_BOUND_PARAM(1), "allgather/bruck"),
  ROW(ALLGATHER, 1, 0, ANY, 0, 0, "allgather/bucket"),
};

const coll_decision decision_rd_ring = {
  .key = "decision/rd_ring",
  .summary = "recursive doubling for short vectors, the ring for long ones",
  .source = "Kandalla et al. 2009; the thresholds are those of MPICH2 1.0.6 to 1.2",
  .params = params,
  .unit = { [COLL_ALLGATHER] = COLL_PER_VECTOR },
  .rules = rules,
  .count = sizeof rules / sizeof *rules,
};
