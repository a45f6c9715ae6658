/* Wrong: messages that do not meet, and ranks that wait for ever. */
#include "tests/prove/broken.h"

/* ---- messages -------------------------------------------------------------------------------------------- */

ALGORITHM(wrong_peer) {
  NAMES; /* rank 1 gets it twice, rank 2 never */
  if (me != root) coll_recv(c, a->out, m, root);
  else
    for (int i = 0; i < p; i++)
      if (i != root) coll_send(c, a->out, m, i == 2 ? 1 : i);
}
ALGORITHM(missing_message) {
  NAMES;
  if (me != root) coll_recv(c, a->out, m, root);
  else
    for (int i = 0; i < p - 1; i++)
      if (i != root) coll_send(c, a->out, m, i);
}
ALGORITHM(extra_message) {
  NAMES;
  if (me != root) coll_recv(c, a->out, m, root);
  else
    for (int i = 0; i <= p; i++)
      if (i != root) coll_send(c, a->out, m, i % p ? i % p : 1);
}
ALGORITHM(size_mismatch) {
  NAMES;
  if (me != root) coll_recv(c, a->out, m - 1, root);
  else
    for (int i = 0; i < p; i++)
      if (i != root) coll_send(c, a->out, m, i);
}
ALGORITHM(one_element_short) {
  NAMES;
  if (me != root) coll_recv(c, a->out, m - 1, root);
  else
    for (int i = 0; i < p; i++)
      if (i != root) coll_send(c, a->out, m - 1, i);
}
ALGORITHM(rank_skipped) {
  NAMES;
  if (me == root)
    for (int i = 0; i < p - 1; i++) {
      if (i != root) coll_send(c, a->out, m, i);
    }
  else if (me < p - 1) coll_recv(c, a->out, m, root);
}
ALGORITHM(wrong_root) {
  NAMES;
  if (me) coll_recv(c, a->out, m, 0);
  else
    for (int i = 1; i < p; i++) coll_send(c, a->out, m, i);
}
ALGORITHM(peer_out_of_range) {
  NAMES;
  if (me == p - 1) coll_send(c, a->out, m, p);
}
ALGORITHM(label_mix_up) {
  NAMES; /* the sender speaks in the sub-group, the others listen outside it */
  int all[64] = { 0 };
  coll_ctx sub;
  for (int i = 0; i < p; i++) all[i] = i;
  coll_sub(c, 1, all, p, &sub);
  if (me != root) coll_recv(c, a->out, m, root);
  else
    for (int i = 0; i < p; i++)
      if (i != root) coll_send(&sub, a->out, m, i);
}

/* ---- progress -------------------------------------------------------------------------------------------- */

ALGORITHM(send_send_ring) {
  NAMES;
  coll_send(c, a->in, m, (me + p - 1) % p);
  coll_recv(c, a->out, m, (me + 1) % p);
}
ALGORITHM(recv_recv_ring) {
  NAMES;
  coll_recv(c, a->out, m, (me + 1) % p);
  coll_send(c, a->in, m, (me + p - 1) % p);
}
ALGORITHM(crossed_pair) {
  NAMES; /* right but for the exchange of ranks 0 and 1, which relies on buffering */
  if (me > 1) return;
  void *other = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  coll_send(c, a->in, m, 1 - me);
  coll_recv(c, other, m, 1 - me);
  if (me) {
    coll_reduce(c, other, a->out, m);
  } else {
    coll_reduce(c, a->out, other, m);
    coll_copy(c, a->out, other, m);
  }
}
ALGORITHM(waits_too_early) {
  NAMES; /* waits for its send before it posts the receive the other side waits for */
  coll_req r = coll_isend(c, a->in, m, (me + p - 1) % p);
  coll_wait(c, &r);
  coll_recv(c, a->out, m, (me + 1) % p);
}

static const test tests[] = {
  CASE(BCAST, wrong_peer, UNMATCHED,
       "rank 0: send of 28 bytes to rank 1 (operation 1) has no receive; "
       "rank 2: recv of 28 bytes from rank 0 (operation 0) has no send"),
  CASE(BCAST, missing_message, UNMATCHED, "rank 4: recv of 28 bytes from rank 0"),
  CASE(BCAST, extra_message, UNMATCHED, "no receive"),
  CASE(BCAST, size_mismatch, SIZE, "24 bytes"),
  CASE(BCAST, one_element_short, RESULT, "element 6 of out holds nothing, expected the root's element 6"),
  CASE(BCAST, rank_skipped, RESULT, "rank 4: element 0 of out holds nothing"),
  CASE(BCAST, wrong_root, UNINITIALISED, "rank 0: send of 28 bytes", .root = 2),
  CASE(BCAST, peer_out_of_range, MISUSE, "rank 5 of a group of 5"),
  CASE(BCAST, label_mix_up, UNMATCHED, "label 1) has no receive; rank 1: recv of 28 bytes from rank 0"),
  CASE(ROTATION, send_send_ring, DEADLOCK, "5 of 5 ranks wait for ever when every send waits for its receive:"),
  CASE(ROTATION, recv_recv_ring, DEADLOCK, "5 of 5 ranks wait for ever: rank 0: recv of 28 bytes"),
  CASE(ALLREDUCE, crossed_pair, DEADLOCK, "rank 0: send of 28 bytes to rank 1", .p = 2),
  CASE(ROTATION, waits_too_early, DEADLOCK, "isend of 28 bytes"),
};

TEST_LIST(wrong_schedule);
