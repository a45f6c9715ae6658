#include "core/schedule/channels.h"

#include <stdlib.h>
#include <string.h>

#include "core/schedule/array.h"

static uint64_t key_of(int src, int dst, int label) {
  return ((uint64_t)src << 28 | (uint64_t)dst) << 8 | (uint64_t)label;
}

static channel *slot_of(const channels *t, uint64_t key) {
  size_t mask = t->slots - 1, h = (key * 0x9E3779B97F4A7C15u) >> 24;
  for (;; h++) {
    channel *c = &t->slot[h & mask];
    if (c->epoch != t->epoch || c->key == key) return c;
  }
}

static void grow(channels *t) {
  channel *old = t->slot;
  size_t n = t->slots;
  t->slots = n ? 2 * n : 1024;
  t->slot = array_grow(NULL, sizeof *t->slot * t->slots);
  memset(t->slot, 0, sizeof *t->slot * t->slots);
  for (size_t i = 0; i < n; i++)
    if (old[i].epoch == t->epoch) *slot_of(t, old[i].key) = old[i];
  free(old);
}

void channels_clear(channels *t) {
  if (!++t->epoch) {
    if (t->slots) memset(t->slot, 0, sizeof *t->slot * t->slots);
    t->epoch = 1;
  }
  t->used = 0;
}

void channels_free(channels *t) { free(t->slot); }

static channel *find(channels *t, uint64_t key) {
  if (2 * (t->used + 2) >= t->slots) grow(t);
  channel *c = slot_of(t, key);
  if (c->epoch != t->epoch) {
    *c = (channel){ .key = key, .epoch = t->epoch, .first = CHANNEL_NOBODY, .last = CHANNEL_NOBODY };
    t->used++;
  }
  return c;
}

channel *channels_find(channels *t, int src, int dst, int label) { return find(t, key_of(src, dst, label)); }

const channel *channels_known(const channels *t, int src, int dst, int label) {
  const channel *c = t->used ? slot_of(t, key_of(src, dst, label)) : NULL;
  return c && c->epoch == t->epoch ? c : NULL;
}

/* ---- a whole schedule --------------------------------------------------------------------------------------- */

/* What still waits is linked through partner[]; now it has none. */
static void forget_waiting(matching *m) {
  for (size_t i = 0; i < m->channels.slots; i++) {
    const channel *c = &m->channels.slot[i];
    if (c->epoch != m->channels.epoch) continue;
    for (uint32_t at = c->first, next; at != CHANNEL_NOBODY; at = next) {
      next = m->partner[at];
      m->partner[at] = CHANNEL_NOBODY;
    }
  }
}

void matching_make(matching *m, const record *r) {
  if (r->serial && r->serial == m->serial) return;
  m->serial = r->serial;
  channels *t = &m->channels;
  int p = r->args.size;
  RESERVE(m->base, m->ranks_cap, p);
  m->operations = m->unmatched = 0;
  for (int rank = 0; rank < p; rank++) {
    m->base[rank] = m->operations;
    m->operations += r->rank[rank].n;
  }
  RESERVE(m->partner, m->partner_cap, m->operations);
  channels_clear(t);
  for (int rank = 0; rank < p; rank++) {
    const rec_op *list = r->rank[rank].op;
    size_t n = r->rank[rank].n, base = m->base[rank];
    uint64_t key[2] = { 0, 0 };
    channel *last[2] = { NULL, NULL }; /* the last ones used, in and out: a ring uses no other */
    for (size_t i = 0; i < n; i++) {
      const rec_op *o = &list[i];
      if (o->kind > REC_RECV_ANY) continue;
      bool sends = rec_sends(o->kind);
      uint64_t key_now = sends ? key_of(rank, o->peer, o->label) : key_of(o->peer, rank, o->label);
      if (!last[sends] || key[sends] != key_now) {
        size_t slots = t->slots;
        last[sends] = find(t, key[sends] = key_now);
        if (t->slots != slots) last[!sends] = NULL;
      }
      uint32_t other = channel_post(last[sends], m->partner, (uint32_t)(base + i), sends);
      if (other == CHANNEL_NOBODY) {
        m->unmatched++;
        continue;
      }
      m->unmatched--;
      m->partner[base + i] = other - (uint32_t)m->base[o->peer];
      m->partner[other] = (uint32_t)i;
    }
  }
  if (m->unmatched) forget_waiting(m);
}

void matching_free(matching *m) {
  free(m->base);
  free(m->partner);
  channels_free(&m->channels);
}
