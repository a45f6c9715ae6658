#include "prove/proof/holdings.h"

#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "patterns/rank_block.h"
#include "prove/proof/execute.h"
#include "prove/proof/postcondition.h"
#include "prove/proof/sets.h"
#include "prove/proof/state.h"

/* ---- sets by number ----------------------------------------------------------------------------------------- */

static size_t slot_of(const holdings *h, uint64_t set) {
  size_t at = set * 0x9E3779B97F4A7C15u >> 20;
  while (h->slot[at & (h->slots - 1)] && h->set[h->slot[at & (h->slots - 1)]] != set) at++;
  return at & (h->slots - 1);
}

static uint32_t number_of(const proof *e, holdings *h, uint64_t set) {
  size_t at = slot_of(h, set);
  if (h->slot[at]) return h->slot[at];
  if (2 * (size_t)h->sets >= h->slots) {
    h->slots *= 2;
    h->slot = array_grow(h->slot, sizeof *h->slot * h->slots);
    memset(h->slot, 0, sizeof *h->slot * h->slots);
    for (uint32_t k = 1; k < h->sets; k++) h->slot[slot_of(h, h->set[k])] = k;
    at = slot_of(h, set);
  }
  RESERVE(h->set, h->set_cap, h->sets + 1);
  RESERVE(h->size, h->size_cap, h->sets + 1);
  h->set[h->sets] = set;
  h->size[h->sets] = 0;
  for (int r = 0; r < e->p; r++) h->size[h->sets] += set_has(e, set, r);
  return h->slot[at] = h->sets++;
}

/* ---- one rank ----------------------------------------------------------------------------------------------- */

static void piece_add(holdings *h, size_t *n, uint64_t from, uint64_t to, uint32_t set) {
  PUSH(h->piece, *n, h->piece_cap, ((held){ from, to, set }));
}

/* The stretches of a buffer, in the order in which they lie there. */
static size_t pieces_of(const proof *e, holdings *h, int rank, const memory *m) {
  const coll_args *a = &e->r->args;
  bool personal = e->each && coll_facts_of(e->r->collective)->in.amount == COLL_HOLDS_BLOCKS;
  size_t n = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    const run *w = &m->run[i];
    if (!w->set) continue;
    uint64_t from = w->at + w->delta, to = run_end(m, i) + w->delta;
    uint32_t set = number_of(e, h, w->set);
    if (!personal) piece_add(h, &n, from, to, set);
    else {
      int source = a->displs ? 0 : (int)(from / e->r->layout[0].in_bytes);
      uint64_t begins = a->displs ? 0 : (uint64_t)source * e->r->layout[0].in_bytes; /* of the source's in */
      for (; source < e->p && begins < to; begins += e->r->layout[source++].in_bytes) {
        if (begins + e->r->layout[source].in_bytes <= from) continue;
        coll_span sent = coll_sent_block(a, source, rank), at = coll_received_block(a, rank, source);
        uint64_t mine = begins + sent.first * e->elem, end = mine + sent.count * e->elem;
        uint64_t moved = mine - at.first * e->elem; /* to the source's place among p */
        if (from > mine) mine = from;
        if (to < end) end = to;
        if (mine < end) piece_add(h, &n, mine - moved, end - moved, set);
      }
    }
  }
  return n;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static size_t bound_at(const holdings *h, size_t bounds, uint64_t value) {
  return (size_t)((const uint64_t *)bsearch(&value, h->bound, bounds, sizeof value, by_value) - h->bound);
}

static void hold(holdings *h, uint64_t from, uint64_t to, uint32_t set, size_t begin) {
  held *last = h->stretches > begin ? &h->list[h->stretches - 1] : NULL;
  if (last && last->to == from && last->set == set) last->to = to;
  else PUSH(h->list, h->stretches, h->list_cap, ((held){ from, to, set }));
}

/* Of every byte the fullest value that a rank's memory holds: out before anything else, then in, then scratch; of several as full in
 * one buffer, the last. */
static void look(proof *e, holdings *h, int rank) {
  static const int order[] = { REC_OUT, REC_IN, REC_SCRATCH };
  size_t bounds = 0;
  for (int b = 0; b < 3; b++) {
    size_t n = pieces_of(e, h, rank, &e->mem[3 * rank + order[b]]);
    for (size_t i = 0; i < n; i++) {
      PUSH(h->bound, bounds, h->bound_cap, h->piece[i].from);
      PUSH(h->bound, bounds, h->bound_cap, h->piece[i].to);
    }
  }
  if (!bounds) return;
  qsort(h->bound, bounds, sizeof *h->bound, by_value);
  size_t n = 1, begin = h->stretches;
  for (size_t i = 1; i < bounds; i++)
    if (h->bound[i] != h->bound[n - 1]) h->bound[n++] = h->bound[i];
  RESERVE(h->best, h->best_cap, n);
  RESERVE(h->found, h->found_cap, n);
  memset(h->found, 0, sizeof *h->found * n);
  for (int b = 0; b < 3; b++) {
    memset(h->best, 0, sizeof *h->best * n);
    size_t pieces = pieces_of(e, h, rank, &e->mem[3 * rank + order[b]]);
    for (size_t i = 0; i < pieces; i++)
      for (size_t k = bound_at(h, n, h->piece[i].from); h->bound[k] < h->piece[i].to; k++)
        if (h->size[h->piece[i].set] >= h->size[h->best[k]]) h->best[k] = h->piece[i].set;
    for (size_t k = 0; k < n; k++)
      if (h->size[h->best[k]] > h->size[h->found[k]]) h->found[k] = h->best[k];
  }
  for (size_t k = 0; k + 1 < n; k++)
    if (h->found[k]) hold(h, h->bound[k], h->bound[k + 1], h->found[k], begin);
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static void after(void *self, proof *e, uint32_t round) {
  holdings *h = self;
  bool heard = coll_counts_of(e->r->collective) == COLL_COUNTS_NOTHING;
  for (int rank = 0; rank < e->p && h->fine; rank++) {
    PUSH(h->first, h->firsts, h->first_cap, h->stretches);
    if (!heard) look(e, h, rank);
    for (int q = 0; heard && q < e->p; q++)
      if (call_heard(e, rank, q)) hold(h, (uint64_t)q, (uint64_t)q + 1, 1, h->first[h->firsts - 1]);
    h->fine = h->stretches <= HOLDINGS_MAX;
  }
  if (round == h->rounds) PUSH(h->first, h->firsts, h->first_cap, h->stretches);
}

bool proof_holdings(proof *e, const record *r, const uint32_t *round, uint32_t rounds, holdings *h,
                    proof_result *result) {
  const coll_facts *facts = coll_facts_of(r->collective);
  bool each = !facts->op && facts->in.who == COLL_EVERY_RANK, personal = each && facts->in.amount == COLL_HOLDS_BLOCKS;
  h->fine = true;
  h->combines = facts->op;
  h->rounds = rounds;
  h->stretches = h->firsts = 0;
  h->width = 0;
  uint64_t all = 0;
  for (int i = 0; i < r->args.size; i++) {
    size_t bytes = personal ? r->layout[i].out_bytes : r->layout[i].in_bytes;
    if (bytes > h->width) h->width = bytes;
    all += r->layout[i].in_bytes;
  }
  if (each && !personal) h->width = all;
  if (facts->in.who == COLL_NO_RANK) h->width = (uint64_t)r->args.size;
  h->slots = h->slots ? h->slots : 256;
  if (!h->slot) h->slot = array_grow(NULL, sizeof *h->slot * h->slots);
  memset(h->slot, 0, sizeof *h->slot * h->slots);
  RESERVE(h->set, h->set_cap, 2);
  RESERVE(h->size, h->size_cap, 2);
  h->size[0] = 0; /* nobody's: nothing asks which set that is */
  h->set[1] = h->size[1] = 1;
  h->sets = h->combines ? 1 : 2;
  if (!h->combines) h->slot[slot_of(h, PROOF_MOVED)] = 1;
  return proof_execute(e, r, result, round, rounds, after, h);
}

bool holdings_has(const proof *e, const holdings *h, uint32_t set, int rank) {
  return set && set_has(e, h->set[set], rank);
}

void holdings_free(holdings *h) {
  void *all[] = { h->list, h->first, h->set, h->slot, h->size, h->piece, h->bound, h->best, h->found };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}
