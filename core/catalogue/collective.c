/* What can be said of an algorithm without running it: support, buffer sizes, printed bounds. */
#include "collscope.h"

#include <math.h>
#include <stdio.h>

#include "patterns/block.h"

static const struct { const char *name; bool root, op; } collectives[COLL_COLLECTIVES] = {
  [COLL_BCAST] = { "bcast", true, false },
  [COLL_REDUCE] = { "reduce", true, true },
  [COLL_SCATTER] = { "scatter", true, false },
  [COLL_GATHER] = { "gather", true, false },
  [COLL_ALLGATHER] = { "allgather", false, false },
  [COLL_REDUCE_SCATTER] = { "reduce_scatter", false, true },
  [COLL_REDUCE_SCATTER_BLOCK] = { "reduce_scatter_block", false, true },
  [COLL_ALLREDUCE] = { "allreduce", false, true },
  [COLL_ROTATION] = { "rotation", false, false },
  [COLL_BARRIER] = { "barrier", false, false },
  [COLL_ALLTOALL] = { "alltoall", false, false },
  [COLL_SCAN] = { "scan", false, true },
  [COLL_EXSCAN] = { "exscan", false, true },
};

const char *coll_collective_name(coll_collective k) { return collectives[k].name; }
bool coll_has_root(coll_collective k) { return collectives[k].root; }
bool coll_has_operator(coll_collective k) { return collectives[k].op; }

const char *coll_unsupported(const coll_alg *alg, const coll_args *a, char *reason, size_t size) {
  if (coll_has_root(alg->collective) && (a->root < 0 || a->root >= a->size))
    return snprintf(reason, size, "root %d is not one of the %d ranks", a->root, a->size), reason;
  if ((alg->flags & COLL_COMMUTATIVE_ONLY) && !a->commutes)
    return snprintf(reason, size, "needs an operator that commutes"), reason;
  const char *why = alg->supports ? alg->supports(a) : NULL;
  return why ? (snprintf(reason, size, "%s", why), reason) : NULL;
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

size_t coll_in_count(coll_collective k, const coll_args *a, int rank) {
  size_t m = a->count, p = (size_t)a->size;
  switch (k) {
    case COLL_SCATTER: return rank == a->root ? p * m : 0;
    case COLL_REDUCE_SCATTER_BLOCK: case COLL_ALLTOALL: return p * m;
    case COLL_BARRIER: return 0;
    default: return m;
  }
}

size_t coll_out_count(coll_collective k, const coll_args *a, int rank) {
  size_t m = a->count, p = (size_t)a->size;
  switch (k) {
    case COLL_GATHER: return rank == a->root ? p * m : 0;
    case COLL_ALLGATHER: case COLL_ALLTOALL: return p * m;
    case COLL_REDUCE: return rank == a->root ? m : 0;
    case COLL_REDUCE_SCATTER: return a->in_place ? m : coll_block(m, a->size, rank).count;
    case COLL_REDUCE_SCATTER_BLOCK: return a->in_place ? p * m : m;
    case COLL_BARRIER: return 0;
    default: return m;
  }
}

/* ---- printed bounds --------------------------------------------------------------------------------- */

double coll_bound(coll_collective k, const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || (a->count == 0 && k != COLL_BARRIER)) return 0;  // a call without data sends nothing
  double p = a->size, lg = ceil(log2(p)), m = (double)(a->count * a->elem), part = (p - 1) / p;
  switch (k) {
    case COLL_BCAST: return lg * alpha + m * beta;
    case COLL_REDUCE: return lg * alpha + m * beta + part * m * gamma;
    case COLL_SCATTER: case COLL_GATHER: case COLL_ALLGATHER: return lg * alpha + part * p * m * beta;
    case COLL_REDUCE_SCATTER: return lg * alpha + part * m * (beta + gamma);
    case COLL_REDUCE_SCATTER_BLOCK: return lg * alpha + part * p * m * (beta + gamma);
    case COLL_ALLREDUCE: return lg * alpha + part * m * (2 * beta + gamma);
    case COLL_ROTATION: return alpha + m * beta;
    case COLL_BARRIER: return lg * alpha;
    case COLL_ALLTOALL: return lg * alpha + part * p * m * beta;
    case COLL_SCAN: case COLL_EXSCAN: return lg * alpha + m * beta + m * gamma;
    default: return 0;
  }
}
