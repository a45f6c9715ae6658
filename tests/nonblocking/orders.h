/* All ranks' plans, played in one process without MPI, in an order drawn by a seed. */
#ifndef COLLSCOPE_TESTS_NONBLOCKING_ORDERS_H
#define COLLSCOPE_TESTS_NONBLOCKING_ORDERS_H

#include "core/nonblocking/graph.h"
#include "core/plan/plan.h"

typedef enum {
  ORDER_ANY,    /* whatever may happen next is as likely */
  ORDER_LATEST, /* what stands last in the text first, and messages arrive only when nothing else can happen */
  ORDERS
} order_of_play;

typedef struct {
  const coll_plan *plan;
  const void *in;
  void *out;
} player_rank;

/* NULL, or why it does not end. Sends wait for their receives; data moves when both are there. */
const char *play_in_order(const player_rank *, int ranks, plan_type, plan_op, order_of_play, uint64_t seed);

#endif
