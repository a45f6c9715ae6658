#include "patterns/peers.h"

#include "patterns/bine.h"
#include "patterns/lg.h"

coll_peers coll_peers_bine(int q, int r) {
  if (r < 0) return (coll_peers){ .steps = 0 };
  coll_peers w = { .steps = q, .block = coll_bine_block(q, r) };
  for (int k = 0; k < q; k++) w.peer[k] = coll_bine_partner(1 << q, r, k);
  return w;
}

coll_peers coll_peers_torus(const int extent[COLL_TORUS], int r, int start, bool mirrored) {
  coll_peers w = { .steps = 0 };
  if (r < 0) return w;
  int steps[COLL_TORUS], left = 0;
  for (int d = 0; d < COLL_TORUS; d++) left += steps[d] = coll_lg_up(extent[d]);
  for (int turn = start; left; turn++) {
    int d = turn % COLL_TORUS, k = turn / COLL_TORUS, stride = 1;
    if (k - (d < start) >= steps[d]) continue; /* those before the start begin a round later */
    k -= d < start;
    for (int i = 0; i < d; i++) stride *= extent[i];
    int own = r / stride % extent[d], at = mirrored ? (extent[d] - own) % extent[d] : own;
    int to = coll_bine_partner(extent[d], at, k), block = coll_bine_block(steps[d], at);
    if (mirrored) to = (extent[d] - to) % extent[d];
    w.peer[w.steps++] = r + (to - own) * stride;
    w.block = w.block << 1 | (block >> (steps[d] - 1 - k) & 1);
    left--;
  }
  return w;
}
