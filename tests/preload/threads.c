/* Threads in collectives of different communicators, which are made and freed meanwhile. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 40 };
static int rank, ranks;

typedef struct {
  MPI_Comm comm;
  int number, wrong;
} worker;

static void *work(void *self) {
  worker *w = self;
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Comm own;
    MPI_Comm_dup(w->comm, &own);
    int x = rank == i % ranks ? w->number * 1000 + i : -1, sum;
    MPI_Bcast(&x, 1, MPI_INT, i % ranks, own);
    w->wrong += x != w->number * 1000 + i;
    x = rank + w->number;
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, w->comm);
    w->wrong += sum != ranks * (ranks - 1) / 2 + ranks * w->number;
    MPI_Barrier(own);
    MPI_Request both[2];
    int y = rank == i % ranks ? i : -1, z = 0;
    MPI_Ibcast(&y, 1, MPI_INT, i % ranks, own, &both[0]);
    MPI_Iallreduce(&x, &z, 1, MPI_INT, MPI_MAX, w->comm, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    w->wrong += y != i || z != ranks - 1 + w->number;
    MPI_Comm_free(&own);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided, wrong = 0;
  pthread_t thread[THREADS];
  worker workers[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) return 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){ .number = i };
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  }
  for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, work, &workers[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    wrong += workers[i].wrong;
    MPI_Comm_free(&workers[i].comm);
  }
  if (wrong) fprintf(stderr, "rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
