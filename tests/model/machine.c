/* Machine files: what their lines mean for a message, and what is said of lines that mean nothing. */
#include "tests/model/by_hand.h"

#include <stdio.h>
#include <string.h>

static void test_classes(void) {
  machine m = machine_of("ports fluid\ncontrol 0\n"
                         "class cache 0 1e-7 1e-10\nclass socket 0 2e-7 1e-10\nclass node 0 4e-7 2e-10\n"
                         "class network 0 1e-6 1e-9   # pieces\nclass network 1000 2e-6 5e-10\n"
                         "nic 2e9\nmemory 1e10\nbound 1 2 3\n"
                         "place 0 0 0 0\nplace 1 0 0 0\nplace 2 0 0 1\nplace 3 0 1 2\nplace 4 1 2 3\nplace 5 1 2 3\n");
  near_to("bound", m.bound_gamma_s_per_byte, 3);
  const double expected[] = { 0, 1e-7 + 100e-10, 2e-7 + 100e-10, 4e-7 + 200e-10, 1e-6 + 1e-7 };
  for (int to = 1; to < 5; to++) {
    start(5);
    transfer(0, to, 100);
    near_to("class", timed(&m), expected[to]);
  }
  start(6); /* two messages out of a node: each wants 2e9, the NIC has 2e9 */
  transfer(0, 4, 10000);
  transfer(1, 5, 10000);
  near_to("a NIC shared", timed(&m), 2e-6 + 10000 / 1e9);
  start(7);
  refused(&m, "the machine has places for 6 ranks, the schedule has 7");
  machine_free(&m);
  m = machine_of("class cache 0 1e-7 1e-10\nplace 0 0 0 0\nplace 1 1 1 1\n");
  start(2);
  transfer(0, 1, 8);
  refused(&m, "ranks 0 and 1: the machine has no line for class network");
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

/* Runs of ranks say what one line per rank says. */
static void test_runs(void) {
  machine m = machine_of("class network 0 1 1\nseats 2 0 0\nseats 1 1 2\nnodes 2 5 2 3\n"
                         "place 6 9 9 9\nseats 1 1 1\nnodes 3 0 2 2\n");
  static const coll_place expected[] = { { 5, 10, 15 }, { 5, 10, 15 }, { 5, 11, 17 }, { 6, 12, 18 }, { 6, 12, 18 },
                                         { 6, 13, 20 }, { 9, 9, 9 },   { 0, 1, 1 },   { 1, 3, 3 },   { 2, 5, 5 } };
  check(m.places == 10, "%d places", m.places);
  check(m.places == 10 && !memcmp(m.place, expected, sizeof expected), "runs of places");
  machine_free(&m);
  machine_refused("class network 0 1 1\nseats 1 0 0\n", ":2: seats: no nodes line follows, which says where they are");
  machine_refused("class network 0 1 1\nnodes 1 0 1 1\n", ":2: nodes: there are no seats lines before it");
  machine_refused("class network 0 1 1\nseats 99999999 0 0\n",
                  ":2: 99999999: COUNT must be a whole number from 1 to 4194304");
  machine_refused("class network 0 1 1\nseats 9999 0 0\nnodes 9999 0 1 1\n", ":3: more than 4194304 ranks have places");
  machine_refused("class network 0 1 1\nseats 1 4194303 0\nnodes 2 0 1 1\n",
                  ":3: nodes: numbers of nodes, sockets and caches stay below 4194304");
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
  machine_refused("class far 0 1 1\nclass die 0 1 1\n",
                  ":2: class die: choose cache, socket, node, far or network, or name it in a level line before");
  machine_refused("level die 2 0\nlevel die 4 0\n", ":2: level die is given twice");
  machine_refused("level die 2 0\nlevel part 3 0\n",
                  ":2: level part: CACHES must be a multiple of 2, the level's before it, and more");
  machine_refused("level die 1 0\n", ":1: level die: CACHES must be a multiple of 1, the level's before it, and more");
  machine_refused("noise die 0 0 0\n",
                  ":1: noise die: choose cache, socket, node, far or network, or name it in a level line before");
  machine_refused("noise network 0 0.5 0\n", ":1: noise network: pieces start at 0 bytes and ascend, each with PART 0");
  machine_refused("noise network 8 0 0\n", ":1: noise network: pieces start at 0 bytes and ascend, each with PART 0");
  machine_refused("noise network 0 0 1e-6\nnoise network 0 1 0\n",
                  ":2: noise network: PART and SECONDS of a piece ascend, and it ends with PART 1");
  machine_refused("noise network 0 0 0\nnoise network 8 0 0\n",
                  ":2: noise network: PART and SECONDS of a piece ascend, and it ends with PART 1");
  machine_refused("noise network 0 0 0\nnoise network 0 2 0\n", ":2: 2: PART must be a number from 1e-09 to 1, or 0");
  machine_refused("class network 0 1 1\nnoise network 0 0 0\n", ":2: noise: the last piece does not end with PART 1");
  machine_refused("level far 2 0\n", ":1: level far: every machine has a class of this name; choose another");
  machine_refused("level Die 2 0\n", ":1: level Die: NAME is made of up to 20 small letters, digits and _");
  machine_refused("level die 2 -1\n", ":1: -1: BYTES_PER_S must be a number from 1 to 1e+18, or 0");
  machine_refused("mesh 1 1\n", ":1: mesh 1 1: a link joins two sockets");
  machine_refused("mesh 0 1\nmesh 2 3\nclass network 0 1 1\n", ":3: mesh: no links lead from socket 0 to socket 2");
  machine_refused("mesh 0 1\nnic_socket 0 3 0\n", ":2: 3 sockets of a node: the mesh has 2");
  machine_refused("nic_socket 1 2 0\nmesh 1 2\n", ":2: there is no socket 2 on a node; nic_socket says that it has 2");
  machine_refused("nic_socket 2 2 0\n", ":1: 2: SOCKET must be a whole number from 0 to 1");
}

/* A word too few, a word too many. */
static void test_words(void) {
  static const char *const lines[][2] = {
    { "ports", ":1: write: ports fluid|one_port" },
    { "ports 1 1", ":1: write: ports fluid|one_port" },
    { "control", ":1: write: control BYTES" },
    { "control 1 1", ":1: write: control BYTES" },
    { "gamma", ":1: write: gamma S_PER_BYTE" },
    { "gamma 1 1", ":1: write: gamma S_PER_BYTE" },
    { "copy", ":1: write: copy S_PER_BYTE" },
    { "copy 1 1", ":1: write: copy S_PER_BYTE" },
    { "eager", ":1: write: eager BYTES" },
    { "eager 1 1", ":1: write: eager BYTES" },
    { "overhead", ":1: write: overhead S" },
    { "overhead 1 1", ":1: write: overhead S" },
    { "nic", ":1: write: nic BYTES_PER_S" },
    { "nic 1 1", ":1: write: nic BYTES_PER_S" },
    { "memory", ":1: write: memory BYTES_PER_S" },
    { "memory 1 1", ":1: write: memory BYTES_PER_S" },
    { "class 1 1 1",
      ":1: write: class cache|socket|node|far|network|LEVEL FROM_BYTES LATENCY_S S_PER_BYTE [TRAFFIC [GAP_S GAP_S_PER_BYTE]]" },
    { "class 1 1 1 1 1 1 1 1",
      ":1: write: class cache|socket|node|far|network|LEVEL FROM_BYTES LATENCY_S S_PER_BYTE [TRAFFIC [GAP_S GAP_S_PER_BYTE]]" },
    { "place 1 1 1", ":1: write: place RANK NODE SOCKET CACHE" },
    { "place 1 1 1 1 1", ":1: write: place RANK NODE SOCKET CACHE" },
    { "seats 1 1", ":1: write: seats COUNT SOCKET CACHE" },
    { "seats 1 1 1 1", ":1: write: seats COUNT SOCKET CACHE" },
    { "nodes 1 1 1", ":1: write: nodes TIMES FIRST SOCKETS CACHES" },
    { "nodes 1 1 1 1 1", ":1: write: nodes TIMES FIRST SOCKETS CACHES" },
    { "bound 1 1", ":1: write: bound ALPHA BETA GAMMA" },
    { "bound 1 1 1 1", ":1: write: bound ALPHA BETA GAMMA" },
    { "core", ":1: write: core BYTES_PER_S" },
    { "core 1 1", ":1: write: core BYTES_PER_S" },
    { "interconnect", ":1: write: interconnect BYTES_PER_S" },
    { "interconnect 1 1", ":1: write: interconnect BYTES_PER_S" },
    { "switch", ":1: write: switch BYTES_PER_S" },
    { "switch 1 1", ":1: write: switch BYTES_PER_S" },
    { "cache", ":1: write: cache BYTES_PER_S" },
    { "cache 1 1", ":1: write: cache BYTES_PER_S" },
    { "across", ":1: write: across BYTES_PER_S" },
    { "across 1 1", ":1: write: across BYTES_PER_S" },
    { "level 1 1", ":1: write: level NAME CACHES BYTES_PER_S" },
    { "level 1 1 1 1", ":1: write: level NAME CACHES BYTES_PER_S" },
    { "mesh 1", ":1: write: mesh SOCKET SOCKET" },
    { "mesh 1 1 1", ":1: write: mesh SOCKET SOCKET" },
    { "nic_socket 1 1", ":1: write: nic_socket SOCKET SOCKETS S" },
    { "nic_socket 1 1 1 1", ":1: write: nic_socket SOCKET SOCKETS S" },
    { "class_nonblocking 1 1 1", ":1: write: class_nonblocking CLASS, then as class" },
    { "class_nonblocking 1 1 1 1 1 1 1 1", ":1: write: class_nonblocking CLASS, then as class" },
    { "eager_nonblocking", ":1: write: eager_nonblocking BYTES" },
    { "eager_nonblocking 1 1", ":1: write: eager_nonblocking BYTES" },
    { "in_order 1", ":1: write: in_order" },
    { "nic_gap", ":1: write: nic_gap S" },
    { "nic_gap 1 1", ":1: write: nic_gap S" },
    { "positions 1", ":1: write: positions FIRST COUNT" },
    { "positions 1 1 1", ":1: write: positions FIRST COUNT" },
    { "first_touch 1", ":1: write: first_touch S_PER_BYTE FRESH_FROM_BYTES" },
    { "first_touch 1 1 1", ":1: write: first_touch S_PER_BYTE FRESH_FROM_BYTES" },
    { "noise 1 1 1", ":1: write: noise CLASS FROM_BYTES PART SECONDS" },
    { "noise 1 1 1 1 1", ":1: write: noise CLASS FROM_BYTES PART SECONDS" },
    { "receive_gap 1 1 1", ":1: write: receive_gap CLASS FROM_BYTES S S_PER_BYTE" },
    { "receive_gap 1 1 1 1 1", ":1: write: receive_gap CLASS FROM_BYTES S S_PER_BYTE" },
  };
  char text[100];
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    snprintf(text, sizeof text, "%s\n", lines[i][0]);
    machine_refused(text, lines[i][1]);
  }
}

/* Both sides of each number. */
static void test_numbers(void) {
  static const char *const lines[][3] = {
    { "control 1", "control 0.5", ":1: 0.5: BYTES must be a number from 1 to 1.1259e+15, or 0" },
    { "gamma 1", "gamma 1.01", ":1: 1.01: S_PER_BYTE must be a number from 1e-18 to 1, or 0" },
    { "gamma 1e-18", "gamma 9e-19", ":1: 9e-19: S_PER_BYTE must be a number from 1e-18 to 1, or 0" },
    { "copy 0", "copy -1", ":1: -1: S_PER_BYTE must be a number from 1e-18 to 1, or 0" },
    { "eager 1125899906842624", "eager 1125899906842625",
      ":1: 1125899906842625: BYTES must be a whole number from -1 to 1125899906842624" },
    { "eager -1", "eager -2", ":1: -2: BYTES must be a whole number from -1 to 1125899906842624" },
    { "eager_nonblocking -1", "eager_nonblocking -2",
      ":1: -2: BYTES must be a whole number from -1 to 1125899906842624" },
    { "eager_nonblocking 1125899906842624", "eager_nonblocking 1125899906842625",
      ":1: 1125899906842625: BYTES must be a whole number from -1 to 1125899906842624" },
    { "overhead 1000", "overhead 1001", ":1: 1001: S must be a number from 1e-18 to 1000, or 0" },
    { "nic 1e18", "nic 1.1e18", ":1: 1.1e18: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "nic 1", "nic 0.9", ":1: 0.9: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "memory 1", "memory x", ":1: x: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "core 1", "core x", ":1: x: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "interconnect 1", "interconnect x", ":1: x: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "switch 1", "switch x", ":1: x: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "cache 1", "cache x", ":1: x: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "across 1", "across x", ":1: x: BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "nic_gap 1", "nic_gap x", ":1: x: S must be a number from 1e-18 to 1000, or 0" },
    { "first_touch 1 1", "first_touch 1 0",
      ":1: 0: FRESH_FROM_BYTES must be a whole number from 1 to 1125899906842624" },
    { "first_touch 0 1125899906842624", "first_touch x 1", ":1: x: S_PER_BYTE must be a number from 1e-18 to 1, or 0" },
    { "bound 0 1000 0", "bound x 0 0", ":1: x: ALPHA must be a number from 1e-18 to 1000, or 0" },
    { "bound 0 0 0", "bound 0 x 0", ":1: x: BETA must be a number from 1e-18 to 1000, or 0" },
    { "in_order", "bound 0 0 x", ":1: x: GAMMA must be a number from 1e-18 to 1000, or 0" },
    { "class network 0 0 0 1e6", "class network 0 0 0 1.1e6",
      ":1: 1.1e6: TRAFFIC must be a number from 1e-12 to 1e+06, or 0" },
    { "class network 0 0 0 1e-12", "class network 0 0 0 9e-13",
      ":1: 9e-13: TRAFFIC must be a number from 1e-12 to 1e+06, or 0" },
    { "class network 0 0 0 1 0 0", "class network 0 0 0 1 0", ":1: class: GAP_S_PER_BYTE must follow GAP_S" },
    { "class network 0 0 0 1 1 1", "class network 0 0 0 1 x 1",
      ":1: x: GAP_S must be a number from 1e-18 to 1000, or 0" },
    { "class network 0 0 1", "class network 0 0 0 1 1 x",
      ":1: x: GAP_S_PER_BYTE must be a number from 1e-18 to 1, or 0" },
    { "class_nonblocking cache 0 0 1", "class_nonblocking x 0 0 1",
      ":1: class_nonblocking x: choose cache, socket, node, far or network, or name it in a level line before" },
    { "receive_gap socket 0 0 1", "receive_gap x 0 0 1",
      ":1: receive_gap x: choose cache, socket, node, far or network, or name it in a level line before" },
    { "receive_gap socket 0 0 1", "receive_gap node 1 0 1",
      ":1: receive_gap node: pieces start at 0 bytes and ascend" },
    { "place 0 4194303 4194303 4194303", "place 0 4194304 0 0",
      ":1: 4194304: NODE must be a whole number from 0 to 4194303" },
    { "place 0 0 0 0", "place 0 0 4194304 0", ":1: 4194304: SOCKET must be a whole number from 0 to 4194303" },
    { "place 0 0 0 0", "place 0 0 0 4194304", ":1: 4194304: CACHE must be a whole number from 0 to 4194303" },
    { "place 0 0 0 0", "place 4194304 0 0 0", ":1: 4194304: RANK must be a whole number from 0 to 4194303" },
    { "place 0 0 0 0", "seats 1 0 0", ":1: seats: no nodes line follows, which says where they are" },
    { "place 0 0 0 0", "seats 4194304 0 0\nseats 1 0 0", ":2: more than 4194304 seats on a node" },
    { "place 0 0 0 0", "seats 4194305 0 0", ":1: 4194305: COUNT must be a whole number from 1 to 4194304" },
    { "place 0 0 0 0", "seats 1 4194304 0", ":1: 4194304: SOCKET must be a whole number from 0 to 4194303" },
    { "place 0 0 0 0", "seats 1 0 4194304", ":1: 4194304: CACHE must be a whole number from 0 to 4194303" },
    { "seats 1 0 0\nnodes 1 4194303 1 1", "seats 1 0 0\nnodes 1 4194304 1 1",
      ":2: 4194304: FIRST must be a whole number from 0 to 4194303" },
    { "seats 1 0 0\nnodes 4 0 1048576 1", "seats 1 0 0\nnodes 5 0 1048576 1",
      ":2: nodes: numbers of nodes, sockets and caches stay below 4194304" },
    { "seats 1 0 0\nnodes 4 0 1 1048576", "seats 1 0 0\nnodes 5 0 1 1048576",
      ":2: nodes: numbers of nodes, sockets and caches stay below 4194304" },
    { "seats 1 0 1048575\nnodes 4 0 1 1048576", "seats 1 0 1048576\nnodes 4 0 1 1048576",
      ":2: nodes: numbers of nodes, sockets and caches stay below 4194304" },
    { "seats 1 0 0\nnodes 2 4194302 1 1", "seats 1 0 0\nnodes 3 4194302 1 1",
      ":2: nodes: numbers of nodes, sockets and caches stay below 4194304" },
    { "seats 1 0 0\nnodes 1 0 4194304 1", "seats 1 0 0\nnodes 1 0 4194305 1",
      ":2: 4194305: SOCKETS must be a whole number from 1 to 4194304" },
    { "seats 1 0 0\nnodes 1 0 1 4194304", "seats 1 0 0\nnodes 1 0 1 4194305",
      ":2: 4194305: CACHES must be a whole number from 1 to 4194304" },
    { "seats 1 0 0\nnodes 1 0 1 1", "seats 1 0 0\nnodes 0 0 1 1",
      ":2: 0: TIMES must be a whole number from 1 to 4194304" },
    { "seats 2097152 0 0\nnodes 2 0 1 1", "seats 2097153 0 0\nnodes 2 0 1 1",
      ":2: more than 4194304 ranks have places" },
    { "level a 4194304 0", "level a 4194305 0", ":1: 4194305: CACHES must be a whole number from 1 to 4194304" },
    { "level a 2 0\nlevel b 4 0\nlevel c 8 0\nlevel d 16 0", "level a 2 0\nlevel b 2 0",
      ":2: level b: CACHES must be a multiple of 2, the level's before it, and more" },
    { "level abcdefghijklmnopq_09 2 0", "level socket 2 0",
      ":1: level socket: every machine has a class of this name; choose another" },
    { "noise network 0 0 -1000\nnoise network 0 1 1000", "noise network 0 0 -1001",
      ":1: -1001: SECONDS must be a number from -1000 to 1000, or 0" },
    { "noise network 0 0 0\nnoise network 0 1 0\nnoise network 9 0 0\nnoise network 9 1 0",
      "noise network 0 0 0\nnoise network 0 1 0\nnoise network 0 0 0",
      ":3: noise network: pieces start at 0 bytes and ascend, each with PART 0" },
    { "noise network 0 0 0\nnoise network 0 0.5 0\nnoise network 0 1 0",
      "noise network 0 0 0\nnoise network 0 0.5 0\nnoise network 0 0.5 0",
      ":3: noise network: PART and SECONDS of a piece ascend, and it ends with PART 1" },
    { "mesh 0 1", "mesh 0 1\nmesh 2 1\nmesh 3 4", ":3: mesh: no links lead from socket 0 to socket 3" },
    { "nic_socket 0 1 0", "nic_socket 0 1 x", ":1: x: S must be a number from 1e-18 to 1000, or 0" },
    { "topology torus 0 1 1 1 1 1 1 1", "topology dragonfly 0 1 0.5 2 2 2",
      ":1: 0.5: GLOBAL_BYTES_PER_S must be a number from 1 to 1e+18, or 0" },
    { "topology dragonfly 0 1 1 2 2 2", "topology torus x 1 4",
      ":1: x: HOP_LATENCY_S must be a number from 1e-18 to 1000, or 0" },
    { "topology torus 0 1 512", "topology torus 0 1 514", ":1: topology: routes cross at most 256 links" },
    { "topology torus 0 1 4\npositions 3 1", "topology torus 0 1 4\npositions 3 2",
      ":2: 2: COUNT must be a whole number from 1 to 1" },
  };
  machine m;
  char text[200], error[512];
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    snprintf(text, sizeof text, "class network 0 1 1\n%s\n", lines[i][0]);
    if (!strncmp(lines[i][0], "class network", 13)) snprintf(text, sizeof text, "%s\n", lines[i][0]);
    check(machine_read(&m, written(text), error, sizeof error), "%s: %s", lines[i][0], error);
    machine_free(&m);
    snprintf(text, sizeof text, "%s\n", lines[i][1]);
    machine_refused(text, lines[i][2]);
  }
}

static void test_bad_machines(void) {
  machine_refused("class network 0 1e-6 1e-9\nports both\n", ":2: ports both: choose fluid or one_port");
  machine_refused(
      "class network 0 1e-6\n",
      ":1: write: class cache|socket|node|far|network|LEVEL FROM_BYTES LATENCY_S S_PER_BYTE [TRAFFIC [GAP_S GAP_S_PER_BYTE]]");
  machine_refused("class network 0 -1 1e-9\n", ":1: -1: LATENCY_S must be a number from 1e-18 to 1000, or 0");
  machine_refused("class network 5 1e-6 1e-9\n", ":1: class network: pieces start at 0 bytes and ascend");
  machine_refused("class network 0 1 1\nclass network 0 1 1\n",
                  ":2: class network: pieces start at 0 bytes and ascend");
  machine_refused("class wire 0 1 1\n",
                  ":1: class wire: choose cache, socket, node, far or network, or name it in a level line before");
  machine_refused("class network 0 1 1\nplace 1 0 0 0\n", ":2: place 1: ranks come in order, this should be rank 0");
  machine_refused(
      "speed 3\n",
      ":1: unknown line speed; known: ports control gamma copy eager overhead class level core cache memory across interconnect mesh nic nic_socket switch topology positions place seats nodes bound class_nonblocking eager_nonblocking in_order nic_gap receive_gap turnaround turnaround_nonblocking invalidation first_touch noise link route back_traffic window weight");
  machine_refused("ports one_port\n", ":1: no class network line, and no place that would make another class do");
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
  refused(&m, "a node has no position in the machine's topology; give as many positions as there are nodes");
  machine_free(&m);
  machine_refused("topology tours 0 1 4\n", ":1: topology tours: choose torus, fat_tree or dragonfly");
  machine_refused("topology torus 0 1 4\ntopology torus 0 1 4\n", ":2: topology: there is one above");
  machine_refused("topology torus -1 1 4\n", ":1: -1: HOP_LATENCY_S must be a number from 1e-18 to 1000, or 0");
  machine_refused("topology torus 0 0 4\n", ":1: topology: its links move more than 0 bytes per second");
  machine_refused("topology torus 0 1 1 1 1 1 1 1 1\n", ":1: topology torus: 7 numbers say its shape; it needs 1 to 6");
  machine_refused(
      "topology torus 0 1 1 1 1 1 1 1 1 1 1\n",
      ":1: write: topology torus|fat_tree|dragonfly HOP_LATENCY_S LINK_BYTES_PER_S [GLOBAL_BYTES_PER_S] SHAPE");
  machine_refused("topology fat_tree 0 1 2 2\n", ":1: topology fat_tree: 2 numbers say its shape; it needs 3 to 3");
  machine_refused("topology dragonfly 0 1 2 2 2\n", ":1: topology dragonfly: 2 numbers say its shape; it needs 3 to 3");
  machine_refused("topology dragonfly 0 1 0 2 2 2\n", ":1: topology: its links move more than 0 bytes per second");
  machine_refused("topology torus 0 1 4 0\n", ":1: 0: a number of the shape must be a whole number from 1 to 4194304");
  machine_refused("topology torus 0 1 3000 3000\n", ":1: topology: at most 4194304 positions and 16777216 links");
  machine_refused("topology dragonfly 0 1 1 1 4000000 1\n",
                  ":1: topology: at most 4194304 positions and 16777216 links");
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
  test_words();
  test_numbers();
  return finish();
}
