#include "core/schedule/hash.h"

#include <string.h>

#include "core/catalogue/collective.h"

/* Four independent sums, which a processor adds up side by side: an operation is four words. */
enum { LANES = sizeof(rec_op) / sizeof(uint64_t) };
typedef struct {
  uint64_t lane[LANES];
} state;

static const uint64_t factor[LANES] = { 0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0xFF51AFD7ED558CCDu,
                                        0xD6E8FEB86659FD93u };

static inline uint64_t stirred(uint64_t lane, uint64_t value, uint64_t by) {
  lane = (lane ^ value) * by;
  return lane ^ lane >> 29;
}

static void mix(state *s, uint64_t value) {
  for (int i = 0; i < LANES; i++) s->lane[i] = stirred(s->lane[i], value, factor[i]);
}

static void mix_operations(state *s, const rec_op *op, size_t n) {
  state now = *s;
  for (size_t i = 0; i < n; i++) {
    uint64_t word[LANES];
    memcpy(word, &op[i], sizeof word);
    for (int k = 0; k < LANES; k++) now.lane[k] = stirred(now.lane[k], word[k], factor[k]);
  }
  *s = now;
}

static void mix_rank(state *s, const record *r, int rank) {
  const rec_rank *list = &r->rank[rank];
  mix(s, list->n);
  mix(s, list->scratch);
  mix_operations(s, list->op, list->n);
  for (int c = 0; c <= r->calls; c++) mix(s, list->start[c]);
  for (int k = 0; k < r->segments[rank]; k++) {
    const rec_segment *g = &r->segment[rank][k];
    mix(s, (uint64_t)(uint32_t)g->group << 32 | (uint32_t)g->members);
    mix(s, g->bytes);
    mix(s, (uint64_t)g->flags);
    for (int i = 0; i < g->members; i++) mix(s, (uint64_t)g->world[i]);
  }
}

void record_hash(const record *r, uint64_t hash[2]) {
  const coll_args *a = &r->args;
  state s = { { 1, 2, 3, 4 } };
  mix(&s, (uint64_t)r->collective);
  mix(&s, (uint64_t)a->size << 32 | (uint32_t)a->root);
  mix(&s, a->count);
  mix(&s, a->elem << 16 | (uint64_t)r->calls << 8 | (uint64_t)a->commutes << 1 | a->in_place);
  mix(&s, a->displs != NULL);
  for (size_t i = 0; a->displs && i < coll_displs(r->collective, a->size); i++) mix(&s, a->displs[i]);
  for (int i = 0; i < a->size; i++) mix_rank(&s, r, i);
  for (int i = 0; i < LANES; i++) mix(&s, s.lane[i]);
  hash[0] = stirred(s.lane[0], s.lane[1], factor[2]);
  hash[1] = stirred(s.lane[2], s.lane[3], factor[0]) | 1; /* no hash is 0, 0 */
}
