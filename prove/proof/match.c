/* Matching: every send has its receive, every receive its send, and the two agree on the size. */
#include "prove/proof/match.h"

#include <stdio.h>

#include "prove/proof/state.h"
#include "prove/proof/text.h"

/* A send or receive of the rank that nobody matches, from operation `i` on; the number of operations where all are matched. */
static size_t loose_end(const proof *e, int rank, size_t i) {
  const rank_state *a = &e->state[rank];
  while (i < a->n && (a->op[i].kind > REC_RECV_ANY || e->match.partner[a->base + i] != CHANNEL_NOBODY)) i++;
  return i;
}

static message_text loose_text(const proof *e, int rank, size_t i) {
  message_text w;
  snprintf(w.text, sizeof w.text, "rank %d: %.220s has no %s", rank, op_text(e, rank, i).text,
           rec_sends(e->state[rank].op[i].kind) ? "receive" : "send");
  return w;
}

/* Two loose ends that may belong together say more than one: the lowest, and of those of the other kind one that shares both
 * ranks with it, one of them, or none. */
static bool unmatched(proof *e) {
  int rank = 0;
  size_t i;
  while ((i = loose_end(e, rank, 0)) == e->state[rank].n) rank++;
  const rec_op *o = &e->state[rank].op[i];
  int other = -1, common = -1;
  size_t at = 0;
  for (int r = 0; r < e->p; r++)
    for (size_t k = loose_end(e, r, 0); k < e->state[r].n; k = loose_end(e, r, k + 1)) {
      const rec_op *q = &e->state[r].op[k];
      int ranks = (r == o->peer) + (q->peer == rank);
      if (rec_sends(q->kind) != rec_sends(o->kind) && ranks > common) other = r, at = k, common = ranks;
    }

  size_t reported = 1 + (other >= 0);
  char more[64] = "";
  if (e->match.unmatched > reported)
    snprintf(more, sizeof more, "; %zu more have no partner", e->match.unmatched - reported);
  return proof_fail(e, PROOF_UNMATCHED, "%s%s%s%s", loose_text(e, rank, i).text, other < 0 ? "" : "; ",
                    other < 0 ? "" : loose_text(e, other, at).text, more);
}

const matching *proof_matching(proof *e, const record *r) {
  matching_make(&e->match, r);
  return &e->match;
}

bool proof_match(proof *e) {
  proof_result *result = e->result;
  for (int rank = 0; rank < e->p; rank++) {
    const rank_state *a = &e->state[rank];
    const uint32_t *partner = &e->match.partner[a->base];
    size_t first_call = e->r->rank[rank].start[1];
    result->operations += first_call;
    for (size_t i = 0; i < a->n; i++) {
      const rec_op *o = &a->op[i];
      if (o->kind == REC_WAIT) continue;
      uint64_t bytes = i < first_call ? o->bytes : 0;
      if (o->kind > REC_RECV_ANY) {
        if (o->kind == REC_REDUCE) result->reduced_bytes += bytes;
        else if (o->kind < REC_PUBLISH) result->copied_bytes += bytes; /* a flag has none */
        continue;
      }
      if (rec_sends(o->kind)) result->messages += i < first_call, result->bytes += bytes;
      if (partner[i] == CHANNEL_NOBODY) continue;
      const rank_state *b = &e->state[o->peer];
      /* Each pair once, when its second side is met. */
      if (b->base + partner[i] > a->base + i || b->op[partner[i]].bytes == o->bytes) continue;
      message_text mine = op_text(e, rank, i), theirs = op_text(e, o->peer, partner[i]);
      return proof_fail(e, PROOF_SIZE, "rank %d: %s meets rank %d's %s", rank, mine.text, o->peer, theirs.text);
    }
  }
  return !e->match.unmatched || unmatched(e);
}
