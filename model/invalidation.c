#include "model/invalidation.h"

#include <string.h>

#include "core/schedule/array.h"

static bool on_one_node(const wiring *w, int rank, int peer) {
  return peer >= 0 && peer < w->ranks && w->place[rank].node == w->place[peer].node;
}

/* Where what a receive has written is to be paid. */
static size_t is_over_at(const rec_rank *k, size_t at) {
  const rec_op *o = &k->op[at];
  if (o->kind != REC_IRECV || o->off2 >= k->n || k->op[o->off2].kind != REC_WAIT) return at;
  return o->off2 + k->op[o->off2].bytes;
}

/* In the order of the list, in which they are called. back: of each operation; NULL: only what is left in the end matters. */
static void go_through(wiring *w, const rec_rank *k, int rank, uint64_t *back) {
  byte_set *s = &w->cached_elsewhere;
  for (size_t i = 0; i < k->n; i++) {
    const rec_op *o = &k->op[i];
    bool works = o->kind == REC_REDUCE || o->kind == REC_COPY || o->kind == REC_READ;
    if (rec_sends(o->kind) && o->bytes >= w->read_in_place_from && on_one_node(w, rank, o->peer))
      byte_set_add(s, wiring_address(o->buf, o->off), o->bytes);
    else if (works || rec_receives(o->kind)) {
      uint64_t bytes = s->n ? byte_set_remove(s, wiring_address(works ? o->buf2 : o->buf, works ? o->off2 : o->off),
                                              o->bytes)
                            : 0;
      if (back && bytes && (works || on_one_node(w, rank, o->peer))) back[is_over_at(k, i)] += bytes;
    } else if (o->kind == REC_MARK && !o->bytes && w->fresh_out) s->n = 0;
  }
}

void invalidation_see(wiring *w, const record *r, int rank, size_t base) {
  const rec_rank *k = &r->rank[rank];
  RESERVE(w->invalidated, w->invalidated_cap, w->operations);
  memset(w->invalidated + base, 0, sizeof *w->invalidated * k->n);
  w->cached_elsewhere.n = 0;
  bool loop = false;
  for (size_t i = 0; i < k->n && !loop; i++) loop = k->op[i].kind == REC_MARK;
  if (!loop && !w->fresh_out) {
    go_through(w, k, rank, NULL);
    for (size_t i = 0; i < k->pieces; i++) /* scratch is each call's own */
      byte_set_remove(&w->cached_elsewhere, wiring_address(REC_SCRATCH, k->piece[i].begin), k->piece[i].bytes);
  }
  go_through(w, k, rank, w->invalidated + base);
}
