#include "patterns/torus.h"

#include <stddef.h>

static int near_root(int p) {
  int x = 1;
  for (int i = 2; i <= p / i; i++)
    if (p % i == 0) x = i;
  return x;
}

const char *coll_torus_make(coll_torus *t, int p, long x, long y) {
  long first = x ? x : y ? p / y : near_root(p), second = y ? y : first ? p / first : 0;
  if (!first || !second || p % first || p / first % second)
    return "the extents of a torus must divide the number of ranks; take other ones, or x=0,y=0";
  *t = (coll_torus){ .p = p, .extent = { (int)first, (int)second, (int)(p / first / second) } };
  for (int d = 0; d < COLL_TORUS; d++)
    if (t->extent[d] > 1) t->dim[t->dims++] = d;
  return NULL;
}

static int stride(const coll_torus *t, int d) {
  int ranks = 1;
  for (int i = 0; i < d; i++) ranks *= t->extent[i];
  return ranks;
}

int coll_torus_at(const coll_torus *t, int rank, int d) { return rank / stride(t, d) % t->extent[d]; }

int coll_torus_moved(const coll_torus *t, int rank, int d, int by) {
  int at = coll_torus_at(t, rank, d), to = (at + by % t->extent[d] + t->extent[d]) % t->extent[d];
  return rank + (to - at) * stride(t, d);
}
