/* model/traffic.c: bytes by kinds of links, on networks small enough to count by hand. */
#include "model/traffic.h"

#include "tests/model/by_hand.h"

static const char seats[] = "class network 0 1e-6 1e-9\ncore 1e10\nnic 2e9\n"
                            "place 0 0 0 0\nplace 1 0 0 0\nplace 2 1 1 1\nplace 3 2 2 2\nplace 4 3 3 3\n";

static void counted(const char *what, uint64_t found, uint64_t expected) {
  check(found == expected, "%s: %llu bytes, not %llu", what, (unsigned long long)found, (unsigned long long)expected);
}

/* Ranks 0 and 1 sit on one node. Messages: 10 B within it, 100 B to the next node, 1000 B twice to the last one. */
static void count(const char *network, const char *name, uint64_t links, uint64_t global, uint64_t busiest,
                  bool has_global) {
  char text[400];
  snprintf(text, sizeof text, "%sclass cache 0 1e-7 1e-10\n%s", seats, network);
  machine m = machine_of(text);
  traffic t = { 0 };
  start(5);
  transfer(0, 1, 10);
  transfer(1, 2, 100);
  transfer(0, 4, 1000);
  transfer(3, 4, 1000);
  timed(&m);
  traffic_count(&t, timing_wiring(&result), &m);
  traffic_count(&t, timing_wiring(&result), &m); /* each count begins at nothing */
  counted(name, t.network_bytes, 2100);
  counted(name, t.link_bytes, links);
  counted(name, t.global_bytes, global);
  counted(name, t.busiest_bytes, busiest);
  check(topology_has_global(&m.topology) == has_global, "%s: global links", name);
  traffic_free(&t);
  machine_free(&m);
}

int main(void) {
  count("", "one switch", 0, 0, 0, false);
  /* Nodes of a ring of four: 0 to 1 a link, 0 to 3 one the other way round, 2 to 3 one. */
  count("topology torus 0 1e9 4\n", "ring", 2100, 0, 1000, false);
  /* Two leaves of two nodes and one uplink: up and down to node 3 for the message from node 0 alone. */
  count("topology fat_tree 0 1e9 2 2 1\n", "fat tree", 2000, 1000, 1000, true);
  /* Two groups of two routers of a node, whose link is at the first router of each: 0 to 1 a local link, 0 to 3 global and local, 2 to 3 local. */
  count("topology dragonfly 0 1e9 1e9 2 2 1\n", "dragonfly", 3100, 1000, 2000, true);
  /* Positions, not numbers of nodes: all four in one leaf of an 8-node tree. */
  count("topology fat_tree 0 1e9 2 4 1\npositions 4 4\n", "one leaf", 0, 0, 0, true);
  return finish();
}
