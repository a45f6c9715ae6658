/* A schedule as text, so that the timing engine and a real MPI program can play the very same operations:
 *
 *   ranks 3
 *   0 send 1 100        rank 0 sends 100 bytes to rank 1; likewise recv, isend, irecv
 *   0 wait 2            for operation 2 (from 0) of this rank's list
 *   0 compute 1e-6      for a microsecond
 */
#ifndef COLLSCOPE_TESTS_MODEL_SCRIPT_H
#define COLLSCOPE_TESTS_MODEL_SCRIPT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_SEND, SCRIPT_RECV, SCRIPT_ISEND, SCRIPT_IRECV, SCRIPT_WAIT, SCRIPT_COMPUTE, SCRIPT_KINDS };
typedef struct {
  int kind, peer;
  size_t bytes;
  double seconds;
} script_op;
typedef struct {
  int ranks;
  int *n, *cap;
  script_op **op;
} script;

static script script_read(const char *path) {
  static const char *const names[SCRIPT_KINDS] = { "send", "recv", "isend", "irecv", "wait", "compute" };
  script s = { 0 };
  char line[128], word[32];
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(2);
  }
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    int rank = 0, kind = 0;
    double a = 0, b = 0;
    if (sscanf(line, "ranks %d", &s.ranks) == 1) {
      s.n = calloc((size_t)s.ranks, sizeof *s.n);
      s.cap = calloc((size_t)s.ranks, sizeof *s.cap);
      s.op = calloc((size_t)s.ranks, sizeof *s.op);
      continue;
    }
    if (sscanf(line, "%d %31s %lf %lf", &rank, word, &a, &b) < 3) continue;
    while (kind < SCRIPT_KINDS && strcmp(word, names[kind])) kind++;
    if (kind == SCRIPT_KINDS || rank < 0 || rank >= s.ranks) {
      fprintf(stderr, "%s:%d: %s", path, number, line);
      exit(2);
    }
    if (s.n[rank] == s.cap[rank]) {
      s.cap[rank] = s.cap[rank] ? 2 * s.cap[rank] : 16;
      s.op[rank] = realloc(s.op[rank], (size_t)s.cap[rank] * sizeof **s.op);
    }
    s.op[rank][s.n[rank]++] = (script_op){ kind, kind == SCRIPT_COMPUTE ? 0 : (int)a, (size_t)b, a };
  }
  fclose(file);
  return s;
}

#endif
