/* open_mpi_empty_types [persistent]: MPI_Ialltoallv, or its persistent form, of one element of a type of no bytes from each rank that sends
 * none of another type: both are 0 bytes, as MPI has it. Open MPI 4.1.4 receives what nobody sends (coll/libnbc, nbc_ialltoallv.c: it leaves
 * out what has a count of 0, on each side by itself) and never ends. Prints on each rank whether the call ended while it was looked at. */
#include <stdio.h>

#include "tests/preload/persistent.h"

enum { RANKS = 16, LOOKS = 10000 };

int main(int argc, char **argv) {
  int ranks, in = 0, out = 0, none[RANKS] = { 0 }, one[RANKS], ended = 0;
  MPI_Datatype empty;
  MPI_Request call;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < ranks; i++) one[i] = 1;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  if (argc > 1) {
    INIT(Alltoallv)(&in, none, none, MPI_INT, &out, one, none, empty, MPI_COMM_WORLD, MPI_INFO_NULL, &call);
    MPI_Start(&call);
  } else {
    MPI_Ialltoallv(&in, none, none, MPI_INT, &out, one, none, empty, MPI_COMM_WORLD, &call);
  }
  for (int round = 0; round < 2; round++) { /* when a barrier is over, every rank has sent what it sends */
    for (int look = 0; look < LOOKS && !ended; look++) MPI_Test(&call, &ended, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  puts(ended ? "ended" : "never ended");
  MPI_Finalize();
  return 0;
}
