/* What operations do to memories. */
#ifndef COLLSCOPE_PROVE_PROOF_DATA_H
#define COLLSCOPE_PROVE_PROOF_DATA_H

#include "prove/proof/state.h"

/* Where bytes come from: op of rank reads them in buf. */
typedef struct {
  int rank;
  size_t op;
  int buf;
  memory *memory;
  uint64_t off;
} origin;

bool data_move(proof *, origin, memory *to, uint64_t to_off, uint64_t bytes);
bool data_reduce(proof *, int rank, size_t op, const rec_op *);

#endif
