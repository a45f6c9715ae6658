/* Wrong: bytes that must not be touched, or not yet. */
#include "tests/prove/broken.h"

ALGORITHM(past_the_end_of_out) {
  NAMES;
  if (me != root) coll_recv(c, out_at(c, a, 1), m, root);
  else
    for (int i = 0; i < p; i++)
      if (i != root) coll_send(c, a->out, m, i);
}
ALGORITHM(past_the_end_of_in) {
  NAMES;
  coll_sendrecv(c, in_at(c, a, 1), m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(before_the_start_of_out) {
  NAMES;
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, (char *)a->out - 1, m, (me + 1) % p);
}
ALGORITHM(past_the_end_of_scratch) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_scratch(c, m);
  coll_copy(c, coll_at(c, s, 1), a->in, m);
}
/* Half of a buffer's addresses are its own: as many bytes can be named, and are too many; more cannot even be named. */
ALGORITHM(as_much_as_a_buffer_holds) { coll_copy(c, a->out, a->in, (size_t)1 << 37); }
ALGORITHM(more_than_a_buffer_holds) { coll_copy(c, a->out, a->in, ((size_t)1 << 37) + 1); }
ALGORITHM(writes_in) {
  NAMES;
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
  coll_copy(c, (void *)a->in, a->out, m);
}
ALGORITHM(out_at_a_rank_without) {
  NAMES;
  if (me != root) coll_copy(c, a->out, a->in, m);
}
ALGORITHM(looks_at_data) {
  NAMES;
  if (*(const volatile char *)a->in) return;
}
ALGORITHM(touches_pending_send) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, s, a->in, m);
  coll_req r[2] = { coll_irecv(c, a->out, m, (me + 1) % p), coll_isend(c, s, m, (me + p - 1) % p) };
  coll_copy(c, s, a->in, 1);
  coll_waitall(c, 2, r);
}
ALGORITHM(reads_pending_receive) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_req r[2] = { coll_irecv(c, s, m, (me + 1) % p), coll_isend(c, a->in, m, (me + p - 1) % p) };
  coll_copy(c, a->out, s, m);
  coll_waitall(c, 2, r);
}
ALGORITHM(two_receives_at_one_place) {
  NAMES;
  if (me != root) {
    coll_send(c, a->in, m, root);
    return;
  }
  coll_req r[64];
  for (int i = 0; i < p; i++) r[i] = i == root ? 0 : coll_irecv(c, out_at(c, a, i ? (size_t)(i - 1) * m : 0), m, i);
  coll_copy(c, out_at(c, a, (size_t)root * m), a->in, m);
  coll_waitall(c, p, r);
}
ALGORITHM(overlapping_sendrecv) {
  NAMES; /* in place: sends and receives the same elements */
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(forgotten_wait) {
  NAMES;
  coll_isend(c, a->in, m, (me + p - 1) % p);
  coll_recv(c, a->out, m, (me + 1) % p);
}
ALGORITHM(waits_twice) {
  NAMES;
  coll_req r = coll_isend(c, a->in, m, (me + p - 1) % p), again = r;
  coll_recv(c, a->out, m, (me + 1) % p);
  coll_wait(c, &r);
  coll_wait(c, &again);
}
ALGORITHM(unwritten_scratch) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_sendrecv(c, s, m, (me + p - 1) % p, a->out, m, (me + 1) % p);
}
ALGORITHM(recv_any_undeclared) {
  NAMES;
  if (me == root) coll_send(c, a->out, m, (me + 1) % p);
  else coll_recv_any(c, a->out, m);
}
ALGORITHM(recv_any_in_vain) {
  NAMES;
  if (me == root)
    for (int i = 0; i < p - 1; i++) {
      if (i != root) coll_send(c, a->out, m, i);
    }
  else coll_recv_any(c, a->out, m);
}
ALGORITHM(in_at_a_rank_without) {
  NAMES;
  if (me != root) coll_copy(c, a->out, a->in, m);
}
ALGORITHM(memory_of_its_own) {
  NAMES;
  static char own[64];
  coll_copy(c, a->out, own, m);
}
ALGORITHM(reads_an_address) {
  NAMES;
  const volatile char *volatile address = (const volatile char *)8;
  if (*address) return;
}
ALGORITHM(scratch_not_allocated) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, (char *)s + 128, a->in, m);
}
ALGORITHM(before_all_scratch) {
  NAMES;
  void *s = coll_scratch(c, m);
  coll_copy(c, (char *)s - 4, a->in, m);
}
ALGORITHM(scratch_without_end) { coll_scratch(c, (size_t)1 << 60); }
ALGORITHM(scratch_again_and_again) {
  for (int i = 0; i < 9; i++) coll_scratch(c, (size_t)1 << 36);
}
ALGORITHM(waits_for_a_copy) {
  NAMES;
  coll_copy(c, a->out, a->in, m);
  coll_req r = 1;
  coll_wait(c, &r);
}
ALGORITHM(waits_for_what_is_to_come) {
  coll_req r = 1;
  coll_wait(c, &r);
}
ALGORITHM(waits_for_less_than_nothing) {
  coll_req r = -1;
  coll_wait(c, &r);
}
ALGORITHM(hears_from_outside) {
  NAMES;
  int all[] = { 1, 2 };
  coll_ctx sub;
  if (me == 0) coll_send(c, a->in, m, 1);
  if (coll_sub(c, 0, all, 2, &sub) && me == 1) coll_recv_any(&sub, a->out, m);
}
ALGORITHM(reduces_onto_itself) {
  NAMES;
  coll_copy(c, a->out, a->in, m);
  coll_reduce(c, a->out, out_at(c, a, 1), m - 1);
}
ALGORITHM(copies_onto_itself) {
  NAMES;
  coll_copy(c, a->out, a->in, m);
  coll_copy(c, out_at(c, a, 1), a->out, 2);
}
ALGORITHM(reduces_behind_itself) {
  NAMES;
  coll_copy(c, a->out, a->in, m);
  coll_reduce(c, out_at(c, a, 2), a->out, 3);
}
ALGORITHM(copies_side_by_side) { /* which is right */
  NAMES;
  void *s = coll_scratch(c, 4 * m);
  coll_sendrecv(c, a->in, m, (me + p - 1) % p, s, m, (me + 1) % p);
  coll_copy(c, coll_at(c, s, m), s, m);
  coll_copy(c, coll_at(c, s, 3 * m), coll_at(c, s, m), m);
  coll_copy(c, coll_at(c, s, 2 * m), coll_at(c, s, 3 * m), m);
  coll_copy(c, a->out, coll_at(c, s, 2 * m), m);
}
ALGORITHM(does_nothing) { NAMES; }
static void *communicates(coll_ctx *c, const coll_args *a) {
  if (c->rank == 1) coll_send(c, a->in, a->count, 0);
  return NULL;
}
ALGORITHM(sums_without_an_operator) {
  NAMES;
  coll_copy(c, a->out, a->in, m);
  coll_reduce(c, a->in, a->out, m);
}

static const test tests[] = {
  CASE(SCATTER, in_at_a_rank_without, MISUSE, "copy reads a buffer that is NULL at this rank"),
  CASE(ROTATION, memory_of_its_own, MISUSE, "copy reads memory that is neither in, out nor scratch"),
  CASE(ROTATION, reads_an_address, MISUSE, "reads or writes address 0x8, which is not its own"),
  CASE(ROTATION, scratch_not_allocated, MISUSE, "copy writes scratch that it has not allocated"),
  CASE(ROTATION, before_all_scratch, MISUSE, "copy writes"),
  CASE(ROTATION, scratch_without_end, MISUSE, "asks for scratch of 1152921504606846976 elements"),
  CASE(ROTATION, scratch_again_and_again, MISUSE, "asks for more scratch than a buffer can hold"),
  CASE(ROTATION, waits_for_a_copy, MISUSE, "waits for 1, which is not a request"),
  CASE(ROTATION, waits_for_what_is_to_come, MISUSE, "waits for 1, which is not a request"),
  CASE(ROTATION, waits_for_less_than_nothing, MISUSE, "waits for -1, which is not a request"),
  ANY(ROTATION, hears_from_outside, MISUSE, "message"),
  CASE(ALLREDUCE, reduces_onto_itself, MISUSE, "reduce with operands that overlap"),
  CASE(ALLREDUCE, reduces_behind_itself, MISUSE, "reduce with operands that overlap"),
  CASE(ROTATION, copies_onto_itself, MISUSE, "copy between places that overlap"),
  CASE(ROTATION, copies_side_by_side, OK, ""),
  { .alg = { .key = "prepares", .collective = COLL_ROTATION, .run = does_nothing, .prepare = communicates },
    .p = 5,
    .count = 7,
    .want = PROOF_MISUSE,
    .says = "prepare() communicates or moves data" },
  CASE(ROTATION, sums_without_an_operator, OPERANDS, "in a collective that has no operator"),
  CASE(BCAST, past_the_end_of_out, MISUSE, "recv writes 4 bytes past the end of out"),
  CASE(ROTATION, past_the_end_of_in, MISUSE, "sendrecv reads 4 bytes past the end of in"),
  CASE(ROTATION, before_the_start_of_out, MISUSE, "writes 1 byte before the start of out"),
  CASE(ROTATION, past_the_end_of_scratch, MISUSE, "copy writes 4 bytes past the end of scratch (bytes 4 to 32 of 28)"),
  CASE(ROTATION, as_much_as_a_buffer_holds, MISUSE, "past the end of in (bytes 0 to 549755813888 of 28)"),
  CASE(ROTATION, more_than_a_buffer_holds, MISUSE, "copy of 137438953473 elements: more than a buffer can hold"),
  CASE(ROTATION, writes_in, MISUSE, "copy writes into in"),
  CASE(REDUCE, out_at_a_rank_without, MISUSE, "NULL at this rank"),
  CASE(ROTATION, looks_at_data, MISUSE, "looks at the data itself (byte 0 of in)"),
  CASE(ROTATION, touches_pending_send, PENDING, "writes element 0 of scratch while the isend"),
  CASE(ROTATION, reads_pending_receive, PENDING, "reads element 0 of scratch while the irecv"),
  CASE(GATHER, two_receives_at_one_place, PENDING, "while the irecv", .root = 4),
  CASE(ROTATION, overlapping_sendrecv, PENDING, "while the isend", .in_place = true),
  CASE(ROTATION, forgotten_wait, MISUSE, "1 request not waited for"),
  CASE(ROTATION, waits_twice, MISUSE, "waits twice"),
  CASE(ROTATION, unwritten_scratch, UNINITIALISED, "reads element 0 of scratch, which holds nothing"),
  CASE(BCAST, recv_any_undeclared, MISUSE, "COLL_ANY_SOURCE"),
  ANY(BCAST, recv_any_in_vain, MISUSE, "rank 4: recv_any waits for a message that nobody sends"),
};

TEST_LIST(wrong_memory);
