/* Point-to-point measurements: what a platform is calibrated with. */
#ifndef COLLSCOPE_DRIVER_PINGPONG_H
#define COLLSCOPE_DRIVER_PINGPONG_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

/* Collective over comm. Sizes double from `from` to `to` bytes (`from` 0: 0, then 1, 2, 4 …). The first rank prints JSON lines, one
 * object each:
 *   place     rank, host, cpu                                     where a rank ran (cpu -1: not known)
 *   pingpong  bytes, a, b, half_round_trip_s (median), samples    half a round trip between ranks a and b
 *   overhead  bytes, a, b, o_s, samples                           time a rank spends in a send that need not wait
 *   gap       bytes, a, b, gap_s, samples                         time a message in a one-way stream
 *   gamma     bytes, ranks, s_per_byte, samples                   a local reduction of floats, by so many ranks at once
 *   copy      bytes, ranks, s_per_byte, samples                   a local copy
 * Returns 0, or 1 when there is not enough memory, with a message on standard error. */
int pingpong(MPI_Comm comm, size_t from, size_t to, FILE *out);

#endif
