/* What is wrong, for people. */
#ifndef COLLSCOPE_PROVE_PROOF_TEXT_H
#define COLLSCOPE_PROVE_PROOF_TEXT_H

#include "prove/proof/state.h"

typedef struct {
  char text[256];
} phrase;
phrase op_text(const proof *, int rank, size_t op);             /* "recv of 40 bytes from rank 3 (operation 2)" */
phrase place_text(const proof *, uint64_t byte);                /* "element 3" */
phrase set_text(const proof *, uint64_t set);                   /* "ranks 0-3, 5" */
phrase value_text(const proof *, uint64_t coord, uint64_t set); /* whose element it is */
phrase buffer_text(int buf);

#endif
