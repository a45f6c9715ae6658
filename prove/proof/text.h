/* What is wrong, for people. */
#ifndef COLLSCOPE_PROVE_PROOF_TEXT_H
#define COLLSCOPE_PROVE_PROOF_TEXT_H

#include "prove/proof/state.h"

typedef struct {
  char text[256];
} message_text;
message_text op_text(const proof *, int rank, size_t op);             /* "recv of 40 bytes from rank 3 (operation 2)" */
message_text place_text(const proof *, uint64_t byte);                /* "element 3" */
message_text set_text(const proof *, uint64_t set);                   /* "ranks 0-3, 5" */
message_text value_text(const proof *, uint64_t coord, uint64_t set); /* whose element it is */
message_text buffer_text(int buf);

#endif
