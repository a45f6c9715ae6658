#include "model/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "core/schedule/array.h"

static void cross(traffic *t, const topology *net, int from, int to, uint64_t bytes) {
  int32_t link[TOPOLOGY_MAX_LINE];
  if (net->position) from = net->position[from], to = net->position[to];
  int n = topology_route(net, from, to, link);
  for (int i = 0; i < n; i++) {
    uint64_t moved = t->of_link[link[i]] += bytes;
    t->link_bytes += bytes;
    if (topology_is_global(net, link[i])) t->global_bytes += bytes;
    if (moved > t->busiest_bytes) t->busiest_bytes = moved;
  }
}

void traffic_count(traffic *t, const wiring *w, const machine *m) {
  t->network_bytes = t->link_bytes = t->global_bytes = t->busiest_bytes = 0;
  t->links = m->places ? (size_t)topology_links(&m->topology) : 0;
  RESERVE(t->of_link, t->link_cap, t->links);
  if (t->links) memset(t->of_link, 0, t->links * sizeof *t->of_link);
  for (size_t i = 0; i < w->messages; i++) {
    const message *one = &w->message[i];
    int from = m->places ? m->place[one->src].node : one->src, to = m->places ? m->place[one->dst].node : one->dst;
    if (from == to) continue;
    t->network_bytes += one->bytes;
    if (t->links) cross(t, &m->topology, from, to, one->bytes);
  }
}

void traffic_print(json *j, const traffic *t, const machine *m) {
  json_object(j, "traffic");
  json_size(j, "network_bytes", t->network_bytes);
  json_size(j, "link_bytes", t->link_bytes);
  if (topology_has_global(&m->topology)) json_size(j, "global_bytes", t->global_bytes);
  else json_null(j, "global_bytes");
  json_size(j, "busiest_bytes", t->busiest_bytes);
  json_end(j);
}

void traffic_free(traffic *t) { free(t->of_link); }
