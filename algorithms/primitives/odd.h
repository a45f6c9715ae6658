/* Butterflies that need an even number of ranks: with p odd, the rank that owns the last block leaves its part to the one that owns the
 * block before. n elements in the blocks coll_block(n, p, i), of which rank (first + i) mod p owns block i. */
#ifndef COLLSCOPE_PRIMITIVES_ODD_H
#define COLLSCOPE_PRIMITIVES_ODD_H

#include "collscope.h"
#include "patterns/block.h"

typedef struct {
  int ring; /* places 0 … ring-1 take part */
  int v;    /* this rank's place; ring: it is left over */
  int other;
  bool paired;
  coll_span last, rest; /* the last block, and all before */
} coll_odd;

static inline coll_odd coll_odd_make(const coll_ctx *c, size_t n, int first) {
  int p = c->size, ring = p & ~1, v = (c->rank - first + p) % p;
  coll_span last = coll_block(n, p, p - 1);
  bool paired = p > ring && v == ring - 1;
  return (coll_odd){ ring, v, (c->rank + (paired ? 1 : p - 1)) % p, paired, last, { 0, last.first } };
}

/* Blocks of places lo … hi-1: the last place has two where a rank is left over. */
static inline coll_span coll_odd_blocks(size_t n, int p, int lo, int hi) {
  return coll_blocks(n, p, lo, hi == (p & ~1) ? p : hi);
}

static inline void coll_odd_send(coll_ctx *c, const coll_odd *o, const void *data, coll_span s) {
  if (s.count) coll_send(c, coll_at(c, data, s.first), s.count, o->other);
}
static inline void coll_odd_recv(coll_ctx *c, const coll_odd *o, void *data, coll_span s) {
  if (s.count) coll_recv(c, coll_at(c, data, s.first), s.count, o->other);
}

/* Before an allgather; whether this rank, left over, has everything. */
static inline bool coll_odd_gives(coll_ctx *c, const coll_odd *o, void *all) {
  if (o->paired) coll_odd_recv(c, o, all, o->last);
  if (o->v < o->ring) return false;
  coll_odd_send(c, o, all, o->last);
  coll_odd_recv(c, o, all, o->rest);
  return true;
}
static inline void coll_odd_gets_all(coll_ctx *c, const coll_odd *o, const void *all) {
  if (o->paired) coll_odd_send(c, o, all, o->rest);
}

/* Before a reduce-scatter, with n elements of scratch at a rank that takes part; whether this rank, left over, has its block. */
static inline bool coll_odd_adds(coll_ctx *c, const coll_odd *o, void *sum, void *spare, size_t n) {
  if (o->paired) {
    coll_odd_recv(c, o, spare, (coll_span){ 0, n });
    coll_reduce(c, spare, sum, n);
  }
  if (o->v < o->ring) return false;
  coll_odd_send(c, o, sum, (coll_span){ 0, n });
  coll_odd_recv(c, o, sum, o->last);
  return true;
}
static inline void coll_odd_gets_block(coll_ctx *c, const coll_odd *o, const void *sum) {
  if (o->paired) coll_odd_send(c, o, sum, o->last);
}

/* Seconds of what comes before and after, n in bytes; gamma = 0 for an allgather. */
static inline double coll_odd_cost(int p, double n, double alpha, double beta, double gamma) {
  return p % 2 && p > 1 ? 2 * alpha + n * (beta + gamma) + n / p * beta : 0;
}

#endif
