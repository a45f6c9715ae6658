/* Sets of ranks, each with one name. */
#ifndef COLLSCOPE_PROVE_PROOF_SETS_H
#define COLLSCOPE_PROVE_PROOF_SETS_H

#include "prove/proof/state.h"

void sets_begin(proof *);
void sets_free(proof *);
uint64_t set_range(const proof *, uint64_t first, uint64_t n);
bool set_has(const proof *, uint64_t set, int rank);
uint64_t set_join(proof *, uint64_t a, uint64_t b); /* the union; 0 when the two share a rank */
/* b begins with the rank after a's last; for unbroken ranges. */
bool set_follows(const proof *, uint64_t a, uint64_t b);

#endif
