/* What a barrier means: nobody leaves before everybody has come. There is no data to compare, so each rank in turn comes
 * late, and the clocks tell: exact ones in simulation, the node's own or synchronised ones in a real run. */
#include "driver/check/barrier.h"

#include <stdbool.h>
#include <stdio.h>

#include "driver/port.h"

static const double late_s = 500e-6; /* far above what clocks may be wrong by; far below what anybody waits for */

size_t barrier_check(MPI_Comm comm, coll_call *call, const char *what) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  size_t wrong = 0;
  for (int late = 0; late < size; late++) {
    MPI_Barrier(comm);
    if (rank == late) port_idle(late_s);
    double came = port_common_time(port_now()), error = port_clock_error(port_now());
    coll_run(call);
    double left = port_common_time(port_now());
    struct {
      double time;
      int rank;
    } mine = { came - error, rank }, last;
    MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    if (left + error >= last.time) continue;
    if (what && !wrong)
      fprintf(stderr, "%s: rank %d leaves %.3g us before rank %d enters\n", what, rank, 1e6 * (last.time - left),
              last.rank);
    wrong++;
  }
  return wrong;
}
