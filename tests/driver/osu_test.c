/* The metric osu_avg beside a loop written the way OSU's is (osu_bcast.c and its like): each rank adds up its own times, a barrier stands
 * between calls, and what is printed is the mean over calls and ranks. Time is simulated, or virtual (osu_virtual.c). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/measure/timing.h"

enum { SKIP = 2, CALLS = 20, TURNS = 4 };

static double osu_loop(const subject *s) {
  double timer = 0, average = 0;
  int size;
  MPI_Comm_size(s->comm, &size);
  MPI_Barrier(s->comm);
  for (int i = 0; i < CALLS + SKIP; i++) {
    double start = MPI_Wtime();
    subject_run(s);
    double stop = MPI_Wtime();
    if (i >= SKIP) timer += stop - start;
    MPI_Barrier(s->comm);
  }
  double latency = timer / CALLS;
  MPI_Allreduce(&latency, &average, 1, MPI_DOUBLE, MPI_SUM, s->comm);
  return average / size;
}

/* As the rows of real runs have it: the mean over ranks of each call, and then over calls. */
static double ours(const subject *s, const plan_point *p, buffers *b) {
  timed m = { .point = p, .subject = *s, .buffers = b };
  timings_make(&m, false);
  timings_take(&m, 1);
  double sum = 0, average = 0;
  int size;
  for (int i = 0; i < m.t.times; i++) sum += m.t.time[i] / m.t.times;
  timings_free(&m.t);
  MPI_Allreduce(&sum, &average, 1, MPI_DOUBLE, MPI_SUM, s->comm);
  MPI_Comm_size(s->comm, &size);
  return average / size;
}

static bool within(double ratio, double allowed) { return ratio <= allowed && ratio >= 1 / allowed; }

/* argv[1]: the largest factor between the two, each the least of its turns. */
int main(int argc, char **argv) {
  static const char *const keys[] = { "bcast/mst", "allreduce/recursive_doubling", "bcast/builtin" };
  static const size_t counts[] = { 1, 20000 };
  MPI_Init(&argc, &argv);
  double allowed = argc > 1 ? strtod(argv[1], NULL) : 1;
  int failures = 0;
  launch l;
  launch_open(&l);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 2; c++) {
      plan_point p = { .count = counts[c], .repetitions = CALLS, .warmup = SKIP, .metric = PLAN_OSU_AVG };
      snprintf(p.key, sizeof p.key, "%s", keys[k]);
      p.collective = strncmp(keys[k], "bcast", 5) ? COLL_ALLREDUCE : COLL_BCAST;
      subject s;
      char reason[SUBJECT_TEXT];
      if (subject_find(&s, &l, &p, l.size, false, reason, sizeof reason)) abort();
      s.bound.args.param = s.bound.param;
      buffers b;
      buffers_make(&b, s.collective, &s.bound.args, l.rank);
      buffers_fill(&b, s.collective, &s.bound.args, l.rank, p.type, p.op);
      s.bound.args.in = b.in;
      s.bound.args.out = b.out;
      subject_open(&s, &p, false);
      double least[2] = { 1, 1 }, ratio = 1;
      for (int t = 0; t < 2 * TURNS; t++) {
        bool is_ours = (t + t / 2) % 2; /* first in turn, too */
        double time = is_ours ? ours(&s, &p, &b) : osu_loop(&s);
        if (time < least[is_ours]) least[is_ours] = time;
        ratio = least[1] / least[0]; /* of numbers that all ranks have: they go on together */
      }
      if (l.rank == 0) printf("%s count=%zu: osu_avg / OSU's loop = %.10g\n", keys[k], counts[c], ratio);
      failures += !within(ratio, allowed);
      subject_close(&s);
      buffers_free(&b);
    }
  launch_close(&l);
  MPI_Finalize();
  return failures ? 1 : 0;
}
