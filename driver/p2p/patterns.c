/* The patterns of point-to-point measurements: see p2p.h. All are MPI calls that a simulator understands, too: there they give back
 * what the platform file says. While some ranks talk the others wait, so the numbers are those of an idle machine. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"
#include "driver/p2p/plan.h"
#include "driver/port.h"

enum { TAG = 1, ACK = 2, SHORT = 1 << 12, FRESH = 64 << 20 };

static bool is_first(const bench *b, const measurement *m) { return b->l->rank == m->flow[0].from; }
static bool is_second(const bench *b, const measurement *m) { return b->l->rank == m->flow[0].to; }

/* This rank writes bytes that it has sent to that one. A simulator is told so. */
static void take_back(const bench *b, int other, size_t bytes) {
  const coll_place *place = b->l->place;
  if (bytes >= port_read_in_place_from() && place[b->l->rank].node == place[other].node)
    port_charge_invalidation(bytes);
}

/* ---- round trips ------------------------------------------------------------------------------------ */

typedef void (*sender)(const bench *, void *, int bytes, int to);
typedef void (*receiver)(const bench *, void *, int bytes, int from);

static void send(const bench *b, void *at, int n, int to) { MPI_Send(at, n, MPI_BYTE, to, TAG, b->l->world); }
static void receive(const bench *b, void *at, int n, int from) {
  MPI_Recv(at, n, MPI_BYTE, from, TAG, b->l->world, MPI_STATUS_IGNORE);
}
static void isend(const bench *b, void *at, int n, int to) {
  MPI_Request request;
  MPI_Isend(at, n, MPI_BYTE, to, TAG, b->l->world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void ireceive(const bench *b, void *at, int n, int from) {
  MPI_Request request;
  MPI_Irecv(at, n, MPI_BYTE, from, TAG, b->l->world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Messages go through the buffers from front to end, or all are at their beginning. */
static void round_trips(const bench *b, const measurement *m, sender s, receiver r, bool fresh, double value[]) {
  int n, a = m->flow[0].from, other = m->flow[0].to;
  size_t at = 0, step = fresh ? (m->bytes + 4095) / 4096 * 4096 : 0;
  double start = port_now();
  /* Ranks leave a barrier one after the other: a first, short round trip that is not timed lets none wait for the other. */
  for (int i = -1; i < m->count; i++) {
    if (!i) start = port_now();
    n = i < 0 && m->bytes > SHORT ? SHORT : (int)m->bytes;
    if (b->l->rank == a) {
      s(b, b->send + at, n, other);
      r(b, b->recv + at, n, other);
    } else if (b->l->rank == other) {
      r(b, b->recv + at, n, a);
      s(b, b->send + at, n, a);
    }
    at = at + step + m->bytes > b->room ? 0 : at + step;
  }
  if (is_first(b, m)) value[0] = (port_now() - start) / (2 * m->count);
  /* Nothing else crosses the network while the last message does. */
  if (is_first(b, m)) MPI_Send(b->send, 0, MPI_BYTE, other, ACK, b->l->world);
  if (is_second(b, m)) MPI_Recv(b->recv, 0, MPI_BYTE, a, ACK, b->l->world, MPI_STATUS_IGNORE);
}

static void pingpong(const bench *b, const measurement *m, double value[]) {
  round_trips(b, m, send, receive, false, value);
}
static void pingpong_nonblocking(const bench *b, const measurement *m, double value[]) {
  round_trips(b, m, isend, ireceive, false, value);
}
static void pingpong_fresh(const bench *b, const measurement *m, double value[]) {
  round_trips(b, m, send, receive, true, value);
}

/* ---- local work ------------------------------------------------------------------------------------- */

static void copy(const bench *b, size_t bytes) {
  memcpy(b->send, b->recv, bytes);
  port_charge_copy(bytes);
}

static void combine(const bench *b, size_t bytes) {
  MPI_Reduce_local(b->recv, b->send, (int)(bytes / sizeof(float)), MPI_FLOAT, MPI_SUM);
  port_charge_reduce(bytes);
}

/* ---- a token round a ring ---------------------------------------------------------------------------- */

/* What was received is sent on to the next rank, or a copy of it. A simulator is told so, and asked what that costs. */
static void relayed(const bench *b, const measurement *m, sender s, receiver r, bool copies, double value[]) {
  int before = -1, behind = -1, me = b->l->rank;
  for (int i = 0; i < m->flows; i++) {
    if (m->flow[i].to == me) before = m->flow[i].from;
    if (m->flow[i].from == me) behind = m->flow[i].to;
  }
  if (before < 0 || behind < 0) return;
  bool tells = port_has_turnaround();
  double start = port_now();
  for (int i = -1; i < m->count; i++) {
    if (!i) start = port_now();
    int n = i < 0 && m->bytes > SHORT ? SHORT : (int)m->bytes;
    for (int receives = !is_first(b, m), k = 0; k < 2; k++, receives = !receives) {
      if (receives) r(b, b->recv, n, before);
      if (receives) take_back(b, behind, (size_t)n); /* in copying, where that is */
      if (receives && copies) copy(b, (size_t)n);
      if (tells && receives) port_received(b->l->world, before);
      if (tells && !receives) port_sends(b->l->world, behind);
      if (!receives) s(b, copies ? b->send : b->recv, n, behind);
    }
  }
  if (is_first(b, m)) value[0] = (port_now() - start) / ((double)m->count * m->flows);
}

static void send_or_wait(const bench *b, void *at, int n, int to) {
  if ((size_t)n >= port_synchronous(false)) MPI_Ssend(at, n, MPI_BYTE, to, TAG, b->l->world);
  else send(b, at, n, to);
}

static void relay(const bench *b, const measurement *m, double value[]) {
  relayed(b, m, send_or_wait, receive, false, value);
}
static void relay_copied(const bench *b, const measurement *m, double value[]) {
  relayed(b, m, send_or_wait, receive, true, value);
}
static void relay_nonblocking(const bench *b, const measurement *m, double value[]) {
  relayed(b, m, isend, ireceive, false, value);
}

/* ---- overheads -------------------------------------------------------------------------------------- */

static void overhead(const bench *b, const measurement *m, double value[]) {
  int n = (int)m->bytes;
  MPI_Comm comm = b->l->world;
  if (is_first(b, m)) {
    MPI_Recv(b->recv, 0, MPI_BYTE, m->flow[0].to, ACK, comm, MPI_STATUS_IGNORE);
    double start = port_now();
    for (int k = 0; k < m->count; k++) send(b, b->send, n, m->flow[0].to);
    value[0] = (port_now() - start) / m->count;
  } else if (is_second(b, m)) {
    MPI_Request *request = runtime_allocate(sizeof *request * (size_t)m->count);
    for (int k = 0; k < m->count; k++) MPI_Irecv(b->recv, n, MPI_BYTE, m->flow[0].from, TAG, comm, &request[k]);
    MPI_Send(b->send, 0, MPI_BYTE, m->flow[0].from, ACK, comm);
    MPI_Waitall(m->count, request, MPI_STATUSES_IGNORE);
    free(request);
  }
}

/* What was sent last arrives last: then all others are there. */
static void receive_what_is_there(const bench *b, const measurement *m, double value[]) {
  int n = (int)m->bytes;
  MPI_Comm comm = b->l->world;
  if (is_first(b, m)) {
    MPI_Request *request = runtime_allocate(sizeof *request * ((size_t)m->count + 1));
    for (int k = 0; k <= m->count; k++) /* messages that wait for their receive are received in another order */
      MPI_Isend(b->send, n, MPI_BYTE, m->flow[0].to, k < m->count ? TAG : ACK, comm, &request[k]);
    MPI_Waitall(m->count + 1, request, MPI_STATUSES_IGNORE);
    free(request);
  } else if (is_second(b, m)) {
    MPI_Recv(b->recv, n, MPI_BYTE, m->flow[0].from, ACK, comm, MPI_STATUS_IGNORE);
    double start = port_now();
    for (int k = 0; k < m->count; k++) receive(b, b->recv, n, m->flow[0].from);
    value[0] = (port_now() - start) / m->count;
  }
}

/* A receive that is posted late: does its send wait? */
static void late(const bench *b, const measurement *m, sender s, double value[]) {
  int n = (int)m->bytes;
  MPI_Comm comm = b->l->world;
  if (is_first(b, m)) {
    MPI_Send(b->send, 0, MPI_BYTE, m->flow[0].to, ACK, comm);
    double start = port_now();
    s(b, b->send, n, m->flow[0].to);
    value[0] = port_now() - start;
  } else if (is_second(b, m)) {
    MPI_Recv(b->recv, 0, MPI_BYTE, m->flow[0].from, ACK, comm, MPI_STATUS_IGNORE);
    port_idle(1e-3 * m->count);
    receive(b, b->recv, n, m->flow[0].from);
  }
}

static void late_blocking(const bench *b, const measurement *m, double value[]) { late(b, m, send, value); }
static void late_nonblocking(const bench *b, const measurement *m, double value[]) { late(b, m, isend, value); }

/* ---- several messages at once ----------------------------------------------------------------------- */

/* Each receiver sends what lies where it will receive into: the other core has read these lines then. */
static void send_back(const bench *b, const measurement *m) {
  for (int i = 0; i < m->flows; i++) {
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    const flow *f = &m->flow[i];
    if (f->to == b->l->rank) MPI_Isend(b->recv, (int)m->bytes, MPI_BYTE, f->from, ACK, b->l->world, &request[0]);
    if (f->from == b->l->rank) MPI_Irecv(b->back, (int)m->bytes, MPI_BYTE, f->to, ACK, b->l->world, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  }
}

/* Returns whether this rank came too late to the start. */
static bool flows_once(const bench *b, const measurement *m, bool returned, double window, double value[]) {
  int most = m->count * m->flows, sends = 0, receives = 0, n = (int)m->bytes, me = b->l->rank;
  const flow *end = m->flow + m->flows;
  if (returned) send_back(b, m);
  MPI_Request *request = runtime_allocate(sizeof *request * (size_t)most * 2), *sent = request + most;
  for (int k = 0; k < m->count; k++)
    for (const flow *f = m->flow; f < end; f++)
      if (f->to == me) MPI_Irecv(b->recv, n, MPI_BYTE, f->from, TAG, b->l->world, &request[receives++]);
  bool late;
  double start = port_start_together(b->l->world, window, &late);
  for (int k = 0; k < m->count; k++)
    for (const flow *f = m->flow; f < end; f++)
      if (f->from == me) MPI_Isend(b->send, n, MPI_BYTE, f->to, TAG, b->l->world, &sent[sends++]);
  if (is_first(b, m)) value[1] = port_now() - start;
  if (receives) {
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    if (is_second(b, m)) value[2] = port_now() - start;
    MPI_Waitall(receives - 1, request + 1, MPI_STATUSES_IGNORE);
    for (const flow *f = m->flow; returned && f < end; f++)
      if (f->to == me) take_back(b, f->from, m->bytes);
    value[0] = port_now() - start;
  }
  MPI_Waitall(sends, sent, MPI_STATUSES_IGNORE);
  /* nobody leaves, and sends else, while messages are under way */
  for (const flow *f = m->flow; f < end; f++)
    if (f->to == me) MPI_Send(b->send, 0, MPI_BYTE, f->from, ACK, b->l->world);
  for (const flow *f = m->flow; f < end; f++)
    if (f->from == me) MPI_Recv(b->recv, 0, MPI_BYTE, f->to, ACK, b->l->world, MPI_STATUS_IGNORE);
  free(request);
  return late;
}

static void flows_in_window(const bench *b, const measurement *m, bool returned, double value[]) {
  enum { TRIES = 8 };
  double window = port_window(b->l->world);
  for (int tries = 1, any = 1; any && tries <= TRIES; tries++) {
    if (tries == TRIES) window = 0; /* then the start is as common as a barrier makes it */
    any = flows_once(b, m, returned, window, value);
    if (window > 0) MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, b->l->world);
    window *= 2;
  }
}

/* Values: arrival of the last message, end of posting, arrival of the first. */
static void flows(const bench *b, const measurement *m, double value[]) { flows_in_window(b, m, false, value); }
static void flows_returned(const bench *b, const measurement *m, double value[]) { flows_in_window(b, m, true, value); }

/* ---- a rank alone ----------------------------------------------------------------------------------- */

static int repeats(size_t bytes) { return (int)(((size_t)128 << 20) / bytes) / 16 + 1; }

static void gamma_speed(const bench *b, const measurement *m, double value[]) {
  if (b->l->rank >= m->count) return;
  int n = repeats(m->bytes);
  double start = port_now();
  for (int i = 0; i < n; i++) combine(b, m->bytes);
  if (!b->l->rank) value[0] = (port_now() - start) / ((double)m->bytes * n);
}

static void copy_speed(const bench *b, const measurement *m, double value[]) {
  if (b->l->rank >= m->count) return;
  int n = repeats(m->bytes);
  double start = port_now();
  for (int i = 0; i < n; i++) copy(b, m->bytes);
  if (!b->l->rank) value[0] = (port_now() - start) / ((double)m->bytes * n);
}

/* Lines of what another core has just read are its lines, too: writing takes them back. */
static void exchanged(const bench *b, const measurement *m, bool combines, double value[]) {
  int n = (int)m->bytes, other = is_first(b, m) ? m->flow[0].to : m->flow[0].from;
  if ((!is_first(b, m) && !is_second(b, m)) || !m->bytes) return;
  double spent = 0;
  for (int i = 0; i < m->count; i++) {
    MPI_Sendrecv(b->send, n, MPI_BYTE, other, TAG, b->recv, n, MPI_BYTE, other, TAG, b->l->world, MPI_STATUS_IGNORE);
    double start = port_now();
    take_back(b, other, m->bytes);
    if (combines) combine(b, m->bytes);
    else copy(b, m->bytes);
    spent += port_now() - start;
  }
  value[0] = spent / ((double)m->bytes * m->count);
}

static void copy_exchanged(const bench *b, const measurement *m, double value[]) { exchanged(b, m, false, value); }
static void gamma_exchanged(const bench *b, const measurement *m, double value[]) { exchanged(b, m, true, value); }

static void touch(const bench *b, const measurement *m, double value[]) {
  if (b->l->rank >= m->count) return;
  double start = port_now();
  char *fresh = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return;
  for (size_t at = 0; at < m->bytes; at += 4096) ((volatile char *)fresh)[at] = 1;
  if (!b->l->rank) value[0] = (port_now() - start) / (double)m->bytes;
  munmap(fresh, m->bytes);
}

/* ---- the table -------------------------------------------------------------------------------------- */

static const pattern patterns[] = {
  { .name = "pingpong", .sample = pingpong },
  { .name = "pingpong_nonblocking", .sample = pingpong_nonblocking },
  { .name = "pingpong_fresh", .sample = pingpong_fresh, .room = FRESH },
  { .name = "relay", .sample = relay },
  { .name = "relay_copied", .sample = relay_copied },
  { .name = "relay_nonblocking", .sample = relay_nonblocking },
  { .name = "overhead", .sample = overhead },
  { .name = "receive", .sample = receive_what_is_there },
  { .name = "late", .sample = late_blocking },
  { .name = "late_nonblocking", .sample = late_nonblocking },
  { .name = "flows", .sample = flows, .value = { "issue", "first" } },
  { .name = "flows_returned", .returns = true, .sample = flows_returned, .value = { "issue", "first" } },
  { .name = "gamma", .sample = gamma_speed, .local = true },
  { .name = "copy", .sample = copy_speed, .local = true },
  { .name = "copy_exchanged", .sample = copy_exchanged },
  { .name = "gamma_exchanged", .sample = gamma_exchanged },
  { .name = "touch", .sample = touch, .local = true },
};

const pattern *pattern_named(const char *name) {
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (!strcmp(patterns[i].name, name)) return &patterns[i];
  return NULL;
}
