#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "operations/port.h"
#include "patterns/block.h"

enum { GUARD = 64, GUARD_BYTE = 0xA5, POISON = 0x5C };

/* Where this rank reads its input inside the output, or the other way round; in elements. */
static size_t own_block(coll_collective k, const coll_args *a, int rank) {
  switch (k) {
    case COLL_GATHER: case COLL_SCATTER: case COLL_ALLGATHER: return a->count * (size_t)rank;
    default: return 0;
  }
}

/* Only the root of a rooted collective works in place: the others have one buffer anyway. */
static bool shares(coll_collective k, const coll_args *a, int rank)
{ return k == COLL_BCAST || (a->in_place && (!coll_has_root(k) || rank == a->root)); }

void buffers_make(buffers *b, coll_collective k, const coll_args *a, int rank) {
  size_t ins = coll_in_count(k, a, rank), outs = coll_out_count(k, a, rank), own = own_block(k, a, rank) * a->elem;
  bool has_in = k != COLL_BARRIER && !(k == COLL_SCATTER && rank != a->root);
  bool has_out = k != COLL_BARRIER && !((k == COLL_GATHER || k == COLL_REDUCE) && rank != a->root);
  *b = (buffers){ .in_bytes = ins * a->elem, .out_bytes = outs * a->elem };
  if (shares(k, a, rank)) {
    /* One buffer, the larger of the two, and the smaller inside it. */
    size_t bytes = ins > outs ? b->in_bytes : b->out_bytes;
    b->out_block = port_alloc(bytes + 2 * GUARD);
    char *data = b->out_block + GUARD;
    b->in = k == COLL_GATHER || k == COLL_ALLGATHER ? data + own : data;
    b->out = k == COLL_SCATTER ? data + own : data;
    return;
  }
  if (has_in) b->in_block = port_alloc(b->in_bytes + 2 * GUARD), b->in = b->in_block + GUARD;
  if (has_out) b->out_block = port_alloc(b->out_bytes + 2 * GUARD), b->out = b->out_block + GUARD;
}

void buffers_free(buffers *b) {
  if (b->in_block) port_release(b->in_block);
  if (b->out_block) port_release(b->out_block);
}

/* ---- values ----------------------------------------------------------------------------------------- */

/* Element `index` of the rank's input where data only moves: all bits used, so that any mix-up shows. */
static void moved_value(int rank, size_t index, size_t elem, void *element) {
  uint64_t h = ((uint64_t)rank << 40) ^ index;
  h = (h ^ (h >> 31)) * 0x9E3779B97F4A7C15u + 0x1234567u;
  h ^= h >> 29;
  memcpy(element, &h, elem < sizeof h ? elem : sizeof h);
}

static void input(coll_collective k, const coll_args *a, int rank, size_t index, plan_type type, plan_op op, void *element) {
  if (coll_has_operator(k)) types_value(type, op, rank, index, element);
  else moved_value(rank, index, a->elem, element);
}

/* ranks [from, to) reduced in rank order. */
static void reduced(const coll_args *a, coll_collective k, int from, int to, size_t index, plan_type type, plan_op op, void *element) {
  char left[16];
  input(k, a, to - 1, index, type, op, element);
  for (int r = to - 1; r-- > from;) {
    input(k, a, r, index, type, op, left);
    types_apply(type, op, left, element);
  }
}

/* What element i of `out` at `rank` must be. Returns false where MPI leaves it undefined. */
static bool expected(coll_collective k, const coll_args *a, int rank, size_t i, plan_type type, plan_op op, void *element) {
  int p = a->size;
  size_t m = a->count;
  switch (k) {
    case COLL_BCAST: input(k, a, a->root, i, type, op, element); return true;
    case COLL_SCATTER: input(k, a, a->root, (size_t)rank * m + i, type, op, element); return true;
    case COLL_GATHER: case COLL_ALLGATHER: input(k, a, (int)(i / m), i % m, type, op, element); return true;
    case COLL_ROTATION: input(k, a, (rank + 1) % p, i, type, op, element); return true;
    case COLL_ALLTOALL: input(k, a, (int)(i / m), (size_t)rank * m + i % m, type, op, element); return true;
    case COLL_REDUCE: case COLL_ALLREDUCE: reduced(a, k, 0, p, i, type, op, element); return true;
    case COLL_REDUCE_SCATTER: {
      coll_span own = coll_block(m, p, rank);
      if (i >= own.count) return false;
      reduced(a, k, 0, p, own.first + i, type, op, element);
      return true;
    }
    case COLL_REDUCE_SCATTER_BLOCK:
      if (i >= m) return false;
      reduced(a, k, 0, p, (size_t)rank * m + i, type, op, element);
      return true;
    case COLL_SCAN: reduced(a, k, 0, rank + 1, i, type, op, element); return true;
    case COLL_EXSCAN:
      if (rank == 0) return false;
      reduced(a, k, 0, rank, i, type, op, element);
      return true;
    default: return false;
  }
}

void buffers_fill(buffers *b, coll_collective k, const coll_args *a, int rank, plan_type type, plan_op op) {
  bool shared = b->in && !b->in_block;
  size_t bytes = shared && b->in_bytes > b->out_bytes ? b->in_bytes : b->out_bytes;
  if (b->out_block) {
    memset(b->out_block, GUARD_BYTE, GUARD);
    memset(b->out_block + GUARD, POISON, bytes);
    memset(b->out_block + GUARD + bytes, GUARD_BYTE, GUARD);
  }
  if (k == COLL_BCAST && rank != a->root) return;
  if (b->in_block) memset(b->in_block, GUARD_BYTE, b->in_bytes + 2 * GUARD);
  for (size_t i = 0; i < b->in_bytes / a->elem; i++)
    input(k, a, rank, i, type, op, (char *)b->in + i * a->elem);
}

static bool guards_hold(const char *block, size_t bytes) {
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)block[i] != GUARD_BYTE || (unsigned char)block[GUARD + bytes + (size_t)i] != GUARD_BYTE) return false;
  return true;
}

size_t buffers_check(const buffers *b, coll_collective k, const coll_args *a, int rank, plan_type type, plan_op op, const char *what) {
  size_t wrong = 0;
  char want[16];
  size_t outs = b->out ? b->out_bytes / a->elem : 0;
  bool shared = b->in && !b->in_block;
  /* The root's own block of an in-place scatter stays where it was: nothing was received into it. */
  for (size_t i = 0; i < outs; i++) {
    if (!expected(k, a, rank, i, type, op, want) || !memcmp((char *)b->out + i * a->elem, want, a->elem)) continue;
    if (what && !wrong) fprintf(stderr, "%s: rank %d: element %zu of out is wrong\n", what, rank, i);
    wrong++;
  }
  if (b->in_block) {
    for (size_t i = 0; i < b->in_bytes / a->elem; i++) {
      input(k, a, rank, i, type, op, want);
      if (!memcmp((const char *)b->in + i * a->elem, want, a->elem)) continue;
      if (what && !wrong) fprintf(stderr, "%s: rank %d: element %zu of in was changed\n", what, rank, i);
      wrong++;
      break;
    }
    if (!guards_hold(b->in_block, b->in_bytes)) wrong++;
  }
  size_t bytes = shared && b->in_bytes > b->out_bytes ? b->in_bytes : b->out_bytes;
  if (b->out_block && !guards_hold(b->out_block, bytes)) {
    if (what) fprintf(stderr, "%s: rank %d: wrote outside its buffer\n", what, rank);
    wrong++;
  }
  return wrong;
}
