/* A clock of each rank that runs only when it is read, when the rank sleeps and when a message is under way. The library of that name in
 * CMake has the linker put it in place of the system's clock_gettime and nanosleep in our own code, not in MPI's. So a test may state exact times. */
#ifndef COLLSCOPE_TESTS_DRIVER_VIRTUAL_CLOCK_H
#define COLLSCOPE_TESTS_DRIVER_VIRTUAL_CLOCK_H

#include <mpi.h>
#include <stdint.h>

enum { CLOCK_STEP_NS = 1000, CLOCK_LATENCY_NS = 3000 };

extern int64_t clock_ns;    /* now */
extern long clock_readings; /* how often it was read */

double clock_seconds(void); /* now, without a reading */

/* A message that arrives at this time has come. */
void clock_advance_to(int64_t ns);
/* All ranks have met: it is CLOCK_LATENCY_NS after the last of them came. */
void clock_meet(MPI_Comm);

#endif
