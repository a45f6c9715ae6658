/* circulant [all]: the schedules of the broadcast over the circulant graph, for every p up to 1024.
 *
 * First what patterns/circulant.h promises of a schedule; then broadcasts are played, round by round: every rank sends what it has,
 * receives each block once, and has all after blocks - 1 + ⌈lg p⌉ rounds. Up to 128 ranks of every number of blocks up to 64;
 * beyond of a few, and with `all` of every one, which takes a minute. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "patterns/circulant.h"
#include "patterns/lg.h"
#include "tests/algorithms/check.h"

enum { MAX_SIZE = 1024, ALL_BLOCKS = 128, MAX_BLOCKS = 64 };

static long schedules, broadcasts;

static coll_circulant graph;
static coll_circulant_blocks blocks_of[MAX_SIZE];

static void skips(int p) {
  CHECK(graph.p == p && graph.q == coll_lg_up(p) && graph.skip[graph.q] == p && graph.skip[0] == 1, "p=%d", p);
  for (int k = 0; k < graph.q; k++) CHECK(graph.skip[k] == (graph.skip[k + 1] + 1) / 2, "p=%d skip %d", p, k);
}

/* The four conditions. Blocks -q … q-1 are the bits 0 … 2q-1. */
static void conditions(int p, int v) {
  int q = graph.q, base = coll_circulant_base(&graph, v);
  const coll_circulant_blocks *b = &blocks_of[v];
  uint64_t received = 0, before = ((uint64_t)1 << q) - 1, own = (uint64_t)1 << base;
  uint64_t expected = (before ^ own) | own << q;
  for (int k = 0; k < q; k++) {
    int to = (v + graph.skip[k]) % p;
    if (to) CHECK(b->send[k] == blocks_of[to].receive[k], "p=%d: %d sends to %d what it does not expect", p, v, to);
    if (!v) CHECK(b->send[k] == k, "p=%d: the root sends block %d in round %d", p, b->send[k], k);
    else
      CHECK(b->send[k] == base - q || received >> (b->send[k] + q) & 1, "p=%d: %d sends %d before it has it", p, v,
            b->send[k]);
    if (v) received |= (uint64_t)1 << (b->receive[k] + q);
  }
  if (v) CHECK(received == expected, "p=%d: %d receives other blocks", p, v);
  schedules++;
}

static void broadcast(int p, long blocks) {
  static uint64_t has[MAX_SIZE];
  static coll_circulant_step step[MAX_SIZE];
  uint64_t all = blocks == 64 ? ~(uint64_t)0 : ((uint64_t)1 << blocks) - 1;
  memset(has, 0, sizeof has);
  has[0] = all;
  for (long round = 0; round < blocks - 1 + coll_lg_up(p); round++) {
    for (int v = 0; v < p; v++) {
      step[v] = coll_circulant_step_of(&graph, &blocks_of[v], v, blocks, round);
      if (step[v].send >= 0)
        CHECK(has[v] >> step[v].send & 1, "p=%d blocks=%ld round %ld: %d has no block %ld", p, blocks, round, v,
              step[v].send);
    }
    for (int v = 0; v < p; v++) {
      const coll_circulant_step *s = &step[v];
      CHECK(step[s->from].to == v && step[s->from].send == s->receive, "p=%d blocks=%ld round %ld: %d and %d", p,
            blocks, round, s->from, v);
      if (s->receive < 0) continue;
      CHECK(!(has[v] >> s->receive & 1), "p=%d blocks=%ld round %ld: %d receives %ld again", p, blocks, round, v,
            s->receive);
      has[v] |= (uint64_t)1 << s->receive;
    }
  }
  for (int v = 0; v < p; v++) CHECK(has[v] == all, "p=%d blocks=%ld: %d lacks blocks", p, blocks, v);
  broadcasts++;
}

int main(int argc, char **argv) {
  bool every = argc == 2 && !strcmp(argv[1], "all");
  if (argc > 1 && !every) return fprintf(stderr, "circulant_test [all]\n"), 2;
  for (int p = 1; p <= MAX_SIZE; p++) {
    graph = coll_circulant_make(p);
    skips(p);
    for (int v = 0; v < p; v++) blocks_of[v] = coll_circulant_schedule(&graph, v);
    for (int v = 0; v < p; v++) conditions(p, v);
    for (long n = 1; n <= MAX_BLOCKS && p > 1; n++) {
      bool few = n == 1 || n == 2 || n == graph.q || n == graph.q + 1 || n == 2 * graph.q + 3;
      if (every || few || p <= ALL_BLOCKS) broadcast(p, n);
    }
  }
  printf("%ld schedules, %ld broadcasts, %d failed\n", schedules, broadcasts, failed);
  return failed != 0;
}
