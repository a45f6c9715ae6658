/* The proof engine: see proof.h.
 *
 * Matching is settled first, for good: a channel keeps order, so who belongs to whom follows from the lists alone.
 * Then a worklist plays the ranks. A message is delivered when the second of its two sides is posted; since the first
 * side's buffer may not be touched until then, delivery copies from one rank's symbolic memory straight into the
 * other's, and the order in which ranks are played changes nothing. */
#include "prove/proof/execute.h"

#include <stdio.h>

#include "core/catalogue/collective.h"
#include "prove/proof/data.h"
#include "prove/proof/match.h"
#include "prove/proof/pending.h"
#include "prove/proof/postcondition.h"
#include "prove/proof/segments.h"
#include "prove/proof/sets.h"
#include "prove/proof/state.h"
#include "prove/proof/text.h"

/* A buffer of the rank; of a segment, its own part. */
static memory *own(proof *e, int rank, int buf) { return buffer_of(e, rank, buf, rank); }

/* May the operation touch these bytes of one of its rank's buffers? Others may know a part of a segment. */
static bool touches(proof *e, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes) {
  if (!pending_allows(e, rank, op, buf, off, bytes, writes)) return false;
  return !bytes || buf < REC_SEGMENT || segment_access(e, rank, op, buf, rank, off, bytes, writes);
}

/* A message is over: until now it has read or written its bytes. */
static bool ends(proof *e, int rank, size_t op, const rec_op *o) {
  if (!o->bytes || o->buf < REC_SEGMENT) return true;
  return segment_access(e, rank, op, o->buf, rank, o->off, o->bytes, !rec_sends(o->kind));
}

/* Does the operation take part yet? */
static bool open(const proof *e, int rank, size_t op) {
  return !e->round || e->round[e->state[rank].base + op] <= e->until;
}

static void received(proof *e, int rank, size_t op, const rec_op *o) {
  if (e->clocked && !rec_sends(o->kind))
    clock_join(e, rank, e->snapshot[e->state[o->peer].base + e->match.partner[e->state[rank].base + op]]);
}

/* Both sides of a message are posted: its data arrive. */
static bool deliver(proof *e, int rank, size_t op, const rec_op *o) {
  rank_state *a = &e->state[rank], *b = &e->state[o->peer];
  size_t other = e->match.partner[a->base + op];
  if (b->waiting == other) proof_wake(e, o->peer);
  /* Round by round, a rank knows what has come, whether it has waited for it or not. */
  if (e->round && rec_sends(o->kind)) received(e, o->peer, other, &b->op[other]);
  else if (e->round) received(e, rank, op, o);
  if (!o->bytes) return true;
  const rec_op *q = &b->op[other];
  origin mine = { rank, op, o->buf, own(e, rank, o->buf), o->off };
  origin theirs = { o->peer, other, q->buf, own(e, o->peer, q->buf), q->off };
  if (rec_sends(o->kind)) return data_move(e, mine, theirs.memory, theirs.off, o->bytes);
  return data_move(e, theirs, mine.memory, mine.off, o->bytes);
}

enum { GOES_ON, BLOCKS, FAILS };

static int message(proof *e, int rank, size_t i, const rec_op *o) {
  rank_state *a = &e->state[rank];
  bool blocking = o->kind != REC_ISEND && o->kind != REC_IRECV;
  if (e->posted[rank] <= i) {
    bool send = rec_sends(o->kind);
    if (!touches(e, rank, i, o->buf, o->off, o->bytes, !send)) return FAILS;
    if (o->bytes && o->buf >= REC_SEGMENT) segment_keeps(e, rank, o->buf);
    e->posted[rank] = i + 1;
    if (e->clocked && send) e->snapshot[a->base + i] = clock_release(e, rank);
    if (!blocking) pending_add(a, i, o, !send);
    if (e->posted[o->peer] > e->match.partner[a->base + i] && open(e, rank, i)) {
      if (!deliver(e, rank, i, o)) return FAILS;
    } else if (blocking) {
      a->waiting = i;
      return BLOCKS;
    }
  }
  if (!blocking) return GOES_ON;
  received(e, rank, i, o);
  return ends(e, rank, i, o) ? GOES_ON : FAILS;
}

/* From one buffer of a rank to another: its own, or the peer's part of a segment. */
static int copy(proof *e, int rank, size_t i, const rec_op *o, memory *from, memory *to) {
  return data_move(e, (origin){ rank, i, o->buf, from, o->off }, to, o->off2, o->bytes) ? GOES_ON : FAILS;
}

/* What both a reduce and a copy do: read buf, write buf2. */
static bool allowed(proof *e, int rank, size_t i, const rec_op *o) {
  return touches(e, rank, i, o->buf, o->off, o->bytes, false) && touches(e, rank, i, o->buf2, o->off2, o->bytes, true);
}

static int step(proof *e, int rank, size_t i, const rec_op *o) {
  rank_state *a = &e->state[rank];
  if (o->kind > REC_RECV_ANY && !open(e, rank, i)) {
    a->waiting = PROOF_AWAITING;
    return BLOCKS;
  }
  switch (o->kind) {
    case REC_WAIT: {
      size_t k = (size_t)o->peer;
      const rec_op *q = &a->op[k];
      if (e->posted[q->peer] <= e->match.partner[a->base + k] || !open(e, rank, k)) {
        a->waiting = k;
        return BLOCKS;
      }
      received(e, rank, k, q);
      if (q->bytes) pending_remove(a, k);
      return ends(e, rank, k, q) ? GOES_ON : FAILS;
    }
    case REC_REDUCE: return allowed(e, rank, i, o) && data_reduce(e, rank, i, o) ? GOES_ON : FAILS;
    case REC_COPY:
      if (!allowed(e, rank, i, o)) return FAILS;
      return copy(e, rank, i, o, own(e, rank, o->buf), own(e, rank, o->buf2));
    case REC_WRITE:
      if (!touches(e, rank, i, o->buf, o->off, o->bytes, false)) return FAILS;
      if (o->peer == rank && !pending_allows(e, rank, i, o->buf2, o->off2, o->bytes, true)) return FAILS;
      if (!segment_access(e, rank, i, o->buf2, o->peer, o->off2, o->bytes, true)) return FAILS;
      return copy(e, rank, i, o, own(e, rank, o->buf), buffer_of(e, rank, o->buf2, o->peer));
    case REC_READ:
      if (!touches(e, rank, i, o->buf2, o->off2, o->bytes, true)) return FAILS;
      if (o->peer == rank && !pending_allows(e, rank, i, o->buf, o->off, o->bytes, false)) return FAILS;
      if (!segment_access(e, rank, i, o->buf, o->peer, o->off, o->bytes, false)) return FAILS;
      return copy(e, rank, i, o, buffer_of(e, rank, o->buf, o->peer), own(e, rank, o->buf2));
    case REC_PUBLISH: return segment_publish(e, rank, i, o) ? GOES_ON : FAILS;
    case REC_AWAIT: {
      if (!o->off2) return GOES_ON;
      const published *f = segment_reaching(e, rank, o);
      if (!f) {
        a->waiting = PROOF_AWAITING;
        return BLOCKS;
      }
      clock_join(e, rank, f->clock);
      return GOES_ON;
    }
    case REC_MARK:
    case REC_CALC: return GOES_ON; /* they take time, or measure it */
    default: return message(e, rank, i, o);
  }
}

/* Plays a rank until it blocks or is done. */
static bool run_rank(proof *e, int rank) {
  rank_state *a = &e->state[rank];
  const size_t *start = e->r->rank[rank].start;
  for (;;) {
    size_t end = start[a->call + 1];
    for (; a->at < end; a->at++) switch (step(e, rank, a->at, &a->op[a->at])) {
        case BLOCKS: return true;
        case FAILS: return false;
      }
    if (a->call == e->r->calls) return true;
    /* A wrong result hurts nobody else: play on, and tell of the lowest rank. */
    if (!call_ends(e, rank) && rank < e->worst_rank) {
      e->worst_rank = rank;
      e->worst = *e->result;
    }
    if (++a->call == e->r->calls) return true;
    call_begins(e, rank);
  }
}

/* What a rank is blocked in: the message it waits for, or the await itself. */
static size_t blocked_in(const rank_state *a) { return a->waiting == PROOF_AWAITING ? a->at : a->waiting; }

/* Somebody is not done and nobody can go on: follow who waits for whom until it closes. */
static bool deadlock(proof *e) {
  int first = -1, blocked = 0;
  for (int r = 0; r < e->p; r++) {
    if (e->state[r].call == e->r->calls) continue;
    blocked++;
    if (first < 0 || e->state[r].call < e->state[first].call) first = r; /* who is furthest behind knows most */
  }
  /* A tail may lead into the cycle; p steps on we are surely inside. An await ends the search: who should publish is
   * not known. */
  int start = first;
  for (int i = 0; i < e->p && e->state[start].waiting != PROOF_AWAITING; i++)
    start = e->state[start].op[e->state[start].waiting].peer;
  /* Where all wait to receive, buffering would not help; where somebody waits to send, it might. */
  bool sends = false;
  int r = start;
  do {
    const rank_state *a = &e->state[r];
    sends |= rec_sends(a->op[blocked_in(a)].kind);
    if (a->waiting == PROOF_AWAITING) break;
    r = a->op[a->waiting].peer;
  } while (r != start);

  char *text = e->result->failure;
  size_t size = sizeof e->result->failure;
  proof_fail(e, PROOF_DEADLOCK, "deadlock, %d of %d ranks wait for ever%s:", blocked, e->p,
             sends ? " when every send waits for its receive" : "");
  size_t used = strlen(text);
  r = start;
  for (int hops = 0; hops < 6; hops++) {
    const rank_state *a = &e->state[r];
    int n = snprintf(text + used, size - used, "%s rank %d: %s", hops ? " ->" : "", r,
                     op_text(e, r, blocked_in(a)).text);
    if (n < 0 || (used += (size_t)n) >= size) break;
    if (a->waiting == PROOF_AWAITING) {
      snprintf(text + used, size - used, ", which nobody publishes");
      break;
    }
    r = a->op[a->waiting].peer;
    if (r == start) break;
    if (hops == 5) snprintf(text + used, size - used, " -> …");
  }
  return false;
}

/* ---- setting up --------------------------------------------------------------------------------------------- */

static void prepare(proof *e) {
  const record *r = e->r;
  int p = e->p = r->args.size;
  RESERVE_ZEROED(e->state, e->state_cap, p);
  RESERVE_ZEROED(e->mem, e->mem_cap, 3 * p);
  RESERVE(e->posted, e->posted_cap, p);
  RESERVE(e->queue, e->queue_cap, p);
  matching_make(&e->match, r);
  e->worst_rank = p;
  e->elem = r->args.elem;
  e->reduces = coll_has_operator(r->collective);
  e->each = !e->reduces && coll_facts_of(r->collective)->in.who == COLL_EVERY_RANK;
  e->ordered = e->reduces && !r->args.commutes;
  e->clocked = r->segment_groups || coll_counts_of(r->collective) == COLL_COUNTS_NOTHING;
  e->heard_only = e->clocked && !r->segment_groups && r->calls == 1;
  e->row = e->heard_only ? ((size_t)p + 31) / 32 : (size_t)p;
  sets_begin(e);
  for (int i = 0; i < p; i++) {
    rank_state *a = &e->state[i];
    a->op = r->rank[i].op;
    a->n = r->rank[i].n;
    a->at = e->posted[i] = 0;
    a->base = e->match.base[i];
    a->waiting = PROOF_RUNNING;
    a->call = 0;
    a->queued = false;
    pending_clear(a);
  }
  if (e->clocked) {
    size_t n = (size_t)p * e->row, calls = (size_t)p * (size_t)r->calls;
    RESERVE(e->clock, e->clock_cap, n);
    memset(e->clock, 0, sizeof *e->clock * n);
    RESERVE(e->entered, e->entered_cap, calls);
    memset(e->entered, 0, sizeof *e->entered * calls);
    RESERVE(e->snapshot, e->snapshot_cap, e->match.operations);
    e->pool_n = 0;
  }
  groups_set(e);
}

static bool work_off(proof *e) {
  while (e->queue_n) {
    int rank = (int)e->queue[e->queue_at];
    if (++e->queue_at == (uint32_t)e->p) e->queue_at = 0;
    e->queue_n--;
    e->state[rank].queued = false;
    if (!run_rank(e, rank)) return false;
  }
  return true;
}

/* The next round: messages that both sides have posted come through, and who waited for it goes on. */
static bool next_round(proof *e) {
  e->until++;
  for (int rank = 0; rank < e->p; rank++) {
    rank_state *a = &e->state[rank];
    if (a->waiting == PROOF_AWAITING) proof_wake(e, rank);
    for (size_t i = 0; i < e->posted[rank]; i++) {
      const rec_op *o = &a->op[i];
      if (!rec_sends(o->kind) || e->round[a->base + i] != e->until) continue;
      if (e->posted[o->peer] <= e->match.partner[a->base + i]) continue;
      if (a->waiting == i) proof_wake(e, rank);
      if (!deliver(e, rank, i, o)) return false;
    }
  }
  return work_off(e);
}

bool proof_check(proof *e, const record *r, proof_result *result) {
  return proof_execute(e, r, result, NULL, 0, NULL, NULL);
}

bool proof_execute(proof *e, const record *r, proof_result *result, const uint32_t *round, uint32_t rounds,
                   proof_after *after, void *self) {
  *result = (proof_result){ .kind = PROOF_OK };
  e->r = r;
  e->result = result;
  if (*r->error) return proof_fail(e, r->endless ? PROOF_ENDLESS : PROOF_MISUSE, "%s", r->error);
  prepare(e);
  if (!proof_match(e)) return false;
  int p = e->p;
  for (int i = 0; i < p; i++) {
    memory_set(&e->mem[3 * i + REC_SCRATCH], r->rank[i].scratch);
    call_begins(e, i);
  }
  e->queue_at = e->queue_n = 0;
  for (int i = 0; i < p; i++) proof_wake(e, i);
  e->round = round;
  e->until = 0;
  if (!work_off(e)) return false;
  if (after) after(self, e, 0);
  while (e->until < rounds) {
    if (!next_round(e)) return false;
    after(self, e, e->until);
  }
  for (int i = 0; i < p; i++)
    if (e->state[i].call < r->calls) return deadlock(e);
  if (e->worst_rank == p) return true;
  *result = e->worst;
  return false;
}

proof *proof_new(void) {
  proof *e = array_grow(NULL, sizeof *e);
  return memset(e, 0, sizeof *e);
}

void proof_free(proof *e) {
  if (!e) return;
  for (size_t i = 0; i < e->state_cap; i++) free(e->state[i].pend);
  for (size_t i = 0; i < e->mem_cap; i++) memory_free(&e->mem[i]);
  groups_free(e);
  matching_free(&e->match);
  sets_free(e);
  void *all[] = { e->state, e->posted, e->mem,     e->queue,    e->left, e->right,
                  e->out,   e->clock,  e->entered, e->snapshot, e->pool };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(e);
}
