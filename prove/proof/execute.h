/* Playing a record. */
#ifndef COLLSCOPE_PROVE_PROOF_EXECUTE_H
#define COLLSCOPE_PROVE_PROOF_EXECUTE_H

#include "prove/proof/state.h"

/* Plays the record. With `round`, of every operation, only what takes part until round 0, then 1 …; after each calls `after`. */
typedef void proof_after(void *self, proof *, uint32_t round);
bool proof_execute(proof *, const record *, proof_result *, const uint32_t *round, uint32_t rounds, proof_after *,
                   void *self);

#endif
