#include "model/inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/places.h"
#include "core/schedule/array.h"

static const char *const taken[] = { "cache", "socket", "node", "far", "network" };

static bool is_name(const char *word) {
  size_t n = strlen(word);
  if (!n || n >= INSIDE_NAME || !islower((unsigned char)*word)) return false;
  for (const char *c = word; *c; c++)
    if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_') return false;
  return true;
}

bool inside_level_line(machine_inside *in, const reader *r) {
  inside_level *l = &in->level[in->levels];
  if (in->levels == INSIDE_LEVELS) return line_wrong(&r->line, "more than %d levels", INSIDE_LEVELS);
  if (!is_name(r->word[1]))
    return line_wrong(&r->line, "level %.40s: NAME is made of up to 20 small letters, digits and _", r->word[1]);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(r->word[1], taken[i]))
      return line_wrong(&r->line, "level %s: every machine has a class of this name; choose another", r->word[1]);
  for (int i = 0; i < in->levels; i++)
    if (!strcmp(r->word[1], in->level[i].name)) return line_wrong(&r->line, "level %s is given twice", r->word[1]);
  long long caches = 0;
  if (!reader_whole(r, 2, "CACHES", 1, PLACES_MAX, &caches) ||
      !reader_number(r, 3, "BYTES_PER_S", reader_rate, &l->bytes_per_s))
    return false;
  int before = in->levels ? in->level[in->levels - 1].caches : 1;
  if (caches <= before || caches % before)
    return line_wrong(&r->line, "level %s: CACHES must be a multiple of %d, the level's before it, and more",
                      r->word[1], before);
  strcpy(l->name, r->word[1]);
  l->caches = (int)caches;
  in->levels++;
  return true;
}

static bool of_sockets(machine_inside *in, const reader *r, int sockets) {
  if (in->has_nic_socket && sockets > in->sockets)
    return line_wrong(&r->line, "there is no socket %d on a node; nic_socket says that it has %d", sockets - 1,
                      in->sockets);
  if (sockets > in->sockets) in->sockets = sockets;
  return true;
}

bool inside_mesh_line(machine_inside *in, const reader *r) {
  long long a = 0, b = 0;
  if (!reader_whole(r, 1, "SOCKET", 0, INSIDE_JOINED, &a) || !reader_whole(r, 2, "SOCKET", 0, INSIDE_JOINED, &b))
    return false;
  if (a == b) return line_wrong(&r->line, "mesh %lld %lld: a link joins two sockets", a, b);
  if (in->pairs == INSIDE_JOINED) return line_wrong(&r->line, "more than %d links between sockets", INSIDE_JOINED);
  in->pair[in->pairs][0] = (uint16_t)a;
  in->pair[in->pairs++][1] = (uint16_t)b;
  return of_sockets(in, r, 1 + (int)(a > b ? a : b));
}

bool inside_nic_line(machine_inside *in, const reader *r) {
  long long socket = 0, sockets = 0;
  if (!reader_whole(r, 2, "SOCKETS", 1, PLACES_MAX, &sockets) ||
      !reader_whole(r, 1, "SOCKET", 0, sockets - 1, &socket) ||
      !reader_number(r, 3, "S", reader_seconds, &in->nic_other_socket_s))
    return false;
  if (in->pairs && sockets != in->sockets)
    return line_wrong(&r->line, "%lld sockets of a node: the mesh has %d", sockets, in->sockets);
  in->nic_socket = (int)socket;
  in->sockets = (int)sockets;
  in->has_nic_socket = true;
  return true;
}

/* Links until there from each socket, and where each goes first. */
static void spread(machine_inside *in, const bool *joined, int to, int *queue) {
  int n = in->sockets, filled = 1;
  uint16_t *steps = in->steps; /* [from * n + to] */
  queue[0] = to;
  for (int i = 0; i < filled; i++)
    for (int s = 0; s < n; s++) {
      if (s == to || !joined[queue[i] * n + s] || steps[s * n + to]) continue;
      steps[s * n + to] = (uint16_t)(steps[queue[i] * n + to] + 1);
      queue[filled++] = s;
    }
  for (int s = 0; s < n; s++) {
    if (!steps[s * n + to]) continue;
    if (steps[s * n + to] > in->longest) in->longest = steps[s * n + to];
    if (steps[s * n + to] > 1) in->far = true;
    int first = 0;
    while (!joined[s * n + first] || steps[first * n + to] != steps[s * n + to] - 1) first++;
    in->next[s * n + to] = (uint16_t)first;
  }
}

bool inside_finish(machine_inside *in, const file_line *line) {
  in->longest = 1;
  if (!in->pairs) return true;
  size_t n = (size_t)in->sockets, all = n * n;
  bool *joined = memset(array_grow(NULL, all * sizeof *joined), 0, all * sizeof *joined);
  int *queue = array_grow(NULL, n * sizeof *queue);
  in->steps = memset(array_grow(NULL, all * sizeof *in->steps), 0, all * sizeof *in->steps);
  in->next = memset(array_grow(NULL, all * sizeof *in->next), 0, all * sizeof *in->next);
  for (int i = 0; i < in->pairs; i++) {
    size_t a = in->pair[i][0], b = in->pair[i][1];
    joined[a * n + b] = joined[b * n + a] = true;
  }
  for (int to = 0; to < in->sockets; to++) spread(in, joined, to, queue);
  free(joined);
  free(queue);
  for (int s = 1; s < in->sockets; s++)
    if (!in->steps[s]) return line_wrong(line, "mesh: no links lead from socket 0 to socket %d", s);
  return true;
}

void inside_free(machine_inside *in) {
  free(in->steps);
  free(in->next);
}
