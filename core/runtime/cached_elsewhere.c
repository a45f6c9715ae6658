#include "core/runtime/cached_elsewhere.h"

#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

cached_elsewhere cached_elsewhere_make(const coll_place *place) {
  return (cached_elsewhere){ .read_in_place_from = port_read_in_place_from(), .place = place };
}

void cached_elsewhere_free(cached_elsewhere *c) {
  byte_set_free(&c->bytes);
  free(c->owed);
}

static bool on_its_node(const cached_elsewhere *c, int rank) {
  return !c->place || c->place[rank].node == c->place[c->rank].node;
}

void cached_elsewhere_sent(cached_elsewhere *c, const void *data, size_t bytes, int to) {
  if (bytes >= c->read_in_place_from && on_its_node(c, to)) byte_set_add(&c->bytes, (uintptr_t)data, bytes);
}

static size_t taken_back(cached_elsewhere *c, const void *data, size_t bytes) {
  return c->bytes.n ? byte_set_remove(&c->bytes, (uintptr_t)data, bytes) : 0;
}

/* What comes from another node the NIC writes: that costs no core anything. */
size_t cached_elsewhere_received(cached_elsewhere *c, const void *data, size_t bytes, int from) {
  size_t back = taken_back(c, data, bytes);
  return on_its_node(c, from) ? back : 0;
}

void cached_elsewhere_receives(cached_elsewhere *c, const void *data, size_t bytes, int from, coll_req request) {
  size_t back = cached_elsewhere_received(c, data, bytes, from);
  if (request > c->slots) {
    c->owed = runtime_reallocate(c->owed, sizeof *c->owed * (size_t)request);
    while (c->slots < request) c->owed[c->slots++] = 0;
  }
  c->owed[request - 1] = back;
}

size_t cached_elsewhere_waited(cached_elsewhere *c, int k, const coll_req *requests) {
  size_t all = 0;
  for (int i = 0; i < k; i++) {
    if (!requests[i] || requests[i] > c->slots) continue;
    all += c->owed[requests[i] - 1];
    c->owed[requests[i] - 1] = 0;
  }
  return all;
}

void cached_elsewhere_written(cached_elsewhere *c, const void *data, size_t bytes) {
  if (c->bytes.n) port_charge_invalidation(taken_back(c, data, bytes));
}

void cached_elsewhere_forget(cached_elsewhere *c, const void *data, size_t bytes) { taken_back(c, data, bytes); }
