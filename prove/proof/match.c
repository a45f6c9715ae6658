/* Matching: every send has its receive, every receive its send, and the two agree on the size. */
#include "prove/proof/parts.h"

#include <stdio.h>

static bool unmatched(proof *e) {
  for (int rank = 0; rank < e->p; rank++) {
    const actor *a = &e->actor[rank];
    for (size_t i = 0; i < a->n; i++) {
      if (a->op[i].kind > REC_RECV_ANY || e->match.partner[a->base + i] != CHANNEL_NOBODY) continue;
      char more[64] = "";
      if (e->match.unmatched > 1) snprintf(more, sizeof more, "; %zu more have no partner", e->match.unmatched - 1);
      return proof_fail(e, PROOF_UNMATCHED, "rank %d: %s has no %s%s", rank, op_text(e, rank, i).text,
                        rec_sends(a->op[i].kind) ? "receive" : "send", more);
    }
  }
  return true;
}

bool proof_match(proof *e) {
  proof_result *result = e->result;
  for (int rank = 0; rank < e->p; rank++) {
    const actor *a = &e->actor[rank];
    const uint32_t *partner = &e->match.partner[a->base];
    size_t first_call = e->r->rank[rank].start[1];
    result->operations += first_call;
    for (size_t i = 0; i < a->n; i++) {
      const rec_op *o = &a->op[i];
      if (o->kind == REC_WAIT) continue;
      uint64_t bytes = i < first_call ? o->bytes : 0;
      if (o->kind > REC_RECV_ANY) {
        if (o->kind == REC_REDUCE) result->reduced_bytes += bytes;
        else result->copied_bytes += bytes; /* a flag has none */
        continue;
      }
      if (rec_sends(o->kind)) result->messages += i < first_call, result->bytes += bytes;
      if (partner[i] == CHANNEL_NOBODY) continue;
      const actor *b = &e->actor[o->peer];
      /* Each pair once, when its second side is met. */
      if (b->base + partner[i] > a->base + i || b->op[partner[i]].bytes == o->bytes) continue;
      phrase mine = op_text(e, rank, i), theirs = op_text(e, o->peer, partner[i]);
      return proof_fail(e, PROOF_SIZE, "rank %d: %s meets rank %d's %s", rank, mine.text, o->peer, theirs.text);
    }
  }
  return !e->match.unmatched || unmatched(e);
}
