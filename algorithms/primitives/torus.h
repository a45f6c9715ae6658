/* On a torus of given extents: the bucket algorithms, which pass blocks around the rings of one dimension after the other. */
#ifndef COLLSCOPE_PRIMITIVES_TORUS_H
#define COLLSCOPE_PRIMITIVES_TORUS_H

#include "collscope.h"
#include "patterns/torus.h"
#include "primitives/rounds.h"

#define COLL_TORUS_PARAMS                                                                     \
  { .name = "x",                                                                              \
    .max = 1L << 20,                                                                          \
    .help = "extent of the torus' first dimension; 0: two dimensions, as square as can be" }, \
      { .name = "y",                                                                          \
        .max = 1L << 20,                                                                      \
        .help = "extent of the second dimension; 0: what is left; else what is left is a third" }
#define COLL_TORUS_PORTS_PARAM \
  { .name = "ports",           \
    .value = 1,                \
    .max = 1,                  \
    .words = coll_torus_ports, \
    .help = "all: a part of the vector for each direction of each dimension" }
extern const char *const coll_torus_ports[];

/* A call: its first two parameters are the extents. ports: whether a part goes in each direction of each dimension at once, each beginning
 * with another one; else there is one part. */
typedef struct {
  coll_torus torus;
  int rank, parts;
  size_t n; /* elements of the vector */
} coll_torus_call;
coll_torus_call coll_torus_here(const coll_args *, int rank, size_t n, bool ports);
const char *coll_torus_supports(const coll_args *);

/* Buckets. In a part's rounds a rank ends with its block: with one part that of its rank. */
coll_rounds coll_bucket_rounds(const coll_torus_call *);

/* A reduce-scatter of in[n] whose result is put at out, which may be in. */
void coll_bucket_torus_reduce_scatter(coll_ctx *, const coll_args *, size_t n);

/* Seconds of a reduce-scatter of n bytes, or with gamma = 0 an allgather, on one port: exact where all blocks are even. */
double coll_bucket_torus_cost(const coll_torus_call *, double n, double alpha, double beta, double gamma);
static inline bool coll_torus_even(const coll_torus_call *t) {
  return t->n % ((size_t)t->torus.p * (size_t)t->parts) == 0;
}

#endif
