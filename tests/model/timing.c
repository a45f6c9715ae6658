/* The timing engine under both rules of ports, on schedules small enough to work out by hand. */
#include "tests/model/by_hand.h"

#include "model/busy.h"

#include <stdio.h>
#include <string.h>

static const double a = 1e-6, b = 1e-9, g = 2.5e-10;

static void test_one_message(void) {
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  start(2);
  transfer(0, 1, 1000);
  add(1, (rec_op){ .kind = REC_REDUCE, .bytes = 400 });
  near_to("one_port, one message and a reduction", timed(&one_port), a + 1000 * b + 400 * g);
  near_to("rank 0 ends with its send", result.rank_end_s[0], a + 1000 * b);
  check(result.messages == 1 && result.critical_messages == 1, "one message on the path");
  near_to("fluid, with 16 control bytes", timed(&fluid), a + 1016 * b + 400 * g);
  start(1);
  near_to("no operations", timed(&one_port), 0);
  machine_free(&one_port);
  machine_free(&fluid);
}

static void test_outstanding(void) {
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  start(5);
  for (int r = 1; r < 5; r++) {
    put(0, REC_ISEND, r, 1000);
    put(r, REC_RECV, 0, 1000);
  }
  for (int i = 0; i < 4; i++) put(0, REC_WAIT, i, 0);
  near_to("one_port: sends one after the other", timed(&one_port), 4 * (a + 1000 * b));
  near_to("the third receiver", result.rank_end_s[3], 3 * (a + 1000 * b));
  check(result.critical_messages == 4, "%zu messages on the path, not 4", result.critical_messages);
  near_to("fluid: latencies together, port shared", timed(&fluid), a + 4 * 1016 * b);
  /* The port is free for the second from the middle of the way: 500 bytes of each, then one alone. */
  start(3);
  put(0, REC_ISEND, 1, 484);
  put(0, REC_ISEND, 2, 984);
  put(0, REC_WAIT, 0, 0);
  put(0, REC_WAIT, 1, 0);
  put(1, REC_RECV, 0, 484);
  put(2, REC_RECV, 0, 984);
  timed(&fluid);
  near_to("short one, half the port", result.rank_end_s[1], a + 1000 * b);
  near_to("long one, then all of it", result.rank_end_s[2], a + 1500 * b);
  machine_free(&one_port);
  machine_free(&fluid);
}

/* 0 to 2 and 1 to 2 share a way in; 0 to 1 has what is left of 0's way out; 3 to 4 nothing to do with them. */
static void test_max_min(void) {
  machine m = machine_ideal_simgrid(0, b, 0);
  start(5);
  int pairs[][2] = { { 0, 2 }, { 1, 2 }, { 0, 1 }, { 3, 4 } };
  for (int i = 0; i < 4; i++) {
    put(pairs[i][0], REC_ISEND, pairs[i][1], 984);
    put(pairs[i][1], REC_IRECV, pairs[i][0], 984);
  }
  for (int r = 0; r < 5; r++)
    for (int i = 0, n = (int)rec.rank[r].n; i < n; i++) put(r, REC_WAIT, i, 0);
  timed(&m);
  near_to("shared ports", result.rank_end_s[2], 2000 * b);
  near_to("a flow apart", result.rank_end_s[4], 1000 * b);
  machine_free(&m);
}

/* Four messages wait for rank 0's way in since the same instant, one of them at its sender's way out at first; a fifth came later. Who
 * was there first goes first, whoever comes to the queue late. */
static void test_ties_of_a_queue(void) {
  machine one_port = machine_one_port(1, 0, 0.5);
  start(8);
  int senders[] = { 1, 2, 3, 6, 4, 5 };
  put(4, REC_ISEND, 7, 1);
  put(7, REC_RECV, 4, 1);
  add(5, (rec_op){ .kind = REC_REDUCE, .bytes = 1 });
  for (int i = 0; i < 6; i++) {
    put(senders[i], REC_ISEND, 0, 1);
    put(0, REC_IRECV, senders[i], 1);
  }
  put(4, REC_WAIT, 0, 0);
  for (int i = 0; i < 6; i++) put(senders[i], REC_WAIT, (int)rec.rank[senders[i]].n - 1 - (senders[i] == 4), 0);
  for (int i = 0; i < 6; i++) put(0, REC_WAIT, i, 0);
  timed(&one_port);
  for (int i = 0; i < 6; i++) near_to("one after the other", result.rank_end_s[senders[i]], i + 1);
  machine_free(&one_port);
}

static void test_blocking(void) {
  machine one_port = machine_one_port(a, b, g);
  start(3); /* a receive posted late holds up its sender, and who waits for that one */
  add(1, (rec_op){ .kind = REC_REDUCE, .bytes = 40000 });
  transfer(0, 1, 0);
  transfer(0, 2, 0);
  near_to("rendezvous", timed(&one_port), 40000 * g + 2 * a);
  result.want_messages = true;
  timed(&one_port);
  check(result.message[0].dst == 1 && result.message[1].dst == 2, "messages by sender and order");
  near_to("posted", result.message[0].posted_s, 40000 * g);
  near_to("start of the second", result.message[1].start_s, 40000 * g + a);
  near_to("end of the second", result.message[1].end_s, 40000 * g + 2 * a);
  result.want_messages = false;
  one_port.eager_bytes = 0;
  timed(&one_port);
  near_to("eager: rank 0 does not wait", result.rank_end_s[0], 0);
  near_to("eager: rank 2 neither, but for the port", result.rank_end_s[2], 2 * a);
  near_to("eager: it was there already", result.rank_end_s[1], 40000 * g);
  machine_free(&one_port);
}

/* The processor pays for a send that it need not wait for and for taking the message in; one call that waits for
 * several takes them as they come. */
static void test_overhead(void) {
  machine m = machine_ideal_simgrid(a, b, g);
  double o = 1e-7;
  m.overhead_s = o;
  m.eager_bytes = 100;
  start(2);
  transfer(0, 1, 84);
  near_to("eager message", timed(&m), o + a + 100 * b + o);
  start(2);
  transfer(0, 1, 984);
  near_to("rendezvous", timed(&m), a + 1000 * b);
  for (int together = 0; together < 2; together++) {
    start(3);
    put(0, REC_IRECV, 1, 84);
    put(0, REC_IRECV, 2, 84);
    add(1, (rec_op){ .kind = REC_REDUCE, .bytes = 8000 }); /* rank 1 is 2 us late */
    put(1, REC_SEND, 0, 84);
    put(2, REC_SEND, 0, 84);
    add(0, (rec_op){ .kind = REC_WAIT, .peer = 0, .bytes = (uint64_t)together });
    put(0, REC_WAIT, 1, 0);
    timed(&m);
    near_to(together ? "taken in as they come" : "taken in in order", result.rank_end_s[0],
            8000 * g + o + a + 100 * b + (together ? 1 : 2) * o);
  }
  machine_free(&m);
}

static void test_labels(void) {
  machine m = machine_one_port(a, b, 0);
  start(2); /* the same pair under two labels: received in the other order */
  add(0, (rec_op){ .kind = REC_ISEND, .peer = 1, .label = 1, .bytes = 1000 });
  add(0, (rec_op){ .kind = REC_ISEND, .peer = 1, .label = 2, .bytes = 3000 });
  put(0, REC_WAIT, 0, 0);
  put(0, REC_WAIT, 1, 0);
  add(1, (rec_op){ .kind = REC_RECV, .peer = 0, .label = 2, .bytes = 3000 });
  add(1, (rec_op){ .kind = REC_RECV, .peer = 0, .label = 1, .bytes = 1000 });
  near_to("labels keep messages apart", timed(&m), 2 * a + 4000 * b);
  machine_free(&m);
}

static void test_segments(void) {
  machine m = machine_ideal_simgrid(a, b, 0);
  m.copy_s_per_byte = 1e-10;
  start(2);
  add(0, (rec_op){ .kind = REC_WRITE, .buf2 = REC_SEGMENT, .peer = 0, .bytes = 10000 });
  add(0, (rec_op){ .kind = REC_PUBLISH, .buf = REC_SEGMENT, .peer = 0, .off = 1, .off2 = 5 });
  add(1, (rec_op){ .kind = REC_AWAIT, .buf = REC_SEGMENT, .peer = 0, .off = 1, .off2 = 4 });
  add(1, (rec_op){ .kind = REC_READ, .buf = REC_SEGMENT, .peer = 0, .bytes = 10000 });
  near_to("written, awaited and read", timed(&m), 10000e-10 + a + 64 * b + a + 10000 * b);
  check(result.messages == 0, "segments are not messages");
  rec.rank[1].op[0].off2 = 6;
  refused(&m, "deadlock: rank 1 waits for ever in operation 0, a flag with rank 0");
  machine_free(&m);
}

static void test_faults(void) {
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  start(2);
  put(0, REC_SEND, 1, 8);
  put(0, REC_RECV, 1, 8);
  put(1, REC_SEND, 0, 8);
  put(1, REC_RECV, 0, 8);
  refused(&one_port, "deadlock: rank 0 waits for ever in operation 0, its send with rank 1");
  refused(&fluid, "deadlock: rank 0 waits for ever in operation 0, its send with rank 1");
  fluid.eager_bytes = 8;
  near_to("both may send when sends need not wait", timed(&fluid), a + 24 * b);
  start(2);
  put(0, REC_SEND, 1, 8);
  refused(&one_port, "rank 0 sends to rank 1, which never receives it");
  start(2);
  put(0, REC_RECV, 1, 8);
  refused(&one_port, "rank 0 receives from rank 1, which sends no such message");
  start(2);
  put(0, REC_SEND, 7, 8);
  refused(&one_port, "rank 0 sends to rank 7, which does not exist");
  machine_free(&one_port);
  machine_free(&fluid);
}

/* Memory is used again: the same times after other schedules and machines. */
static void test_again(void) {
  machine one_port = machine_one_port(a, b, g), fluid = machine_ideal_simgrid(a, b, g);
  double first[2] = { 0, 0 };
  for (int k = 0; k < 50; k++) {
    start(RANKS);
    int p = 2 + k % 7;
    rec.args.size = p;
    for (int r = 0; r < p; r++) {
      put(r, REC_ISEND, (r + 1) % p, 100 * (size_t)k);
      put(r, REC_IRECV, (r + p - 1) % p, 100 * (size_t)k);
      put(r, REC_WAIT, 0, 0);
      put(r, REC_WAIT, 1, 0);
    }
    near_to("ring, one_port", timed(&one_port), a + 100 * k * b);
    near_to("ring, fluid", timed(&fluid), a + (100 * k + 16) * b);
    start(3);
    transfer(0, 1, 77);
    transfer(0, 2, 99);
    double now[2] = { timed(&one_port), timed(&fluid) };
    for (int i = 0; i < 2; i++) {
      check(!k || now[i] == first[i], "call %d: %.17g, not %.17g", k, now[i], first[i]);
      first[i] = now[i];
    }
  }
  machine_free(&one_port);
  machine_free(&fluid);
}

/* A time above stop_s is not found, and one that is not above it is the very same. */
static void test_stop(void) {
  machine machines[] = { machine_one_port(a, b, g), machine_ideal_simgrid(a, b, g) };
  for (int i = 0; i < 2; i++) {
    start(3);
    transfer(0, 1, 1000);
    transfer(1, 2, 1000);
    add(2, (rec_op){ .kind = REC_REDUCE, .bytes = 400 });
    double whole = timed(&machines[i]), late[] = { 1e-12, a / 2, whole / 2, whole - 200 * g };
    for (int k = 0; k < 4; k++) {
      result.stop_s = late[k];
      timed(&machines[i]);
      check(result.is_slower && result.slower_than_s >= late[k] && result.slower_than_s < whole,
            "rule %d, stop %d: goes on", i, k);
    }
    result.stop_s = whole;
    check(timed(&machines[i]) == whole && !result.is_slower, "rule %d: what ends at the stop has a time", i);
    result.stop_s = 0;
    check(timed(&machines[i]) == whole && !result.is_slower, "rule %d: without a stop", i);
  }
  /* Both ranks are done at once; that a message is still under way makes the call no longer. */
  machines[1].eager_bytes = 2000;
  start(2);
  put(0, REC_SEND, 1, 1000);
  put(1, REC_IRECV, 0, 1000);
  result.stop_s = a / 2;
  check(timed(&machines[1]) == 0 && !result.is_slower, "a message that nobody waits for");
  result.stop_s = 0;
  for (int i = 0; i < 2; i++) machine_free(&machines[i]);
}

/* Of a rank that waits for nobody it is its time. */
static void test_busy(void) {
  machine fluid = machine_ideal_simgrid(a, b, g);
  fluid.eager_bytes = 2000;
  fluid.overhead_s = a / 10;
  fluid.copy_s_per_byte = g / 2;
  start(3);
  for (int r = 1; r < 3; r++) transfer(0, r, 1000);
  put(0, REC_ISEND, 2, 5000);
  put(2, REC_RECV, 0, 5000);
  add(0, (rec_op){ .kind = REC_REDUCE, .bytes = 400 });
  add(0, (rec_op){ .kind = REC_COPY, .bytes = 400 });
  timed(&fluid);
  near_to("rank 0 is busy", busy_at_least(&fluid, &rec, 0), 3 * a / 10 + 600 * g);
  near_to("until its end", result.rank_end_s[0], busy_at_least(&fluid, &rec, 0));
  near_to("rank 2 takes an eager message in", busy_at_least(&fluid, &rec, 2), a / 10);
  machine_free(&fluid);
}

int main(void) {
  test_one_message();
  test_outstanding();
  test_max_min();
  test_ties_of_a_queue();
  test_blocking();
  test_overhead();
  test_labels();
  test_segments();
  test_faults();
  test_again();
  test_stop();
  test_busy();
  return finish();
}
