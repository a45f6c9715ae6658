#include "core/plan/distribution.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/number.h"
#include "core/catalogue/text.h"
#include "core/plan/line.h"
#include "core/plan/places.h"

/* Sums of weights stay below 2^62, and products of a sum and a number of elements in 128 bits. */
static const double MAX_EXPONENT = 16, UNIT = 0x1p31;
#define MAX_WEIGHT ((uint64_t)1 << 40)

__extension__ typedef unsigned __int128 wide;

const char *distribution_parse(distribution *d, const char *text) {
  static const char *const names[DISTRIBUTION_KINDS] = { "uniform", "linear", "zipf:", "one:", "file:" };
  int kind = DISTRIBUTION_UNIFORM;
  while (kind < DISTRIBUTION_KINDS && strncmp(text, names[kind], strlen(names[kind]))) kind++;
  const char *rest = kind < DISTRIBUTION_KINDS ? text + strlen(names[kind]) : "";
  if (kind == DISTRIBUTION_KINDS || (kind <= DISTRIBUTION_LINEAR && *rest))
    return "choose uniform, linear, zipf:S, one:R or file:PATH";
  *d = (distribution){ .kind = (distribution_kind)kind };
  uint64_t rank = 0;
  char *end;
  switch (d->kind) {
    case DISTRIBUTION_ZIPF:
      d->exponent = strtod(rest, &end);
      if (end == rest || *end || !(*rest == '.' || (*rest >= '0' && *rest <= '9')) || !(d->exponent <= MAX_EXPONENT))
        return "give the exponent behind zipf:, from 0 to 16";
      return NULL;
    case DISTRIBUTION_ONE:
      if (!number_whole(rest, PLACES_MAX - 1, &rank)) return "give a rank behind one:";
      d->rank = (int)rank;
      return NULL;
    case DISTRIBUTION_FILE:
      if (!*rest || strlen(rest) >= DISTRIBUTION_PATH) return "give a path of 1 to 255 characters behind file:";
      strcpy(d->path, rest);
      return NULL;
    default: return NULL;
  }
}

bool distribution_same(const distribution *a, const distribution *b) {
  return a->kind == b->kind && a->exponent == b->exponent && a->rank == b->rank && !strcmp(a->path, b->path);
}

/* ---- a file ----------------------------------------------------------------------------------------- */

typedef struct {
  size_t *weight;
  size_t expected, n;
} listed;

static bool line_taken(const file_line *l, char *text, void *self) {
  listed *list = self;
  uint64_t value;
  text[strcspn(text, "#\r\n")] = '\0';
  text += strspn(text, " \t");
  char *end = text + strlen(text);
  while (end > text && (end[-1] == ' ' || end[-1] == '\t')) *--end = '\0';
  if (!*text) return true;
  if (!number_whole(text, MAX_WEIGHT, &value))
    return line_wrong(l, "%.40s: give the weight of a rank's block, a whole number up to 2^40, one per line", text);
  if (list->n < list->expected) list->weight[list->n] = (size_t)value;
  list->n++;
  return true;
}

/* How many weights the file has, of which the first `expected` are kept. False: it cannot be read. */
static bool read_file(const distribution *d, size_t expected, size_t *weight, size_t *n, char *error, size_t size) {
  file_line l = { .error = error, .size = size };
  listed list = { weight, expected, 0 };
  bool fine = lines_read(&l, d->path, line_taken, &list);
  *n = list.n;
  return fine;
}

static bool from_file(const distribution *d, int ranks, size_t *weight, char *error, size_t size) {
  size_t n;
  if (!read_file(d, (size_t)ranks, weight, &n, error, size)) return false;
  if (n == (size_t)ranks) return true;
  return say(error, size, "%.200s: has weights for %zu ranks, and there are %d; give one line per rank", d->path, n,
             ranks);
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

static bool weights(const distribution *d, int ranks, size_t *weight, char *error, size_t size) {
  for (int r = 0; r < ranks; r++) switch (d->kind) {
      case DISTRIBUTION_LINEAR: weight[r] = (size_t)r + 1; break;
      case DISTRIBUTION_ZIPF: weight[r] = (size_t)(UNIT * pow(r + 1, -d->exponent) + 0.5); break;
      case DISTRIBUTION_ONE: weight[r] = r == d->rank; break;
      default: weight[r] = 1;
    }
  if (d->kind == DISTRIBUTION_ONE && d->rank >= ranks)
    return say(error, size, "one:%d: there is no rank %d among %d", d->rank, d->rank, ranks);
  return d->kind != DISTRIBUTION_FILE || from_file(d, ranks, weight, error, size);
}

/* Makes of each weight how many elements stand before its share of n. False: all are 0. */
static bool share_out(const distribution *d, size_t n, size_t shares, size_t *weight, char *error, size_t size) {
  uint64_t all = 0, before = 0;
  for (size_t i = 0; i < shares; i++) all += weight[i];
  if (!all) return say(error, size, "%.200s: all weights are 0; give some block another one", d->path);
  for (size_t i = 0; i < shares; i++) {
    uint64_t own = weight[i];
    weight[i] = (size_t)((wide)n * before / all);
    before += own;
  }
  return true;
}

bool distribution_cut(const distribution *d, size_t n, int ranks, size_t *displs, char *error, size_t size) {
  displs[ranks] = n;
  return weights(d, ranks, displs, error, size) && share_out(d, n, (size_t)ranks, displs, error, size);
}

/* Block by block, sender after sender. */
static bool pair_weights(const distribution *d, size_t p, size_t *weight, char *error, size_t size) {
  size_t n;
  if (d->kind == DISTRIBUTION_FILE) {
    if (!read_file(d, p * p, weight, &n, error, size)) return false;
    if (n == p * p) return true;
    if (n != p)
      return say(error, size,
                 "%.200s: has %zu weights, and there are %zu ranks; give one line per rank, or one per pair of ranks",
                 d->path, n, p);
  } else if (!weights(d, (int)p, weight, error, size)) return false;
  bool turned = d->kind != DISTRIBUTION_ONE;
  for (size_t s = p; s-- > 1;)
    for (size_t to = 0; to < p; to++) weight[s * p + to] = weight[turned ? (to + p - s) % p : to];
  return true;
}

bool distribution_cut_pairs(const distribution *d, size_t n, int ranks, size_t *displs, char *error, size_t size) {
  size_t p = (size_t)ranks, *begins = displs + p * (p + 1), all = n * p; /* where the receivers' part will be */
  if (!pair_weights(d, p, begins, error, size) || !share_out(d, all, p * p, begins, error, size)) return false;
  for (size_t s = 0; s < p; s++)
    for (size_t to = 0; to <= p; to++) {
      size_t at = s * p + to;
      displs[s * (p + 1) + to] = (at < p * p ? begins[at] : all) - begins[s * p];
    }
  coll_displs_receive(displs, p);
  return true;
}
