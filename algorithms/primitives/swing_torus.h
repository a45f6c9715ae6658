/* Swing's reduce-scatter and allgather on a torus of given extents, which must be powers of two: ranks meet those of patterns/peers.h. */
#ifndef COLLSCOPE_PRIMITIVES_SWING_TORUS_H
#define COLLSCOPE_PRIMITIVES_SWING_TORUS_H

#include "patterns/peers.h"
#include "primitives/torus.h"

enum { COLL_SWING_PORTS = 2 }; /* the parameter after the torus' extents */

const char *coll_swing_torus_supports(const coll_args *);

/* The call of a parameter list with extents and ports; n elements in the blocks coll_block(n, p, i), of which rank i owns block i. */
coll_torus_call coll_swing_torus_here(const coll_args *, int rank, size_t n);

/* For prepare(): what both below take. */
typedef struct coll_swing_torus coll_swing_torus;
coll_swing_torus *coll_swing_torus_prepare(coll_ctx *, const coll_args *, size_t n);

/* all[n] holds this rank's block at its place, in the end every block. */
void coll_swing_torus_allgather(coll_ctx *, const coll_swing_torus *, void *all);

/* A reduce-scatter of in[n] whose result is put at out, which may be in. The operator must commute. */
void coll_swing_torus_reduce_scatter(coll_ctx *, const coll_swing_torus *, const void *in, void *out);

/* Seconds of either, n in bytes, with gamma = 0 for the allgather: exact where all blocks are even. */
double coll_swing_torus_cost(const coll_torus_call *, double n, double alpha, double beta, double gamma);

#endif
