/* Point-to-point measurements: what a platform is calibrated with. A plan says which, so that what is measured is decided in one place,
 * by who knows where ranks sit. */
#ifndef COLLSCOPE_DRIVER_P2P_P2P_H
#define COLLSCOPE_DRIVER_P2P_P2P_H

#include <stdio.h>

#include "driver/launch.h"

/* Collective over the launch. `plan` names a file that rank 0 reads; each line is one measurement (# begins a comment):
 *
 *   PATTERN flows=0>1,0>2 bytes=N count=K samples=S
 *
 *   pingpong              half a round trip between the two ranks of the flow, mean of K: MPI_Send and MPI_Recv
 *   pingpong_nonblocking  the same by MPI_Isend and MPI_Irecv
 *   pingpong_fresh        the same, each message from memory and into memory that no cache holds
 *   relay                 the flows are a ring: a token goes round it K times, each rank sends on what it has received; mean of a hop
 *   relay_copied          the same, but each rank sends on a copy of what it has received
 *   relay_nonblocking     the same by MPI_Isend and MPI_Irecv
 *   overhead              time of a blocking send that need not wait, mean of K
 *   receive               time to receive a message that has arrived, mean of K
 *   late                  time of a send whose receive is posted K milliseconds later: shorter where it need not wait
 *   late_nonblocking      the same by MPI_Isend and MPI_Wait
 *   flows                 on each flow K messages at once, receives posted, from a common start to the last one's arrival at any rank;
 *                         besides issue: until the first flow's sender has posted them all; first: arrival of that flow's first message
 *   flows_returned        the same where each receiver has just sent what lies in its buffer: the other core has read it
 *   copy_exchanged        seconds per byte of a copy of what has just been received over what has just been sent, both ranks, mean of K
 *   gamma_exchanged       the same of a reduction of floats
 *   gamma, copy, touch    seconds per byte of a local reduction of floats, a copy, the first writing of fresh memory, by the first K ranks
 *                         at once; no flows
 *
 * Rank 0 prints where each rank ran, {"place":{"rank","host","cpu"}} (cpu -1: not known), then a line for each measurement:
 *   {"PATTERN":{"flows":[[0,1],…],"bytes":N,"count":K,"samples":[…],"issue":[…],"first":[…]}}
 * with `samples` seconds (or seconds per byte) in the order they were taken, each the slowest rank's.
 * Returns 0; 1 where memory is missing, 2 where the plan is wrong, with a message on standard error. */
int p2p(launch *, const char *plan, FILE *out);

#endif
