/* What a node's model may have besides its curves (docs/node_model.md): each element's effect, worked out by hand. */
#include "tests/model/by_hand.h"

#include <stdio.h>
#include <string.h>

#include "core/schedule/byte_set.h"

/* Two nodes of two ranks; a message between nodes takes 2e-6 + n 1e-9 s, flows for (n + 16) 5e-10 of them. */
#define ACROSS                                                                           \
  "control 16\neager 1000\ncore 1e10\nnic 2e9\nswitch 4e9\nclass cache 0 1e-7 2e-10 1\n" \
  "place 0 0 0 0\nplace 1 0 0 0\nplace 2 1 1 1\nplace 3 1 1 1\n"
static const double latency = 2e-6, byte = 1e-9, wire = 1 / 2e9;

static machine machine_with(const char *more) {
  machine m;
  char text[2048], error[256];
  snprintf(text, sizeof text, "%s%s", ACROSS, more);
  bool fine = machine_read(&m, written(text), error, sizeof error);
  check(fine, "machine: %s", error);
  return m;
}

static double alone(double bytes) { return latency + bytes * byte; }
static double flow(double bytes) { return (bytes + 16) * wire; }

static void test_gap(void) {
  machine m = machine_with("class network 0 2e-6 1e-9 1 3e-7 1e-11\noverhead 1e-7\n");
  double gap = 3e-7 + 500 * 1e-11;
  start(4);
  transfer(0, 2, 500);
  near_to("a gap is contained in the message's time", timed(&m), alone(500) + 1e-7);
  near_to("its sender is free after the gap", result.rank_end_s[0], gap);
  start(4);
  for (int k = 0; k < 3; k++) transfer(0, 2 + k % 2, 500);
  timed(&m);
  near_to("one gap after the other", result.rank_end_s[0], 3 * gap);
  start(4);
  transfer(0, 2, 5000);
  near_to("a send that waits spends none", timed(&m), alone(5000));
  start(4);
  put(0, REC_ISEND, 2, 5000);
  put(0, REC_WAIT, 0, 0);
  put(2, REC_RECV, 0, 5000);
  near_to("a non-blocking one does, and it is contained, too", timed(&m), alone(5000));
  machine_free(&m);
}

static void test_receive_gap(void) {
  machine m = machine_with("class network 0 2e-6 1e-9 1 3e-7 1e-11\noverhead 1e-7\n"
                           "receive_gap network 0 5e-7 0\nreceive_gap network 400 4e-7 1e-10\n");
  double gap = 3e-7 + 500 * 1e-11, received = 4e-7 + 500 * 1e-10, overhead = 1e-7;
  start(4);
  transfer(0, 2, 500);
  near_to("a receive gap is contained in the message's time", timed(&m), alone(500) + overhead);
  start(4);
  transfer(0, 2, 300);
  near_to("whichever it is", timed(&m), alone(300) + overhead);
  start(4);
  for (int k = 0; k < 2; k++) transfer(k, 2, 500);
  near_to("two that arrive side by side are taken in one after the other", timed(&m),
          alone(500) + flow(500) + 2 * overhead + received);
  start(4);
  for (int k = 0; k < 2; k++) put(0, REC_SEND, 2 + k, 500);
  put(3, REC_RECV, 0, 500);
  put(2, REC_COPY, 0, 100000);
  put(2, REC_RECV, 0, 500);
  m.copy_s_per_byte = 1e-9;
  timed(&m);
  near_to("one that lies there is still to be taken in", result.rank_end_s[2], 100000e-9 + overhead + received);
  near_to("another rank's is not in its way", result.rank_end_s[3], gap + alone(500) + overhead);
  start(4);
  transfer(0, 2, 5000);
  near_to("a send that waits has none", timed(&m), alone(5000));
  machine_free(&m);
}

static void test_turnaround(void) {
  machine m = machine_with("class network 0 2e-6 1e-9 1 3e-7 0\nclass_nonblocking network 0 3e-6 1e-9 1 3e-7 0\n"
                           "turnaround network 0 7e-7 0\nturnaround network 400 5e-7 1e-10\n");
  double spends = 5e-7 + 500 * 1e-10, gap = 3e-7, near = 1e-7 + 500 * 2e-10;
  start(4);
  transfer(2, 0, 500);
  transfer(0, 3, 500);
  near_to("who sends on to another rank spends it besides the message's time", timed(&m), 2 * alone(500) + spends);
  near_to("and before its gap", result.rank_end_s[0], alone(500) + spends + gap);
  start(4);
  transfer(2, 0, 5000);
  transfer(0, 3, 5000);
  near_to("a send that waits does, too", timed(&m), 2 * alone(5000) + 5e-7 + 5000 * 1e-10);
  start(4);
  transfer(2, 0, 500);
  transfer(0, 2, 500);
  near_to("who sends back does not", timed(&m), 2 * alone(500));
  start(4);
  transfer(2, 0, 500);
  for (int k = 0; k < 2; k++) transfer(0, 3 - k, 500);
  timed(&m);
  near_to("of several sends the first does", result.rank_end_s[0], alone(500) + spends + 2 * gap);
  start(4);
  transfer(2, 0, 500);
  for (int k = 0; k < 2; k++) transfer(0, 2 + k, 500);
  timed(&m);
  near_to("and only that, whoever it is for", result.rank_end_s[0], alone(500) + 2 * gap);
  start(4);
  transfer(2, 0, 500);
  transfer(3, 0, 500);
  transfer(0, 3, 500);
  timed(&m);
  near_to("who has received from several spends it whomever it sends to", result.rank_end_s[0],
          alone(500) + flow(500) + spends + gap);
  start(4);
  transfer(2, 0, 500);
  transfer(0, 1, 500);
  near_to("another class does not", timed(&m), alone(500) + near);
  start(4);
  transfer(2, 0, 300);
  put(0, REC_ISEND, 3, 300);
  put(0, REC_WAIT, 1, 0);
  put(3, REC_RECV, 0, 300);
  near_to("a non-blocking send as the others where it has none of its own", timed(&m), 2 * alone(300) + 7e-7 + 1e-6);
  machine_free(&m);
  m = machine_with(
      "class network 0 2e-6 1e-9 1\nturnaround network 0 7e-7 0\nturnaround_nonblocking network 0 9e-7 0\n");
  near_to("else its own", timed(&m), 2 * alone(300) + 9e-7);
  machine_free(&m);
}

static void test_nonblocking(void) {
  machine m = machine_with("class network 0 2e-6 1e-9 1\nclass_nonblocking network 0 3e-6 1e-9 1\n"
                           "class_nonblocking network 800 4e-6 1e-9 1 5e-7 0\neager_nonblocking 400\n");
  for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
    start(4);
    put(0, nonblocking ? REC_ISEND : REC_SEND, 2, 900);
    if (nonblocking) put(0, REC_WAIT, 0, 0);
    put(2, REC_RECV, 0, 900);
    near_to("curves of two kinds", timed(&m), nonblocking ? 4e-6 + 900e-9 : alone(900));
    near_to("limits of two kinds", result.rank_end_s[0], nonblocking ? 4e-6 + 900e-9 : 0);
  }
  start(4);
  put(0, REC_ISEND, 2, 300);
  put(0, REC_WAIT, 0, 0);
  put(2, REC_RECV, 0, 300);
  near_to("the first piece", timed(&m), 3e-6 + 300e-9);
  near_to("below the limit", result.rank_end_s[0], 0);
  machine_free(&m);
}

/* Segments to one peer. */
static void test_in_order(void) {
  for (int ordered = 0; ordered < 2; ordered++) {
    machine m = machine_with(ordered ? "class network 0 2e-6 1e-9 1\nin_order\n" : "class network 0 2e-6 1e-9 1\n");
    start(4);
    for (int k = 0; k < 3; k++) transfer(0, 2, 1000);
    result.want_messages = true;
    timed(&m);
    double ready = alone(1000) - flow(1000);
    for (int k = 0; k < 3; k++)
      near_to(ordered ? "one after the other" : "all at once", result.message[k].end_s,
              ready + (ordered ? k + 1 : 3) * flow(1000));
    /* A short one, ready before the long one that was posted before it, waits; one to another peer does not. */
    start(4);
    transfer(0, 2, 900);
    transfer(0, 2, 0);
    transfer(0, 3, 0);
    timed(&m);
    double first = alone(900);
    if (ordered) near_to("the second of its pair", result.message[1].end_s, first + flow(0));
    else check(result.message[1].end_s < first, "not in order: the short one comes first");
    check(result.message[2].end_s < first, "another pair");
    result.want_messages = false;
    machine_free(&m);
  }
}

static void test_nic_gap(void) {
  machine m = machine_with("class network 0 2e-6 1e-9 1\nnic_gap 4e-7\n");
  start(4);
  transfer(0, 2, 8);
  near_to("a message alone does not wait", timed(&m), alone(8));
  result.want_messages = true;
  start(4);
  transfer(1, 3, 8); /* two ranks of a node, at once: by rank */
  transfer(0, 2, 8);
  transfer(0, 2, 8);
  timed(&m);
  double shared = 0; /* gaps are longer than flows, so that nobody meets on the wire */
  near_to("the first of rank 0", result.message[0].end_s, alone(8) + shared);
  near_to("the second of rank 0", result.message[1].end_s, alone(8) + 4e-7);
  near_to("rank 1's", result.message[2].end_s, alone(8) + 8e-7);
  start(4);
  transfer(0, 1, 8);
  transfer(2, 0, 8);
  timed(&m);
  near_to("within a node there is no NIC", result.message[0].end_s, 1e-7 + 8 * 2e-10);
  near_to("every node has its own", result.message[1].end_s, alone(8));
  result.want_messages = false;
  machine_free(&m);
}

/* Rank 0's part: who reads or writes it moves the bytes, and rank 0's core has no part in that. */
static void test_segments(void) {
  const double bytes = 10000, takes = 1e-7 + bytes * 2e-10;
  char text[] = "control 16\neager 1000\ncore 1e10\nclass cache 0 1e-7 2e-10 1\nin_order\n"
                "place 0 0 0 0\nplace 1 0 0 0\nplace 2 0 0 0\nplace 3 0 0 0\n",
       error[256];
  machine m;
  check(machine_read(&m, written(text), error, sizeof error), "machine: %s", error);
  for (int kind = REC_WRITE; kind <= REC_READ; kind++) {
    start(4);
    add(1, (rec_op){ .kind = (uint8_t)kind, .buf = REC_SEGMENT, .buf2 = REC_SEGMENT, .bytes = 10000 });
    near_to("alone it takes the curve's time", timed(&m), takes);
    add(2, (rec_op){ .kind = (uint8_t)kind, .buf = REC_SEGMENT, .buf2 = REC_SEGMENT, .bytes = 10000 });
    near_to("two do not share the port of the part's rank", timed(&m), takes);
    put(kind == REC_WRITE ? 3 : 0, REC_SEND, kind == REC_WRITE ? 0 : 3, 10000);
    put(kind == REC_WRITE ? 0 : 3, REC_RECV, kind == REC_WRITE ? 3 : 0, 10000);
    near_to("nor do its messages", timed(&m), takes);
  }
  start(4);
  add(0, (rec_op){ .kind = REC_ISEND, .peer = 1, .bytes = 10000 });
  put(0, REC_WAIT, 0, 0);
  add(1, (rec_op){ .kind = REC_IRECV, .peer = 0, .bytes = 10000 });
  add(1, (rec_op){ .kind = REC_READ, .buf = REC_SEGMENT, .bytes = 10000 });
  put(1, REC_WAIT, 0, 0);
  near_to("the reader's port is shared, and no message comes first", timed(&m), takes + bytes * 1e-10);
  machine_free(&m);
}

/* Ranges against a mark for each byte. */
static void test_byte_set(void) {
  enum { BYTES = 300 };
  byte_set u = { 0 };
  unsigned seed = 1;
  for (int run = 0; run < 50; run++) {
    bool in[BYTES] = { false };
    u.n = 0;
    for (int k = 0; k < 80; k++) {
      seed = seed * 1103515245 + 12345;
      unsigned begin = seed / 65536 % BYTES, bytes = seed / 256 % 60, removed = 0;
      if (begin + bytes > BYTES) bytes = BYTES - begin;
      for (unsigned i = begin; i < begin + bytes; i++) removed += in[i], in[i] = k % 2;
      if (k % 2) {
        byte_set_add(&u, begin, bytes);
        continue;
      }
      uint64_t got = byte_set_remove(&u, begin, bytes);
      check(got == removed, "%u bytes from %u: %llu were in it, not %u", bytes, begin, (unsigned long long)got,
            removed);
    }
  }
  byte_set_remove(&u, 0, BYTES);
  check(!u.n, "nothing is left");
  for (unsigned i = 0; i < 10; i++) byte_set_add(&u, 10 * i, 10);
  check(u.n == 1, "neighbours are one range");
  byte_set_free(&u);
}

static void write_scratch(rec_kind kind, uint64_t begin, uint64_t bytes) {
  add(0, (rec_op){ .kind = (uint8_t)kind, .buf = REC_IN, .buf2 = REC_SCRATCH, .off2 = begin, .bytes = bytes });
}

static void test_first_touch(void) {
  static rec_piece pieces[] = { { 0, 1000 }, { 1024, 299 }, { 2048, 2000 } };
  machine m = machine_with("class network 0 2e-6 1e-9 1\nfirst_touch 1e-10 300\n"),
          plain = machine_with("class network 0 2e-6 1e-9 1\n");
  start(4);
  rec.rank[0].piece = pieces;
  rec.rank[0].pieces = 3;
  write_scratch(REC_COPY, 0, 500);
  near_to("each byte that is copied", timed(&m), 500e-10);
  write_scratch(REC_COPY, 0, 500);
  near_to("not a second time", timed(&m), 500e-10);
  write_scratch(REC_REDUCE, 250, 500);
  near_to("of those that are combined the new ones", timed(&m), 750e-10);
  write_scratch(REC_COPY, 1024, 299);
  near_to("smaller scratch has been written before", timed(&m), 750e-10);
  put(2, REC_SEND, 0, 2000);
  add(0, (rec_op){ .kind = REC_RECV, .buf = REC_SCRATCH, .off = 2048, .peer = 2, .bytes = 2000 });
  near_to("before a receive is posted", timed(&m), 2750e-10 + alone(2000));
  near_to("only where the machine says so", timed(&plain), alone(2000));
  near_to("and again", timed(&m), 2750e-10 + alone(2000));
  start(4);
  put(0, REC_SEND, 2, 2000);
  add(2, (rec_op){ .kind = REC_RECV, .buf = REC_OUT, .peer = 0, .bytes = 2000 });
  near_to("a call's own buffers have been written before", timed(&m), alone(2000));
  machine_free(&m);
  machine_free(&plain);
}

/* Rank 2 receives into `out`, of which 1000 bytes are its own input. */
static void test_fresh_out(void) {
  machine m = machine_with("class network 0 2e-6 1e-9 1\nfirst_touch 1e-10 1000000\n"),
          plain = machine_with("class network 0 2e-6 1e-9 1\n");
  rec_layout layout[4] = { 0 };
  start(4);
  rec.layout = layout;
  rec.collective = COLL_ALLGATHER;
  layout[2] = (rec_layout){
    .has_in = true, .has_out = true, .in_buf = REC_OUT, .out_buf = REC_OUT, .in_bytes = 1000, .out_bytes = 5000
  };
  put(0, REC_SEND, 2, 2000);
  add(2, (rec_op){ .kind = REC_RECV, .buf = REC_OUT, .off = 500, .bytes = 2000 });
  near_to("warm", timed(&m), alone(2000));
  result.fresh = true;
  near_to("each byte that is not input, before the receive", timed(&m), 1500e-10 + alone(2000));
  near_to("only where the machine says so", timed(&plain), alone(2000));
  result.fresh = false;
  near_to("warm again", timed(&m), alone(2000));
  result.fresh = true;
  rec.collective = COLL_BCAST;
  near_to("what only the root brings is not an input of others", timed(&m), 2000e-10 + alone(2000));
  layout[2].out_bytes = 4095;
  near_to("less than a page stays mapped", timed(&m), alone(2000));
  layout[2].out_bytes = 5000;
  add(2, (rec_op){ .kind = REC_COPY, .buf = REC_IN, .buf2 = REC_OUT, .off2 = 2000, .bytes = 1000 });
  near_to("of a copy what is new", timed(&m), 2500e-10 + alone(2000));
  add(2, (rec_op){ .kind = REC_MARK });
  add(2, (rec_op){ .kind = REC_COPY, .buf = REC_IN, .buf2 = REC_OUT, .off2 = 2000, .bytes = 1000 });
  near_to("of a loop each call that is timed finds it newly mapped, and none before", timed(&m),
          1000e-10 + alone(2000));
  result.fresh = false;
  machine_free(&m);
  machine_free(&plain);
}

static void more_refused(const char *more, const char *expected) {
  machine m;
  char text[2048], error[256] = "";
  snprintf(text, sizeof text, "%s%s", ACROSS, more);
  check(!machine_read(&m, written(text), error, sizeof error), "should have been refused: %s", more);
  check(strstr(error, expected), "\"%s\" does not say \"%s\"", error, expected);
  machine_free(&m);
}

static void test_bad_lines(void) {
  more_refused("class network 0 1 1 1 1e-7\n", ":11: class: GAP_S_PER_BYTE must follow GAP_S");
  more_refused("class network 0 1 1 1 -1 0\n", "-1: GAP_S must be a number");
  more_refused("class network 0 1 1 1 1 0 3\n", "write: class");
  more_refused("class_nonblocking wire 0 1 1\n", "class_nonblocking wire: choose cache");
  more_refused("class_nonblocking network 5 1 1\n", "class_nonblocking network: pieces start at 0");
  more_refused("eager_nonblocking -2\n", "BYTES must be a whole number from -1");
  more_refused("in_order yes\n", "write: in_order");
  more_refused("nic_gap 1e4\n", "1e4: S must be a number from");
  more_refused("nic_gap\n", "write: nic_gap S");
  more_refused("receive_gap network 0 1e-7\n", "write: receive_gap CLASS FROM_BYTES S S_PER_BYTE");
  more_refused("receive_gap network 1 1e-7 0\n", "receive_gap network: pieces start at 0");
  more_refused("receive_gap wire 0 1e-7 0\n", "receive_gap wire: choose cache");
  more_refused("turnaround network 1 1e-7 0\n", "turnaround network: pieces start at 0");
  more_refused("turnaround_nonblocking network 0 1e-7\n",
               "write: turnaround_nonblocking CLASS FROM_BYTES S S_PER_BYTE");
  more_refused("receive_gap network 0 -1 0\n", "-1: LATENCY_S must be a number");
  more_refused("first_touch 1e-10\n", "write: first_touch S_PER_BYTE FRESH_FROM_BYTES");
  more_refused("first_touch 2 100\n", "2: S_PER_BYTE must be a number from");
  more_refused("first_touch 1e-10 0\n", "FRESH_FROM_BYTES must be a whole number from 1");
}

int main(void) {
  test_gap();
  test_receive_gap();
  test_turnaround();
  test_nonblocking();
  test_in_order();
  test_nic_gap();
  test_segments();
  test_byte_set();
  test_first_touch();
  test_fresh_out();
  test_bad_lines();
  return finish();
}
