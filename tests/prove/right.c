/* Right: what a proof must pass. */
#include "core/catalogue/collective.h"
#include "patterns/block.h"
#include "tests/prove/broken.h"

ALGORITHM(linear_bcast) {
  NAMES;
  coll_req r[256];
  if (me != root) {
    coll_recv(c, a->out, m, root);
    return;
  }
  for (int i = 0; i < p; i++) r[i] = i == root ? 0 : coll_isend(c, a->out, m, i); /* one buffer, many sends: allowed */
  coll_waitall(c, p, r);
}
/* A binomial tree whose members do not know their parents: the message says it. */
ALGORITHM(unknown_parent_bcast) {
  NAMES;
  int parent = me == root ? me : coll_recv_any(c, a->out, m);
  int rel = (me - root + p) % p, up = (parent - root + p) % p, top = 1;
  while (top <= rel) top *= 2;
  (void)up;
  for (int d = top; rel + d < p; d *= 2) coll_send(c, a->out, m, (me + d) % p);
}
/* Children in whatever order they come; for commuting operators. */
ALGORITHM(any_order_reduce) {
  NAMES;
  if (me != root) {
    coll_send(c, a->in, m, root);
    return;
  }
  void *s = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  for (int i = 1; i < p; i++) {
    coll_recv_any(c, s, m);
    coll_reduce(c, s, a->out, m);
  }
}
/* Whoever comes first gets an answer; the second message of a rank only exists once it has been answered. */
ALGORITHM(ask_and_answer) {
  NAMES;
  if (me != root) {
    coll_send(c, NULL, 0, root);
    coll_recv(c, a->out, m, root);
    coll_send(c, NULL, 0, root);
    return;
  }
  for (int i = 1; i < p; i++) {
    int who = coll_recv_any(c, NULL, 0);
    coll_send(c, a->out, m, who);
    coll_recv(c, NULL, 0, who);
  }
}
/* From the root to the leaders of the nodes, from them to the others of their node, each in a sub-group of its own. */
ALGORITHM(leaders_bcast) {
  NAMES;
  const coll_grouping *nodes = &c->levels[COLL_LEVEL_NODE];
  int *leaders = coll_keep(c, sizeof(int) * (size_t)nodes->groups), node = nodes->group_of[me],
      home = nodes->group_of[root];
  for (int g = 0; g < nodes->groups; g++) leaders[g] = g == home ? root : nodes->member[nodes->first[g]];
  coll_ctx top, low;
  if (coll_sub(c, 1, leaders, nodes->groups, &top)) {
    if (top.rank == home) {
      for (int g = 0; g < top.size; g++)
        if (g != home) coll_send(&top, a->out, m, g);
    } else coll_recv(&top, a->out, m, home);
  }
  coll_sub(c, 2, nodes->member + nodes->first[node], nodes->first[node + 1] - nodes->first[node], &low);
  int leader = 0;
  while (low.world[leader] != leaders[node]) leader++;
  if (low.rank == leader) {
    for (int i = 0; i < low.size; i++)
      if (i != leader) coll_send(&low, a->out, m, i);
  } else coll_recv(&low, a->out, m, leader);
}
ALGORITHM(ordered_sum) { sum_of(c, a, 1, -1); }
ALGORITHM(nonadjacent_sum) { sum_of(c, a, 3, -1); } /* sets of ranks with holes */
ALGORITHM(rotation) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  coll_sendrecv(c, s, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(pairwise_alltoall) {
  NAMES;
  coll_copy(c, out_at(c, a, (size_t)me * m), in_at(c, a, (size_t)me * m), m);
  for (int i = 1; i < p; i++)
    coll_sendrecv(c, in_at(c, a, (size_t)((me + i) % p) * m), m, (me + i) % p,
                  out_at(c, a, (size_t)((me + p - i) % p) * m), m, (me + p - i) % p);
}
ALGORITHM(dissemination) {
  NAMES;
  for (int d = 1; d < p; d *= 2) coll_sendrecv(c, NULL, 0, (me + d) % p, NULL, 0, (me + p - d) % p);
}
ALGORITHM(linear_scan) {
  NAMES;
  if (!me) coll_copy(c, a->out, a->in, m);
  else {
    void *s = coll_scratch(c, m);
    coll_recv(c, s, m, me - 1);
    coll_copy(c, a->out, a->in, m);
    coll_reduce(c, s, a->out, m);
  }
  if (me < p - 1) coll_send(c, a->out, m, me + 1);
}
ALGORITHM(linear_exscan) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  if (me) {
    coll_recv(c, a->out, m, me - 1);
    coll_reduce(c, a->out, s, m);
  }
  if (me < p - 1) coll_send(c, s, m, me + 1);
}
ALGORITHM(block_sums) {
  NAMES; /* reduce_scatter and reduce_scatter_block: all send all blocks */
  bool even = a->count * (size_t)p == coll_in_count(COLL_REDUCE_SCATTER_BLOCK, a, me) && a->param[0];
  coll_span mine = even ? (coll_span){ (size_t)me * m, m } : coll_block(m, p, me);
  void *keep = coll_scratch(c, even ? m * (size_t)p : m), *sum = coll_scratch(c, mine.count),
       *s = coll_scratch(c, mine.count);
  coll_copy(c, keep, a->in, even ? m * (size_t)p : m);
  coll_req r[256];
  for (int i = 0; i < p; i++) {
    coll_span b = even ? (coll_span){ (size_t)i * m, m } : coll_block(m, p, i);
    r[i] = coll_isend(c, coll_at(c, keep, b.first), b.count, i);
  }
  for (int i = 0; i < p; i++) {
    coll_recv(c, i ? s : sum, mine.count, i);
    if (i) {
      coll_reduce(c, sum, s, mine.count);
      coll_copy(c, sum, s, mine.count);
    }
  }
  coll_waitall(c, p, r);
  coll_copy(c, a->out, sum, mine.count);
}
ALGORITHM(gather_all_at_once) {
  NAMES;
  if (me != root) {
    coll_send(c, a->in, m, root);
    return;
  }
  coll_req r[256];
  for (int i = 0; i < p; i++) r[i] = i == root ? 0 : coll_irecv(c, out_at(c, a, (size_t)i * m), m, i);
  coll_copy(c, out_at(c, a, (size_t)root * m), a->in, m);
  coll_waitall(c, p, r);
}
ALGORITHM(ring_allgather) {
  NAMES;
  coll_copy(c, out_at(c, a, (size_t)me * m), a->in, m);
  for (int i = 0; i < p - 1; i++)
    coll_sendrecv(c, out_at(c, a, (size_t)((me + p - i) % p) * m), m, (me + 1) % p,
                  out_at(c, a, (size_t)((me + 2 * p - i - 1) % p) * m), m, (me + p - 1) % p);
}
ALGORITHM(linear_scatter) {
  NAMES;
  if (me != root) {
    coll_recv(c, a->out, m, root);
    return;
  }
  for (int i = 0; i < p; i++)
    if (i == root) coll_copy(c, a->out, in_at(c, a, (size_t)i * m), m);
    else coll_send(c, in_at(c, a, (size_t)i * m), m, i);
}

static const coll_param even_blocks[] = { { .name = "even", .value = 1, .min = 0, .max = 1 }, { .name = NULL } };
static const coll_param uneven_blocks[] = { { .name = "even", .value = 0, .min = 0, .max = 1 }, { .name = NULL } };

static const test tests[] = {
  CASE(BCAST, linear_bcast, OK, ""),
  CASE(BCAST, linear_bcast, OK, "", .p = 100, .root = 99),
  CASE(BCAST, leaders_bcast, OK, "", .p = 13, .root = 6),
  ANY(BCAST, unknown_parent_bcast, OK, ""),
  ANY(BCAST, unknown_parent_bcast, OK, "", .p = 64, .root = 5),
  ANY(REDUCE, any_order_reduce, OK, "", .p = 9),
  ANY(BCAST, ask_and_answer, OK, "", .p = 9),
  CASE(REDUCE, ordered_sum, OK, ""),
  CASE(REDUCE, ordered_sum, OK, "", .p = 100),
  CASE(REDUCE, ordered_sum, OK, "", .in_place = true),
  CASE(REDUCE, nonadjacent_sum, OK, "", .commutes = true),
  CASE(REDUCE, nonadjacent_sum, OK, "", .commutes = true, .p = 100),
  CASE(ROTATION, rotation, OK, ""),
  CASE(ROTATION, rotation, OK, "", .in_place = true),
  CASE(ALLTOALL, pairwise_alltoall, OK, ""),
  CASE(ALLTOALL, pairwise_alltoall, OK, "", .p = 70),
  CASE(BARRIER, dissemination, OK, ""),
  CASE(BARRIER, dissemination, OK, "", .p = 100),
  CASE(SCAN, linear_scan, OK, ""),
  CASE(SCAN, linear_scan, OK, "", .p = 100),
  CASE(EXSCAN, linear_exscan, OK, ""),
  CASE(REDUCE_SCATTER, block_sums, OK, "", .alg.params = uneven_blocks),
  CASE(REDUCE_SCATTER, block_sums, OK, "", .alg.params = uneven_blocks, .in_place = true),
  CASE(REDUCE_SCATTER_BLOCK, block_sums, OK, "", .alg.params = even_blocks),
  CASE(GATHER, gather_all_at_once, OK, "", .root = 3),
  CASE(GATHER, gather_all_at_once, OK, "", .root = 3, .in_place = true),
  CASE(ALLGATHER, ring_allgather, OK, ""),
  CASE(ALLGATHER, ring_allgather, OK, "", .in_place = true, .p = 70),
  CASE(SCATTER, linear_scatter, OK, "", .root = 2),
  CASE(SCATTER, linear_scatter, OK, "", .root = 2, .in_place = true),
};

TEST_LIST(right);
