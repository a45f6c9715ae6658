/* The facts of every collective: the one table that buffers, plans, sizes, bounds and pictures read. `--list --json` prints it,
 * so Python reads it too. What a collective means, data for data, is programmed in the checks alone. */
#ifndef COLLSCOPE_CORE_CATALOGUE_COLLECTIVE_H
#define COLLSCOPE_CORE_CATALOGUE_COLLECTIVE_H

#include "collscope.h"

typedef enum { COLL_NO_RANK, COLL_ROOT, COLL_EVERY_RANK } coll_who;

/* Elements of a buffer, for a call of count m on p ranks. */
typedef enum {
  COLL_HOLDS_NOTHING,
  COLL_HOLDS_BLOCK,  /* m: one rank's block; of any length where the call has displs */
  COLL_HOLDS_BLOCKS, /* p·m: the blocks of all ranks */
  COLL_HOLDS_VECTOR, /* m: the whole vector */
  COLL_HOLDS_PART,   /* this rank's part of the vector, cut by coll_block or displs */
} coll_amount;

/* Ranks that have data there, and how much. */
typedef struct {
  coll_who who;
  coll_amount amount;
} coll_side;

/* Where buffers lie in a call in place; of a collective with a root, at the root alone. */
typedef enum {
  COLL_IN_PLACE_NEVER,
  COLL_IN_PLACE_ALWAYS, /* there is one buffer, at every rank, whatever the call says */
  COLL_IN_PLACE_SAME,   /* in and out begin at the same address; a smaller result is left at the start */
  COLL_IN_PLACE_IN_OUT, /* in is this rank's block of out */
  COLL_IN_PLACE_OUT_IN, /* out is this rank's block of in */
} coll_in_place;

/* A share of the n bytes of the whole vector. */
typedef enum {
  COLL_SHARE_NONE,
  COLL_SHARE_WHOLE,  /* n */
  COLL_SHARE_OTHERS, /* (p-1)/p n */
  COLL_SHARE_BLOCK,  /* n/p */
} coll_share;

typedef struct {
  const char *name;
  const char *mpi; /* MPI's function; NULL: it has none */
  bool root, op;   /* has a root; has an operator: else data only moves */
  bool uneven;     /* a call may say how long each rank's block is: coll_args' displs */
  coll_side in, out;
  coll_in_place in_place;
  struct {          /* the lower bound of the telephone model: see coll_bound */
    bool one_round; /* 1 alpha, not ceil(lg p) alpha */
    int times;      /* the bytes that are sent, so many times */
    coll_share sent, combined;
  } bound;
} coll_facts;

const coll_facts *coll_facts_of(coll_collective);

const char *coll_collective_name(coll_collective); /* "bcast" … */
/* The collective of this name; COLL_COLLECTIVES when none has it. */
coll_collective coll_collective_find(const char *name, size_t length);
bool coll_has_root(coll_collective);
bool coll_has_operator(coll_collective);

/* What a call's count counts. */
typedef enum { COLL_COUNTS_NOTHING, COLL_COUNTS_BLOCK, COLL_COUNTS_VECTOR } coll_counts;
coll_counts coll_counts_of(coll_collective);

/* Can a call say how long each rank's block is, and how many numbers its displs are? */
bool coll_may_be_uneven(coll_collective);
size_t coll_displs(coll_collective, int size);
/* Of alltoallv: the rows of p receivers, which stand behind those of the senders, made from these. */
void coll_displs_receive(size_t *displs, size_t p);

/* Can the caller choose between in place and not? */
bool coll_has_in_place(coll_collective);
/* Do in and out share a buffer at this rank in this call? */
bool coll_shares_buffer(coll_collective, const coll_args *, int rank);
/* Does this rank bring data; does it end with some? */
bool coll_has_input(coll_collective, const coll_args *, int rank);
bool coll_has_output(coll_collective, const coll_args *, int rank);

/* Elements of `in`, of `out`, and of the result in `out` (in place, out can be larger than its result). */
size_t coll_in_count(coll_collective, const coll_args *, int rank);
size_t coll_out_count(coll_collective, const coll_args *, int rank);
size_t coll_result_count(coll_collective, const coll_args *, int rank);
/* Elements from the start of the buffer that they share to `in` and to `out`; 0 where nothing is shared. */
size_t coll_in_offset(coll_collective, const coll_args *, int rank);
size_t coll_out_offset(coll_collective, const coll_args *, int rank);

/* Lower bound of the telephone model as the sources print it (Chan et al. 2007, Bird tables I and III-B); of blocks that are not of one
 * length what they send and take at least. */
double coll_bound(coll_collective, const coll_args *, double alpha, double beta, double gamma);

/* NULL, or why this algorithm cannot run this call: checks root, operator, parameters, then alg->supports. Text is written
 * to reason[size] and says what to do. */
const char *coll_unsupported(const coll_alg *, const coll_args *, char *reason, size_t size);

#endif
