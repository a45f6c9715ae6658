/* Point-to-point measurements between the first rank and each other one, then what a rank does alone.
 *
 * A sample is the mean over enough round trips for the clock not to matter. While two ranks talk the others wait in a barrier, so
 * the numbers are those of an idle machine. All are MPI calls that a simulator understands, too: there they give back
 * what the platform file says. */
#define _GNU_SOURCE
#include "driver/pingpong.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/json.h"

enum { SAMPLES = 15, WINDOW = 32, TAG = 1, ACK = 2 };
enum {
  CACHED = 8 << 10,
  BETWEEN = 512 << 10,
  UNCACHED = 64 << 20
}; /* bytes of local work: a core's own cache … memory */

typedef struct {
  MPI_Comm comm;
  int rank, size;
  char *send, *recv;
  FILE *out;
} bench;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Prints the samples in ascending order with their median as `name`, and closes the object. */
static void print_samples(const bench *x, const char *name, double *sample) {
  qsort(sample, SAMPLES, sizeof *sample, compare);
  fprintf(x->out, ",\"%s\":%.6e,\"samples\":[", name, sample[SAMPLES / 2]);
  for (int i = 0; i < SAMPLES; i++) fprintf(x->out, "%s%.6e", i ? "," : "", sample[i]);
  fprintf(x->out, "]}}\n");
  fflush(x->out);
}

static int round_trips(size_t bytes) {
  size_t n = ((size_t)2 << 20) / (bytes + (16 << 10));
  return n < 2 ? 2 : (int)n;
}

static void ping_pong(const bench *x, int b, size_t bytes) {
  double sample[SAMPLES];
  int n = round_trips(bytes);
  MPI_Barrier(x->comm);
  if (x->rank == 0) {
    for (int s = -1; s < SAMPLES; s++) { /* the first, uncounted one warms up */
      double start = MPI_Wtime();
      for (int i = 0; i < n; i++) {
        MPI_Send(x->send, (int)bytes, MPI_BYTE, b, TAG, x->comm);
        MPI_Recv(x->recv, (int)bytes, MPI_BYTE, b, TAG, x->comm, MPI_STATUS_IGNORE);
      }
      if (s >= 0) sample[s] = (MPI_Wtime() - start) / (2 * n);
    }
    fprintf(x->out, "{\"pingpong\":{\"bytes\":%zu,\"a\":0,\"b\":%d", bytes, b);
    print_samples(x, "half_round_trip_s", sample);
  } else if (x->rank == b) {
    for (int i = 0; i < n * (SAMPLES + 1); i++) {
      MPI_Recv(x->recv, (int)bytes, MPI_BYTE, 0, TAG, x->comm, MPI_STATUS_IGNORE);
      MPI_Send(x->send, (int)bytes, MPI_BYTE, 0, TAG, x->comm);
    }
  }
}

/* The receiver posts a window of receives, says so, and the sender fills it. */
static void receive_windows(const bench *x, size_t bytes, int windows) {
  MPI_Request request[WINDOW];
  for (int i = 0; i < windows; i++) {
    for (int k = 0; k < WINDOW; k++) MPI_Irecv(x->recv, (int)bytes, MPI_BYTE, 0, TAG, x->comm, &request[k]);
    MPI_Send(x->send, 0, MPI_BYTE, 0, ACK, x->comm);
    MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
    MPI_Send(x->send, 0, MPI_BYTE, 0, ACK, x->comm);
  }
}

static void await_window(const bench *x, int b) { MPI_Recv(x->recv, 0, MPI_BYTE, b, ACK, x->comm, MPI_STATUS_IGNORE); }

static void overhead(const bench *x, int b) {
  double sample[SAMPLES];
  MPI_Barrier(x->comm);
  if (x->rank == 0) {
    for (int s = -1; s < SAMPLES; s++) {
      await_window(x, b);
      double start = MPI_Wtime();
      for (int k = 0; k < WINDOW; k++) MPI_Send(x->send, 1, MPI_BYTE, b, TAG, x->comm);
      if (s >= 0) sample[s] = (MPI_Wtime() - start) / WINDOW;
      await_window(x, b);
    }
    fprintf(x->out, "{\"overhead\":{\"bytes\":1,\"a\":0,\"b\":%d", b);
    print_samples(x, "o_s", sample);
  } else if (x->rank == b) receive_windows(x, 1, SAMPLES + 1);
}

static void gap(const bench *x, int b, size_t bytes) {
  double sample[SAMPLES];
  MPI_Request request[WINDOW];
  MPI_Barrier(x->comm);
  if (x->rank == 0) {
    for (int s = -1; s < SAMPLES; s++) {
      await_window(x, b);
      double start = MPI_Wtime();
      for (int k = 0; k < WINDOW; k++) MPI_Isend(x->send, (int)bytes, MPI_BYTE, b, TAG, x->comm, &request[k]);
      MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
      await_window(x, b);
      if (s >= 0) sample[s] = (MPI_Wtime() - start) / WINDOW;
    }
    fprintf(x->out, "{\"gap\":{\"bytes\":%zu,\"a\":0,\"b\":%d", bytes, b);
    print_samples(x, "gap_s", sample);
  } else if (x->rank == b) receive_windows(x, bytes, SAMPLES + 1);
}

/* Seconds a byte of reducing or copying, by the first `ranks` ranks at once; printed is the first one's. */
static void local_work(const bench *x, const char *name, size_t bytes, int ranks) {
  double sample[SAMPLES];
  int n = (int)(((size_t)128 << 20) / bytes) / 16 + 1;
  for (int s = -1; s < SAMPLES; s++) {
    MPI_Barrier(x->comm);
    if (x->rank >= ranks) continue;
    double start = MPI_Wtime();
    for (int i = 0; i < n; i++) {
      if (name[0] == 'g') MPI_Reduce_local(x->send, x->recv, (int)(bytes / sizeof(float)), MPI_FLOAT, MPI_SUM);
      else memcpy(x->recv, x->send, bytes);
    }
    if (s >= 0) sample[s] = (MPI_Wtime() - start) / ((double)bytes * n);
  }
  if (x->rank) return;
  fprintf(x->out, "{\"%s\":{\"bytes\":%zu,\"ranks\":%d", name, bytes, ranks);
  print_samples(x, "s_per_byte", sample);
}

static void places(const bench *x) {
  struct {
    int cpu;
    char host[MPI_MAX_PROCESSOR_NAME];
  } mine = { .cpu = sched_getcpu() };
  int length;
  MPI_Get_processor_name(mine.host, &length);
  if (x->rank) {
    MPI_Send(&mine, sizeof mine, MPI_BYTE, 0, TAG, x->comm);
    return;
  }
  for (int r = 0; r < x->size; r++) {
    if (r) MPI_Recv(&mine, sizeof mine, MPI_BYTE, r, TAG, x->comm, MPI_STATUS_IGNORE);
    json j = json_on(x->out);
    json_object(&j, NULL);
    json_object(&j, "place");
    json_int(&j, "rank", r);
    json_text(&j, "host", mine.host);
    json_int(&j, "cpu", mine.cpu);
    json_end(&j);
    json_end(&j);
  }
}

static void pairs(const bench *x, size_t from, size_t to) {
  for (int b = 1; b < x->size; b++) {
    for (size_t n = from; n <= to; n = n ? 2 * n : 1) ping_pong(x, b, n);
    overhead(x, b);
    for (size_t n = 1; n <= to && n <= (1 << 20); n *= 1024) gap(x, b, n);
  }
}

/* By the first rank alone, then by all at once. */
static void alone(const bench *x, size_t large) {
  static const char *const work[] = { "gamma", "copy" };
  for (int w = 0; w < 2; w++)
    for (int everyone = 0; everyone <= (x->size > 1); everyone++) {
      local_work(x, work[w], CACHED, everyone ? x->size : 1);
      if (large > BETWEEN) local_work(x, work[w], BETWEEN, everyone ? x->size : 1);
      local_work(x, work[w], large, everyone ? x->size : 1);
    }
}

/* Two buffers, touched; false, at all ranks, where one has no memory for them. */
static bool make_buffers(bench *x, size_t bytes) {
  x->send = malloc(bytes);
  x->recv = malloc(bytes);
  int enough = x->send && x->recv, all;
  MPI_Allreduce(&enough, &all, 1, MPI_INT, MPI_MIN, x->comm);
  if (!all) {
    if (!x->rank)
      fprintf(stderr, "collscope-driver: --pingpong: no memory for two buffers of %zu bytes at each rank\n", bytes);
    return false;
  }
  memset(x->send, 0, bytes);
  memset(x->recv, 0, bytes);
  return true;
}

int pingpong(MPI_Comm comm, size_t from, size_t to, FILE *out) {
  bench x = { .comm = comm, .out = out };
  MPI_Comm_rank(comm, &x.rank);
  MPI_Comm_size(comm, &x.size);
  size_t large = to > UNCACHED / 4 ? UNCACHED : 4 * to < CACHED ? CACHED : 4 * to;
  bool ready = make_buffers(&x, to > large ? to : large);
  if (ready) {
    places(&x);
    pairs(&x, from, to);
    alone(&x, large);
    MPI_Barrier(comm);
  }
  free(x.send);
  free(x.recv);
  return ready ? 0 : 1;
}
