/* Who belongs to whom. */
#ifndef COLLSCOPE_PROVE_PROOF_MATCH_H
#define COLLSCOPE_PROVE_PROOF_MATCH_H

#include "prove/proof/state.h"

bool proof_match(proof *);

#endif
