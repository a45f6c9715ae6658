/* Messages on their way: what a pending send reads is not written, what a pending receive writes is not touched. */
#include "prove/proof/pending.h"

#include "prove/proof/state.h"
#include "prove/proof/text.h"

bool pending_clashes(proof *e, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes) {
  const rank_state *a = &e->state[rank];
  for (int i = 0; i < a->pends; i++) {
    const pending *q = &a->pend[i];
    if (q->buf != buf || !(writes || q->recv) || off >= q->end || off + bytes <= q->begin) continue;
    /* Two statements: op_text returns a text by value. */
    message_text what = op_text(e, rank, op), in_flight = op_text(e, rank, q->index);
    proof_fail(e, PROOF_PENDING, "rank %d: %s %s %s of %s while the %s is pending", rank, what.text,
               writes ? "writes" : "reads", place_text(e, off > q->begin ? off : q->begin).text, buffer_text(buf).text,
               in_flight.text);
    return true;
  }
  return false;
}

void pending_add(rank_state *a, size_t index, const rec_op *o, bool recv) {
  if (!o->bytes) return;
  PUSH(a->pend, a->pends, a->pend_cap, (pending){ o->off, o->off + o->bytes, (uint32_t)index, o->buf, recv });
  int at = pending_place(o->buf);
  if (o->off < a->low[at]) a->low[at] = o->off;
  if (o->off + o->bytes > a->high[at]) a->high[at] = o->off + o->bytes;
}

void pending_clear(rank_state *a) {
  a->pends = 0;
  for (int b = 0; b <= REC_SEGMENT; b++) {
    a->low[b] = UINT64_MAX;
    a->high[b] = 0;
  }
}

void pending_remove(rank_state *a, size_t index) {
  for (int i = 0; i < a->pends; i++)
    if (a->pend[i].index == index) {
      a->pend[i] = a->pend[--a->pends];
      if (!a->pends) pending_clear(a);
      return;
    }
}
