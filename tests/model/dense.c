/* model/dense.c: flows in bundles take the times that flows one by one take, whenever bundles begin, and need fewer shares; model/flows.h:
 * stamps that begin again change no time, events beyond what is counted are refused. */
#include "model/dense.h"
#include "model/flows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/by_hand.h"

#define CURVES                       \
  "class cache 0 2e-7 1e-10\n"       \
  "class socket 0 3e-7 2e-10\n"      \
  "class socket 3000 5e-7 1.5e-10\n" \
  "class node 0 4e-7 2.5e-10\n"      \
  "class network 0 1.3e-6 4e-10\n"   \
  "class network 2048 2.1e-6 3e-10\n"
/* Three nodes of three ranks; on the first and the second each has a socket for two. */
#define SEATS                                                                   \
  "place 0 0 0 0\nplace 1 0 0 1\nplace 2 0 1 2\nplace 3 1 2 3\nplace 4 1 2 4\n" \
  "place 5 1 3 5\nplace 6 2 4 6\nplace 7 2 4 7\nplace 8 2 4 8\n"
#define NAMED "ports fluid\ncontrol 16\neager 4000\ncore 6e9\n"

static const char *const machines[] = {
  "ports fluid\ncontrol 16\neager -1\nclass network 0 1e-6 1e-9\n",
  "ports fluid\ncontrol 16\neager 4096\noverhead 2e-7\nnic 3e9\nmemory 8e9\n" CURVES SEATS,
  NAMED "nic 2.5e9\nmemory 7e9\ninterconnect 5e9\nswitch 2.4e9\n" CURVES SEATS,
  NAMED "nic 2.5e9\nmemory 40e9\ncache 8e9\n" CURVES SEATS,
  NAMED "nic 2e9\ntopology fat_tree 1e-7 1.5e9 3 1 1\n" CURVES SEATS,
  NAMED "nic 5e9\nmemory 9e9\ntopology torus 1e-7 1e9 3 2\n" CURVES SEATS,
  NAMED "nic 2e9\nin_order\nnic_gap 3e-7\n" CURVES SEATS,
};

static unsigned state;
static unsigned draw(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

/* Messages between any two ranks, all without blocking, some of one size; who sends works a little in between. */
static void scatter_messages(int messages) {
  static const size_t sizes[] = { 100, 2000, 2000, 2000, 5000, 40000 };
  int waits[RANKS][OPS], n[RANKS] = { 0 };
  start(RANKS);
  for (int i = 0; i < messages; i++) {
    int src = (int)draw(RANKS), dst = (src + 1 + (int)draw(RANKS - 1)) % RANKS;
    size_t bytes = sizes[draw(6)];
    if (draw(4) == 0) put(src, REC_CALC, 0, draw(3000));
    waits[src][n[src]++] = put(src, REC_ISEND, dst, bytes);
    waits[dst][n[dst]++] = put(dst, REC_IRECV, src, bytes);
  }
  for (int r = 0; r < RANKS; r++)
    for (int i = 0; i < n[r]; i++) put(r, REC_WAIT, waits[r][i], 0);
}

static void ends(const machine *m, size_t bundle_after, double *end_s) {
  result.want_messages = true;
  result.bundle_after = bundle_after;
  timed(m);
  for (size_t i = 0; i < result.messages; i++) end_s[i] = result.message[i].end_s;
}

enum { MESSAGES = 80 };
static void agrees(const machine *m, int number) {
  double alone[MESSAGES], bundled[MESSAGES], again[MESSAGES];
  char what[80];
  ends(m, SIZE_MAX, alone);
  for (size_t after = 1; after < 400; after = 3 * after + 1) {
    ends(m, after, bundled);
    ends(m, after, again);
    check(!memcmp(bundled, again, sizeof again), "machine %d, bundles after %zu shares: not the same again", number,
          after);
    for (int i = 0; i < MESSAGES; i++) {
      snprintf(what, sizeof what, "machine %d, bundles after %zu shares, message %d", number, after, i);
      near_to(what, bundled[i], alone[i]);
    }
  }
}

/* Stamps come to their end, and begin again, in the first solutions, later, or never: the times are the same to the last bit. */
static void begins_again(const machine *m, int number) {
  static const uint32_t left[] = { 0, 1, 2, 3, 7, 30, 90 };
  for (int bundles = 0; bundles < 2; bundles++) {
    double plain[MESSAGES], again[MESSAGES];
    size_t after = bundles ? 20 : SIZE_MAX;
    ends(m, after, plain);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
      result.first_stamp = MAX_STAMP - left[i];
      ends(m, after, again);
      check(!memcmp(plain, again, sizeof again),
            "machine %d, bundles after %zu shares, %u stamps before the last: other times", number, after, left[i]);
    }
    result.first_stamp = 0;
  }
}

/* As many events as there may be, and more. */
static void too_many_events(void) {
  machine m = machine_of(machines[0]);
  scatter_messages(MESSAGES);
  result.want_messages = false;
  result.bundle_after = SIZE_MAX;
  double plain = timed(&m);
  result.first_event = MAX_EVENTS - 2 * MESSAGES; /* each starts, and ends */
  check(timed(&m) == plain, "as many events as there may be: another time");
  static const uint32_t left[] = { 0, 1, MESSAGES, 2 * MESSAGES - 1 };
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
    result.first_event = MAX_EVENTS - left[i];
    check(timing_run(&rec, &m, &result) == -1 && strstr(result.error, "more than 2^31 events"),
          "%u events before the last: not refused, or with another message: %s", left[i], result.error);
  }
  result.first_event = 0;
  check(timed(&m) == plain, "a schedule after one of too many events: another time");
  machine_free(&m);
}

/* All of a node send to all of another, 1 … 9 thousand bytes: the NIC is never idle until all are over, whoever is over first. */
static void one_bundle(void) {
  machine m = machine_of(NAMED "nic 1e9\nclass network 0 1e-4 1e-9\nplace 0 0 0 0\nplace 1 0 0 1\nplace 2 0 0 2\n"
                               "place 3 1 1 3\nplace 4 1 1 4\nplace 5 1 1 5\n");
  start(6);
  for (int i = 0; i < 9; i++) {
    size_t bytes = 1000 * (size_t)(i + 1) - 16;
    put(i / 3, REC_ISEND, 3 + i % 3, bytes);
    put(3 + i % 3, REC_IRECV, i / 3, bytes);
  }
  for (int r = 0; r < 6; r++)
    for (int i = 0; i < 3; i++) put(r, REC_WAIT, i, 0);
  double steps[2];
  for (int i = 0; i < 2; i++) {
    result.bundle_after = i ? SIZE_MAX : 1;
    near_to("nine messages through a NIC", timed(&m), 1e-4 - 16e-9 + 45e-6);
    steps[i] = result.steps;
  }
  check(steps[0] < steps[1], "bundles: %g steps, without %g", steps[0], steps[1]);
  machine_free(&m);
}

/* Each of four ranks sends to each of another node, and one of them within its node, too: that message fills up its core's port, which the
 * slow ones pass. They are one bundle all the same. */
static void full_port(void) {
  machine m = machine_of(NAMED "nic 1e9\nclass network 0 1e-4 1e-9\nclass socket 0 1.0765066666666667e-4 0\n"
                               "place 0 0 0 0\nplace 1 0 0 1\nplace 2 0 0 2\nplace 3 0 0 3\n"
                               "place 4 1 1 4\nplace 5 1 1 5\nplace 6 1 1 6\nplace 7 1 1 7\n");
  start(8);
  for (int src = 0; src < 4; src++)
    for (int dst = 4; dst < 8; dst++) {
      put(src, REC_ISEND, dst, 984);
      put(dst, REC_IRECV, src, 984);
    }
  put(0, REC_ISEND, 1, 45984);
  put(1, REC_IRECV, 0, 45984);
  for (int r = 0; r < 8; r++)
    for (int i = 0; i < (r < 2 ? 5 : 4); i++) put(r, REC_WAIT, i, 0);
  const double begin = 1e-4 - 16e-9, slow = 1e9 / 16;
  result.want_messages = true;
  for (int i = 0; i < 2; i++) {
    result.bundle_after = i ? SIZE_MAX : 1;
    near_to("sixteen messages through a NIC", timed(&m), begin + 1000 / slow);
    near_to("a message past four of them", result.message[4].end_s, begin + 46000 / (6e9 - 4 * slow));
    double shares = result.steps - (double)(rec.rank[0].n + rec.rank[1].n + 6 * rec.rank[2].n + result.messages);
    if (!i) check(shares <= 17 + 4, "bundles: %g shares, 17 of them before there were any", shares);
  }
  machine_free(&m);
}

int main(void) {
  one_bundle();
  full_port();
  state = 1;
  too_many_events();
  for (int i = 0; i < (int)(sizeof machines / sizeof *machines); i++) {
    machine m = machine_of(machines[i]);
    for (state = 1; state < 40; state += 4) {
      unsigned seed = state;
      scatter_messages(MESSAGES);
      agrees(&m, i);
      begins_again(&m, i);
      state = seed;
    }
    machine_free(&m);
  }
  timing_free(&result);
  return finish();
}
