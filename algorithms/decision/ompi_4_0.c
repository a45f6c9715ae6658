/* decision/ompi_4_0: what Open MPI 4.0's coll/tuned takes when nobody tells it otherwise (as of 4.0.5).
 *
 * Transcribed as data, with the segment sizes that the library passes. The lines p < a·bytes + b come from its authors'
 * fits to measurements on a Myrinet cluster. What an algorithm falls back to inside has a row of its own.
 *
 * Bytes are count × size of an element as MPI's call is given (the vector for bcast, reduce, allreduce and
 * reduce_scatter, a block for scatter, gather and alltoall), but for allgather and reduce_scatter_block: p blocks.
 */
#include "decision/rows.h"

#define KI 1024
#define PER_KI(x) ((x) / 1024.0)   /* the slopes for reduce are given per KiB */

/* Large vectors, operator that does not commute: the reduce is in order, the bcast as in its own table. */
#define IN_ORDER(bcast, s) "allreduce/nonoverlapping[reduce=in_order_binary,reduce_s=0,bcast=" bcast ",bcast_s=" s "]"

#define LINEAR(reduce, s, scatter) \
  "reduce_scatter_block/linear[reduce=" reduce ",reduce_s=" s ",scatter=" scatter "]"

static const coll_rule rules[] = {
  /* bcast */
  ROW(BCAST, 1, 0, ANY, 0, 2048, "bcast/binomial[s=0]"),
  ROW(BCAST, 1, 0, ANY, 0, 0, "bcast/binomial[s=0]", .elements = COLL_COUNT_AT_MOST_ONE),
  ROW(BCAST, 1, 0, ANY, 2048, 370728, "bcast/split_binary[s=1024]"),
  ROW(BCAST, 1, 0, ANY, 370728, 0, "bcast/pipeline[s=131072]", .a = 1.6134e-6, .b = 2.1102),
  ROW(BCAST, 1, 12, ANY, 370728, 0, "bcast/split_binary[s=8192]"),
  ROW(BCAST, 13, 0, ANY, 370728, 0, "bcast/pipeline[s=65536]", .a = 2.3679e-6, .b = 1.1787),
  ROW(BCAST, 13, 0, ANY, 370728, 0, "bcast/pipeline[s=16384]", .a = 3.2118e-6, .b = 8.7936),
  ROW(BCAST, 13, 0, ANY, 370728, 0, "bcast/pipeline[s=8192]"),
  /* reduce */
  ROW(REDUCE, 1, 11, ORDERED, 0, 2048, "reduce/linear"),
  ROW(REDUCE, 1, 0, ORDERED, 0, 0, "reduce/in_order_binary[s=0]"),
  ROW(REDUCE, 1, 7, COMMUTES, 0, 512, "reduce/linear"),
  ROW(REDUCE, 1, 7, COMMUTES, 512, 20 * KI, "reduce/binomial[s=0]"),
  ROW(REDUCE, 1, 0, COMMUTES, 0, 2048, "reduce/binomial[s=0]"),
  ROW(REDUCE, 1, 0, COMMUTES, 0, 0, "reduce/binomial[s=0]", .elements = COLL_COUNT_AT_MOST_ONE),
  ROW(REDUCE, 1, 0, COMMUTES, 2048, 0, "reduce/binomial[s=1024]", .a = PER_KI(0.6016), .b = 1.3496, .above = true),
  ROW(REDUCE, 1, 0, COMMUTES, 2048, 0, "reduce/pipeline[s=1024]", .a = PER_KI(0.0410), .b = 9.7128, .above = true),
  ROW(REDUCE, 1, 0, COMMUTES, 2048, 0, "reduce/binary[s=32768]", .a = PER_KI(0.0422), .b = 1.1614, .above = true),
  ROW(REDUCE, 1, 0, COMMUTES, 2048, 0, "reduce/pipeline[s=32768]", .a = PER_KI(0.0033), .b = 1.6761, .above = true),
  ROW(REDUCE, 1, 0, COMMUTES, 2048, 0, "reduce/pipeline[s=65536]"),
  /* scatter */
  ROW(SCATTER, 11, 0, ANY, 0, 300, "scatter/binomial"),
  ROW(SCATTER, 1, 0, ANY, 0, 0, "scatter/linear"),
  /* gather */
  ROW(GATHER, 1, 0, ANY, 92161, 0, "gather/linear_sync[first=32768]"),
  ROW(GATHER, 1, 0, ANY, 6001, 92161, "gather/linear_sync[first=1024]"),
  ROW(GATHER, 61, 0, ANY, 0, 6001, "gather/binomial"),
  ROW(GATHER, 11, 0, ANY, 0, 1024, "gather/binomial"),
  ROW(GATHER, 1, 0, ANY, 0, 6001, "gather/linear"),
  /* allgather: bytes of all blocks */
  ROW(ALLGATHER, 2, 2, ANY, 0, 0, "allgather/two_proc"),
  ROW(ALLGATHER, 1, 0, ANY, 0, 50000, "allgather/recursive_doubling", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(ALLGATHER, 1, 0, ANY, 0, 50000, "allgather/bruck"),
  ROW(ALLGATHER, 1, 0, ANY, 50000, 0, "allgather/bucket", .ranks = COLL_RANKS_ODD),
  ROW(ALLGATHER, 1, 0, ANY, 50000, 0, "allgather/neighbor_exchange"),
  /* reduce_scatter; the reduce within nonoverlapping is what the library takes for it */
  ROW(REDUCE_SCATTER, 1, 11, ORDERED, 0, 2048, "reduce_scatter/nonoverlapping[reduce=linear,reduce_s=0]"),
  ROW(REDUCE_SCATTER, 1, 0, ORDERED, 0, 0, "reduce_scatter/nonoverlapping[reduce=in_order_binary,reduce_s=0]"),
  ROW(REDUCE_SCATTER, 1, 0, COMMUTES, 0, 12 * KI + 1, "reduce_scatter/recursive_halving"),
  ROW(REDUCE_SCATTER, 1, 0, COMMUTES, 0, 256 * KI + 1, "reduce_scatter/recursive_halving",
      .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(REDUCE_SCATTER, 1, 0, COMMUTES, 0, 0, "reduce_scatter/ring", .a = 0.0012, .b = 8),
  ROW(REDUCE_SCATTER, 1, 0, COMMUTES, 0, 0, "reduce_scatter/recursive_halving"),
  /* allreduce; the reduce and the bcast within nonoverlapping are what the library takes for them */
  ROW(ALLREDUCE, 1, 0, ANY, 0, 10000, "allreduce/recursive_doubling"),
  ROW(ALLREDUCE, 1, 0, COMMUTES, 10000, 0, NULL, .elements = COLL_COUNT_AT_MOST_RANKS,
      .why = "10,000 bytes or more in no more elements than ranks: the library reduces and broadcasts as it decides "
             "for these, which takes two lines at once"),
  ROW(ALLREDUCE, 1, 0, COMMUTES, 10000, 0, "allreduce/ring_segmented[s=1048576]", .a = 1.0 / (KI * KI), .b = 0),
  ROW(ALLREDUCE, 1, 0, COMMUTES, 10000, 0, "allreduce/ring"),
  ROW(ALLREDUCE, 1, 0, ORDERED, 10000, 370728, IN_ORDER("split_binary", "1024")),
  ROW(ALLREDUCE, 1, 0, ORDERED, 370728, 0, IN_ORDER("pipeline", "131072"), .a = 1.6134e-6, .b = 2.1102),
  ROW(ALLREDUCE, 1, 12, ORDERED, 370728, 0, IN_ORDER("split_binary", "8192")),
  ROW(ALLREDUCE, 13, 0, ORDERED, 370728, 0, IN_ORDER("pipeline", "65536"), .a = 2.3679e-6, .b = 1.1787),
  ROW(ALLREDUCE, 13, 0, ORDERED, 370728, 0, IN_ORDER("pipeline", "16384"), .a = 3.2118e-6, .b = 8.7936),
  ROW(ALLREDUCE, 13, 0, ORDERED, 370728, 0, IN_ORDER("pipeline", "8192")),
  /* reduce_scatter_block: always linear; the reduce in it looks at the vector, the scatter at a block */
  ROW(REDUCE_SCATTER_BLOCK, 11, 11, ORDERED, 0, 2048, LINEAR("linear", "0", "binomial"), .block_end = 300),
  ROW(REDUCE_SCATTER_BLOCK, 1, 11, ORDERED, 0, 2048, LINEAR("linear", "0", "linear")),
  ROW(REDUCE_SCATTER_BLOCK, 11, 0, ORDERED, 0, 0, LINEAR("in_order_binary", "0", "binomial"), .block_end = 300),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, ORDERED, 0, 0, LINEAR("in_order_binary", "0", "linear")),
  ROW(REDUCE_SCATTER_BLOCK, 1, 7, COMMUTES, 0, 512, LINEAR("linear", "0", "linear")),
  ROW(REDUCE_SCATTER_BLOCK, 1, 7, COMMUTES, 512, 20 * KI, LINEAR("binomial", "0", "linear")),
  ROW(REDUCE_SCATTER_BLOCK, 11, 0, COMMUTES, 0, 2048, LINEAR("binomial", "0", "binomial"), .block_end = 300),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 0, 2048, LINEAR("binomial", "0", "linear")),
  ROW(REDUCE_SCATTER_BLOCK, 11, 0, COMMUTES, 2048, 0, LINEAR("binomial", "1024", "binomial"),
      .block_end = 300, .a = PER_KI(0.6016), .b = 1.3496, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 2048, 0, LINEAR("binomial", "1024", "linear"),
      .a = PER_KI(0.6016), .b = 1.3496, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 11, 0, COMMUTES, 2048, 0, LINEAR("pipeline", "1024", "binomial"),
      .block_end = 300, .a = PER_KI(0.0410), .b = 9.7128, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 2048, 0, LINEAR("pipeline", "1024", "linear"),
      .a = PER_KI(0.0410), .b = 9.7128, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 11, 0, COMMUTES, 2048, 0, LINEAR("binary", "32768", "binomial"),
      .block_end = 300, .a = PER_KI(0.0422), .b = 1.1614, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 2048, 0, LINEAR("binary", "32768", "linear"),
      .a = PER_KI(0.0422), .b = 1.1614, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 11, 0, COMMUTES, 2048, 0, LINEAR("pipeline", "32768", "binomial"),
      .block_end = 300, .a = PER_KI(0.0033), .b = 1.6761, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 2048, 0, LINEAR("pipeline", "32768", "linear"),
      .a = PER_KI(0.0033), .b = 1.6761, .above = true),
  ROW(REDUCE_SCATTER_BLOCK, 11, 0, COMMUTES, 2048, 0, LINEAR("pipeline", "65536", "binomial"), .block_end = 300),
  ROW(REDUCE_SCATTER_BLOCK, 1, 0, COMMUTES, 2048, 0, LINEAR("pipeline", "65536", "linear")),
  /* alltoall: bytes of a block */
  ROW(ALLTOALL, 1, 0, ANY, 0, 0, "alltoall/in_place", .in_place = true),
  ROW(ALLTOALL, 2, 2, ANY, 0, 0, "alltoall/two_proc"),
  ROW(ALLTOALL, 13, 0, ANY, 0, 200, "alltoall/bruck"),
  ROW(ALLTOALL, 1, 0, ANY, 0, 3000, "alltoall/linear"),
  ROW(ALLTOALL, 1, 0, ANY, 3000, 0, "alltoall/pairwise"),
  /* barrier */
  ROW(BARRIER, 2, 2, ANY, 0, 0, "barrier/two_proc"),
  ROW(BARRIER, 1, 0, ANY, 0, 0, "barrier/recursive_doubling", .ranks = COLL_RANKS_POWER_OF_TWO),
  ROW(BARRIER, 1, 0, ANY, 0, 0, "barrier/dissemination"),
  /* scan, exscan: coll/tuned leaves them to coll/basic */
  ROW(SCAN, 1, 0, ANY, 0, 0, "scan/linear"),
  ROW(EXSCAN, 1, 0, ANY, 0, 0, "exscan/linear"),
};

const coll_decision decision_ompi_4_0 = {
  .key = "decision/ompi_4_0", .summary = "what Open MPI 4.0 takes by default",
  .source = "Open MPI 4.0.5, coll/tuned, fixed decision functions",
  .unit = { [COLL_ALLGATHER] = COLL_PER_VECTOR, [COLL_REDUCE_SCATTER_BLOCK] = COLL_PER_VECTOR },
  .rules = rules, .count = sizeof rules / sizeof *rules,
};
