/* The proof engine: see proof.h.
 *
 * Matching is settled first, for good: a channel keeps order, so who belongs to whom follows from the lists alone.
 * Then a worklist plays the ranks. A message is delivered when the second of its two sides is posted; since the first
 * side's buffer may not be touched until then, delivery copies from one rank's symbolic memory straight into the
 * other's, and the order in which ranks are played changes nothing. */
#include "prove/proof/parts.h"

#include <stdio.h>

#include "core/catalogue/collective.h"
#include "patterns/block.h"

void *proof_grow(void *old, size_t bytes)
{
  void *p = realloc(old, bytes ? bytes : 1);
  if (!p) {
    fprintf(stderr, "collscope-prove: out of memory (%zu bytes)\n", bytes);
    exit(1);
  }
  return p;
}

/* ---- the memories of a point -------------------------------------------------------------------------------- */

static memory *buffer_of(proof *e, int rank, int buf, int home)
{
  if (buf < REC_SEGMENT) return &e->mem[3 * rank + buf];
  shared *g = &e->group[e->r->segment[rank][buf - REC_SEGMENT].group];
  return &g->parts[g->index[home]].data;
}

/* Where in the world of coordinates a rank's `in` begins: all have the same, or each has what comes after the last one's. */
static uint64_t in_coordinate(const proof *e, int rank)
{
  return e->each ? (uint64_t)rank * e->r->layout[rank].in_bytes : 0;
}

/* What a call finds: in, and nothing in out. */
static void call_begins(proof *e, int rank)
{
  const rec_layout *l = &e->r->layout[rank];
  for (int b = 0; b < REC_SCRATCH; b++) memory_set(&e->mem[3 * rank + b], l->size[b]);
  if (l->in_bytes && coll_has_input(e->r->alg->collective, &e->r->args, rank)) {
    piece q = {0, in_coordinate(e, rank), e->reduces ? set_range(e, (uint64_t)rank, 1) : PROOF_MOVED};
    memory_assign(&e->mem[3 * rank + l->in_buf], l->in_off, l->in_bytes, &q, 1);
  }
  if (e->heard_only) e->clock[(size_t)rank * e->row + (size_t)rank / 32] |= 1u << rank % 32;
  else if (e->clocked) {
    uint32_t *own = &e->clock[(size_t)rank * e->row + (size_t)rank];
    e->entered[(size_t)e->actor[rank].call * (size_t)e->p + (size_t)rank] = ++*own;
  }
}

/* Does a stretch of a buffer hold the coordinates from `coord` on, from the ranks of `set`? */
static bool holds(proof *e, int rank, int buf, const char *name, uint64_t base, uint64_t off, uint64_t len,
                  uint64_t coord, uint64_t set)
{
  if (!len) return true;
  memory *m = buffer_of(e, rank, buf, 0);
  uint64_t at = base + off;
  uint32_t i = memory_find(m, at);
  while (at < base + off + len) {
    const run *w = &m->run[i++];
    uint64_t want = coord + (at - base - off);
    if (w->set != set || at + w->delta != want)
      return proof_fail(e, name[0] == 'i' ? PROOF_INPUT : PROOF_RESULT, "rank %d: %s of %s holds %s, wanted %s", rank,
                        place_text(e, at - base).text, name, value_text(e, at + w->delta, w->set).text,
                        value_text(e, want, set).text);
    at = run_end(m, i - 1);
  }
  return true;
}

static bool barrier_holds(proof *e, int rank)
{
  size_t p = (size_t)e->p;
  const uint32_t *entered = &e->entered[(size_t)e->actor[rank].call * p], *clock = &e->clock[(size_t)rank * e->row];
  for (size_t q = 0; q < p; q++)
    if (e->heard_only ? !(clock[q / 32] >> q % 32 & 1) : !entered[q] || clock[q] < entered[q])
      return proof_fail(e, PROOF_RESULT,
                        "rank %d: leaves the barrier without having heard, directly or not, that rank %zu has come",
                        rank, q);
  return true;
}

static bool call_ends(proof *e, int rank)
{
  const rec_layout *l = &e->r->layout[rank];
  const coll_args *a = &e->r->args;
  uint64_t block = a->count * e->elem, p = (uint64_t)e->p, r = (uint64_t)rank, coord = 0;
  uint64_t set = e->reduces ? set_range(e, 0, p) : PROOF_MOVED;
  switch (e->r->alg->collective) {
    case COLL_BARRIER: return barrier_holds(e, rank);
    case COLL_SCATTER: case COLL_REDUCE_SCATTER_BLOCK: coord = r * block; break;
    case COLL_REDUCE_SCATTER: coord = coll_block(a->count, e->p, rank).first * e->elem; break;
    case COLL_ROTATION: coord = (r + 1) % p * block; break;
    case COLL_SCAN: set = set_range(e, 0, r + 1); break;
    case COLL_EXSCAN: set = r ? set_range(e, 0, r) : 0; break;
    default: break;
  }
  if (e->r->alg->collective == COLL_ALLTOALL) {
    for (uint64_t s = 0; s < p; s++)
      if (!holds(e, rank, l->out_buf, "out", l->out_off, s * block, block, (s * p + r) * block, set)) return false;
  } else if (l->has_out && set && !holds(e, rank, l->out_buf, "out", l->out_off, 0, l->out_bytes, coord, set))
    return false;
  /* in may be written by nobody, but in place out may lie inside it. */
  if (l->in_place && l->out_buf == REC_IN)
    return holds(e, rank, l->in_buf, "in", 0, 0, l->in_bytes, 0, PROOF_MOVED);
  return true;
}

/* ---- data flow ---------------------------------------------------------------------------------------------- */

static bool unwritten(proof *e, int rank, size_t op, int buf, memory *m, uint64_t off)
{
  return proof_fail(e, PROOF_UNINITIALISED, "rank %d: %s reads %s of %s, which holds nothing", rank,
                    op_text(e, rank, op).text, place_text(e, memory_unwritten(m, off)).text, buffer_text(buf).text);
}

static bool move(proof *e, int from_rank, size_t from_op, int from_buf, memory *from, uint64_t from_off, memory *to,
                 uint64_t to_off, uint64_t bytes)
{
  uint32_t i = memory_find(from, from_off);
  if (run_end(from, i) >= from_off + bytes) {       /* nearly always */
    const run *w = &from->run[i];
    if (!w->set) return unwritten(e, from_rank, from_op, from_buf, from, from_off);
    piece q = {0, from_off + w->delta, w->set};
    memory_assign(to, to_off, bytes, &q, 1);
    return true;
  }
  size_t n = memory_read(from, from_off, bytes, &e->left, &e->left_cap);
  if (!n) return unwritten(e, from_rank, from_op, from_buf, from, from_off);
  memory_assign(to, to_off, bytes, e->left, n);
  return true;
}

static uint64_t piece_end(const piece *q, size_t i, size_t n, uint64_t len) { return i + 1 < n ? q[i + 1].rel : len; }

static bool reduce(proof *e, int rank, size_t op, const rec_op *o)
{
  memory *left = buffer_of(e, rank, o->buf, 0), *right = buffer_of(e, rank, o->buf2, 0);
  size_t nl = memory_read(left, o->off, o->bytes, &e->left, &e->left_cap);
  if (!nl) return unwritten(e, rank, op, o->buf, left, o->off);
  size_t nr = memory_read(right, o->off2, o->bytes, &e->right, &e->right_cap);
  if (!nr) return unwritten(e, rank, op, o->buf2, right, o->off2);
  size_t i = 0, k = 0, n = 0;
  for (uint64_t at = 0; at < o->bytes;) {
    const piece *l = &e->left[i], *r = &e->right[k];
    uint64_t lc = l->coord + (at - l->rel), rc = r->coord + (at - r->rel);
    if (!e->reduces)
      return proof_fail(e, PROOF_OPERANDS, "rank %d: %s in a collective that has no operator", rank,
                        op_text(e, rank, op).text);
    if (lc != rc)
      return proof_fail(e, PROOF_OPERANDS, "rank %d: %s combines %s with %s", rank, op_text(e, rank, op).text,
                        value_text(e, lc, l->set).text, value_text(e, rc, r->set).text);
    uint64_t set = set_join(e, l->set, r->set);
    if (!set)
      return proof_fail(e, PROOF_TWICE, "rank %d: %s combines %s with %s: some are counted twice", rank,
                        op_text(e, rank, op).text, value_text(e, lc, l->set).text, set_text(e, r->set).text);
    if (e->ordered && !set_follows(e, l->set, r->set))
      return proof_fail(e, PROOF_ORDER, "rank %d: %s puts %s to the left of %s, but the operator does not commute",
                        rank, op_text(e, rank, op).text, value_text(e, lc, l->set).text, set_text(e, r->set).text);
    if (!n || e->out[n - 1].set != set || e->out[n - 1].coord + (at - e->out[n - 1].rel) != lc) {
      if (n == e->out_cap) ROOM(e->out, e->out_cap, n + 16);
      e->out[n++] = (piece){at, lc, set};
    }
    uint64_t le = piece_end(e->left, i, nl, o->bytes), re = piece_end(e->right, k, nr, o->bytes);
    at = le < re ? le : re;
    i += le == at;
    k += re == at;
  }
  memory_assign(right, o->off2, o->bytes, e->out, n);
  return true;
}

/* ---- what is pending ---------------------------------------------------------------------------------------- */

static bool touch(proof *e, int rank, size_t op, int buf, uint64_t off, uint64_t bytes, bool writes)
{
  const actor *a = &e->actor[rank];
  if (!bytes || buf > REC_SCRATCH || off >= a->high[buf] || off + bytes <= a->low[buf]) return true;
  for (int i = 0; i < a->pends; i++) {
    const pending *q = &a->pend[i];
    if (q->buf != buf || !(writes || q->recv) || off >= q->end || off + bytes <= q->begin) continue;
    /* Two statements: op_text returns a text by value. */
    phrase what = op_text(e, rank, op), on_the_way = op_text(e, rank, q->index);
    return proof_fail(e, PROOF_PENDING, "rank %d: %s %s %s of %s while the %s is pending", rank, what.text,
                      writes ? "writes" : "reads", place_text(e, off > q->begin ? off : q->begin).text,
                      buffer_text(buf).text, on_the_way.text);
  }
  return true;
}

static void pend(actor *a, size_t index, const rec_op *o, bool recv)
{
  if (!o->bytes) return;
  ROOM(a->pend, a->pend_cap, a->pends + 1);
  a->pend[a->pends++] = (pending){o->off, o->off + o->bytes, (uint32_t)index, o->buf, recv};
  if (o->off < a->low[o->buf]) a->low[o->buf] = o->off;
  if (o->off + o->bytes > a->high[o->buf]) a->high[o->buf] = o->off + o->bytes;
}

static void pending_clear(actor *a)
{
  a->pends = 0;
  for (int b = 0; b <= REC_SCRATCH; b++) { a->low[b] = UINT64_MAX; a->high[b] = 0; }
}

static void unpend(actor *a, size_t index)
{
  for (int i = 0; i < a->pends; i++)
    if (a->pend[i].index == index) {
      a->pend[i] = a->pend[--a->pends];
      if (!a->pends) pending_clear(a);
      return;
    }
}

/* ---- playing ------------------------------------------------------------------------------------------------ */

void proof_wake(proof *e, int rank)
{
  actor *a = &e->actor[rank];
  a->waiting = PROOF_RUNNING;
  if (a->queued) return;
  a->queued = true;
  uint32_t at = e->queue_at + e->queue_n++;
  e->queue[at >= (uint32_t)e->p ? at - (uint32_t)e->p : at] = (uint32_t)rank;
}

/* Both sides of a message are posted: its data arrive. */
static bool deliver(proof *e, int rank, size_t op, const rec_op *o)
{
  actor *a = &e->actor[rank], *b = &e->actor[o->peer];
  size_t other = e->partner[a->base + op];
  if (b->waiting == other) proof_wake(e, o->peer);
  if (!o->bytes) return true;
  const rec_op *q = &b->op[other];
  if (is_send(o->kind))
    return move(e, rank, op, o->buf, &e->mem[3 * rank + o->buf], o->off, &e->mem[3 * o->peer + q->buf], q->off,
                o->bytes);
  return move(e, o->peer, other, q->buf, &e->mem[3 * o->peer + q->buf], q->off, &e->mem[3 * rank + o->buf], o->off,
              o->bytes);
}

static void received(proof *e, int rank, size_t op, const rec_op *o)
{
  if (e->clocked && !is_send(o->kind))
    clock_join(e, rank, e->snapshot[e->actor[o->peer].base + e->partner[e->actor[rank].base + op]]);
}

enum { GOES_ON, BLOCKS, FAILS };

static int message(proof *e, int rank, size_t i, const rec_op *o)
{
  actor *a = &e->actor[rank];
  bool blocking = o->kind != REC_ISEND && o->kind != REC_IRECV;
  if (a->posted <= i) {
    bool send = is_send(o->kind);
    if (a->pends && !touch(e, rank, i, o->buf, o->off, o->bytes, !send)) return FAILS;
    a->posted = i + 1;
    if (e->clocked && send) e->snapshot[a->base + i] = clock_release(e, rank);
    if (!blocking) pend(a, i, o, !send);
    if (e->actor[o->peer].posted > e->partner[a->base + i]) {
      if (!deliver(e, rank, i, o)) return FAILS;
    } else if (blocking) {
      a->waiting = i;
      return BLOCKS;
    }
  }
  if (blocking) received(e, rank, i, o);
  return GOES_ON;
}

static int step(proof *e, int rank, size_t i, const rec_op *o)
{
  actor *a = &e->actor[rank];
  switch (o->kind) {
    case REC_WAIT: {
      size_t k = (size_t)o->peer;
      const rec_op *q = &a->op[k];
      if (e->actor[q->peer].posted <= e->partner[a->base + k]) { a->waiting = k; return BLOCKS; }
      received(e, rank, k, q);
      if (q->bytes) unpend(a, k);
      return GOES_ON;
    }
    case REC_REDUCE:
      if (a->pends && (!touch(e, rank, i, o->buf, o->off, o->bytes, false) ||
                       !touch(e, rank, i, o->buf2, o->off2, o->bytes, true)))
        return FAILS;
      return reduce(e, rank, i, o) ? GOES_ON : FAILS;
    case REC_COPY:
      if (a->pends && (!touch(e, rank, i, o->buf, o->off, o->bytes, false) ||
                       !touch(e, rank, i, o->buf2, o->off2, o->bytes, true)))
        return FAILS;
      return move(e, rank, i, o->buf, &e->mem[3 * rank + o->buf], o->off, &e->mem[3 * rank + o->buf2], o->off2,
                  o->bytes)
                 ? GOES_ON
                 : FAILS;
    case REC_WRITE:
      if (a->pends && !touch(e, rank, i, o->buf, o->off, o->bytes, false)) return FAILS;
      if (!segment_access(e, rank, i, o, o->off2, true)) return FAILS;
      return move(e, rank, i, o->buf, &e->mem[3 * rank + o->buf], o->off, buffer_of(e, rank, o->buf2, o->peer),
                  o->off2, o->bytes)
                 ? GOES_ON
                 : FAILS;
    case REC_READ:
      if (a->pends && !touch(e, rank, i, o->buf2, o->off2, o->bytes, true)) return FAILS;
      if (!segment_access(e, rank, i, o, o->off, false)) return FAILS;
      return move(e, rank, i, o->buf, buffer_of(e, rank, o->buf, o->peer), o->off, &e->mem[3 * rank + o->buf2],
                  o->off2, o->bytes)
                 ? GOES_ON
                 : FAILS;
    case REC_PUBLISH: return segment_publish(e, rank, i, o) ? GOES_ON : FAILS;
    case REC_AWAIT: {
      if (!o->off2) return GOES_ON;
      const published *f = segment_reaching(e, rank, o);
      if (!f) { a->waiting = PROOF_AWAITING; return BLOCKS; }
      clock_join(e, rank, f->clock);
      return GOES_ON;
    }
    default: return message(e, rank, i, o);
  }
}

/* Plays a rank until it blocks or is done. */
static bool play(proof *e, int rank)
{
  actor *a = &e->actor[rank];
  const size_t *start = e->r->rank[rank].start;
  for (;;) {
    size_t end = start[a->call + 1];
    for (; a->at < end; a->at++)
      switch (step(e, rank, a->at, &a->op[a->at])) {
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

/* Somebody is not done and nobody can go on: follow who waits for whom until it closes. */
static bool deadlock(proof *e)
{
  int first = -1, blocked = 0;
  for (int r = 0; r < e->p; r++) {
    if (e->actor[r].call == e->r->calls) continue;
    blocked++;
    if (first < 0 || e->actor[r].call < e->actor[first].call) first = r;   /* who is furthest behind knows most */
  }
  char *text = e->result->failure;
  size_t size = sizeof e->result->failure;
  proof_fail(e, PROOF_DEADLOCK,
             "deadlock, %d of %d ranks wait for ever when every send waits for its receive:", blocked, e->p);
  size_t used = strlen(text);
  /* A tail may lead into the cycle; p steps on we are surely inside. An await ends the search: who should publish is
   * not known. */
  int r = first;
  for (int i = 0; i < e->p && e->actor[r].waiting != PROOF_AWAITING; i++) r = e->actor[r].op[e->actor[r].waiting].peer;
  int start = r;
  for (int hops = 0; hops < 6; hops++) {
    const actor *a = &e->actor[r];
    bool flagged = a->waiting == PROOF_AWAITING;
    size_t op = flagged ? a->at : a->waiting;
    int n = snprintf(text + used, size - used, "%s rank %d: %s", hops ? " ->" : "", r, op_text(e, r, op).text);
    if (n < 0 || (used += (size_t)n) >= size) break;
    if (flagged) {
      snprintf(text + used, size - used, ", which nobody publishes");
      break;
    }
    r = a->op[op].peer;
    if (r == start) break;
    if (hops == 5) snprintf(text + used, size - used, " -> …");
  }
  return false;
}

/* ---- setting up --------------------------------------------------------------------------------------------- */

static void sized(proof *e, int p)
{
  if (p <= e->ranks) return;
  size_t n = (size_t)p, old = (size_t)e->ranks;
  e->actor = proof_grow(e->actor, sizeof *e->actor * n);
  memset(e->actor + old, 0, sizeof *e->actor * (n - old));
  e->mem = proof_grow(e->mem, sizeof *e->mem * 3 * n);
  memset(e->mem + 3 * old, 0, sizeof *e->mem * 3 * (n - old));
  e->queue = proof_grow(e->queue, sizeof *e->queue * n);
  e->ranks = p;
}

static void prepare(proof *e)
{
  const record *r = e->r;
  int p = e->p = r->args.size;
  sized(e, p);
  e->worst_rank = p;
  e->elem = r->args.elem;
  e->reduces = coll_has_operator(r->alg->collective);
  e->each = !e->reduces && coll_facts_of(r->alg->collective)->in.who == COLL_EVERY_RANK;
  e->ordered = e->reduces && !r->args.commutes;
  e->clocked = r->segment_groups || coll_counts_of(r->alg->collective) == COLL_COUNTS_NOTHING;
  e->heard_only = e->clocked && !r->segment_groups && r->calls == 1;
  e->row = e->heard_only ? ((size_t)p + 31) / 32 : (size_t)p;
  e->width = ((size_t)p + 63) / 64;
  e->sets = 0;
  if (e->table_slots) memset(e->table, 0, sizeof *e->table * e->table_slots);
  if (p > 64) memset(e->memo, 0, sizeof e->memo);
  size_t ops = 0;
  for (int i = 0; i < p; i++) {
    actor *a = &e->actor[i];
    a->op = r->rank[i].op;
    a->n = r->rank[i].n;
    a->at = a->posted = 0;
    a->base = ops;
    a->waiting = PROOF_RUNNING;
    a->call = 0;
    a->queued = false;
    pending_clear(a);
    ops += a->n;
  }
  if (ops > e->ops_cap) {
    free(e->partner);
    e->partner = proof_grow(NULL, sizeof *e->partner * ops);
    e->ops_cap = ops;
  }
  if (e->clocked) {
    size_t n = (size_t)p * e->row, calls = (size_t)p * (size_t)r->calls;
    ROOM(e->clock, e->clock_cap, n);
    memset(e->clock, 0, sizeof *e->clock * n);
    ROOM(e->entered, e->entered_cap, calls);
    memset(e->entered, 0, sizeof *e->entered * calls);
    ROOM(e->snapshot, e->snapshot_cap, ops);
    e->pool_n = 0;
  }
  groups_set(e);
}

bool proof_check(proof *e, const record *r, proof_result *result)
{
  *result = (proof_result){.kind = PROOF_OK};
  e->r = r;
  e->result = result;
  if (*r->error) return proof_fail(e, PROOF_MISUSE, "%s", r->error);
  prepare(e);
  if (!proof_match(e)) return false;
  int p = e->p;
  for (int i = 0; i < p; i++) {
    memory_set(&e->mem[3 * i + REC_SCRATCH], r->rank[i].scratch);
    call_begins(e, i);
  }
  e->queue_at = e->queue_n = 0;
  for (int i = 0; i < p; i++) proof_wake(e, i);
  while (e->queue_n) {
    int rank = (int)e->queue[e->queue_at];
    if (++e->queue_at == (uint32_t)p) e->queue_at = 0;
    e->queue_n--;
    e->actor[rank].queued = false;
    if (!play(e, rank)) return false;
  }
  for (int i = 0; i < p; i++)
    if (e->actor[i].call < r->calls) return deadlock(e);
  if (e->worst_rank == p) return true;
  *result = e->worst;
  return false;
}

proof *proof_new(void)
{
  proof *e = proof_grow(NULL, sizeof *e);
  memset(e, 0, sizeof *e);
  return e;
}

void proof_free(proof *e)
{
  if (!e) return;
  for (int i = 0; i < e->ranks; i++) free(e->actor[i].pend);
  for (int i = 0; i < 3 * e->ranks; i++) free(e->mem[i].run);
  for (int i = 0; i < e->group_cap; i++) {
    shared *g = &e->group[i];
    for (int k = 0; k < g->cap_parts; k++) {
      free(g->parts[k].data.run);
      free(g->parts[k].list);
    }
    for (int k = 0; k < g->cap_flags; k++) free(g->flags[k].list);
    free(g->parts);
    free(g->flags);
    free(g->index);
  }
  free(e->actor); free(e->mem); free(e->queue); free(e->partner); free(e->channels);
  free(e->left); free(e->right); free(e->out); free(e->words); free(e->table); free(e->clock); free(e->entered);
  free(e->snapshot); free(e->pool); free(e->group);
  free(e);
}
