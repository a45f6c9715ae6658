/* What a message on its way reads or writes. */
#ifndef COLLSCOPE_PROVE_PROOF_PENDING_H
#define COLLSCOPE_PROVE_PROOF_PENDING_H

#include "prove/proof/state.h"

void pending_clear(rank_state *);
void pending_add(rank_state *, size_t op, const rec_op *, bool recv);
void pending_remove(rank_state *, size_t op);
bool pending_clashes(proof *, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes);

/* Where bounds of a buffer are kept. */
static inline int pending_place(int buf) { return buf < REC_SEGMENT ? buf : REC_SEGMENT; }

/* May the operation touch these bytes? Else false, with the verdict set. */
static inline bool pending_allows(proof *e, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes) {
  const rank_state *a = &e->state[rank];
  int at = pending_place(buf);
  if (!a->pends || !bytes || off >= a->high[at] || off + bytes <= a->low[at]) return true;
  return !pending_clashes(e, rank, op, buf, off, bytes, writes);
}

#endif
