#include "core/runtime/requests.h"

#include <stdlib.h>

#include "core/runtime/allocate.h"

/* ---- tags ------------------------------------------------------------------------------------------- */

/* A collective has 256 labels, for messages of two classes. */
enum { LABELS = 256, LARGE = COLL_COLLECTIVES * LABELS, TAGS = 2 * LARGE };

static requests opened(MPI_Comm comm, MPI_Datatype type, size_t elem) {
  requests r = { .comm = comm, .type = type, .elem = elem, .large = port_large_message() };
  r.has_turnaround = port_has_turnaround();
  for (int nonblocking = 0; nonblocking < 2; nonblocking++) r.synchronous[nonblocking] = port_synchronous(nonblocking);
  return r;
}

static int highest_tag(MPI_Comm comm) {
  int *highest, known;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &highest, &known);
  return known ? *highest : 32767;
}

void requests_open(requests *r, MPI_Comm comm, coll_collective collective, MPI_Datatype type, size_t elem,
                   bool any_source) {
  *r = opened(comm, type, elem);
  r->large_tags = LARGE;
  r->tag = r->collective_tag = (int)collective * LABELS;
  if (!any_source) return;
  r->epochs = (highest_tag(comm) - TAGS + 1) / TAGS;
  MPI_Barrier(comm); /* nobody is still in an earlier call with the same epochs */
}

/* Which collective it is does not matter: all ranks count alike. */
enum { NUMBERED = 2 * LABELS };

uint64_t requests_numbers(void) { return (uint64_t)(highest_tag(MPI_COMM_WORLD) - TAGS + 1) / NUMBERED; }

void requests_open_numbered(requests *r, MPI_Comm comm, MPI_Datatype type, size_t elem, uint64_t number) {
  *r = opened(comm, type, elem);
  r->large_tags = LABELS;
  r->tag = TAGS + (int)number * NUMBERED;
}

void requests_close(requests *r) {
  free(r->slots);
  free(r->idle);
}

void requests_next_call(requests *r) {
  if (!r->epochs) return;
  r->epoch = (r->epoch + 1) % r->epochs;
  r->tag = r->collective_tag + r->epoch * TAGS;
  if (!r->epoch) MPI_Barrier(r->comm);
}

static inline int tag_of(const requests *r, int label, size_t n) {
  return r->tag + label + (n * r->elem < r->large ? 0 : r->large_tags);
}

int requests_tag(const requests *r, int label, size_t n) { return tag_of(r, label, n); }

/* ---- parts ------------------------------------------------------------------------------------------ */

/* SMPI puts sizes into an int, by which it takes messages of 2 GiB for small ones; and those of a contiguous type, where an int cannot
 * count elements, it packs into memory of its own. */
int requests_part(const requests *r, size_t left) {
  size_t most = ((size_t)1 << 30) / r->elem;
  if (!most) most = 1;
  return (int)(left < most ? left : most);
}

static void *element(const requests *r, const void *buf, size_t i) { return (char *)buf + i * r->elem; }

/* By the call of MPI that waits for its receive, where the back-end's own would not. */
static bool waits(const requests *r, size_t n, bool nonblocking) { return n * r->elem >= r->synchronous[nonblocking]; }

static void will_send(const requests *r, int to) {
  if (r->has_turnaround) port_sends(r->comm, to);
}

static void send_part(requests *r, const void *buf, size_t n, int to, int label) {
  (waits(r, n, false) ? MPI_Ssend : MPI_Send)(buf, (int)n, r->type, to, tag_of(r, label, n), r->comm);
}

static void isend_part(const requests *r, const void *buf, size_t n, int to, int label, MPI_Request *request) {
  (waits(r, n, true) ? MPI_Issend : MPI_Isend)(buf, (int)n, r->type, to, tag_of(r, label, n), r->comm, request);
}

static void irecv_part(const requests *r, void *buf, size_t n, int from, int label, MPI_Request *request) {
  MPI_Irecv(buf, (int)n, r->type, from, tag_of(r, label, n), r->comm, request);
}

static void send_large(requests *r, const void *buf, size_t n, int to, int label) {
  for (size_t at = 0; at < n; at += (size_t)requests_part(r, n - at))
    send_part(r, element(r, buf, at), (size_t)requests_part(r, n - at), to, label);
}

static void recv_large(requests *r, void *buf, size_t n, int from, int label) {
  for (size_t at = 0; at < n; at += (size_t)requests_part(r, n - at)) {
    int k = requests_part(r, n - at);
    MPI_Recv(element(r, buf, at), k, r->type, from, tag_of(r, label, (size_t)k), r->comm, MPI_STATUS_IGNORE);
  }
}

/* ---- blocking --------------------------------------------------------------------------------------- */

void requests_send(requests *r, const void *buf, size_t n, int to, int label) {
  will_send(r, to);
  if (requests_is_ordinary(r, n)) send_part(r, buf, n, to, label);
  else send_large(r, buf, n, to, label);
}

void requests_recv(requests *r, void *buf, size_t n, int from, int label) {
  if (requests_is_ordinary(r, n)) MPI_Recv(buf, (int)n, r->type, from, tag_of(r, label, n), r->comm, MPI_STATUS_IGNORE);
  else recv_large(r, buf, n, from, label);
  requests_received(r, from);
}

int requests_recv_any(requests *r, void *buf, size_t n, int label) {
  int k = requests_is_ordinary(r, n) ? (int)n : requests_part(r, n);
  MPI_Status status;
  MPI_Recv(buf, k, r->type, MPI_ANY_SOURCE, tag_of(r, label, (size_t)k), r->comm, &status);
  if ((size_t)k < n) recv_large(r, element(r, buf, (size_t)k), n - (size_t)k, status.MPI_SOURCE, label);
  requests_received(r, status.MPI_SOURCE);
  return status.MPI_SOURCE;
}

/* ---- outstanding ------------------------------------------------------------------------------------ */

static void more_slots(requests *r) {
  int grown = r->capacity ? 2 * r->capacity : 16;
  r->slots = runtime_reallocate(r->slots, sizeof *r->slots * (size_t)grown);
  r->idle = runtime_reallocate(r->idle, sizeof *r->idle * (size_t)grown);
  for (int i = grown; i-- > r->capacity;) {
    r->slots[i] = (request_slot){ .from = -1 };
    r->idle[r->idles++] = i;
  }
  r->capacity = grown;
}

static coll_req take_slot(requests *r) {
  if (!r->idles) more_slots(r);
  return r->idle[--r->idles] + 1;
}

/* A slot for the next part of the message that began in slot `before`. */
static coll_req take_next(requests *r, coll_req before) {
  coll_req next = take_slot(r);
  return r->slots[before - 1].next = next;
}

static void isend_large(requests *r, const void *buf, size_t n, int to, int label, coll_req slot) {
  for (size_t at = 0; at < n; at += (size_t)requests_part(r, n - at)) {
    if (at) slot = take_next(r, slot);
    isend_part(r, element(r, buf, at), (size_t)requests_part(r, n - at), to, label, &r->slots[slot - 1].request);
  }
}

coll_req requests_isend(requests *r, const void *buf, size_t n, int to, int label) {
  will_send(r, to);
  coll_req slot = take_slot(r);
  if (requests_is_ordinary(r, n)) isend_part(r, buf, n, to, label, &r->slots[slot - 1].request);
  else isend_large(r, buf, n, to, label, slot);
  return slot;
}

static void irecv_large(requests *r, void *buf, size_t n, int from, int label, coll_req slot) {
  for (size_t at = 0; at < n; at += (size_t)requests_part(r, n - at)) {
    int k = requests_part(r, n - at);
    if (at) slot = take_next(r, slot);
    MPI_Irecv(element(r, buf, at), k, r->type, from, tag_of(r, label, (size_t)k), r->comm, &r->slots[slot - 1].request);
  }
}

coll_req requests_irecv(requests *r, void *buf, size_t n, int from, int label) {
  coll_req slot = take_slot(r);
  r->slots[slot - 1].from = from;
  if (requests_is_ordinary(r, n)) irecv_part(r, buf, n, from, label, &r->slots[slot - 1].request);
  else irecv_large(r, buf, n, from, label, slot);
  return slot;
}

int requests_parts(const requests *r, size_t n) {
  size_t most = (size_t)requests_part(r, n);
  return requests_is_ordinary(r, n) ? 1 : (int)((n + most - 1) / most);
}

void requests_isend_all(const requests *r, const void *buf, size_t n, int to, int label, MPI_Request parts[]) {
  will_send(r, to);
  if (requests_is_ordinary(r, n)) isend_part(r, buf, n, to, label, parts);
  else
    for (size_t at = 0; at < n; at += (size_t)requests_part(r, n - at))
      isend_part(r, element(r, buf, at), (size_t)requests_part(r, n - at), to, label, parts++);
}

void requests_irecv_all(const requests *r, void *buf, size_t n, int from, int label, MPI_Request parts[]) {
  if (requests_is_ordinary(r, n)) irecv_part(r, buf, n, from, label, parts);
  else
    for (size_t at = 0; at < n; at += (size_t)requests_part(r, n - at))
      irecv_part(r, element(r, buf, at), (size_t)requests_part(r, n - at), from, label, parts++);
}

/* of: the messages that these requests belong to. */
static void wait_batch(int n, MPI_Request *wait, const coll_req *of, coll_observer *observer) {
  if (observer)
    for (int left = n, i; left--; observe_done(observer, of[i])) MPI_Waitany(n, wait, &i, MPI_STATUS_IGNORE);
  else if (n == 1) MPI_Wait(wait, MPI_STATUS_IGNORE);
  else if (n) MPI_Waitall(n, wait, MPI_STATUSES_IGNORE);
}

void requests_waitall(requests *r, int k, coll_req *reqs, coll_observer *observer) {
  enum { BATCH = 64 };
  MPI_Request wait[BATCH];
  coll_req of[BATCH];
  int n = 0;
  for (int i = 0; i < k; i++) {
    for (coll_req slot = reqs[i]; slot;) {
      request_slot *done = &r->slots[slot - 1];
      if (n == BATCH) {
        wait_batch(n, wait, of, observer);
        n = 0;
      }
      of[n] = reqs[i];
      wait[n++] = done->request;
      r->idle[r->idles++] = slot - 1;
      slot = done->next;
      if (done->from >= 0) requests_received(r, done->from);
      done->next = 0;
      done->from = -1;
    }
    reqs[i] = 0;
  }
  wait_batch(n, wait, of, observer);
}

void requests_sendrecv(requests *r, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from, int label,
                       coll_observer *observer) {
  bool ordinary = requests_is_ordinary(r, sn) && requests_is_ordinary(r, rn);
  if (ordinary && waits(r, sn, true)) { /* what MPI_Sendrecv does, with a send that waits */
    coll_req both[2] = { requests_isend(r, sbuf, sn, to, label) };
    both[1] = requests_irecv(r, rbuf, rn, from, label);
    requests_waitall(r, 2, both, observer);
  } else if (ordinary) {
    will_send(r, to);
    MPI_Sendrecv(sbuf, (int)sn, r->type, to, tag_of(r, label, sn), rbuf, (int)rn, r->type, from, tag_of(r, label, rn),
                 r->comm, MPI_STATUS_IGNORE);
    requests_received(r, from);
  } else {
    coll_req got = requests_irecv(r, rbuf, rn, from, label);
    requests_send(r, sbuf, sn, to, label);
    requests_waitall(r, 1, &got, observer);
  }
}
