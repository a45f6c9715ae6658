/* Where MPI tells nobody that it waits, what waits or looks for messages advances our calls. Other functions that block do not: see
 * docs/preload.md. */
#include "preload/interposed.h"

#ifndef OPEN_MPI

/* Ours go on until this is over: `code = test` sets `over`. */
#define WAIT(test)                          \
  do {                                      \
    int over = 0, code;                     \
    do {                                    \
      progress_look();                      \
      code = test;                          \
    } while (code == MPI_SUCCESS && !over); \
    return code;                            \
  } while (0)

PUBLIC int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  if (!progress_waits) return PMPI_Wait(request, status);
  WAIT(PMPI_Test(request, &over, status));
}

/* One after the other, not by MPI_Testall: MPICH 4.3.2's returns MPI_ERR_IN_STATUS where a persistent collective of its own is over. */
PUBLIC int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses) {
  for (int i = 0, over; progress_waits && i < n;) {
    progress_look();
    if (PMPI_Request_get_status(requests[i], &over, MPI_STATUS_IGNORE) || over) i++;
  }
  return PMPI_Waitall(n, requests, statuses);
}

PUBLIC int MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status) {
  if (!progress_waits) return PMPI_Waitany(n, requests, index, status);
  WAIT(PMPI_Testany(n, requests, index, &over, status));
}

PUBLIC int MPI_Waitsome(int n, MPI_Request *requests, int *through, int *indices, MPI_Status *statuses) {
  if (!progress_waits) return PMPI_Waitsome(n, requests, through, indices, statuses);
  WAIT((code = PMPI_Testsome(n, requests, through, indices, statuses), over = *through != 0, code));
}

#define LOOK() \
  if (progress_waits) progress_look()

PUBLIC int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  LOOK();
  return PMPI_Test(request, flag, status);
}

PUBLIC int MPI_Testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  LOOK();
  return PMPI_Testall(n, requests, flag, statuses);
}

PUBLIC int MPI_Testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  LOOK();
  return PMPI_Testany(n, requests, index, flag, status);
}

PUBLIC int MPI_Testsome(int n, MPI_Request *requests, int *through, int *indices, MPI_Status *statuses) {
  LOOK();
  return PMPI_Testsome(n, requests, through, indices, statuses);
}

PUBLIC int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  LOOK();
  return PMPI_Request_get_status(request, flag, status);
}

PUBLIC int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  LOOK();
  return PMPI_Iprobe(from, tag, comm, flag, status);
}

PUBLIC int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  LOOK();
  return PMPI_Improbe(from, tag, comm, flag, message, status);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

PUBLIC int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
  if (!progress_waits) return PMPI_Probe(from, tag, comm, status);
  WAIT(PMPI_Iprobe(from, tag, comm, &over, status));
}

PUBLIC int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  if (!progress_waits) return PMPI_Mprobe(from, tag, comm, message, status);
  WAIT(PMPI_Improbe(from, tag, comm, &over, message, status));
}

PUBLIC int MPI_Recv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  if (!progress_waits) return PMPI_Recv(buffer, n, type, from, tag, comm, status);
  MPI_Request request;
  int begun = PMPI_Irecv(buffer, n, type, from, tag, comm, &request);
  return begun ? begun : MPI_Wait(&request, status);
}

PUBLIC int MPI_Mrecv(void *buffer, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  if (!progress_waits) return PMPI_Mrecv(buffer, n, type, message, status);
  MPI_Request request;
  int begun = PMPI_Imrecv(buffer, n, type, message, &request);
  return begun ? begun : MPI_Wait(&request, status);
}

#define SEND(function, begins)                                                                              \
  PUBLIC int MPI_##function(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    if (!progress_waits) return PMPI_##function(buffer, n, type, to, tag, comm);                            \
    MPI_Request request;                                                                                    \
    int begun = PMPI_##begins(buffer, n, type, to, tag, comm, &request);                                    \
    return begun ? begun : MPI_Wait(&request, MPI_STATUS_IGNORE);                                           \
  }
SEND(Send, Isend)
SEND(Ssend, Issend)
SEND(Rsend, Irsend)

PUBLIC int MPI_Sendrecv(const void *in, int n, MPI_Datatype type, int to, int tag, void *out, int m, MPI_Datatype other,
                        int from, int other_tag, MPI_Comm comm, MPI_Status *status) {
  if (!progress_waits) return PMPI_Sendrecv(in, n, type, to, tag, out, m, other, from, other_tag, comm, status);
  MPI_Request sent, received;
  int begun = PMPI_Irecv(out, m, other, from, other_tag, comm, &received);
  if (begun) return begun;
  int send = PMPI_Isend(in, n, type, to, tag, comm, &sent);
  if (!send) send = MPI_Wait(&sent, MPI_STATUS_IGNORE);
  int receive = MPI_Wait(&received, status);
  return send ? send : receive;
}

#endif
