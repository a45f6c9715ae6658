/* Wrong: data that is not there, is counted twice, in the wrong order or in the wrong place. */
#include "tests/prove/broken.h"

ALGORITHM(wrong_block) {
  NAMES; /* a ring allgather that always passes on its own block */
  coll_copy(c, out_at(c, a, (size_t)me * m), a->in, m);
  for (int i = 1; i < p; i++)
    coll_sendrecv(c, out_at(c, a, (size_t)me * m), m, (me + 1) % p, out_at(c, a, (size_t)((me + p - i) % p) * m), m,
                  (me + p - 1) % p);
}
ALGORITHM(blocks_swapped) {
  NAMES;
  if (me != root) {
    coll_send(c, a->in, m, root);
    return;
  }
  for (int i = 0; i < p; i++) {
    int slot = i == 1 ? 2 : i == 2 ? 1 : i;
    if (i == root) coll_copy(c, out_at(c, a, (size_t)slot * m), a->in, m);
    else coll_recv(c, out_at(c, a, (size_t)slot * m), m, i);
  }
}
ALGORITHM(first_come_first_placed) {
  NAMES; /* right where messages come in the order of ranks, as they do in the first order that is tried */
  if (me != root) {
    coll_send(c, a->in, m, root);
    return;
  }
  for (int i = 0; i < p; i++)
    if (i == root) coll_copy(c, out_at(c, a, (size_t)i * m), a->in, m);
    else coll_recv_any(c, out_at(c, a, (size_t)i * m), m);
}
ALGORITHM(wrong_direction) {
  NAMES;
  coll_sendrecv(c, a->in, m, (me + 1) % p, a->out, m, (me + p - 1) % p);
}
ALGORITHM(wrong_displacement) {
  NAMES; /* alltoall that sends its first block to everyone */
  coll_copy(c, out_at(c, a, (size_t)me * m), in_at(c, a, (size_t)me * m), m);
  for (int i = 1; i < p; i++)
    coll_sendrecv(c, a->in, m, (me + i) % p, out_at(c, a, (size_t)((me + p - i) % p) * m), m, (me + p - i) % p);
}
ALGORITHM(sum_wrong_side) {
  NAMES; /* a chain towards rank 0 with the lower rank on the right */
  void *s = coll_scratch(c, m), *t = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  if (me < p - 1) {
    coll_recv(c, t, m, me + 1);
    coll_reduce(c, t, s, m);
  }
  if (me) coll_send(c, s, m, me - 1);
  else coll_copy(c, a->out, s, m);
}
ALGORITHM(sum_with_a_gap) { sum_of(c, a, 2, -1); }
ALGORITHM(operand_missing) { sum_of(c, a, 1, 2); }
ALGORITHM(operand_twice) {
  NAMES; /* doubling with distances 1, 2, 4 where 3 ranks are too few for it */
  void *s = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  for (int d = 1; d < p; d *= 2) {
    coll_sendrecv(c, a->out, m, (me + d) % p, s, m, (me + p - d) % p);
    coll_reduce(c, s, a->out, m);
  }
}
ALGORITHM(elements_shifted) {
  NAMES;
  if (me > 1) return;
  if (me == 1) {
    coll_send(c, in_at(c, a, 1), m - 1, 0);
    return;
  }
  void *s = coll_scratch(c, m);
  coll_recv(c, s, m - 1, 1);
  coll_copy(c, a->out, a->in, m);
  coll_reduce(c, s, a->out, m - 1);
}
ALGORITHM(one_rank_gets_no_sum) {
  NAMES;
  void *s = coll_scratch(c, m);
  if (!me) {
    coll_copy(c, a->out, a->in, m);
    for (int i = 1; i < p; i++) {
      coll_recv(c, s, m, i);
      coll_reduce(c, a->out, s, m);
      coll_copy(c, a->out, s, m);
    }
    for (int i = 1; i < p; i++) coll_send(c, i == p - 1 ? a->in : a->out, m, i);
  } else {
    coll_send(c, a->in, m, 0);
    coll_recv(c, a->out, m, 0);
  }
}
ALGORITHM(scan_with_own_twice) {
  NAMES; /* an exclusive scan in place of an inclusive one, and its own element added to itself */
  if (me) coll_recv(c, a->out, m, me - 1);
  else coll_copy(c, a->out, a->in, m);
  if (me < p - 1) coll_send(c, a->out, m, me + 1);
}
ALGORITHM(block_left_in_the_middle) {
  NAMES; /* reduce_scatter in place must leave the block at the start */
  void *s = coll_scratch(c, m), *t = coll_scratch(c, m);
  coll_copy(c, t, a->in, m);
  coll_req r[64];
  for (int i = 0; i < p; i++) r[i] = i == me ? 0 : coll_isend(c, t, m, i);
  for (int i = 0; i < p; i++)
    if (i != me) {
      coll_recv(c, s, m, i);
      coll_reduce(c, s, a->out, m);
    }
  coll_waitall(c, p, r);
}
ALGORITHM(half_a_barrier) {
  NAMES; /* all tell rank 0, which tells nobody */
  if (me) coll_send(c, NULL, 0, 0);
  else
    for (int i = 1; i < p; i++) coll_recv(c, NULL, 0, i);
}
ALGORITHM(scatter_spoils_in) {
  NAMES; /* in place, the root's own block is the one it may reach, and even that must stay */
  if (me != root) {
    coll_recv(c, a->out, m, root);
    coll_send(c, a->out, m, root);
    return;
  }
  for (int i = 0; i < p; i++)
    if (i != root) {
      coll_send(c, in_at(c, a, (size_t)i * m), m, i);
      coll_recv(c, a->in_place ? a->out : (void *)a->in, m, i);
    }
}
static void *counts_calls(coll_ctx *c, const coll_args *a) {
  (void)a;
  int *calls = coll_keep(c, sizeof *calls);
  *calls = 0;
  return calls;
}
ALGORITHM(sends_once) {
  NAMES; /* takes the data of the first call for those of the second */
  int *calls = a->prepared;
  if ((*calls)++) return;
  if (me != root) coll_recv(c, a->out, m, root);
  else
    for (int i = 0; i < p; i++)
      if (i != root) coll_send(c, a->out, m, i);
}

static const test tests[] = {
  CASE(ALLGATHER, wrong_block, RESULT, "expected rank"),
  ANY(GATHER, first_come_first_placed, RESULT, "expected rank", .p = 3),
  CASE(GATHER, blocks_swapped, RESULT, "element 7 of out holds rank 2's element 0, expected rank 1's element 0"),
  CASE(ROTATION, wrong_direction, RESULT,
       "rank 0: element 0 of out holds rank 4's element 0, expected rank 1's element 0"),
  CASE(ALLTOALL, wrong_displacement, RESULT,
       "rank 1: element 0 of out holds rank 0's element 0, expected rank 0's element 7"),
  CASE(REDUCE, sum_wrong_side, ORDER, "does not commute"),
  CASE(REDUCE, sum_with_a_gap, ORDER, "puts element 0 of rank 0 to the left of rank 2"),
  CASE(REDUCE, operand_missing, ORDER, "to the left of rank 3"),
  CASE(REDUCE, operand_missing, RESULT, "element 0 of ranks 0-1, 3-4, expected element 0 of all ranks",
       .commutes = true),
  CASE(ALLREDUCE, operand_twice, TWICE, "counted twice", .p = 3, .commutes = true),
  CASE(REDUCE, elements_shifted, OPERANDS, "combines element 1 of rank 1 with element 0 of rank 0", .commutes = true),
  CASE(ALLREDUCE, one_rank_gets_no_sum, RESULT,
       "rank 4: element 0 of out holds element 0 of rank 0, expected element 0 of all ranks"),
  CASE(SCAN, scan_with_own_twice, RESULT, "expected element 0 of ranks 0-1"),
  CASE(REDUCE_SCATTER, block_left_in_the_middle, RESULT, "rank 1: element 0 of out holds element 0", .commutes = true,
       .in_place = true),
  CASE(BARRIER, half_a_barrier, RESULT, "leaves the barrier"),
  CASE(SCATTER, scatter_spoils_in, RESULT,
       "element 0 of out holds the root's element 28, expected the root's element 0", .in_place = true),
  CASE(SCATTER, scatter_spoils_in, MISUSE, "recv writes into in", .root = 2),
  CASE(BARRIER, half_a_barrier, RESULT, "leaves the barrier", .p = 70),
  CASE(BCAST, sends_once, RESULT, "rank 1: after call 2, element 0 of out holds nothing", .alg.prepare = counts_calls),

  CASE(REDUCE, sum_with_a_gap, OK, "", .commutes = true, .p = 129),
};

TEST_LIST(wrong_data);
