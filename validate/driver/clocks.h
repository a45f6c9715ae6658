/* One time for all ranks: the clock of rank 0, which each rank works out from its own by an offset and a drift.
 *
 * Scheme  Ranks with one clock (the same boot of a kernel, the same time namespace) share a model; the lowest of them speaks for them.
 *         Between clocks: HCA3, a binomial tree from rank 0 in which a child fits a line to its offsets from the common time that its
 *         parent knows by then, so that nothing is merged afterwards.
 * Offset  the exchange with the smallest round trip, half of which it is wrong by at most (Cristian 1989).
 * Source  Hunold & Carpen-Amarie 2018, doi:10.1109/CLUSTER.2018.00050 */
#ifndef COLLSCOPE_VALIDATE_DRIVER_CLOCKS_H
#define COLLSCOPE_VALIDATE_DRIVER_CLOCKS_H

#include <mpi.h>
#include <stdint.h>

typedef double clock_reading(void); /* seconds on this rank's own clock */

/* Common time is own + offset + drift * (own - at). It is wrong by at most error_s where the line was fitted, and drift_error_s more
 * for each second after own time `until`: as far as clocks run evenly. */
typedef struct {
  double at, until;
  double offset_s, drift;
  double error_s, drift_error; /* seconds; seconds per second */
} clock_model;

double clock_common(const clock_model *, double own_s);
double clock_own(const clock_model *, double common_s);
double clock_error(const clock_model *, double own_s);

/* What was found of all ranks' clocks: the largest of each. */
typedef struct {
  int clocks;                         /* how many different ones */
  double error_s, drift, drift_error; /* absolute values */
} clock_summary;

/* Collective. identity: equal at ranks that read the same clock. */
clock_model clocks_learn(MPI_Comm, uint64_t identity, clock_reading *, clock_summary *);

/* Collective. The largest difference of a clock's common time from rank 0's now, and by how much that may be wrong; at rank 0. */
double clocks_check(MPI_Comm, uint64_t identity, clock_reading *, const clock_model *, double *error_s);

#endif
