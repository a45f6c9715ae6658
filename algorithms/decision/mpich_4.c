/* decision/mpich_4: what MPICH 4 takes on an intracommunicator when nobody tells it otherwise, where every rank is a node of
 * its own (as of 4.3.2; the file has not changed since 4.1, and 4.0 differs in nothing that is here).
 *
 * Transcribed from the table that is compiled in, maint/tuning/coll/mpir/generic.json, and what the functions it names send.
 * Bytes are count × size of an element as MPI's call is given, but all ranks' for allgather and reduce_scatter_block.
 * MPICH asks whether an operator is built in where it is to be cut up: here, whether it commutes; so an operator of the
 * user's own that commutes is not in this table. An alltoall tests "fewer than 8 ranks" but acts on 8 too: where a test of
 * the number of ranks stands behind one of the buffer, src/mpi/coll/src/csel.c compares with <=.
 *
 * Pieces of a broadcast are cut in bytes there and in elements here: with elements longer than a byte messages differ by
 * less than an element unless the ranks divide the count.
 *
 * Not in this table: what is done on nodes of several ranks. There ch4 asks its own table first (ch4/generic.json), whose
 * compositions split bcast, reduce, allreduce and barrier into a part within nodes and one among their first ranks, through
 * shared memory (posix) within; and bcast of no bytes, scan, and barrier take MPIR's smp algorithms. With
 * MPIR_CVAR_NOLOCAL=1, or one rank per node, what follows is all.
 */
#include "decision/rows.h"

#define MISSING(what) NULL, .why = "MPICH takes " what ", which is not here"

static const coll_rule rules[] = {
  ROW(BCAST, 1, 7, ANY, 0, 0, "bcast/knomial[k=2,s=0]"),
  ROW(BCAST, 8, 0, ANY, 0, 12289, "bcast/knomial[k=2,s=0]"),
  ROW(BCAST, 8, 0, ANY, 12289, 524289, "bcast/scatter_recursive_doubling", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(BCAST, 8, 0, ANY, 12289, 0, "bcast/scatter_ring"),

  ROW(REDUCE, 1, 0, COMMUTES, 0, 2049, "reduce/binomial[s=0]"),
  ROW(REDUCE, 1, 0, COMMUTES, 2049, 0, "reduce/binomial[s=0]", .elements = COLL_COUNT_BELOW_POWER),
  ROW(REDUCE, 1, 0, COMMUTES, 2049, 0, "reduce/reduce_scatter_gather"),
  ROW(REDUCE, 1, 0, ORDERED, 0, 0, MISSING("a binomial tree in rank order to rank 0, which sends to the root")),

  ROW(SCATTER, 1, 0, ANY, 0, 0, "scatter/binomial"),
  ROW(GATHER, 1, 0, ANY, 0, 0, "gather/binomial"),

  ROW(ALLGATHER, 1, 0, ANY, 0, 524288, "allgather/recursive_doubling", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(ALLGATHER, 1, 0, ANY, 524288, 0, "allgather/bucket", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(ALLGATHER, 1, 0, ANY, 0, 81920, "allgather/bruck"),
  ROW(ALLGATHER, 1, 0, ANY, 81920, 0, "allgather/bucket"),

  ROW(ALLREDUCE, 1, 0, ANY, 0, 9, "allreduce/recursive_doubling"),
  ROW(ALLREDUCE, 1, 0, ORDERED, 9, 0, "allreduce/recursive_doubling"),
  ROW(ALLREDUCE, 1, 0, COMMUTES, 9, 0, "allreduce/recursive_doubling", .elements = COLL_COUNT_BELOW_POWER),
  ROW(ALLREDUCE, 1, 0, COMMUTES, 9, 0, "allreduce/reduce_scatter_allgather"),

  ROW(REDUCE_SCATTER, 1, 0, COMMUTES, 0, 524288, "reduce_scatter/recursive_halving"),
  ROW(REDUCE_SCATTER, 1, 0, COMMUTES, 524288, 0, "reduce_scatter/pairwise"),
  ROW(REDUCE_SCATTER, 1, 0, ORDERED, 0, 0,
      MISSING("recursive doubling, or its noncommutative algorithm for equal blocks and a power of two of ranks")),

  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 0, 524288, "reduce_scatter_block/recursive_halving"),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 524288, 0, "reduce_scatter_block/pairwise"),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, ORDERED, 0, 0, "reduce_scatter_block/butterfly", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, ORDERED, 0, 0, "reduce_scatter_block/recursive_doubling"),

  ROW(ALLTOALL, 1, 0, ANY, 0, 0, "alltoall/swap_in_order", .in_place = true),
  ROW(ALLTOALL, 1, 8, ANY, 0, 32769, "alltoall/scattered[batch=32]"),
  ROW(ALLTOALL, 9, 0, ANY, 0, 257, "alltoall/bruck"),
  ROW(ALLTOALL, 9, 0, ANY, 257, 32769, "alltoall/scattered[batch=32]"),
  ROW(ALLTOALL, 1, 0, ANY, 32769, 0, "alltoall/pairwise_exchange"),

  ROW(BARRIER, 1, 0, ANY, 0, 0, "barrier/dissemination"),
  ROW(SCAN, 1, 0, ANY, 0, 0, "scan/recursive_doubling"),
  ROW(EXSCAN, 1, 0, ANY, 0, 0, "exscan/recursive_doubling"),
};

const coll_decision decision_mpich_4 = {
  .key = "decision/mpich_4", .summary = "what MPICH 4 takes by default, one rank per node",
  .source = "MPICH 4.3.2, maint/tuning/coll/mpir/generic.json; its messages were compared",
  .unit = { [COLL_ALLGATHER] = COLL_PER_VECTOR, [COLL_REDUCE_SCATTER_BLOCK] = COLL_PER_VECTOR },
  .rules = rules, .count = sizeof rules / sizeof *rules,
};
