/* The machine of a timing: made from three numbers, or read from a machine file. */
#include "model/machine.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/line.h"
#include "core/schedule/array.h"

const char *const machine_class_names[MACHINE_CLASSES] = { "cache", "socket", "node", "network" };

static machine uniform(double alpha, double beta, double gamma) {
  machine m = { .eager_bytes = -1,
                .gamma_s_per_byte = gamma,
                .bound_alpha_s = alpha,
                .bound_beta_s_per_byte = beta,
                .bound_gamma_s_per_byte = gamma };
  machine_curve *c = &m.curve[MACHINE_NETWORK];
  c->piece = array_grow(NULL, sizeof *c->piece);
  c->piece[0] = (machine_piece){ 0, alpha, beta, 1 };
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
  for (int c = 0; c < MACHINE_CLASSES; c++) free(m->curve[c].piece);
  free(m->place);
  *m = (machine){ 0 };
}

/* ---- reading ---------------------------------------------------------------------------------------- */

typedef struct {
  file_line line;
  char **word;
  int words;
} reader;

static bool number(const reader *r, int i, const char *what, double *value) {
  char *end;
  *value = strtod(r->word[i], &end);
  if (end == r->word[i] || *end || !isfinite(*value) || *value < 0)
    return line_wrong(&r->line, "%s: %s must be a number, 0 or more", r->word[i], what);
  return true;
}

static bool whole(const reader *r, int i, const char *what, long long min, long long max, long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(r->word[i], &end, 10);
  if (errno || end == r->word[i] || *end || *value < min || *value > max)
    return line_wrong(&r->line, "%s: %s must be a whole number from %lld to %lld", r->word[i], what, min, max);
  return true;
}

/* Room for n items and one more; n grows by one, so only a power of two asks for more. */
static void *grown(void *old, int n, size_t item) {
  return old && (n & (n - 1)) ? old : array_grow(old, (size_t)(n ? 2 * n : 1) * item);
}

static bool class_line(const reader *r, machine *m) {
  int c = 0;
  while (c < MACHINE_CLASSES && strcmp(r->word[1], machine_class_names[c])) c++;
  if (c == MACHINE_CLASSES) return line_wrong(&r->line, "class %s: choose cache, socket, node or network", r->word[1]);
  long long from = 0;
  machine_piece piece = { .traffic = 1 };
  if (!whole(r, 2, "FROM_BYTES", 0, LLONG_MAX, &from) || !number(r, 3, "LATENCY_S", &piece.latency_s) ||
      !number(r, 4, "S_PER_BYTE", &piece.s_per_byte) || (r->words == 6 && !number(r, 5, "TRAFFIC", &piece.traffic)))
    return false;
  if (piece.traffic <= 0) return line_wrong(&r->line, "%s: TRAFFIC must be more than 0", r->word[5]);
  piece.from = (size_t)from;
  machine_curve *curve = &m->curve[c];
  if (curve->pieces ? curve->piece[curve->pieces - 1].from >= piece.from : piece.from != 0)
    return line_wrong(&r->line, "class %s: pieces start at 0 bytes and ascend", machine_class_names[c]);
  curve->piece = grown(curve->piece, curve->pieces, sizeof *curve->piece);
  curve->piece[curve->pieces++] = piece;
  return true;
}

static bool place_line(const reader *r, machine *m) {
  long long rank = 0, node = 0, socket = 0, cache = 0;
  if (!whole(r, 1, "RANK", 0, INT_MAX, &rank) || !whole(r, 2, "NODE", 0, INT_MAX, &node) ||
      !whole(r, 3, "SOCKET", 0, INT_MAX, &socket) || !whole(r, 4, "CACHE", 0, INT_MAX, &cache))
    return false;
  if (rank != m->places)
    return line_wrong(&r->line, "place %lld: ranks come in order, this should be rank %d", rank, m->places);
  m->place = grown(m->place, m->places, sizeof *m->place);
  m->place[m->places++] = (coll_place){ (int)node, (int)socket, (int)cache };
  return true;
}

static bool ports_line(const reader *r, machine *m) {
  if (!strcmp(r->word[1], "one_port")) m->ports = MACHINE_ONE_PORT;
  else if (!strcmp(r->word[1], "fluid")) m->ports = MACHINE_FLUID;
  else return line_wrong(&r->line, "ports %s: choose fluid or one_port", r->word[1]);
  return true;
}

static bool line_read(const reader *r, machine *m) {
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
    { "class", "class cache|socket|node|network FROM_BYTES LATENCY_S S_PER_BYTE [TRAFFIC]", 5, 6 },
    { "place", "place RANK NODE SOCKET CACHE", 5, 5 },
    { "bound", "bound ALPHA BETA GAMMA", 4, 4 },
    { "core", "core BYTES_PER_S", 2, 2 },
    { "interconnect", "interconnect BYTES_PER_S", 2, 2 },
    { "switch", "switch BYTES_PER_S", 2, 2 },
  };
  size_t n = sizeof lines / sizeof *lines, i = 0;
  while (i < n && strcmp(r->word[0], lines[i].key)) i++;
  if (i == n)
    return line_wrong(&r->line,
                      "unknown line %s; known: ports control gamma copy eager overhead class "
                      "core memory interconnect nic switch place bound",
                      r->word[0]);
  if (r->words < lines[i].least || r->words > lines[i].most) return line_wrong(&r->line, "write: %s", lines[i].form);
  switch (i) {
    case 0: return ports_line(r, m);
    case 1: return number(r, 1, "BYTES", &m->control_bytes);
    case 2: return number(r, 1, "S_PER_BYTE", &m->gamma_s_per_byte);
    case 3: return number(r, 1, "S_PER_BYTE", &m->copy_s_per_byte);
    case 4: return whole(r, 1, "BYTES", -1, LLONG_MAX, &m->eager_bytes);
    case 5: return number(r, 1, "S", &m->overhead_s);
    case 6: return number(r, 1, "BYTES_PER_S", &m->nic_bytes_per_s);
    case 7: return number(r, 1, "BYTES_PER_S", &m->memory_bytes_per_s);
    case 8: return class_line(r, m);
    case 9: return place_line(r, m);
    case 11: return number(r, 1, "BYTES_PER_S", &m->core_bytes_per_s);
    case 12: return number(r, 1, "BYTES_PER_S", &m->interconnect_bytes_per_s);
    case 13: return number(r, 1, "BYTES_PER_S", &m->switch_bytes_per_s);
    default:
      return number(r, 1, "ALPHA", &m->bound_alpha_s) && number(r, 2, "BETA", &m->bound_beta_s_per_byte) &&
             number(r, 3, "GAMMA", &m->bound_gamma_s_per_byte);
  }
}

bool machine_read(machine *m, const char *path, char *error, size_t size) {
  *m = (machine){ .ports = MACHINE_FLUID, .eager_bytes = -1 };
  bool standard = !strcmp(path, "-");
  enum { WORDS = 8 };
  char *word[WORDS];
  reader r = { .line = { .path = standard ? "standard input" : path, .error = error, .size = size }, .word = word };
  FILE *file = standard ? stdin : fopen(path, "r");
  if (!file) {
    snprintf(error, size, "%s: %s", path, strerror(errno));
    return false;
  }
  char *text = NULL;
  size_t room = 0;
  bool fine = true;
  while (fine && getline(&text, &room, file) >= 0) {
    r.line.number++;
    r.words = 0;
    text[strcspn(text, "#")] = '\0';
    char *rest = NULL;
    for (char *w = strtok_r(text, " \t\r\n", &rest); w && r.words < WORDS; w = strtok_r(NULL, " \t\r\n", &rest))
      word[r.words++] = w;
    if (r.words) fine = line_read(&r, m);
  }
  if (fine && ferror(file)) {
    snprintf(error, size, "%s: %s", r.line.path, strerror(errno));
    fine = false;
  }
  if (fine && !m->curve[MACHINE_NETWORK].pieces && !m->places)
    fine = line_wrong(&r.line, "no class network line, and no place that would make another class do");
  free(text);
  if (!standard) fclose(file);
  return fine;
}
