#include "tests/model/by_hand.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int checks, failures;

void check(bool fine, const char *format, ...) {
  checks++;
  if (fine) return;
  failures++;
  va_list list;
  va_start(list, format);
  fputs("FAILED ", stdout);
  vprintf(format, list);
  putchar('\n');
  va_end(list);
}

void near_to(const char *what, double got, double expected) {
  check(fabs(got - expected) <= 1e-12 * fabs(expected) + 1e-300, "%s: %.15g, not %.15g", what, got, expected);
}

const char *written(const char *text) {
  static char path[4096];
  const char *dir = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/collscope-test-%d.txt", dir && *dir ? dir : "/tmp", (int)getpid());
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file)) {
    perror(path);
    exit(1);
  }
  return path;
}

/* ---- schedules ---- */

static rec_op ops[RANKS][OPS];
static rec_rank lists[RANKS];
static rec_segment segment = { .group = 0, .members = RANKS, .bytes = 1 << 20, .flags = 4 };
static rec_segment *opened[RANKS];
static int opened_n[RANKS];
record rec;

void start(int ranks) {
  rec = (record){ .args.size = ranks, .calls = 1, .rank = lists, .segment = opened, .segments = opened_n };
  for (int r = 0; r < RANKS; r++) {
    lists[r] = (rec_rank){ .op = ops[r], .cap = OPS };
    opened[r] = &segment;
    opened_n[r] = 1;
  }
}

int add(int rank, rec_op op) {
  if (lists[rank].n == OPS) abort();
  ops[rank][lists[rank].n] = op;
  return (int)lists[rank].n++;
}
int put(int rank, rec_kind kind, int peer, size_t bytes) {
  return add(rank, (rec_op){ .kind = (uint8_t)kind, .peer = peer, .bytes = bytes });
}

void transfer(int from, int to, size_t bytes) {
  put(from, REC_SEND, to, bytes);
  put(to, REC_RECV, from, bytes);
}

timing_result result;

double timed(const machine *m) {
  if (timing_run(&rec, m, &result)) {
    check(false, "no time: %s", result.error);
    return NAN;
  }
  return result.makespan_s;
}

void refused(const machine *m, const char *expected) {
  check(timing_run(&rec, m, &result) == -1, "should have been refused: %s", expected);
  check(!strcmp(result.error, expected), "\"%s\", not \"%s\"", result.error, expected);
}

machine machine_of(const char *text) {
  machine m;
  char error[256];
  bool fine = machine_read(&m, written(text), error, sizeof error);
  check(fine, "machine: %s", error);
  return m;
}

void machine_refused(const char *text, const char *expected) {
  machine m;
  char error[512] = "";
  const char *path = written(text);
  check(!machine_read(&m, path, error, sizeof error), "machine should have been refused: %s", text);
  check(!strcmp(error + strlen(path), expected), "\"%s\", not \"%s\"", error + strlen(path), expected);
  machine_free(&m);
}

int finish(void) {
  timing_free(&result);
  unlink(written(""));
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
