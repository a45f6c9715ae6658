#include "primitives/prefix.h"

void coll_prefix(coll_ctx *c, const void *in, void *out, size_t n, bool inclusive) {
  if (!n) return;
  if (inclusive) coll_copy(c, out, in, n);
  if (c->size < 2) return;
  void *group = coll_scratch(c, n), *other = coll_scratch(c, n);
  coll_copy(c, group, in, n);
  bool begun = inclusive;
  for (int distance = 1; distance < c->size; distance *= 2) {
    int partner = c->rank ^ distance;
    bool last = 2 * distance >= c->size; /* nobody will ask for the sum of this group */
    if (partner >= c->size) continue;
    coll_sendrecv(c, group, n, partner, other, n, partner);
    if (c->rank > partner) {
      if (begun) coll_reduce(c, other, out, n);
      else coll_copy(c, out, other, n);
      begun = true;
      if (!last) coll_reduce(c, other, group, n);
    } else if (!last) {
      coll_reduce(c, group, other, n);
      void *swap = group;
      group = other;
      other = swap;
    }
  }
}
