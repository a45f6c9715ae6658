/* The machine of a timing: made from three numbers, or read from a machine file. */
#include "model/machine.h"

#include <stdlib.h>
#include <string.h>

#include "core/plan/line.h"
#include "core/plan/places.h"
#include "core/plan/plan.h"
#include "core/schedule/array.h"

static const char *const class_names[MACHINE_LEVEL] = { "cache", "socket", "node", "far", "network" };

const char *machine_class_name(const machine *m, int c) {
  return c < MACHINE_LEVEL ? class_names[c] : m->inside.level[c - MACHINE_LEVEL].name;
}

bool machine_has_class(const machine *m, int c) {
  return c < MACHINE_LEVEL ? c != MACHINE_FAR || m->inside.far : c - MACHINE_LEVEL < m->inside.levels;
}

static machine uniform(double alpha, double beta, double gamma) {
  machine m = { .eager_bytes = -1,
                .gamma_s_per_byte = gamma,
                .bound_alpha_s = alpha,
                .bound_beta_s_per_byte = beta,
                .bound_gamma_s_per_byte = gamma };
  machine_curve *c = &m.curve[MACHINE_NETWORK];
  c->piece = array_grow(NULL, sizeof *c->piece);
  c->piece[0] = (machine_piece){ .latency_s = alpha, .s_per_byte = beta, .traffic = 1 };
  c->pieces = 1;
  return m;
}

machine machine_one_port(double alpha_s, double beta_s_per_byte, double gamma_s_per_byte) {
  machine m = uniform(alpha_s, beta_s_per_byte, gamma_s_per_byte);
  m.ports = MACHINE_ONE_PORT;
  return m;
}

machine machine_ideal_simgrid(double alpha_s, double beta_s_per_byte, double gamma_s_per_byte) {
  machine m = uniform(alpha_s, beta_s_per_byte, gamma_s_per_byte);
  m.ports = MACHINE_FLUID;
  m.control_bytes = 16;
  return m;
}

void machine_free(machine *m) {
  for (int c = 0; c < MACHINE_CLASSES; c++) {
    free(m->curve[c].piece);
    free(m->nonblocking[c].piece);
    free(m->receive_gap[c].piece);
    for (int k = 0; k < 2; k++) free(m->turnaround[k][c].piece);
    noise_free(&m->noise[c]);
  }
  free(m->place);
  inside_free(&m->inside);
  topology_free(&m->topology);
  given_free(&m->given);
  *m = (machine){ 0 };
}

/* ---- reading ---------------------------------------------------------------------------------------- */

/* What lines leave for those after them. */
typedef struct {
  machine *machine;
  coll_place *seat; /* of a node's ranks, by lines that no `nodes` has followed yet; node: 0 */
  int seats;
  size_t seat_cap, place_cap;
} reading;

/* Room for n items and one more; n grows by one, so only a power of two asks for more. */
static void *grown(void *old, int n, size_t item) {
  return old && (n & (n - 1)) ? old : array_grow(old, (size_t)(n ? 2 * n : 1) * item);
}

/* The class in the second word; -1, with a complaint: there is none of that name. */
static int class_named(const reader *r, const machine *m) {
  int c = 0;
  while (c < MACHINE_LEVEL + m->inside.levels && strcmp(r->word[1], machine_class_name(m, c))) c++;
  if (c < MACHINE_LEVEL + m->inside.levels) return c;
  line_wrong(&r->line, "%s %.40s: choose cache, socket, node, far or network, or name it in a level line before",
             r->word[0], r->word[1]);
  return -1;
}

static bool class_line(const reader *r, machine *m, machine_curve *curves) {
  int c = class_named(r, m);
  if (c < 0) return false;
  long long from = 0;
  machine_piece piece = { .traffic = 1 };
  if (!reader_whole(r, 2, "FROM_BYTES", 0, PLAN_MAX_BYTES, &from) ||
      !reader_number(r, 3, "LATENCY_S", reader_seconds, &piece.latency_s) ||
      !reader_number(r, 4, "S_PER_BYTE", reader_per_byte, &piece.s_per_byte) ||
      (r->words > 5 && !reader_number(r, 5, "TRAFFIC", reader_traffic, &piece.traffic)))
    return false;
  if (r->words == 7) return line_wrong(&r->line, "%s: GAP_S_PER_BYTE must follow GAP_S", r->word[0]);
  piece.has_gap = r->words == 8;
  if (piece.has_gap && (!reader_number(r, 6, "GAP_S", reader_seconds, &piece.gap_s) ||
                        !reader_number(r, 7, "GAP_S_PER_BYTE", reader_per_byte, &piece.gap_s_per_byte)))
    return false;
  m->has_gaps |= piece.has_gap;
  if (piece.traffic <= 0) return line_wrong(&r->line, "%.40s: TRAFFIC must be more than 0", r->word[5]);
  piece.from = (size_t)from;
  machine_curve *curve = &curves[c];
  if (curve->pieces ? curve->piece[curve->pieces - 1].from >= piece.from : piece.from != 0)
    return line_wrong(&r->line, "%s %s: pieces start at 0 bytes and ascend", r->word[0], r->word[1]);
  curve->piece = grown(curve->piece, curve->pieces, sizeof *curve->piece);
  curve->piece[curve->pieces++] = piece;
  return true;
}

static bool place_line(const reader *r, reading *all) {
  machine *m = all->machine;
  long long rank = 0, node = 0, socket = 0, cache = 0;
  if (!reader_whole(r, 1, "RANK", 0, PLACES_MAX - 1, &rank) || !reader_whole(r, 2, "NODE", 0, PLACES_MAX - 1, &node) ||
      !reader_whole(r, 3, "SOCKET", 0, PLACES_MAX - 1, &socket) ||
      !reader_whole(r, 4, "CACHE", 0, PLACES_MAX - 1, &cache))
    return false;
  if (rank != m->places)
    return line_wrong(&r->line, "place %lld: ranks come in order, this should be rank %d", rank, m->places);
  if (m->places == PLACES_MAX) return line_wrong(&r->line, "more than %d ranks have places", PLACES_MAX);
  PUSH(m->place, m->places, all->place_cap, (coll_place){ (int)node, (int)socket, (int)cache });
  return true;
}

static bool seats_line(const reader *r, reading *all) {
  long long count = 0, socket = 0, cache = 0;
  if (!reader_whole(r, 1, "COUNT", 1, PLACES_MAX, &count) ||
      !reader_whole(r, 2, "SOCKET", 0, PLACES_MAX - 1, &socket) ||
      !reader_whole(r, 3, "CACHE", 0, PLACES_MAX - 1, &cache))
    return false;
  if (count > PLACES_MAX - all->seats) return line_wrong(&r->line, "more than %d seats on a node", PLACES_MAX);
  for (; count; count--) PUSH(all->seat, all->seats, all->seat_cap, (coll_place){ 0, (int)socket, (int)cache });
  return true;
}

/* The seats of the lines before, on so many nodes one after the other. */
static bool nodes_line(const reader *r, reading *all) {
  machine *m = all->machine;
  long long times = 0, first = 0, sockets = 0, caches = 0;
  if (!reader_whole(r, 1, "TIMES", 1, PLACES_MAX, &times) || !reader_whole(r, 2, "FIRST", 0, PLACES_MAX - 1, &first) ||
      !reader_whole(r, 3, "SOCKETS", 1, PLACES_MAX, &sockets) || !reader_whole(r, 4, "CACHES", 1, PLACES_MAX, &caches))
    return false;
  if (!all->seats) return line_wrong(&r->line, "nodes: there are no seats lines before it");
  if (times * all->seats > PLACES_MAX - m->places)
    return line_wrong(&r->line, "more than %d ranks have places", PLACES_MAX);
  long long last = first + times - 1;
  for (int i = 0; i < all->seats; i++)
    if (last >= PLACES_MAX || last * sockets + all->seat[i].socket >= PLACES_MAX ||
        last * caches + all->seat[i].cache >= PLACES_MAX)
      return line_wrong(&r->line, "nodes: numbers of nodes, sockets and caches stay below %d", PLACES_MAX);
  RESERVE(m->place, all->place_cap, m->places + times * all->seats);
  for (long long n = first; n <= last; n++)
    for (int i = 0; i < all->seats; i++)
      m->place[m->places++] = (coll_place){ (int)n, (int)(n * sockets) + all->seat[i].socket,
                                            (int)(n * caches) + all->seat[i].cache };
  all->seats = 0;
  return true;
}

static bool ports_line(const reader *r, machine *m) {
  if (!strcmp(r->word[1], "one_port")) m->ports = MACHINE_ONE_PORT;
  else if (!strcmp(r->word[1], "fluid")) m->ports = MACHINE_FLUID;
  else return line_wrong(&r->line, "ports %.40s: choose fluid or one_port", r->word[1]);
  return true;
}

static bool line_read(const reader *r, reading *all) {
  machine *m = all->machine;
  static const struct {
    const char *key, *form;
    int least, most;
  } lines[] = {
    { "ports", "ports fluid|one_port", 2, 2 },
    { "control", "control BYTES", 2, 2 },
    { "gamma", "gamma S_PER_BYTE", 2, 2 },
    { "copy", "copy S_PER_BYTE", 2, 2 },
    { "eager", "eager BYTES", 2, 2 },
    { "overhead", "overhead S", 2, 2 },
    { "nic", "nic BYTES_PER_S", 2, 2 },
    { "memory", "memory BYTES_PER_S", 2, 2 },
    { "class",
      "class cache|socket|node|far|network|LEVEL FROM_BYTES LATENCY_S S_PER_BYTE [TRAFFIC [GAP_S GAP_S_PER_BYTE]]", 5,
      8 },
    { "place", "place RANK NODE SOCKET CACHE", 5, 5 },
    { "seats", "seats COUNT SOCKET CACHE", 4, 4 },
    { "nodes", "nodes TIMES FIRST SOCKETS CACHES", 5, 5 },
    { "bound", "bound ALPHA BETA GAMMA", 4, 4 },
    { "core", "core BYTES_PER_S", 2, 2 },
    { "interconnect", "interconnect BYTES_PER_S", 2, 2 },
    { "switch", "switch BYTES_PER_S", 2, 2 },
    { "cache", "cache BYTES_PER_S", 2, 2 },
    { "across", "across BYTES_PER_S", 2, 2 },
    { "level", "level NAME CACHES BYTES_PER_S", 4, 4 },
    { "mesh", "mesh SOCKET SOCKET", 3, 3 },
    { "nic_socket", "nic_socket SOCKET SOCKETS S", 4, 4 },
    { "class_nonblocking", "class_nonblocking CLASS, then as class", 5, 8 },
    { "eager_nonblocking", "eager_nonblocking BYTES", 2, 2 },
    { "in_order", "in_order", 1, 1 },
    { "nic_gap", "nic_gap S", 2, 2 },
    { "topology", "topology torus|fat_tree|dragonfly HOP_LATENCY_S LINK_BYTES_PER_S [GLOBAL_BYTES_PER_S] SHAPE", 5,
      5 + TOPOLOGY_DIMS },
    { "positions", "positions FIRST COUNT", 3, 3 },
    { "first_touch", "first_touch S_PER_BYTE FRESH_FROM_BYTES", 3, 3 },
    { "noise", "noise CLASS FROM_BYTES PART SECONDS", 5, 5 },
    { "receive_gap", "receive_gap CLASS FROM_BYTES S S_PER_BYTE", 5, 5 },
    { "link", "link BYTES_PER_S shared|fatpipe", 3, 3 },
    { "route", "route FROM TO LATENCY_S LINK …, the links by their place among link lines", 4, GIVEN_MAX_LINE + 4 },
    { "back_traffic", "back_traffic PART", 2, 2 },
    { "window", "window BYTES", 2, 2 },
    { "weight", "weight BYTES", 2, 2 },
    { "turnaround", "turnaround CLASS FROM_BYTES S S_PER_BYTE", 5, 5 },
    { "turnaround_nonblocking", "turnaround_nonblocking CLASS FROM_BYTES S S_PER_BYTE", 5, 5 },
    { "invalidation", "invalidation S_PER_BYTE READ_IN_PLACE_FROM_BYTES", 3, 3 },
  };
  size_t n = sizeof lines / sizeof *lines, i = 0;
  while (i < n && strcmp(r->word[0], lines[i].key)) i++;
  if (i == n)
    return line_wrong(
        &r->line,
        "unknown line %.40s; known: ports control gamma copy eager overhead class level "
        "core cache memory across interconnect mesh nic nic_socket switch topology positions place seats nodes bound "
        "class_nonblocking eager_nonblocking in_order nic_gap receive_gap turnaround turnaround_nonblocking invalidation first_touch noise link route back_traffic window weight",
        r->word[0]);
  if (r->words < lines[i].least || r->words > lines[i].most) return line_wrong(&r->line, "write: %s", lines[i].form);
  switch (i) {
    case 0: return ports_line(r, m);
    case 1: return reader_number(r, 1, "BYTES", reader_amount, &m->control_bytes);
    case 2: return reader_number(r, 1, "S_PER_BYTE", reader_per_byte, &m->gamma_s_per_byte);
    case 3: return reader_number(r, 1, "S_PER_BYTE", reader_per_byte, &m->copy_s_per_byte);
    case 4: return reader_whole(r, 1, "BYTES", -1, PLAN_MAX_BYTES, &m->eager_bytes);
    case 5: return reader_number(r, 1, "S", reader_seconds, &m->overhead_s);
    case 6: return reader_number(r, 1, "BYTES_PER_S", reader_rate, &m->nic_bytes_per_s);
    case 7: return reader_number(r, 1, "BYTES_PER_S", reader_rate, &m->memory_bytes_per_s);
    case 8: return class_line(r, m, m->curve);
    case 9: return place_line(r, all);
    case 10: return seats_line(r, all);
    case 11: return nodes_line(r, all);
    case 13: return reader_number(r, 1, "BYTES_PER_S", reader_rate, &m->core_bytes_per_s);
    case 14: return reader_number(r, 1, "BYTES_PER_S", reader_rate, &m->interconnect_bytes_per_s);
    case 15: return reader_number(r, 1, "BYTES_PER_S", reader_rate, &m->switch_bytes_per_s);
    case 16: return reader_number(r, 1, "BYTES_PER_S", reader_rate, &m->inside.cache_bytes_per_s);
    case 17: return reader_number(r, 1, "BYTES_PER_S", reader_rate, &m->inside.across_bytes_per_s);
    case 18: return inside_level_line(&m->inside, r);
    case 19: return inside_mesh_line(&m->inside, r);
    case 20: return inside_nic_line(&m->inside, r);
    case 21: return class_line(r, m, m->nonblocking);
    case 22:
      m->has_eager_nonblocking = true;
      return reader_whole(r, 1, "BYTES", -1, PLAN_MAX_BYTES, &m->eager_bytes_nonblocking);
    case 23: return m->in_order = true;
    case 24: return reader_number(r, 1, "S", reader_seconds, &m->nic_gap_s);
    case 25: return topology_line(&m->topology, r);
    case 26: return topology_positions_line(&m->topology, r);
    case 27:
      return reader_number(r, 1, "S_PER_BYTE", reader_per_byte, &m->first_touch_s_per_byte) &&
             reader_whole(r, 2, "FRESH_FROM_BYTES", 1, PLAN_MAX_BYTES, &m->fresh_from);
    case 28: {
      int c = class_named(r, m);
      return c >= 0 && noise_line(r, &m->noise[c]);
    }
    case 29: m->has_receive_gaps = true; return class_line(r, m, m->receive_gap);
    case 30: return given_link_line(&m->given, r);
    case 31: return given_route_line(&m->given, r);
    case 32: return reader_number(r, 1, "PART", reader_per_byte, &m->given.back_part);
    case 33: return reader_number(r, 1, "BYTES", reader_amount, &m->given.window_bytes);
    case 34: return reader_number(r, 1, "BYTES", reader_amount, &m->given.weight_bytes);
    case 35:
    case 36: m->has_turnarounds = true; return class_line(r, m, m->turnaround[i == 36]);
    case 37:
      return reader_number(r, 1, "S_PER_BYTE", reader_per_byte, &m->invalidation_s_per_byte) &&
             reader_whole(r, 2, "READ_IN_PLACE_FROM_BYTES", 1, PLAN_MAX_BYTES, &m->read_in_place_from);
    default:
      return reader_number(r, 1, "ALPHA", reader_bound, &m->bound_alpha_s) &&
             reader_number(r, 2, "BETA", reader_bound, &m->bound_beta_s_per_byte) &&
             reader_number(r, 3, "GAMMA", reader_bound, &m->bound_gamma_s_per_byte);
  }
}

static bool take(const file_line *line, char *text, void *self) {
  reader r = { .line = *line };
  text[strcspn(text, "#")] = '\0';
  char *rest = NULL;
  for (char *w = strtok_r(text, " \t\r\n", &rest); w && r.words < READER_WORDS; w = strtok_r(NULL, " \t\r\n", &rest))
    r.word[r.words++] = w;
  return !r.words || line_read(&r, self);
}

/* Where the number of sockets of a node is given, all of a node's ranks are on sockets of one node: a path leads nowhere else. */
static bool sockets_fit(const machine *m, const file_line *line) {
  int most = 0, wrong = -1;
  for (int r = 0; m->inside.sockets && r < m->places; r++)
    if (m->place[r].node >= most) most = m->place[r].node + 1;
  if (!most) return true;
  int *first = array_grow(NULL, (size_t)most * sizeof *first); /* rank of each node */
  for (int n = 0; n < most; n++) first[n] = -1;
  for (int r = 0; r < m->places && wrong < 0; r++) {
    int *before = &first[m->place[r].node], size = m->inside.sockets;
    if (*before < 0) *before = r;
    else if (m->place[*before].socket / size != m->place[r].socket / size) wrong = r;
  }
  bool fine = wrong < 0 ||
              line_wrong(line, "place %d: socket %d is not one of the %d of node %d, where rank %d is on %d", wrong,
                         m->place[wrong].socket, m->inside.sockets, m->place[wrong].node, first[m->place[wrong].node],
                         m->place[first[m->place[wrong].node]].socket);
  free(first);
  return fine;
}

bool machine_read(machine *m, const char *path, char *error, size_t size) {
  *m = (machine){ .ports = MACHINE_FLUID, .eager_bytes = -1 };
  file_line line = { .error = error, .size = size };
  reading all = { .machine = m };
  bool fine = lines_read(&line, path, take, &all);
  if (fine && all.seats) fine = line_wrong(&line, "seats: no nodes line follows, which says where they are");
  free(all.seat);
  if (fine) fine = inside_finish(&m->inside, &line) && sockets_fit(m, &line);
  for (int c = 0; fine && c < MACHINE_CLASSES; c++) fine = noise_finish(&m->noise[c], &line);
  if (fine && !m->curve[MACHINE_NETWORK].pieces && !m->places)
    fine = line_wrong(&line, "no class network line, and no place that would make another class do");
  return fine;
}
