#include "driver/check/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/runtime/port_memory.h"
#include "core/plan/values.h"
#include "driver/port_caches.h"
#include "patterns/rank_block.h"

enum { GUARD = 64, GUARD_BYTE = 0xA5, POISON = 0x5C };

static void *allocate(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (p) return p;
  fprintf(stderr, "collscope: out of memory for a check of data (%zu bytes)\n", bytes);
  abort();
}

void buffers_make(buffers *b, coll_collective k, const coll_args *a, int rank) {
  size_t ins = coll_in_count(k, a, rank), outs = coll_out_count(k, a, rank);
  *b = (buffers){ .in_bytes = ins * a->elem, .out_bytes = outs * a->elem, .made = true };
  if (coll_shares_buffer(k, a, rank)) {
    /* One buffer, the larger of the two, and the smaller inside it. */
    size_t bytes = ins > outs ? b->in_bytes : b->out_bytes;
    b->out_block = port_alloc(bytes + 2 * GUARD);
    char *data = b->out_block + GUARD;
    b->in = data + coll_in_offset(k, a, rank) * a->elem;
    b->out = data + coll_out_offset(k, a, rank) * a->elem;
    return;
  }
  if (coll_has_input(k, a, rank)) b->in_block = port_alloc(b->in_bytes + 2 * GUARD), b->in = b->in_block + GUARD;
  if (coll_has_output(k, a, rank)) b->out_block = port_alloc(b->out_bytes + 2 * GUARD), b->out = b->out_block + GUARD;
}

void buffers_free(buffers *b) {
  if (b->in_block) port_release(b->in_block);
  if (b->out_block) port_release(b->out_block);
}

/* ---- values ----------------------------------------------------------------------------------------- */

/* Where data only moves, all bits are used, so that any mix-up shows. */
static void moved_values(int rank, size_t first, size_t n, size_t elem, char *elements) {
  for (size_t i = 0; i < n; i++) {
    uint64_t h = ((uint64_t)rank << 40) ^ (first + i);
    h = (h ^ (h >> 31)) * 0x9E3779B97F4A7C15u + 0x1234567u;
    h ^= h >> 29;
    memcpy(elements + i * elem, &h, elem < sizeof h ? elem : sizeof h);
  }
}

typedef struct {
  coll_collective collective;
  const coll_args *args;
  plan_type type;
  plan_op op;
} check;

/* Elements first … of rank's `in`. */
static void inputs(const check *c, int rank, size_t first, size_t n, char *elements) {
  if (coll_has_operator(c->collective)) values_make(c->type, c->op, c->args->size, rank, first, n, elements);
  else moved_values(rank, first, n, c->args->elem, elements);
}

/* Ranks [from, to) reduced in rank order. */
static void reduced(const check *c, int from, int to, size_t first, size_t n, char *elements) {
  char *left = allocate(n * c->args->elem);
  inputs(c, to - 1, first, n, elements);
  for (int r = to - 1; r-- > from;) {
    inputs(c, r, first, n, left);
    values_apply(c->type, c->op, left, elements, n);
  }
  free(left);
}

/* What the first elements of `out` at `rank` must be; returns how many: the rest MPI leaves undefined. */
static size_t expected(const check *c, int rank, size_t outs, char *want) {
  const coll_args *a = c->args;
  int p = a->size;
  size_t m = a->count, e = a->elem;
  switch (c->collective) {
    case COLL_BCAST: inputs(c, a->root, 0, m, want); return outs;
    case COLL_ROTATION: inputs(c, (rank + 1) % p, 0, m, want); return outs;
    case COLL_REDUCE:
    case COLL_ALLREDUCE: reduced(c, 0, p, 0, outs, want); return outs;
    case COLL_GATHER:
    case COLL_GATHERV:
    case COLL_ALLGATHER:
    case COLL_ALLGATHERV:
      for (int r = 0; r < p && outs; r++) {
        coll_span block = coll_rank_block(a, r);
        inputs(c, r, 0, block.count, want + block.first * e);
      }
      return outs;
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
      for (int r = 0; r < p && outs; r++) {
        coll_span block = coll_received_block(a, rank, r);
        inputs(c, r, coll_sent_block(a, r, rank).first, block.count, want + block.first * e);
      }
      return outs;
    case COLL_SCATTER:
    case COLL_SCATTERV: {
      coll_span own = coll_rank_block(a, rank);
      inputs(c, a->root, own.first, own.count, want);
      return own.count;
    }
    case COLL_REDUCE_SCATTER: {
      coll_span own = coll_rank_part(a, rank);
      reduced(c, 0, p, own.first, own.count, want);
      return own.count;
    }
    case COLL_REDUCE_SCATTER_BLOCK: reduced(c, 0, p, (size_t)rank * m, m, want); return m;
    case COLL_SCAN: reduced(c, 0, rank + 1, 0, m, want); return m;
    case COLL_EXSCAN:
      if (rank == 0) return 0;
      reduced(c, 0, rank, 0, m, want);
      return m;
    case COLL_BARRIER:
    case COLL_COLLECTIVES: break; /* no default: the compiler says when one is missing */
  }
  return 0;
}

void buffers_fill(buffers *b, coll_collective k, const coll_args *a, int rank, plan_type type, plan_op op) {
  bool shared = b->in && !b->in_block;
  size_t bytes = shared && b->in_bytes > b->out_bytes ? b->in_bytes : b->out_bytes;
  if (b->out_block) {
    memset(b->out_block, GUARD_BYTE, GUARD);
    memset(b->out_block + GUARD, POISON, bytes);
    memset(b->out_block + GUARD + bytes, GUARD_BYTE, GUARD);
  }
  if (!coll_has_input(k, a, rank)) return;
  if (b->in_block) memset(b->in_block, GUARD_BYTE, b->in_bytes + 2 * GUARD);
  check c = { k, a, type, op };
  if (b->in) inputs(&c, rank, 0, b->in_bytes / a->elem, (char *)b->in);
}

void buffers_renew(buffers *b, coll_collective k, const coll_args *a, int rank, plan_type type, plan_op op) {
  bool shared = b->in && !b->in_block;
  size_t bytes = shared && b->in_bytes > b->out_bytes ? b->in_bytes : b->out_bytes;
  if (b->out_block) port_renew(b->out_block, bytes + 2 * GUARD);
  if (b->in_block) port_renew(b->in_block, b->in_bytes + 2 * GUARD);
  check c = { k, a, type, op };
  if (coll_has_input(k, a, rank) && b->in) inputs(&c, rank, 0, b->in_bytes / a->elem, (char *)b->in);
}

static bool guards_hold(const char *block, size_t bytes) {
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)block[i] != GUARD_BYTE || (unsigned char)block[GUARD + bytes + (size_t)i] != GUARD_BYTE)
      return false;
  return true;
}

size_t buffers_check(const buffers *b, coll_collective k, const coll_args *a, int rank, plan_type type, plan_op op,
                     const char *what) {
  check c = { k, a, type, op };
  size_t wrong = 0, outs = b->out ? b->out_bytes / a->elem : 0, ins = b->in_block ? b->in_bytes / a->elem : 0;
  char *want = allocate((outs > ins ? outs : ins) * a->elem);
  size_t defined = outs ? expected(&c, rank, outs, want) : 0;
  bool right = !defined || !memcmp(b->out, want, defined * a->elem);
  for (size_t i = 0; i < defined && !right; i++) {
    if (!memcmp((char *)b->out + i * a->elem, want + i * a->elem, a->elem)) continue;
    if (what && !wrong) fprintf(stderr, "%s: rank %d: element %zu of out is wrong\n", what, rank, i);
    wrong++;
  }
  if (b->in_block) {
    inputs(&c, rank, 0, ins, want);
    if (memcmp(b->in, want, ins * a->elem)) {
      if (what) fprintf(stderr, "%s: rank %d: in was changed\n", what, rank);
      wrong++;
    }
    if (!guards_hold(b->in_block, b->in_bytes)) {
      if (what) fprintf(stderr, "%s: rank %d: wrote outside in\n", what, rank);
      wrong++;
    }
  }
  bool shared = b->in && !b->in_block;
  size_t bytes = shared && b->in_bytes > b->out_bytes ? b->in_bytes : b->out_bytes;
  if (b->out_block && !guards_hold(b->out_block, bytes)) {
    if (what) fprintf(stderr, "%s: rank %d: wrote outside out\n", what, rank);
    wrong++;
  }
  free(want);
  return wrong;
}
