/* Who writes what another core's cache has, too, by schedules that are small enough to work out. */
#include <stdbool.h>
#include <string.h>

#include "tests/model/by_hand.h"

enum { LARGE = 4000 };

/* Ranks 0 and 1 share a node, rank 2 has one of its own; no message takes any time. */
static machine machine_in(const char *more) {
  char text[512] =
      "eager 1000\nclass cache 0 0 0 1\nclass network 0 0 0 1\nplace 0 0 0 0\nplace 1 0 0 0\nplace 2 1 1 1\n";
  return machine_of(strcat(text, more));
}

static void sends(int to, uint64_t from, uint64_t bytes) {
  add(0, (rec_op){ .kind = REC_SEND, .buf = REC_OUT, .off = from, .peer = to, .bytes = bytes });
  add(to, (rec_op){ .kind = REC_RECV, .buf = REC_OUT, .bytes = bytes });
}
static void writes(rec_kind kind, uint64_t to, uint64_t bytes) {
  add(0, (rec_op){ .kind = (uint8_t)kind, .buf = REC_IN, .buf2 = REC_OUT, .off2 = to, .bytes = bytes });
}
static void receives(int from, uint64_t to, uint64_t bytes) {
  put(from, REC_SEND, 0, bytes);
  add(0, (rec_op){ .kind = REC_RECV, .buf = REC_OUT, .off = to, .peer = from, .bytes = bytes });
}

static void test_writing(const machine *m, const machine *plain) {
  for (int k = 0; k < 3; k++) {
    start(3);
    sends(1, 0, LARGE);
    if (k == 2) receives(1, 1000, LARGE);
    else writes(k ? REC_REDUCE : REC_COPY, 1000, LARGE);
    near_to("each byte that was sent and is written", timed(m), 3000e-10);
    near_to("only where the machine says so", timed(plain), 0);
    near_to("and again", timed(m), 3000e-10);
    writes(REC_COPY, 1000, LARGE);
    near_to("not a second time", timed(m), 3000e-10);
    sends(1, 0, LARGE);
    writes(REC_COPY, 3000, 500);
    near_to("but when it was sent again", timed(m), 3500e-10);
  }
}

static void test_who_reads(const machine *m) {
  start(3);
  sends(1, 0, 1000);
  writes(REC_COPY, 0, 1000);
  near_to("an eager message is copied by its sender", timed(m), 0);
  start(3);
  sends(2, 0, LARGE);
  writes(REC_COPY, 0, LARGE);
  near_to("for another node the NIC reads", timed(m), 0);
  start(3);
  sends(1, 0, LARGE);
  receives(2, 0, LARGE);
  writes(REC_COPY, 0, LARGE);
  near_to("from another node the NIC writes", timed(m), 0);
  machine alone = machine_of("eager 1000\nclass network 0 0 0 1\ninvalidation 1e-10 1001\n");
  start(3);
  sends(1, 0, LARGE);
  writes(REC_COPY, 0, LARGE);
  near_to("without places each rank is a node", timed(&alone), 0);
  machine_free(&alone);
}

/* Of two receives that are waited for together both are paid when both are there. */
static void test_together(const machine *m) {
  start(3);
  sends(1, 0, LARGE);
  int first = add(0, (rec_op){ .kind = REC_IRECV, .buf = REC_OUT, .peer = 1, .bytes = 2000, .off2 = 3 });
  int second = add(0, (rec_op){ .kind = REC_IRECV, .buf = REC_OUT, .off = 2000, .peer = 1, .bytes = 2000, .off2 = 4 });
  add(0, (rec_op){ .kind = REC_WAIT, .peer = first, .bytes = 1 });
  put(0, REC_WAIT, second, 0);
  put(1, REC_SEND, 0, 2000);
  put(1, REC_CALC, 0, 5000); /* nanoseconds */
  put(1, REC_SEND, 0, 2000);
  near_to("when the last is there", timed(m), 5e-6 + 4000e-10);
}

static void test_what_a_call_finds(const machine *m) {
  static rec_piece piece = { 0, LARGE };
  start(3);
  writes(REC_COPY, 0, LARGE);
  sends(1, 0, LARGE);
  near_to("a call finds what the one before it left", timed(m), 4000e-10);
  result.fresh = true;
  near_to("fresh buffers are nobody's", timed(m), 0);
  result.fresh = false;
  near_to("warm again", timed(m), 4000e-10);
  start(3);
  rec.rank[0].piece = &piece;
  rec.rank[0].pieces = 1;
  add(0, (rec_op){ .kind = REC_COPY, .buf = REC_IN, .buf2 = REC_SCRATCH, .bytes = LARGE });
  add(0, (rec_op){ .kind = REC_SEND, .buf = REC_SCRATCH, .peer = 1, .bytes = LARGE });
  add(1, (rec_op){ .kind = REC_RECV, .buf = REC_OUT, .bytes = LARGE });
  near_to("scratch is each call's own", timed(m), 0);
  start(3);
  for (int call = 0; call < 2; call++) {
    put(0, REC_MARK, 0, 0);
    writes(REC_COPY, 0, LARGE);
    sends(1, 0, LARGE);
    put(0, REC_MARK, 0, 1);
  }
  near_to("a loop begins with nothing", timed(m), 4000e-10);
  result.fresh = true;
  near_to("and finds nothing where buffers are fresh", timed(m), 0);
  result.fresh = false;
}

int main(void) {
  machine m = machine_in("invalidation 1e-10 1001\n"), plain = machine_in("");
  test_writing(&m, &plain);
  test_who_reads(&m);
  test_together(&m);
  test_what_a_call_finds(&m);
  machine_free(&m);
  machine_free(&plain);
  machine_refused("invalidation 1e-10\n", ":1: write: invalidation S_PER_BYTE READ_IN_PLACE_FROM_BYTES");
  machine_refused("invalidation 1e-10 0\n",
                  ":1: 0: READ_IN_PLACE_FROM_BYTES must be a whole number from 1 to 1125899906842624");
  return finish();
}
