#include "model/users.h"

/* Follows the lists side by side, as each step of one waits for memory. */
void users_list(users *all, const fluid *u, link_users *const *of, size_t links) {
  int32_t at[AHEAD];
  uint32_t most = 0;
  for (size_t k = 0; k < links; k++) {
    at[k] = u->resource[of[k]->link].head;
    of[k]->first = (uint32_t)all->n;
    all->n += of[k]->n;
    if (of[k]->n > most) most = of[k]->n;
  }
  RESERVE(all->at, all->cap, all->n);
  for (uint32_t i = 0; i < most; i++)
    for (size_t k = 0; k < links; k++) {
      if (i >= of[k]->n) continue;
      const crossing *c = crossing_at(u, at[k]);
      all->at[of[k]->first + i] = (user){ c->weight, (int32_t)c->flow };
      at[k] = c->next;
      if (at[k] != NONE) __builtin_prefetch(crossing_at(u, at[k]));
    }
}
