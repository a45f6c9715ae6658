/* Plays a script with MPI calls and prints when each rank is done: the simulator's answer to timing_script.
 * Usage: smpirun … script_mpi SCRIPT… */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <xbt/config.h>
#include <smpi/smpi.h>

#include "core/runtime/port.h"
#include "tests/model/script.h"

/* SMPI does not keep small and large messages of one tag in order: see sim/runtime/messages.c. */
static int tag_of(size_t bytes) { return bytes >= (size_t)sg_cfg_get_int("smpi/async-small-thresh"); }

/* As sim/runtime/messages.c has it for our operations. */
static bool waits(size_t bytes, bool nonblocking) { return bytes >= port_synchronous(nonblocking); }

static void will_send(int to) {
  if (port_has_turnaround()) port_sends(MPI_COMM_WORLD, to);
}
static void received(int from) {
  if (port_has_turnaround()) port_received(MPI_COMM_WORLD, from);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static sg_bar_t together;
  if (!together) together = sg_barrier_init((unsigned)ranks);
  for (int f = 1; f < argc; f++) {
    /* All ranks share the statics: the first to come reads, and a rank may be a script ahead of another. */
    static script all[4096];
    if (!all[f].ranks) all[f] = script_read(argv[f]);
    script s = all[f];
    double *end = malloc((size_t)ranks * sizeof *end), mine = 0;
    if (rank < s.ranks) {
      size_t most = 1;
      for (int i = 0; i < s.n[rank]; i++)
        if (s.op[rank][i].bytes > most) most = s.op[rank][i].bytes;
      char *data = SMPI_SHARED_MALLOC(most);
      MPI_Request *request = malloc((size_t)(s.n[rank] + 1) * sizeof *request);
      sg_barrier_wait(together);
      sg_actor_self_set_data(NULL);
      double start = MPI_Wtime();
      for (int i = 0; i < s.n[rank]; i++) {
        const script_op *o = &s.op[rank][i];
        int n = (int)o->bytes, tag = tag_of(o->bytes);
        switch (o->kind) {
          case SCRIPT_SEND:
            will_send(o->peer);
            (waits(o->bytes, false) ? MPI_Ssend : MPI_Send)(data, n, MPI_BYTE, o->peer, tag, MPI_COMM_WORLD);
            break;
          case SCRIPT_RECV:
            MPI_Recv(data, n, MPI_BYTE, o->peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            received(o->peer);
            break;
          case SCRIPT_ISEND:
            will_send(o->peer);
            (waits(o->bytes, true) ? MPI_Issend : MPI_Isend)(data, n, MPI_BYTE, o->peer, tag, MPI_COMM_WORLD,
                                                             &request[i]);
            break;
          case SCRIPT_IRECV: MPI_Irecv(data, n, MPI_BYTE, o->peer, tag, MPI_COMM_WORLD, &request[i]); break;
          case SCRIPT_WAIT:
            MPI_Wait(&request[o->peer], MPI_STATUS_IGNORE);
            if (s.op[rank][o->peer].kind == SCRIPT_IRECV) received(s.op[rank][o->peer].peer);
            break;
          default:
            if (o->seconds > 0) smpi_execute_benched(o->seconds);
        }
      }
      mine = MPI_Wtime() - start;
      SMPI_SHARED_FREE(data);
      free(request);
    } else sg_barrier_wait(together);
    sg_barrier_wait(together); /* what is gathered gets in nobody's way */
    MPI_Gather(&mine, 1, MPI_DOUBLE, end, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (!rank)
      for (int r = 0; r < s.ranks; r++) printf("%d %.12e\n", r, end[r]);
    free(end);
  }
  MPI_Finalize();
  return 0;
}
