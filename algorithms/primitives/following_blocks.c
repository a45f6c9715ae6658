#include "primitives/following_blocks.h"

#include "patterns/rank_block.h"

void coll_following_allgather(coll_ctx *c, const coll_args *a, const int *skip, int q) {
  int p = c->size, r = c->rank;
  size_t all = coll_all_blocks(a), own_on = all - coll_rank_block(a, r).first;
  if (!all) return;
  void *turned = coll_scratch(c, all);
  coll_copy(c, turned, a->in, coll_rank_block(a, r).count);
  for (int k = 0; k < q; k++) {
    int near = skip[k], blocks = skip[k + 1] - near, from = (r + near) % p;
    coll_sendrecv(c, turned, coll_following_blocks(a, r, blocks), (r + p - near) % p,
                  coll_at(c, turned, coll_following_blocks(a, r, near)), coll_following_blocks(a, from, blocks), from);
  }
  coll_copy(c, coll_at(c, a->out, all - own_on), turned, own_on);
  coll_copy(c, a->out, coll_at(c, turned, own_on), all - own_on);
}

double coll_following_cost(const coll_args *a, const int *skip, int q, double alpha, double beta) {
  double time = 0;
  if (!coll_all_blocks(a)) return 0;
  for (int k = 0; k < q; k++) {
    size_t most = 0;
    for (int r = 0; r < (a->displs ? a->size : 1); r++) {
      size_t n = coll_following_blocks(a, r, skip[k + 1] - skip[k]);
      if (n > most) most = n;
    }
    time += alpha + (double)(most * a->elem) * beta;
  }
  return time;
}
