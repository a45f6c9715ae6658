/* What every rank brings to a call, and what the collective promises that it holds when it leaves. */
#include "prove/proof/postcondition.h"

#include <stdio.h>

#include "core/catalogue/collective.h"
#include "patterns/rank_block.h"
#include "prove/proof/sets.h"
#include "prove/proof/state.h"
#include "prove/proof/text.h"

/* Where in the world of coordinates a rank's `in` begins: all have the same, or each has what comes after the last one's. */
static uint64_t in_coordinate(const proof *e, int rank) {
  const rec_layout *l = e->r->layout;
  if (!e->each || !e->r->args.displs) return e->each ? (uint64_t)rank * l[rank].in_bytes : 0;
  uint64_t before = 0;
  for (int r = 0; r < rank; r++) before += l[r].in_bytes;
  return before;
}

/* What a call finds: in, and nothing in out. */
void call_begins(proof *e, int rank) {
  const rec_layout *l = &e->r->layout[rank];
  for (int b = 0; b < REC_SCRATCH; b++) memory_set(&e->mem[3 * rank + b], l->size[b]);
  if (l->in_bytes && coll_has_input(e->r->collective, &e->r->args, rank)) {
    piece q = { 0, in_coordinate(e, rank), e->reduces ? set_range(e, (uint64_t)rank, 1) : PROOF_MOVED };
    memory_assign(&e->mem[3 * rank + l->in_buf], l->in_off, l->in_bytes, &q, 1);
  }
  if (e->heard_only) e->clock[(size_t)rank * e->row + (size_t)rank / 32] |= 1u << rank % 32;
  else if (e->clocked) {
    uint32_t *own = &e->clock[(size_t)rank * e->row + (size_t)rank];
    e->entered[(size_t)e->state[rank].call * (size_t)e->p + (size_t)rank] = ++*own;
  }
}

/* Does a stretch of a buffer hold the coordinates from `coord` on, from the ranks of `set`? */
static bool holds(proof *e, int rank, int buf, const char *name, uint64_t base, uint64_t off, uint64_t len,
                  uint64_t coord, uint64_t set) {
  if (!len) return true;
  memory *m = buffer_of(e, rank, buf, 0);
  uint64_t at = base + off;
  uint32_t i = memory_find(m, at);
  while (at < base + off + len) {
    const run *w = &m->run[i++];
    uint64_t want = coord + (at - base - off);
    if (w->set != set || at + w->delta != want) {
      char after[32] = "";
      int call = e->state[rank].call;
      if (call) snprintf(after, sizeof after, "after call %d, ", call + 1);
      return proof_fail(e, name[0] == 'i' ? PROOF_INPUT : PROOF_RESULT, "rank %d: %s%s of %s holds %s, expected %s",
                        rank, after, place_text(e, at - base).text, name, value_text(e, at + w->delta, w->set).text,
                        value_text(e, want, set).text);
    }
    at = run_end(m, i - 1);
  }
  return true;
}

bool call_heard(const proof *e, int rank, int other) {
  const uint32_t *clock = &e->clock[(size_t)rank * e->row];
  if (e->heard_only) return clock[other / 32] >> other % 32 & 1;
  int call = e->state[rank].call, last = e->r->calls - 1;
  uint32_t entered = e->entered[(size_t)(call < last ? call : last) * (size_t)e->p + (size_t)other];
  return entered && clock[other] >= entered;
}

static bool barrier_holds(proof *e, int rank) {
  for (int q = 0; q < e->p; q++)
    if (!call_heard(e, rank, q))
      return proof_fail(e, PROOF_RESULT,
                        "rank %d: leaves the barrier without having heard, directly or not, that rank %d has entered",
                        rank, q);
  return true;
}

bool call_ends(proof *e, int rank) {
  const rec_layout *l = &e->r->layout[rank];
  const coll_args *a = &e->r->args;
  uint64_t p = (uint64_t)e->p, r = (uint64_t)rank, coord = 0;
  uint64_t set = e->reduces ? set_range(e, 0, p) : PROOF_MOVED;
  switch (e->r->collective) {
    case COLL_BARRIER: return barrier_holds(e, rank);
    case COLL_SCATTER:
    case COLL_SCATTERV:
    case COLL_REDUCE_SCATTER_BLOCK: coord = coll_rank_block(a, rank).first * e->elem; break;
    case COLL_REDUCE_SCATTER: coord = coll_rank_part(a, rank).first * e->elem; break;
    case COLL_ROTATION: coord = (r + 1) % p * a->count * e->elem; break;
    case COLL_SCAN: set = set_range(e, 0, r + 1); break;
    case COLL_EXSCAN: set = r ? set_range(e, 0, r) : 0; break;
    default: break;
  }
  if (e->r->collective == COLL_ALLTOALL || e->r->collective == COLL_ALLTOALLV) {
    uint64_t begins = 0; /* of the sender's in */
    for (int s = 0; s < e->p; begins += e->r->layout[s++].in_bytes) {
      coll_span sent = coll_sent_block(a, s, rank), at = coll_received_block(a, rank, s);
      if (!holds(e, rank, l->out_buf, "out", l->out_off, at.first * e->elem, at.count * e->elem,
                 begins + sent.first * e->elem, set))
        return false;
    }
  } else if (l->has_out && set && !holds(e, rank, l->out_buf, "out", l->out_off, 0, l->out_bytes, coord, set))
    return false;
  /* in may be written by nobody, but in place out may lie inside it. */
  if (l->in_place && l->out_buf == REC_IN) return holds(e, rank, l->in_buf, "in", 0, 0, l->in_bytes, 0, PROOF_MOVED);
  return true;
}
