/* Composite algorithms: one collective made of other algorithms, which the composite's key names. */
#ifndef COLLSCOPE_COMPOSITE_PART_H
#define COLLSCOPE_COMPOSITE_PART_H

#include "collscope.h"

/* The algorithms that stand behind the words of a parameter, and whether each takes a segment size. */
typedef struct {
  const coll_alg *alg;
  bool segmented;
} coll_part;

/* The reduce part: words for the parameter, in the order of coll_reduce_parts. */
extern const char *const coll_reduce_words[], *const coll_bcast_words[];
extern const coll_part coll_reduce_parts[], coll_bcast_parts[];
enum { COLL_REDUCE_PART_BINOMIAL, COLL_REDUCE_PART_LAST = 5, COLL_BCAST_PART_BINOMIAL = 0, COLL_BCAST_PART_LAST = 6 };

#define COLL_REDUCE_PART_PARAMS                       \
  { .name = "reduce",                                 \
    .value = COLL_REDUCE_PART_BINOMIAL,               \
    .max = COLL_REDUCE_PART_LAST,                     \
    .words = coll_reduce_words,                       \
    .help = "the algorithm that reduces to rank 0" }, \
      { .name = "reduce_s", .value = 0, .min = 0, .max = 1L << 30, .help = "bytes of its segments; 0: one segment" }

#define COLL_BCAST_PART_PARAMS                             \
  { .name = "bcast",                                       \
    .value = COLL_BCAST_PART_BINOMIAL,                     \
    .max = COLL_BCAST_PART_LAST,                           \
    .words = coll_bcast_words,                             \
    .help = "the algorithm that broadcasts from rank 0" }, \
      { .name = "bcast_s", .value = 0, .min = 0, .max = 1L << 30, .help = "bytes of its segments; 0: one segment" }

extern const char *const coll_scatter_words[], *const coll_gather_words[];
extern const coll_part coll_scatter_parts[], coll_gather_parts[];
enum { COLL_SCATTER_PART_LAST = 2, COLL_GATHER_PART_LAST = 2 };

#define COLL_SCATTER_PART_PARAMS   \
  { .name = "scatter",             \
    .value = 0,                    \
    .max = COLL_SCATTER_PART_LAST, \
    .words = coll_scatter_words,   \
    .help = "the algorithm that scatters from rank 0" }

#define COLL_GATHER_PART_PARAMS                       \
  { .name = "gather",                                 \
    .value = 0,                                       \
    .max = COLL_GATHER_PART_LAST,                     \
    .words = coll_gather_words,                       \
    .help = "the algorithm that gathers to rank 0" }, \
      { .name = "gather_first",                       \
        .value = 0,                                   \
        .min = 0,                                     \
        .max = 1L << 30,                              \
        .help = "linear_sync: bytes of each rank's first message; 0: all" }

/* The call as a part sees it that works on the blocks of all ranks as one vector. */
coll_args coll_part_whole(const coll_args *);

/* Runs a part from or to rank 0 on count elements. A part's other parameters have their defaults. */
void coll_part_run(coll_ctx *, const coll_args *, coll_part, long s, const void *in, void *out);

/* NULL, or why the part cannot run this call. */
const char *coll_part_supports(const coll_args *, coll_part, long s);

#endif
