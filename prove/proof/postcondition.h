/* What a collective finds and what it must leave. */
#ifndef COLLSCOPE_PROVE_PROOF_POSTCONDITION_H
#define COLLSCOPE_PROVE_PROOF_POSTCONDITION_H

#include "prove/proof/state.h"

void call_begins(proof *, int rank);
bool call_ends(proof *, int rank);
/* Has the rank heard, directly or not, that the other one has come to this call? */
bool call_heard(const proof *, int rank, int other);

#endif
