/* Machine files: what their lines mean for a message, and what is said of lines that mean nothing. */
#include "tests/model/by_hand.h"

#include <string.h>

static machine machine_of(const char *text) {
  machine m;
  char error[256];
  bool fine = machine_read(&m, written(text), error, sizeof error);
  check(fine, "machine: %s", error);
  return m;
}

static void machine_refused(const char *text, const char *wanted) {
  machine m;
  char error[256] = "";
  check(!machine_read(&m, written(text), error, sizeof error), "machine should have been refused: %s", text);
  check(strstr(error, wanted), "\"%s\" does not say \"%s\"", error, wanted);
  machine_free(&m);
}

static void test_classes(void) {
  machine m = machine_of("ports fluid\ncontrol 0\n"
                         "class cache 0 1e-7 1e-10\nclass socket 0 2e-7 1e-10\nclass node 0 4e-7 2e-10\n"
                         "class network 0 1e-6 1e-9   # pieces\nclass network 1000 2e-6 5e-10\n"
                         "nic 2e9\nmemory 1e10\nbound 1 2 3\n"
                         "place 0 0 0 0\nplace 1 0 0 0\nplace 2 0 0 1\nplace 3 0 1 2\nplace 4 1 2 3\nplace 5 1 2 3\n");
  near_to("bound", m.bound_gamma_s_per_byte, 3);
  const double wanted[] = { 0, 1e-7 + 100e-10, 2e-7 + 100e-10, 4e-7 + 200e-10, 1e-6 + 1e-7 };
  for (int to = 1; to < 5; to++) {
    start(5);
    transfer(0, to, 100);
    near_to("class", timed(&m), wanted[to]);
  }
  start(6); /* two messages out of a node: each wants 2e9, the NIC has 2e9 */
  transfer(0, 4, 10000);
  transfer(1, 5, 10000);
  near_to("a NIC shared", timed(&m), 2e-6 + 10000 / 1e9);
  start(7);
  refused(&m, "places for 6 ranks, the schedule has 7");
  machine_free(&m);
  m = machine_of("class cache 0 1e-7 1e-10\nplace 0 0 0 0\nplace 1 1 1 1\n");
  start(2);
  transfer(0, 1, 8);
  refused(&m, "no line for class network");
  machine_free(&m);
}

/* Links by name: the message is on the NIC for its traffic and waits the rest of its time before. */
static void test_links(void) {
  machine m = machine_of("control 16\nclass cache 0 1e-7 3e-10 2\nclass network 0 1e-6 1e-9 1\n"
                         "core 1e10\nmemory 4e10\nnic 2e9\nswitch 4e9\n"
                         "place 0 0 0 0\nplace 1 0 0 0\nplace 2 1 1 1\nplace 3 1 1 1\n");
  start(2);
  transfer(0, 1, 10000);
  near_to("alone, in a cache", timed(&m), 1e-7 + 10000 * 3e-10);
  start(3);
  transfer(0, 2, 10000);
  near_to("alone, across", timed(&m), 1e-6 + 10000 * 1e-9);
  start(4);
  transfer(0, 2, 10000);
  transfer(1, 3, 10000);
  near_to("two share the NIC", timed(&m), 1e-6 + 10000 * 1e-9 - 10016 / 2e9 + 2 * 10016 / 2e9);
  machine_free(&m);
}

/* Runs of ranks say what a line a rank says. */
static void test_runs(void) {
  machine m = machine_of("class network 0 1 1\nseats 2 0 0\nseats 1 1 2\nnodes 2 5 2 3\n"
                         "place 6 9 9 9\nseats 1 1 1\nnodes 3 0 2 2\n");
  static const coll_place wanted[] = { { 5, 10, 15 }, { 5, 10, 15 }, { 5, 11, 17 }, { 6, 12, 18 }, { 6, 12, 18 },
                                       { 6, 13, 20 }, { 9, 9, 9 },   { 0, 1, 1 },   { 1, 3, 3 },   { 2, 5, 5 } };
  check(m.places == 10, "%d places", m.places);
  check(m.places == 10 && !memcmp(m.place, wanted, sizeof wanted), "runs of places");
  machine_free(&m);
  machine_refused("class network 0 1 1\nseats 1 0 0\n", "no nodes line follows");
  machine_refused("class network 0 1 1\nnodes 1 0 1 1\n", ":2: nodes: there are no seats lines before it");
  machine_refused("class network 0 1 1\nseats 99999999 0 0\n", ":2: 99999999: COUNT must be a whole number from 1 to");
  machine_refused("class network 0 1 1\nseats 9999 0 0\nnodes 9999 0 1 1\n", "more than 4194304 ranks");
  machine_refused("class network 0 1 1\nseats 1 4194303 0\nnodes 2 0 1 1\n", "stay below 4194304");
}

/* Two units of two caches, linked; four sockets in a row, of which the NIC has the second. */
static void test_inside(void) {
  machine m = machine_of(
      "control 0\nlevel die 2 1e9\nclass cache 0 1e-7 1e-10\nclass die 0 2e-7 1e-10\n"
      "class socket 0 3e-7 1e-9\nclass node 0 4e-7 1e-9\nclass far 0 5e-7 1e-9\nclass network 0 1e-6 1e-9\n"
      "core 1e10\ninterconnect 15e8\nnic 4e9\nacross 15e8\nmesh 0 1\nmesh 2 1\nmesh 2 3\n"
      "nic_socket 1 4 1e-7\n"
      "place 0 0 0 0\nplace 1 0 0 0\nplace 2 0 0 1\nplace 3 0 0 2\nplace 4 0 1 4\nplace 5 0 2 8\n"
      "place 6 1 5 20\nplace 7 1 6 24\nplace 8 0 3 12\n");
  static const double latency[] = { 1e-7, 2e-7, 3e-7, 4e-7, 5e-7, 1e-6 + 1e-7, 1e-6 + 2e-7, 5e-7 };
  for (int to = 1; to < 9; to++) {
    start(9);
    transfer(0, to, 1000);
    near_to("a class of the inside", timed(&m), latency[to - 1] + 1000 * (to < 3 ? 1e-10 : 1e-9));
  }
  start(9); /* both leave the unit: its link has 1e9 */
  transfer(0, 3, 10000);
  transfer(2, 4, 10000);
  near_to("a unit's link shared", timed(&m), 3e-7 + 2 * 10000 / 1e9);
  start(9); /* one leaves it, the other stays */
  transfer(0, 3, 10000);
  transfer(1, 2, 10000);
  near_to("nothing shared", timed(&m), 3e-7 + 10000 / 1e9);
  start(9); /* both cross the links from socket 1 to 2; units and ports are their own */
  transfer(0, 5, 10000);
  transfer(4, 8, 10000);
  near_to("a link of sockets shared", timed(&m), 5e-7 + 2 * 10000 / 15e8);
  machine_free(&m);
  machine_refused("class far 0 1 1\nclass die 0 1 1\n", ":2: class die: choose cache");
  machine_refused("level die 2 0\nlevel die 4 0\n", ":2: level die is given twice");
  machine_refused("level die 2 0\nlevel part 3 0\n", ":2: level part: CACHES must be a multiple of 2");
  machine_refused("level die 1 0\n", ":1: level die: CACHES must be a multiple of 1, the level's before it, and more");
  machine_refused("noise die 0 0 0\n", ":1: noise die: choose cache");
  machine_refused("noise network 0 0.5 0\n", ":1: noise network: pieces start at 0 bytes and ascend, each with PART 0");
  machine_refused("noise network 8 0 0\n", ":1: noise network: pieces start at 0 bytes");
  machine_refused("noise network 0 0 1e-6\nnoise network 0 1 0\n",
                  ":2: noise network: PART and SECONDS of a piece ascend");
  machine_refused("noise network 0 0 0\nnoise network 8 0 0\n",
                  ":2: noise network: PART and SECONDS of a piece ascend");
  machine_refused("noise network 0 0 0\nnoise network 0 2 0\n", ":2: 2: PART must be a number from");
  machine_refused("class network 0 1 1\nnoise network 0 0 0\n", "noise: the last piece does not end with PART 1");
  machine_refused("level far 2 0\n", ":1: level far: every machine has a class of this name");
  machine_refused("level Die 2 0\n", ":1: level Die: NAME is made of up to 20 small letters");
  machine_refused("level die 2 -1\n", ":1: -1: BYTES_PER_S must be a number");
  machine_refused("mesh 1 1\n", ":1: mesh 1 1: a link joins two sockets");
  machine_refused("mesh 0 1\nmesh 2 3\nclass network 0 1 1\n", "mesh: no links lead from socket 0 to socket 2");
  machine_refused("mesh 0 1\nnic_socket 0 3 0\n", ":2: 3 sockets of a node: the mesh has 2");
  machine_refused("nic_socket 1 2 0\nmesh 1 2\n", ":2: there is no socket 2 on a node; nic_socket says that it has 2");
  machine_refused("nic_socket 2 2 0\n", ":1: 2: SOCKET must be a whole number from 0 to 1");
}

static void test_bad_machines(void) {
  machine_refused("class network 0 1e-6 1e-9\nports both\n", ":2: ports both: choose fluid or one_port");
  machine_refused("class network 0 1e-6\n", ":1: write: class");
  machine_refused("class network 0 -1 1e-9\n", ":1: -1: LATENCY_S must be a number");
  machine_refused("class network 5 1e-6 1e-9\n", "pieces start at 0");
  machine_refused("class network 0 1 1\nclass network 0 1 1\n",
                  ":2: class network: pieces start at 0 bytes and ascend");
  machine_refused("class wire 0 1 1\n", "choose cache, socket, node, far or network, or name it");
  machine_refused("class network 0 1 1\nplace 1 0 0 0\n", "this should be rank 0");
  machine_refused("speed 3\n", "unknown line speed");
  machine_refused("ports one_port\n", "no class network line");
  machine m;
  char error[256] = "";
  check(!machine_read(&m, "/nowhere/at/all", error, sizeof error) && strstr(error, "/nowhere/at/all: "),
        "missing file: %s", error);
}

/* A ring of four nodes; the second node sits opposite the first. */
static void test_topology(void) {
  machine m = machine_of("control 0\nclass network 0 1e-6 1e-9\ncore 1e10\nnic 1e10\nswitch 1e10\n"
                         "topology torus 1e-7 1e9 4\npositions 0 1\npositions 2 1\npositions 1 1\npositions 3 1\n"
                         "place 0 0 0 0\nplace 1 1 1 1\nplace 2 2 2 2\nplace 3 3 3 3\n");
  start(3);
  transfer(0, 2, 10000);
  near_to("a neighbour", timed(&m), 1e-6 + 10000 * 1e-9);
  start(2);
  transfer(0, 1, 10000);
  near_to("two links", timed(&m), 1e-6 + 1e-7 + 10000 * 1e-9);
  start(4); /* from 0 upwards to 2, and from 1 to 3: both over the link from 1 to 2 */
  transfer(0, 1, 10000);
  transfer(2, 3, 10000);
  near_to("a link shared", timed(&m), 1e-6 + 1e-7 + 20000 * 1e-9);
  machine_free(&m);
  m = machine_of("class network 0 1e-6 1e-9\ncore 1e10\ntopology fat_tree 0 1e9 2 1 1\npositions 1 1\n"
                 "place 0 0 0 0\nplace 1 1 1 1\n");
  start(2);
  transfer(0, 1, 8);
  refused(&m, "give as many positions as there are nodes");
  machine_free(&m);
  machine_refused("topology tours 0 1 4\n", ":1: topology tours: choose torus, fat_tree or dragonfly");
  machine_refused("topology torus 0 1 4\ntopology torus 0 1 4\n", ":2: topology: there is one above");
  machine_refused("topology torus -1 1 4\n", ":1: -1: HOP_LATENCY_S must be a number");
  machine_refused("topology torus 0 0 4\n", ":1: topology: its links move more than 0");
  machine_refused("topology torus 0 1 1 1 1 1 1 1 1\n", ":1: topology torus: 7 numbers say its shape; it needs 1 to 6");
  machine_refused("topology torus 0 1 1 1 1 1 1 1 1 1 1\n", ":1: write: topology");
  machine_refused("topology fat_tree 0 1 2 2\n", ":1: topology fat_tree: 2 numbers say its shape; it needs 3 to 3");
  machine_refused("topology dragonfly 0 1 2 2 2\n", ":1: topology dragonfly: 2 numbers say its shape");
  machine_refused("topology dragonfly 0 1 0 2 2 2\n", ":1: topology: its links move more than 0");
  machine_refused("topology torus 0 1 4 0\n", ":1: 0: a number of the shape must be a whole number from 1");
  machine_refused("topology torus 0 1 3000 3000\n", ":1: topology: at most 4194304 positions");
  machine_refused("topology dragonfly 0 1 1 1 4000000 1\n", ":1: topology: at most 4194304 positions and");
  machine_refused("topology torus 0 1 600\n", ":1: topology: routes cross at most 256 links");
  machine_refused("positions 0 1\n", ":1: positions: there is no topology line before it");
  machine_refused("topology torus 0 1 4\npositions 4 1\n", ":2: 4: FIRST must be a whole number from 0 to 3");
  machine_refused("topology torus 0 1 4\npositions 2 3\n", ":2: 3: COUNT must be a whole number from 1 to 2");
  machine_refused("topology torus 0 1 2\npositions 0 2\npositions 0 1\n",
                  ":3: positions: more than the 2 that there are");
}

int main(void) {
  test_topology();
  test_classes();
  test_links();
  test_runs();
  test_inside();
  test_bad_machines();
  return finish();
}
