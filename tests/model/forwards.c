/* forwards: port_sends knows whom port_received named, by whichever communicator: of the same ranks in another order, of some of them,
 * freed and made again. */
#include <simgrid/actor.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/runtime/port.h"

static int wrong;

/* Whether a message to rank `to` of `there`, after one from rank `from` of `here`, is sent on. */
static void expect(bool forwards, MPI_Comm here, int from, MPI_Comm there, int to) {
  sg_actor_self_set_data(NULL);
  port_received(here, from);
  port_sends(there, to);
  bool charged = sg_actor_self_get_data() != NULL;
  wrong += charged != forwards;
}

int main(int argc, char **argv) {
  int rank, ranks, of_world = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm backwards, odd, again;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd);
  for (int r = 0; r < ranks; r++)
    for (int to = 0; to < ranks; to++) {
      expect(r != to, MPI_COMM_WORLD, r, MPI_COMM_WORLD, to);
      expect(r != ranks - 1 - to, MPI_COMM_WORLD, r, backwards, to);
      expect(ranks - 1 - r != to, backwards, r, MPI_COMM_WORLD, to);
      if (to % 2 == rank % 2) expect(r != to, MPI_COMM_WORLD, r, odd, to / 2);
    }
  MPI_Comm_free(&odd);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &again);
  expect(false, MPI_COMM_WORLD, rank < 2 ? 0 : 2, again, 0);
  MPI_Comm_free(&again);
  MPI_Comm_free(&backwards);
  MPI_Reduce(&wrong, &of_world, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank) printf("%d wrong\n", of_world);
  MPI_Finalize();
  return of_world != 0;
}
