/* Matching: a channel is a source, a destination and a label; its k-th send belongs to its k-th receive. */
#include "prove/proof/parts.h"

#include <stdio.h>

static channel *channel_find(proof *e, uint64_t key)
{
  size_t mask = e->channel_slots - 1, h = (key * 0x9E3779B97F4A7C15u) >> 24;
  for (;; h++) {
    channel *c = &e->channels[h & mask];
    if (c->epoch != e->epoch) {
      *c = (channel){.key = key, .epoch = e->epoch, .first = PROOF_NONE, .last = PROOF_NONE};
      e->channels_used++;
      return c;
    }
    if (c->key == key) return c;
  }
}

static void channels_room(proof *e)
{
  if (2 * (e->channels_used + 2) < e->channel_slots) return;
  channel *old = e->channels;
  size_t n = e->channel_slots;
  e->channel_slots = n ? 2 * n : 1024;
  e->channels = proof_grow(NULL, sizeof *e->channels * e->channel_slots);
  memset(e->channels, 0, sizeof *e->channels * e->channel_slots);
  e->channels_used = 0;
  for (size_t i = 0; i < n; i++)
    if (old[i].epoch == e->epoch) *channel_find(e, old[i].key) = old[i];
  free(old);
}

/* Whose operation this is, among all. */
static int rank_of(const proof *e, size_t global)
{
  int lo = 0, hi = e->p;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (e->actor[mid].base <= global) lo = mid;
    else hi = mid;
  }
  return lo;
}

static bool unmatched(proof *e)
{
  uint32_t best = PROOF_NONE, left = 0;
  for (size_t i = 0; i < e->channel_slots; i++) {
    const channel *c = &e->channels[i];
    if (c->epoch != e->epoch) continue;
    for (uint32_t g = c->first; g != PROOF_NONE; g = e->partner[g]) {
      left++;
      if (g < best) best = g;
    }
  }
  if (best == PROOF_NONE) return true;
  int rank = rank_of(e, best);
  size_t op = best - e->actor[rank].base;
  char more[64] = "";
  if (left > 1) snprintf(more, sizeof more, "; %" PRIu32 " more have no partner", left - 1);
  return proof_fail(e, PROOF_UNMATCHED, "rank %d: %s has no %s%s", rank, op_text(e, rank, op).text,
              is_send(e->actor[rank].op[op].kind) ? "receive" : "send", more);
}

bool proof_match(proof *e)
{
  proof_result *result = e->result;
  if (!++e->epoch) {
    memset(e->channels, 0, sizeof *e->channels * e->channel_slots);
    e->epoch = 1;
  }
  e->channels_used = 0;
  channels_room(e);
  uint64_t unpaired = 0;
  for (int rank = 0; rank < e->p; rank++) {
    const actor *a = &e->actor[rank];
    size_t first_call = e->r->rank[rank].start[1];
    uint64_t out_key = 0, in_key = 0;
    channel *out = NULL, *in = NULL;            /* the last ones used: a ring uses no other */
    for (size_t i = 0; i < a->n; i++) {
      const rec_op *o = &a->op[i];
      bool first = i < first_call;
      result->operations += first;
      if (o->kind == REC_COPY || o->kind == REC_WRITE || o->kind == REC_READ)
        result->copied_bytes += first ? o->bytes : 0;
      else if (o->kind == REC_REDUCE) result->reduced_bytes += first ? o->bytes : 0;
      if (o->kind > REC_RECV_ANY) continue;
      bool send = is_send(o->kind);
      uint64_t src = (uint64_t)(send ? rank : o->peer), dst = (uint64_t)(send ? o->peer : rank),
               key = (src << 28 | dst) << 8 | o->label;
      channel *c;
      if (send) {
        if (!out || out_key != key) {
          if (2 * (e->channels_used + 2) >= e->channel_slots) { channels_room(e); in = NULL; }
          out = channel_find(e, out_key = key);
        }
        c = out;
        result->messages += first;
        result->bytes += first ? o->bytes : 0;
      } else {
        if (!in || in_key != key) {
          if (2 * (e->channels_used + 2) >= e->channel_slots) { channels_room(e); out = NULL; }
          in = channel_find(e, in_key = key);
        }
        c = in;
      }
      uint32_t me = (uint32_t)(a->base + i);
      if (c->first != PROOF_NONE && c->sends != send) {
        uint32_t other = c->first;
        c->first = e->partner[other];
        unpaired--;
        const actor *b = &e->actor[o->peer];
        size_t j = other - b->base;
        e->partner[me] = (uint32_t)j;
        e->partner[other] = (uint32_t)i;
        if (b->op[j].bytes != o->bytes) {
          phrase mine = op_text(e, rank, i), theirs = op_text(e, o->peer, j);
          return proof_fail(e, PROOF_SIZE, "rank %d: %s meets rank %d's %s", rank, mine.text, o->peer, theirs.text);
        }
      } else {
        e->partner[me] = PROOF_NONE;
        if (c->first == PROOF_NONE) c->first = me;
        else e->partner[c->last] = me;
        c->last = me;
        c->sends = send;
        unpaired++;
      }
    }
  }
  return !unpaired || unmatched(e);
}
