#include "primitives/pat.h"

#include "patterns/block.h"

/* The blocks of a step, as whoever is `me` sees their offsets: from their places in all[n] into packed, or back. Returns how many
 * elements they have; one alone need not be packed, and stays where it is. */
static size_t pack(coll_ctx *c, coll_pat_step s, int me, void *all, size_t n, void *packed, bool back) {
  size_t at = 0;
  for (int offset = s.first; offset < c->size; offset += s.gap) {
    coll_span b = coll_block(n, c->size, (me + offset) % c->size);
    void *block = coll_at(c, all, b.first), *there = coll_at(c, packed, at);
    if (packed) coll_copy(c, back ? block : there, back ? there : block, b.count);
    at += b.count;
  }
  return at;
}

static void *place(coll_ctx *c, coll_pat_step s, int me, void *all, size_t n) {
  return coll_at(c, all, coll_block(n, c->size, (me + s.first) % c->size).first);
}

/* The most blocks of a step, as elements. */
static size_t room(int p, const coll_pat_step *step, int steps, size_t n) {
  int most = 0;
  for (int i = 0; i < steps; i++)
    if (coll_pat_blocks(p, step[i]) > most) most = coll_pat_blocks(p, step[i]);
  return (size_t)most * coll_block_max(n, p);
}

void coll_pat_allgather(coll_ctx *c, void *all, size_t m, long a) {
  int p = c->size, steps = coll_pat_steps(p, a, NULL);
  size_t n = (size_t)p * m;
  if (!steps) return;
  coll_pat_step *step = coll_keep(c, sizeof *step * (size_t)steps);
  coll_pat_steps(p, a, step);
  size_t most = room(p, step, steps, n);
  void *leaving = most > m ? coll_scratch(c, most) : NULL, *coming = most > m ? coll_scratch(c, most) : NULL;
  for (int i = 0; i < steps; i++) {
    coll_pat_step s = step[i];
    int to = (c->rank + p - s.distance) % p, from = (c->rank + s.distance) % p;
    bool alone = coll_pat_blocks(p, s) == 1;
    size_t k = pack(c, s, to, all, n, alone ? NULL : leaving, false);
    coll_sendrecv(c, alone ? place(c, s, to, all, n) : leaving, k, to, alone ? place(c, s, c->rank, all, n) : coming, k,
                  from);
    if (!alone) pack(c, s, c->rank, all, n, coming, true);
  }
}

/* The allgather backwards: a block's sum grows on its way to its owner. */
void coll_pat_reduce_scatter(coll_ctx *c, const void *in, void *out, size_t n, long a) {
  int p = c->size, steps = coll_pat_steps(p, a, NULL);
  coll_span own = coll_block(n, p, c->rank);
  if (!steps) {
    coll_copy(c, out, in, n);
    return;
  }
  coll_pat_step *step = coll_keep(c, sizeof *step * (size_t)steps);
  coll_pat_steps(p, a, step);
  size_t most = room(p, step, steps, n);
  void *sum = coll_scratch(c, n), *leaving = coll_scratch(c, most), *coming = coll_scratch(c, most);
  coll_copy(c, sum, in, n);
  for (int i = steps - 1; i >= 0; i--) {
    coll_pat_step s = step[i];
    int to = (c->rank + s.distance) % p, from = (c->rank + p - s.distance) % p;
    bool alone = coll_pat_blocks(p, s) == 1;
    size_t given = pack(c, s, c->rank, sum, n, alone ? NULL : leaving, false),
           taken = pack(c, s, from, sum, n, NULL, false);
    coll_sendrecv(c, alone ? place(c, s, c->rank, sum, n) : leaving, given, to, coming, taken, from);
    size_t at = 0;
    for (int offset = s.first; offset < p; offset += s.gap) {
      coll_span b = coll_block(n, p, (from + offset) % p);
      if (b.count) coll_reduce(c, coll_at(c, coming, at), coll_at(c, sum, b.first), b.count);
      at += b.count;
    }
  }
  coll_copy(c, out, coll_at(c, sum, own.first), own.count);
}
