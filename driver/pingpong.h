/* Point-to-point measurements, from which a platform is calibrated. */
#ifndef COLLSCOPE_PINGPONG_H
#define COLLSCOPE_PINGPONG_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

/* Prints JSON lines for message sizes from … to bytes (doubling). Returns the exit status. Collective over comm. */
int pingpong_main(MPI_Comm comm, size_t from, size_t to, FILE *out);

#endif
