/* Shared segments. Vector clocks tell what a rank can know of the others: a message and a flag carry all that their
 * sender had done (and knew) when it sent or published. Two accesses of the same bytes, one of them a write, race
 * unless one is known at the other. A message reads or writes its bytes from its post until it is over, so its access is
 * known to nobody meanwhile: who comes after it knows its end, and who comes before it is known at its post. */
#include "prove/proof/segments.h"

#include "prove/proof/state.h"
#include "prove/proof/text.h"

enum { OUTSTANDING = INT32_MAX }; /* the stamp of a message that is not over */

static uint32_t *clock_of(const proof *e, int rank) { return &e->clock[(size_t)rank * e->row]; }

/* Others may learn of all that this rank did until now; what it does next they do not know. */
size_t clock_release(proof *e, int rank) {
  size_t at = e->pool_n;
  RESERVE(e->pool, e->pool_cap, at + e->row);
  memcpy(&e->pool[at], clock_of(e, rank), sizeof *e->pool * e->row);
  e->pool_n += e->row;
  if (!e->heard_only) clock_of(e, rank)[rank]++;
  return at;
}

void clock_join(proof *e, int rank, size_t snapshot) {
  uint32_t *mine = clock_of(e, rank);
  const uint32_t *theirs = &e->pool[snapshot];
  if (e->heard_only)
    for (size_t w = 0; w < e->row; w++) mine[w] |= theirs[w];
  else
    for (size_t q = 0; q < e->row; q++)
      if (mine[q] < theirs[q]) mine[q] = theirs[q];
}

bool segment_access(proof *e, int rank, size_t op, int buf, int home, uint64_t off, uint64_t bytes, bool write) {
  shared *g = &e->group[e->r->segment[rank][buf - REC_SEGMENT].group];
  part *w = &g->parts[g->index[home]];
  const uint32_t *mine = clock_of(e, rank);
  uint64_t end = off + bytes;
  size_t kept = 0;
  for (size_t i = 0; i < w->n; i++) {
    access x = w->list[i];
    if (x.stamp == OUTSTANDING && x.rank == rank && x.op == op) continue; /* it is over */
    bool overlap = x.begin < end && off < x.end;
    if (overlap && x.rank != rank && (write || x.write) && mine[x.rank] < x.stamp) {
      message_text here = op_text(e, rank, op), there = op_text(e, x.rank, x.op);
      return proof_fail(e, PROOF_RACE, "rank %d: %s races with rank %d's %s; no flag puts one before the other", rank,
                        here.text, x.rank, there.text);
    }
    bool covered = off <= x.begin && x.end <= end;
    if (x.stamp == OUTSTANDING || !(covered && (write || (x.rank == rank && !x.write)))) w->list[kept++] = x;
  }
  w->n = kept;
  RESERVE(w->list, w->cap, kept + 1);
  w->list[w->n++] = (access){ off, end, op, rank, mine[rank], write };
  return true;
}

void segment_keeps(proof *e, int rank, int buf) {
  shared *g = &e->group[e->r->segment[rank][buf - REC_SEGMENT].group];
  part *w = &g->parts[g->index[rank]];
  w->list[w->n - 1].stamp = OUTSTANDING;
}

static flag *flag_of(proof *e, int rank, const rec_op *o) {
  shared *g = &e->group[e->r->segment[rank][o->buf - REC_SEGMENT].group];
  return &g->flags[g->index[o->peer] * g->seg->flags + (int)o->off];
}

bool segment_publish(proof *e, int rank, size_t op, const rec_op *o) {
  flag *f = flag_of(e, rank, o);
  if (f->n) {
    const published *last = &f->list[f->n - 1];
    if (last->rank != rank && clock_of(e, rank)[last->rank] < last->stamp)
      return proof_fail(e, PROOF_RACE, "rank %d: %s races with rank %d, which sets the same flag to %" PRIu64, rank,
                        op_text(e, rank, op).text, last->rank, last->value);
  }
  uint64_t before = f->n ? f->list[f->n - 1].value : 0;
  if (o->off2 <= before)
    return proof_fail(e, PROOF_RACE, "rank %d: %s, but the flag is %" PRIu64 " already; flags only grow", rank,
                      op_text(e, rank, op).text, before);
  uint32_t stamp = clock_of(e, rank)[rank];
  size_t snapshot = clock_release(e, rank);
  RESERVE(f->list, f->cap, f->n + 1);
  f->list[f->n++] = (published){ o->off2, snapshot, rank, stamp };
  const rec_segment *s = &e->r->segment[rank][o->buf - REC_SEGMENT];
  for (int i = 0; i < s->members; i++)
    if (e->state[s->world[i]].waiting == PROOF_AWAITING) proof_wake(e, s->world[i]);
  return true;
}

const published *segment_reaching(proof *e, int rank, const rec_op *o) {
  const flag *f = flag_of(e, rank, o);
  size_t lo = 0, hi = f->n;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (f->list[mid].value < o->off2) lo = mid + 1;
    else hi = mid;
  }
  return lo < f->n ? &f->list[lo] : NULL;
}

void groups_set(proof *e) {
  const record *r = e->r;
  RESERVE_ZEROED(e->group, e->group_cap, r->segment_groups);
  for (int i = 0; i < r->segment_groups; i++) e->group[i].seg = NULL;
  for (int rank = 0; rank < e->p; rank++)
    for (int k = 0; k < r->segments[rank]; k++) {
      const rec_segment *s = &r->segment[rank][k];
      shared *g = &e->group[s->group];
      if (g->seg) continue;
      g->seg = s;
      RESERVE(g->index, g->cap_index, e->p);
      for (int i = 0; i < s->members; i++) g->index[s->world[i]] = i;
      RESERVE_ZEROED(g->parts, g->cap_parts, s->members);
      for (int i = 0; i < s->members; i++) {
        memory_set(&g->parts[i].data, s->bytes);
        g->parts[i].n = 0;
      }
      int flags = s->members * s->flags;
      RESERVE_ZEROED(g->flags, g->cap_flags, flags);
      for (int i = 0; i < flags; i++) g->flags[i].n = 0;
    }
}

void groups_free(proof *e) {
  for (int i = 0; i < e->group_cap; i++) {
    shared *g = &e->group[i];
    for (int k = 0; k < g->cap_parts; k++) {
      memory_free(&g->parts[k].data);
      free(g->parts[k].list);
    }
    for (int k = 0; k < g->cap_flags; k++) free(g->flags[k].list);
    free(g->parts);
    free(g->flags);
    free(g->index);
  }
  free(e->group);
}
