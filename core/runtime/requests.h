/* Messages of any size over MPI, and what is outstanding of them: a large one goes in parts, each with a request of its own. Who sends by
 * them sees one message; ranks are those of comm. */
#ifndef COLLSCOPE_CORE_RUNTIME_REQUESTS_H
#define COLLSCOPE_CORE_RUNTIME_REQUESTS_H

#include <limits.h>
#include <mpi.h>

#include "collscope.h"
#include "core/runtime/observe.h"
#include "core/runtime/port.h"

/* One outstanding message, or a part of a large one. */
typedef struct {
  MPI_Request request;
  int from;      /* of a receive; else -1 */
  coll_req next; /* of the message's next part; almost always none */
} request_slot;

typedef struct {
  MPI_Comm comm;
  MPI_Datatype type;
  size_t elem;           /* bytes of one of it */
  size_t large;          /* bytes from which messages have other tags */
  size_t synchronous[2]; /* bytes from which blocking and non-blocking sends are to wait for their receive */
  bool has_turnaround;   /* the back-end wants to know of receives that are over, and of sends before them */
  int tag;               /* of shorter messages with label 0 */
  int large_tags;        /* so much higher are those of larger ones */
  int collective_tag;
  int epoch, epochs;          /* only where receives are from any source: see requests_next_call */
  request_slot *slots;        /* outstanding requests; coll_req is an index + 1 */
  int *idle, idles, capacity; /* stack of unused slots */
} requests;

/* For the messages of one collective. any_source: receives may be from any, for which all ranks of comm meet here. */
void requests_open(requests *, MPI_Comm comm, coll_collective, MPI_Datatype, size_t elem, bool any_source);
/* For the messages of a call that others on comm overlap. Neither these nor those of blocking calls mix with it, but of two of the same number
 * only one may go on at a rank at a time. number: of the n-th call that comm's ranks have in common, n modulo requests_numbers. */
void requests_open_numbered(requests *, MPI_Comm comm, MPI_Datatype, size_t elem, uint64_t number);
uint64_t requests_numbers(void); /* asks MPI, which takes as long as a short message */
void requests_close(requests *);
/* A call is over. A receive from any source could take a message that a fast rank sends in its next call, so calls are counted in the tag. */
void requests_next_call(requests *);

/* What a message with this label has as its tag; n: of its elements, equal on both sides. */
int requests_tag(const requests *, int label, size_t n);

/* Almost every message: one call of MPI. The others, of 2 GiB and more, go in parts. */
static inline bool requests_is_ordinary(const requests *r, size_t n) { return n * r->elem <= INT_MAX; }
/* How many elements the next part has where so many are left. */
int requests_part(const requests *, size_t left);

void requests_send(requests *, const void *buf, size_t n, int to, int label);
void requests_recv(requests *, void *buf, size_t n, int from, int label);
int requests_recv_any(requests *, void *buf, size_t n, int label); /* returns the source */
coll_req requests_isend(requests *, const void *buf, size_t n, int to, int label);
coll_req requests_irecv(requests *, void *buf, size_t n, int from, int label);
/* The observer, where there is one, hears of each request when it is through. Sets them to 0. */
void requests_waitall(requests *, int k, coll_req *, coll_observer *);
void requests_sendrecv(requests *, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from, int label,
                       coll_observer *);

/* The same for who keeps MPI's requests himself: a message takes so many of them. */
int requests_parts(const requests *, size_t n);
void requests_isend_all(const requests *, const void *buf, size_t n, int to, int label, MPI_Request parts[]);
void requests_irecv_all(const requests *, void *buf, size_t n, int from, int label, MPI_Request parts[]);
/* What such a receive has waited for is there. */
static inline void requests_received(const requests *r, int from) {
  if (r->has_turnaround) port_received(r->comm, from);
}

#endif
