/* What a time is spent on, on schedules small enough to work out by hand. */
#include "model/explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/path.h"
#include "tests/model/by_hand.h"

static const double a = 1e-6, b = 1e-9, g = 2.5e-10;
static explanation why;
static timing_result times;

static void explained(const machine *m) { check(!explain_run(&rec, m, &times, &why), "timed: %s", times.error); }

static void part_is(const char *what, part_kind part, double seconds) { near_to(what, why.seconds[part], seconds); }

static void first_link_is(const machine *m, int ranks, const char *kind, const char *expected) {
  link_paths on = { 0 };
  char name[80];
  paths_prepare(&on, m, ranks);
  const char *found = paths_name(&on, why.watched, name, sizeof name);
  check(!strcmp(found, kind) && !strcmp(name, expected), "the link is %s (%s), not %s", name, found, expected);
  paths_free(&on);
}

/* Ranks 1 to n send to rank 0 at once. */
static void incast(int n, size_t bytes) {
  start(n + 1);
  for (int r = 1; r <= n; r++) {
    put(r, REC_SEND, 0, bytes);
    put(0, REC_IRECV, r, bytes);
  }
  for (int i = 0; i < n; i++) put(0, REC_WAIT, i, 0);
}

static void test_incast(void) {
  machine fluid = machine_ideal_simgrid(a, b, g), one_port = machine_one_port(a, b, g);
  incast(4, 984);
  explained(&fluid);
  part_is("latencies pass together", PART_LATENCY, a);
  part_is("one message's bytes", PART_BANDWIDTH, 1000 * b);
  part_is("the others', on the same port", PART_WAIT, 3000 * b);
  first_link_is(&fluid, 5, "port", "port of rank 0, in");
  near_to("all wait for that", why.wait_s[why.watched], 3000 * b);
  near_to("and it carries them all", why.busy_s[why.watched], 4000 * b);
  check(why.messages == 1, "%zu messages on the path, not 1", why.messages);
  const causes *c = &why.causes;
  check(c->loads == 2 && c->load[0].load > 1 - 1e-9 && c->load[1].load == 0, "full, then empty");
  near_to("full since", c->load[0].time, a);
  near_to("until", c->load[1].time, a + 4000 * b);
  explained(&one_port);
  part_is("one after the other: latencies", PART_LATENCY, 4 * a);
  part_is("and bytes", PART_BANDWIDTH, 4 * 984 * b);
  check(why.messages == 4, "%zu messages on the path, not 4", why.messages);
  first_link_is(&one_port, 5, "port", "port of rank 0, in");
  check(c->loads == 2 && c->load[0].load == 1, "one port, busy all the time");
  machine_free(&fluid);
  machine_free(&one_port);
}

/* Ranks of node 0 send to one of node 1, whose way in is wider than the NICs. */
static void test_nic(void) {
  machine m;
  char text[] = "control 0\neager -1\ncore 1e10\nnic 1e9\nclass network 0 1e-6 1e-9 1\nclass cache 0 1e-7 2e-10 1\n"
                "place 0 0 0 0\nplace 1 0 0 0\nplace 2 0 0 0\nplace 3 1 1 1\n",
       error[256];
  check(machine_read(&m, written(text), error, sizeof error), "machine: %s", error);
  start(4);
  for (int r = 0; r < 3; r++) {
    put(r, REC_SEND, 3, 1000);
    put(3, REC_IRECV, r, 1000);
  }
  for (int i = 0; i < 3; i++) put(3, REC_WAIT, i, 0);
  explained(&m);
  part_is("the NIC's latency", PART_LATENCY, a);
  part_is("a message through the NIC alone", PART_BANDWIDTH, 1000 * b);
  part_is("two others", PART_WAIT, 2000 * b);
  check(why.busy_s[why.watched] > 2999 * b, "the NIC carries all three");
  char name[80];
  link_paths on = { 0 };
  paths_prepare(&on, &m, 4);
  check(!strcmp(paths_name(&on, why.watched, name, sizeof name), "NIC"), "not the NIC but %s", name);
  paths_free(&on);
  machine_free(&m);
}

/* A token goes round a ring: latencies, and nobody waits for a link. */
static void test_latency_bound_ring(void) {
  machine fluid = machine_ideal_simgrid(a, b, g);
  enum { P = 8 };
  start(P);
  for (int r = 0; r < P; r++) {
    if (r) put(r, REC_RECV, r - 1, 8);
    if (r < P - 1) put(r, REC_SEND, r + 1, 8);
  }
  explained(&fluid);
  part_is("a latency each", PART_LATENCY, (P - 1) * a);
  part_is("few bytes", PART_BANDWIDTH, (P - 1) * 24 * b);
  part_is("nobody is in the way", PART_WAIT, 0);
  check(why.messages == P - 1, "%zu messages on the path, not %d", why.messages, P - 1);
  check(why.path[0].rank == P - 2 && why.path[why.parts - 1].rank == 0, "from the last hop back to the first");
  machine_free(&fluid);
}

/* Rank 0 has its message ready at once; rank 1 combines first and takes it then. */
static void test_rendezvous(void) {
  machine fluid = machine_ideal_simgrid(a, b, g);
  start(2);
  put(0, REC_SEND, 1, 984);
  add(1, (rec_op){ .kind = REC_REDUCE, .bytes = 4000 });
  put(1, REC_RECV, 0, 984);
  add(1, (rec_op){ .kind = REC_COPY, .bytes = 1000 });
  fluid.copy_s_per_byte = 2e-10;
  explained(&fluid);
  part_is("what the receiver did", PART_REDUCE, 4000 * g);
  part_is("a copy", PART_COPY, 1000 * 2e-10);
  near_to("while its sender stood", why.rendezvous_s, 4000 * g);
  fluid.eager_bytes = 10000;
  explained(&fluid);
  near_to("which an eager one need not", why.rendezvous_s, 0);
  part_is("the message came meanwhile", PART_REDUCE, 0);
  machine_free(&fluid);
}

/* A small message behind a large one of its pair; many behind each other at a NIC; and what processors spend. */
static void test_protocol(void) {
  machine m;
  char error[256];
  const char *base = "control 0\neager 10000\noverhead 1e-7\nclass network 0 1e-6 1e-9\nplace 0 0 0 0\nplace 1 1 1 1\n";
  char text[512];
  snprintf(text, sizeof text, "%sin_order\n", base);
  check(machine_read(&m, written(text), error, sizeof error), "machine: %s", error);
  start(2);
  transfer(0, 1, 9000);
  transfer(0, 1, 2000);
  explained(&m);
  part_is("two are posted, one taken in", PART_OVERHEAD, 3e-7);
  part_is("behind the one before", PART_ORDER, 9000 * b - 1e-7);
  part_is("one latency counts", PART_LATENCY, a);
  machine_free(&m);
  snprintf(text, sizeof text, "%snic_gap 2e-6\n", base);
  check(machine_read(&m, written(text), error, sizeof error), "machine: %s", error);
  start(2);
  for (int i = 0; i < 3; i++) transfer(0, 1, 1);
  explained(&m);
  part_is("the third begins after two gaps", PART_NIC_GAP, 2 * 2e-6 - 2e-7);
  machine_free(&m);
  snprintf(text, sizeof text, "%sreceive_gap network 0 3e-7 0\n", base);
  check(machine_read(&m, written(text), error, sizeof error), "machine: %s", error);
  start(2);
  for (int i = 0; i < 3; i++) transfer(0, 1, 1);
  explained(&m);
  part_is("the third is taken in after two others", PART_RECEIVE_GAP, 3 * 3e-7);
  part_is("what the receiver spends is not on the wire", PART_LATENCY, a - 3e-7);
  machine_free(&m);
  snprintf(text, sizeof text, "%sturnaround network 0 3e-7 1e-11\nplace 2 2 2 2\nplace 3 3 3 3\n", base);
  check(machine_read(&m, written(text), error, sizeof error), "machine: %s", error);
  start(4);
  for (int i = 0; i < 3; i++) transfer(i, i + 1, 1000);
  explained(&m);
  part_is("two ranks of a chain send on", PART_TURNAROUND, 2 * (3e-7 + 1000e-11));
  machine_free(&m);
}

/* Every link of a machine that has all kinds of them: two nodes of a socket each, with two caches of four cores that are a level's. */
static void test_names(void) {
  static const char *const expected[] = {
    "port: port of rank 0, out",
    "port: port of rank 1, out",
    "port: port of rank 2, out",
    "port: port of rank 0, in",
    "port: port of rank 1, in",
    "port: port of rank 2, in",
    "NIC: NIC of node 0, out",
    "NIC: NIC of node 1, out",
    "NIC: NIC of node 0, in",
    "NIC: NIC of node 1, in",
    "memory: memory of socket 0",
    "memory: memory of socket 1",
    "interconnect: socket 0 to socket 0",
    "interconnect: socket 1 to socket 1",
    "cache: cache 0, out",
    "cache: cache 1, out",
    "cache: cache 2, out",
    "cache: cache 0, in",
    "cache: cache 1, in",
    "cache: cache 2, in",
    "ccd: ccd 0, out",
    "ccd: ccd 1, out",
    "ccd: ccd 0, in",
    "ccd: ccd 1, in",
    "across: rank 0 to other sockets, out",
    "across: rank 1 to other sockets, out",
    "across: rank 2 to other sockets, out",
    "across: rank 0 to other sockets, in",
    "across: rank 1 to other sockets, in",
    "across: rank 2 to other sockets, in",
  };
  const int links = sizeof expected / sizeof *expected;
  machine m;
  char text[] =
      "level ccd 2 1e10\nclass network 0 1e-6 1e-9\ncore 1e10\ncache 9e9\nacross 5e9\ninterconnect 4e9\nmemory 2e10\n"
      "nic 2e9\nplace 0 0 0 0\nplace 1 0 0 1\nplace 2 1 1 2\n",
       error[256];
  check(machine_read(&m, written(text), error, sizeof error), "machine: %s", error);
  link_paths on = { 0 };
  const char *wrong = paths_prepare(&on, &m, 3);
  check(!wrong, "%s", wrong);
  check(on.resources == links, "%d links, not %d", on.resources, links);
  for (int i = 0; i < links && i < on.resources; i++) {
    char name[80], answer[128];
    const char *kind = paths_name(&on, i, name, sizeof name);
    snprintf(answer, sizeof answer, "%s: %s", kind, name);
    check(!strcmp(answer, expected[i]), "link %d is \"%s\", not \"%s\"", i, expected[i], answer);
  }
  paths_free(&on);
  machine_free(&m);
}

int main(void) {
  test_names();
  test_incast();
  test_nic();
  test_latency_bound_ring();
  test_rendezvous();
  test_protocol();
  explain_free(&why);
  timing_free(&times);
  return finish();
}
