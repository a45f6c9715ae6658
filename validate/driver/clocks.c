#include "validate/driver/clocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/runtime/allocate.h"

enum { FITS = 40, EXCHANGES = 20, CHECKS = 50, ASK = 1, ANSWER = 2 };
static const long between_ns = 10 * 1000 * 1000; /* two points of a line: a drift shows over 0.4 s */

double clock_common(const clock_model *m, double own) { return own + m->offset_s + m->drift * (own - m->at); }
double clock_own(const clock_model *m, double common) {
  return m->at + (common - m->offset_s - m->at) / (1 + m->drift);
}
double clock_error(const clock_model *m, double own) {
  return m->error_s + (own > m->until ? m->drift_error * (own - m->until) : 0);
}

/* ---- between two clocks ----------------------------------------------------------------------------- */

/* One answer: common time there, and by how much it may be wrong. */
typedef struct {
  double time, error, drift_error;
} answer;

/* Common time less this rank's, seen at own time `at`. */
typedef struct {
  double at, offset, error;
} sight;

static void reply(MPI_Comm comm, int asker, int exchanges, clock_reading *now, const clock_model *m) {
  for (int i = 0; i < exchanges; i++) {
    MPI_Recv(NULL, 0, MPI_BYTE, asker, ASK, comm, MPI_STATUS_IGNORE);
    double own = now();
    answer a = { clock_common(m, own), clock_error(m, own), m->drift_error };
    MPI_Send(&a, 3, MPI_DOUBLE, asker, ANSWER, comm);
  }
}

/* The exchange with the smallest round trip; *theirs: what the answer said of itself. */
static sight ask(MPI_Comm comm, int other, int exchanges, clock_reading *now, answer *theirs) {
  sight best = { .error = INFINITY };
  for (int i = 0; i < exchanges; i++) {
    answer a;
    double sent = now();
    MPI_Sendrecv(NULL, 0, MPI_BYTE, other, ASK, &a, 3, MPI_DOUBLE, other, ANSWER, comm, MPI_STATUS_IGNORE);
    double half = (now() - sent) / 2;
    if (half >= best.error) continue;
    best = (sight){ .at = sent + half, .offset = a.time - (sent + half), .error = half };
    *theirs = a;
  }
  return best;
}

static int by_error(const void *a, const void *b) {
  double x = ((const sight *)a)->error, y = ((const sight *)b)->error;
  return (x > y) - (x < y);
}

/* The least squares' line through the better half of the sights: the others' messages were held up. The clock's true line passes each
 * sight within its error, so it is as far from this one as sight and error together, at most, and its slope follows at both ends. */
static clock_model fit(sight *s, int n) {
  qsort(s, (size_t)n, sizeof *s, by_error);
  n = (n + 1) / 2;
  double mean_at = 0, mean_offset = 0, square = 0, product = 0, first = s[0].at, last = s[0].at;
  for (int i = 0; i < n; i++) {
    mean_at += s[i].at / n;
    mean_offset += s[i].offset / n;
    first = fmin(first, s[i].at);
    last = fmax(last, s[i].at);
  }
  for (int i = 0; i < n; i++) {
    square += (s[i].at - mean_at) * (s[i].at - mean_at);
    product += (s[i].at - mean_at) * (s[i].offset - mean_offset);
  }
  clock_model m = { .at = mean_at, .until = last, .offset_s = mean_offset, .drift = product / square };
  for (int i = 0; i < n; i++)
    m.error_s = fmax(m.error_s, fabs(s[i].offset - (m.offset_s + m.drift * (s[i].at - m.at))) + s[i].error);
  m.drift_error = 2 * m.error_s / (last - first);
  return m;
}

static clock_model learn_from(MPI_Comm comm, int parent, clock_reading *now) {
  sight s[FITS];
  answer theirs = { 0 };
  for (int i = 0; i < FITS; i++) {
    if (i) nanosleep(&(struct timespec){ .tv_nsec = between_ns }, NULL);
    s[i] = ask(comm, parent, EXCHANGES, now, &theirs);
  }
  clock_model m = fit(s, FITS);
  m.error_s += theirs.error; /* the parent's grows meanwhile: the last is the largest, as far as exchanges are short */
  m.drift_error += theirs.drift_error;
  return m;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

/* The ranks of one clock, and the lowest ones of all clocks (MPI_COMM_NULL at the others). Returns how many clocks there are. */
static int split(MPI_Comm comm, uint64_t identity, MPI_Comm *same, MPI_Comm *speakers) {
  int rank, size, lowest = 0, clocks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  uint64_t *all = runtime_allocate(sizeof *all * (size_t)size);
  MPI_Allgather(&identity, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm);
  while (all[lowest] != identity) lowest++;
  free(all);
  int speaks = lowest == rank;
  MPI_Allreduce(&speaks, &clocks, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_split(comm, lowest, rank, same);
  MPI_Comm_split(comm, speaks ? 0 : MPI_UNDEFINED, rank, speakers);
  return clocks;
}

/* A parent must know the common time before it is asked: wide steps first. */
static clock_model descend(MPI_Comm speakers, clock_reading *now) {
  int me, n, widest = 1;
  clock_model m = { 0 };
  MPI_Comm_rank(speakers, &me);
  MPI_Comm_size(speakers, &n);
  while (widest < n) widest *= 2;
  for (int step = widest / 2; step > 0; step /= 2) {
    if (me % (2 * step) == step) m = learn_from(speakers, me - step, now);
    else if (me % (2 * step) == 0 && me + step < n) reply(speakers, me + step, FITS * EXCHANGES, now, &m);
  }
  return m;
}

clock_model clocks_learn(MPI_Comm comm, uint64_t identity, clock_reading *now, clock_summary *found) {
  MPI_Comm same, speakers;
  clock_model m = { 0 };
  found->clocks = split(comm, identity, &same, &speakers);
  if (speakers != MPI_COMM_NULL) {
    m = descend(speakers, now);
    MPI_Comm_free(&speakers);
  }
  MPI_Bcast(&m, sizeof m, MPI_BYTE, 0, same);
  MPI_Comm_free(&same);
  double mine[] = { m.error_s, fabs(m.drift), m.drift_error }, most[3];
  MPI_Allreduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, comm);
  found->error_s = most[0];
  found->drift = most[1];
  found->drift_error = most[2];
  return m;
}

/* Rank 0 is asked by one after the other. */
static sight ask_in_turn(MPI_Comm speakers, clock_reading *now, const clock_model *m) {
  int me, n;
  sight mine = { 0 };
  answer theirs;
  MPI_Comm_rank(speakers, &me);
  MPI_Comm_size(speakers, &n);
  for (int other = 1; other < n; other++) {
    if (me == 0) reply(speakers, other, CHECKS, now, m);
    else if (me == other) mine = ask(speakers, 0, CHECKS, now, &theirs);
  }
  if (me) mine.offset -= clock_common(m, mine.at) - mine.at;
  return mine;
}

double clocks_check(MPI_Comm comm, uint64_t identity, clock_reading *now, const clock_model *m, double *error_s) {
  MPI_Comm same, speakers;
  sight mine = { 0 };
  split(comm, identity, &same, &speakers);
  MPI_Comm_free(&same);
  if (speakers != MPI_COMM_NULL) {
    mine = ask_in_turn(speakers, now, m);
    MPI_Comm_free(&speakers);
  }
  double found[] = { fabs(mine.offset), mine.error }, most[2] = { 0 };
  MPI_Reduce(found, most, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
  *error_s = most[1];
  return most[0];
}
