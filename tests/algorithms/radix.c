/* The rank arithmetic of patterns/radix.h and patterns/pat.h: folds to a power of k, and parallel aggregated trees. */
#include <stdbool.h>

#include "patterns/lg.h"
#include "patterns/pat.h"
#include "patterns/radix.h"
#include "tests/algorithms/check.h"

enum { MAX_SIZE = 256 };

/* Every rank is one that stays, or an extra of exactly one that stays; none works for more than k-1. In order, a rank's extras are
 * those right below it. */
static void fold(int p, int k, coll_radix_fold kind) {
  coll_radix r = coll_radix_make(p, k, kind);
  int named[MAX_SIZE] = { 0 }, next = 0;
  CHECK(r.king.power + r.extra == p, "p=%d k=%d", p, k);
  for (int v = 0; v < r.king.power; v++) {
    int real = coll_radix_real(r, v), extras = coll_radix_extras(r, v);
    CHECK(extras >= 0 && (!extras || extras < r.king.k), "p=%d k=%d number %d has %d extras", p, k, v, extras);
    CHECK(coll_radix_virtual(r, real) == v && coll_radix_home(r, real) == v, "p=%d k=%d number %d", p, k, v);
    named[real]++;
    for (int i = 0; i < extras; i++) {
      int extra = coll_radix_extra(r, v, i);
      bool fits = extra >= 0 && extra < p;
      CHECK(fits, "p=%d k=%d number %d: extra %d", p, k, v, extra);
      if (!fits) return;
      named[extra]++;
      CHECK(coll_radix_home(r, extra) == v && coll_radix_virtual(r, extra) == -1, "p=%d k=%d rank %d", p, k, extra);
      if (kind == COLL_RADIX_IN_ORDER) CHECK(extra == next++, "p=%d k=%d rank %d is out of order", p, k, extra);
    }
    if (kind == COLL_RADIX_IN_ORDER) {
      CHECK(coll_radix_first(r, v) == next - extras, "p=%d k=%d number %d", p, k, v);
      CHECK(real == next++, "p=%d k=%d rank %d is out of order", p, k, real);
    }
    for (int j = 1; j < r.king.k && r.king.steps; j++) {
      int partner = coll_radix_partner(r, v, 1, j);
      CHECK(coll_radix_partner(r, coll_radix_virtual(r, partner), 1, -j) == real, "p=%d k=%d rank %d", p, k, real);
    }
  }
  for (int rank = 0; rank < p; rank++) CHECK(named[rank] == 1, "p=%d k=%d rank %d: %d times", p, k, rank, named[rank]);
}

/* A block comes from where it is known already, and every offset once. Blocks that travel at once: at most so many. */
static void pat(int p, long together) {
  coll_pat_step step[MAX_SIZE];
  bool known[MAX_SIZE] = { true };
  int steps = coll_pat_steps(p, together, step), power = 1 << coll_lg_up(p), offsets = 1;
  CHECK(steps == coll_pat_steps(p, together, NULL) && steps < (p > 1 ? p : 2), "p=%d a=%ld: %d", p, together, steps);
  for (int i = 0; i < steps; i++) {
    int blocks = coll_pat_blocks(p, step[i]);
    CHECK(blocks > 0 && blocks <= together, "p=%d a=%ld step %d: %d blocks", p, together, i, blocks);
    for (int j = 0; j < blocks; j++) {
      int offset = step[i].first + j * step[i].gap;
      bool fits = offset < p && offset >= step[i].distance;
      CHECK(fits && step[i].distance == (offset & -offset), "p=%d a=%ld offset %d", p, together, offset);
      if (!fits) return;
      CHECK(known[offset - step[i].distance] && !known[offset], "p=%d a=%ld offset %d", p, together, offset);
    }
    for (int j = 0; j < blocks; j++, offsets++) known[step[i].first + j * step[i].gap] = true;
  }
  CHECK(offsets == p, "p=%d a=%ld: %d blocks in the end", p, together, offsets);
  if (power != p || p < 2) return;
  long most = together < p / 2 ? together : p / 2;
  CHECK(steps == coll_lg_up((int)most) + p / most - 1, "p=%d a=%ld: %d steps", p, together, steps);
}

int main(void) {
  for (int p = 1; p <= MAX_SIZE; p++) {
    for (int k = 2; k <= 17; k++) {
      fold(p, k, COLL_RADIX_DEALT);
      fold(p, k, COLL_RADIX_IN_ORDER);
    }
    fold(p, 1024, COLL_RADIX_IN_ORDER);
    for (long together = 1; together <= 512; together *= 2) pat(p, together);
  }
  printf("%ld checks, %d failed\n", checked, failed);
  return failed != 0;
}
