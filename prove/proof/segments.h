/* Shared segments and the order of events. */
#ifndef COLLSCOPE_PROVE_PROOF_SEGMENTS_H
#define COLLSCOPE_PROVE_PROOF_SEGMENTS_H

#include "prove/proof/state.h"

void groups_set(proof *);
void groups_free(proof *);
size_t clock_release(proof *, int rank);
void clock_join(proof *, int rank, size_t snapshot);
/* Bytes of home's part are read or written; false: a race. */
bool segment_access(proof *, int rank, size_t op, int buf, int home, uint64_t off, uint64_t bytes, bool write);
/* The access that was noted last in the rank's own part is a message's, which goes on until it is noted again. */
void segment_keeps(proof *, int rank, int buf);
bool segment_publish(proof *, int rank, size_t op, const rec_op *);
/* The first publish that reaches the value, or NULL: a later one would order more than the program does. */
const published *segment_reaching(proof *, int rank, const rec_op *);

#endif
