#include "bench/exchanges.h"

#include <string.h>

static void send_recv(coll_ctx *c, const coll_args *a) {
  if (c->rank == 0) coll_send(c, a->in, a->count, 1), coll_recv(c, a->out, a->count, 1);
  else coll_recv(c, a->out, a->count, 0), coll_send(c, a->in, a->count, 0);
}

static void sendrecv(coll_ctx *c, const coll_args *a) {
  coll_sendrecv(c, a->in, a->count, !c->rank, a->out, a->count, !c->rank);
}

static void isend_irecv(coll_ctx *c, const coll_args *a) {
  coll_req reqs[2];
  reqs[0] = coll_irecv(c, a->out, a->count, !c->rank);
  reqs[1] = coll_isend(c, a->in, a->count, !c->rank);
  coll_waitall(c, 2, reqs);
}

static void plain_send_recv(const plain *p) {
  if (p->rank == 0) {
    MPI_Send(p->in, p->n, MPI_FLOAT, 1, 0, p->comm);
    MPI_Recv(p->out, p->n, MPI_FLOAT, 1, 0, p->comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(p->out, p->n, MPI_FLOAT, 0, 0, p->comm, MPI_STATUS_IGNORE);
    MPI_Send(p->in, p->n, MPI_FLOAT, 0, 0, p->comm);
  }
}

static void plain_sendrecv(const plain *p) {
  MPI_Sendrecv(p->in, p->n, MPI_FLOAT, !p->rank, 0, p->out, p->n, MPI_FLOAT, !p->rank, 0, p->comm, MPI_STATUS_IGNORE);
}

static void plain_isend_irecv(const plain *p) {
  MPI_Request reqs[2];
  MPI_Irecv(p->out, p->n, MPI_FLOAT, !p->rank, 0, p->comm, &reqs[0]);
  MPI_Isend(p->in, p->n, MPI_FLOAT, !p->rank, 0, p->comm, &reqs[1]);
  MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE);
}

static const exchange exchanges[] = {
  { { .key = "messages/send_recv", .collective = COLL_ROTATION, .run = send_recv }, plain_send_recv, 2 },
  { { .key = "messages/sendrecv", .collective = COLL_ROTATION, .run = sendrecv }, plain_sendrecv, 1 },
  { { .key = "messages/isend_irecv", .collective = COLL_ROTATION, .run = isend_irecv }, plain_isend_irecv, 1 },
};

const exchange *exchange_find(const char *key) {
  for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++)
    if (!strcmp(exchanges[i].alg.key, key)) return &exchanges[i];
  return NULL;
}
