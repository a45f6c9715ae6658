/* mpich_gaps [begun]: MPI_Reduce_scatter_block and MPI_Reduce_scatter, or those that only begin, of a type with a gap, by an operator that does
 * not commute: MPICH 4.3.2 steps from element to element by the type's true extent where it should by its extent
 * ({,i}reduce_scatter{,_block}_intra{,_sched}_noncommutative.c: true_extent), on a power of two of ranks, and writes behind its memory. Prints
 * how many ints are wrong on each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8, RANKS = 16 };

/* a op b = b: associative, does not commute; the last rank's element stays. */
static void last(void *in, void *inout, int *n, MPI_Datatype *type) { (void)in, (void)inout, (void)n, (void)type; }

int main(int argc, char **argv) {
  int rank, ranks, in[4 * N * RANKS], out[2][4 * N * 2] = { { 0 } }, counts[RANKS], wrong = 0;
  MPI_Datatype two, type;
  MPI_Op op;
  MPI_Request begun[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_vector(2, 1, 2, MPI_INT, &two);
  MPI_Type_create_resized(two, 0, 4 * sizeof(int), &type); /* true extent 12 bytes, extent 16 */
  MPI_Type_commit(&type);
  MPI_Op_create(last, 0, &op);
  for (int i = 0; i < 4 * N * ranks; i++) in[i] = 1000 * rank + i;
  for (int i = 0; i < ranks; i++) counts[i] = N;
  if (argc > 1) {
    MPI_Ireduce_scatter_block(in, out[0], N, type, op, MPI_COMM_WORLD, &begun[0]);
    MPI_Ireduce_scatter(in, out[1], counts, type, op, MPI_COMM_WORLD, &begun[1]);
    MPI_Waitall(2, begun, MPI_STATUSES_IGNORE);
  } else {
    MPI_Reduce_scatter_block(in, out[0], N, type, op, MPI_COMM_WORLD);
    MPI_Reduce_scatter(in, out[1], counts, type, op, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 2 * N; i++)
    for (int k = 0; k < 4; k += 2)
      wrong += out[i / N][4 * (i % N) + k] != 1000 * (ranks - 1) + 4 * (N * rank + i % N) + k;
  printf("%d wrong\n", wrong);
  fflush(stdout);
  MPI_Finalize();
  return wrong != 0;
}
