#include "model/given.h"

#include <stdlib.h>
#include <string.h>

#include "core/plan/places.h"
#include "core/schedule/array.h"

static int compare(int from, int to, const given_route *r) {
  return from != r->from ? (from > r->from) - (from < r->from) : (to > r->to) - (to < r->to);
}

const given_route *given_find(const given_network *g, int from, int to) {
  size_t low = 0, high = g->routes;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int side = compare(from, to, &g->route[middle]);
    if (!side) return &g->route[middle];
    if (side < 0) high = middle;
    else low = middle + 1;
  }
  return NULL;
}

bool given_link_line(given_network *g, const reader *r) {
  given_link link = { .fatpipe = !strcmp(r->word[2], "fatpipe") };
  if (!link.fatpipe && strcmp(r->word[2], "shared"))
    return line_wrong(&r->line, "link %.40s: choose shared or fatpipe", r->word[2]);
  if (!reader_number(r, 1, "BYTES_PER_S", reader_rate, &link.bytes_per_s)) return false;
  if (link.bytes_per_s <= 0) return line_wrong(&r->line, "link: it moves more than 0 bytes per second");
  if (g->links == GIVEN_MAX_LINKS) return line_wrong(&r->line, "more than %d links", GIVEN_MAX_LINKS);
  PUSH(g->link, g->links, g->link_cap, link);
  return true;
}

bool given_route_line(given_network *g, const reader *r) {
  long long from = 0, to = 0, link = 0;
  given_route route = { .first = g->crossings, .links = r->words - 4 };
  if (!reader_whole(r, 1, "FROM", 0, PLACES_MAX - 1, &from) || !reader_whole(r, 2, "TO", 0, PLACES_MAX - 1, &to) ||
      !reader_number(r, 3, "LATENCY_S", reader_seconds, &route.latency_s))
    return false;
  route.from = (int)from, route.to = (int)to;
  if (g->routes && compare(route.from, route.to, &g->route[g->routes - 1]) <= 0)
    return line_wrong(&r->line, "route %d %d: routes ascend by FROM, then TO", route.from, route.to);
  for (int i = 4; i < r->words; i++) {
    if (!reader_whole(r, i, "LINK, counted from 0,", 0, (long long)g->links - 1, &link)) return false;
    PUSH(g->crossed, g->crossings, g->crossed_cap, (int32_t)link);
  }
  if (route.links > g->longest) g->longest = route.links;
  PUSH(g->route, g->routes, g->route_cap, route);
  return true;
}

void given_free(given_network *g) {
  free(g->link);
  free(g->route);
  free(g->crossed);
}
