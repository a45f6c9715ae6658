#include "tests/driver/virtual_clock.h"

#include <time.h>

static const int64_t second = 1000000000;
int64_t clock_ns = 1000 * (int64_t)1000000000;
long clock_readings;

double clock_seconds(void) { return 1e-9 * (double)clock_ns; }

void clock_advance_to(int64_t ns) { clock_ns = ns > clock_ns ? ns : clock_ns; }

void clock_meet(MPI_Comm comm) {
  PMPI_Allreduce(MPI_IN_PLACE, &clock_ns, 1, MPI_INT64_T, MPI_MAX, comm);
  clock_ns += CLOCK_LATENCY_NS;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *t) {
  (void)id;
  clock_readings++;
  clock_ns += CLOCK_STEP_NS;
  *t = (struct timespec){ (time_t)(clock_ns / second), (long)(clock_ns % second) };
  return 0;
}

int __wrap_nanosleep(const struct timespec *span, struct timespec *left) {
  (void)left;
  clock_ns += span->tv_sec * second + span->tv_nsec;
  return 0;
}
