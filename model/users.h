/* Who is on a link: its flows lie far apart in memory, and are asked more than once, so their list is copied first. For sparse.c. */
#ifndef COLLSCOPE_MODEL_USERS_H
#define COLLSCOPE_MODEL_USERS_H

#include "model/flows.h"

/* What a flow takes up of a link. */
typedef struct {
  double weight;
  int32_t flow;
} user;

typedef struct {
  user *at;
  size_t n, cap;
} users;

/* Where those of a link are. n: before they are listed, how many there are. */
typedef struct {
  int32_t link;
  uint32_t first, n;
} link_users;

/* Lists those of up to AHEAD links behind the ones that are there. */
void users_list(users *, const fluid *, link_users *const *, size_t links);

/* Flows that are asked one behind the other take less time each than one takes to come from memory. */
enum { FAR_AHEAD = 4 * AHEAD };

static inline void users_fetch(const users *all, const fluid *u, const user *now) {
  if (now + FAR_AHEAD < all->at + all->n) fetch_state(u, now[FAR_AHEAD].flow);
}

#endif
