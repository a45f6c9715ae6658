#include "model/noise.h"

#include <stdlib.h>

#include "core/plan/plan.h"
#include "core/schedule/array.h"

static const reader_limits beyond = { -1e3, 1e3 }, part_of_all = { 1e-9, 1 };

static bool ends(const noise_curve *c) {
  const noise_piece *last = c->pieces ? &c->piece[c->pieces - 1] : NULL;
  return !last || last->part[last->knots - 1] >= 1;
}

bool noise_line(const reader *r, noise_curve *c) {
  long long from = 0;
  double part = 0, seconds = 0;
  if (!reader_whole(r, 2, "FROM_BYTES", 0, PLAN_MAX_BYTES, &from) || !reader_number(r, 3, "PART", part_of_all, &part) ||
      !reader_number(r, 4, "SECONDS", beyond, &seconds))
    return false;
  noise_piece *last = c->pieces ? &c->piece[c->pieces - 1] : NULL;
  if (ends(c)) {
    if (part > 0 || (last ? last->from >= (size_t)from : from != 0))
      return line_wrong(&r->line, "noise %s: pieces start at 0 bytes and ascend, each with PART 0", r->word[1]);
    c->piece = array_grow(c->piece, (size_t)(c->pieces + 1) * sizeof *c->piece);
    last = &c->piece[c->pieces++];
    *last = (noise_piece){ .from = (size_t)from };
  } else {
    if (last->from != (size_t)from || part <= last->part[last->knots - 1] || seconds < last->seconds[last->knots - 1])
      return line_wrong(&r->line, "noise %s: PART and SECONDS of a piece ascend, and it ends with PART 1", r->word[1]);
    if (last->knots == NOISE_KNOTS)
      return line_wrong(&r->line, "noise %s: more than %d knots", r->word[1], NOISE_KNOTS);
  }
  last->part[last->knots] = part;
  last->seconds[last->knots++] = seconds;
  return true;
}

bool noise_finish(const noise_curve *c, const file_line *line) {
  return ends(c) || line_wrong(line, "noise: the last piece does not end with PART 1");
}

void noise_free(noise_curve *c) { free(c->piece); }

/* Evenly distributed from 0 to 1: the finaliser of SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195). */
static double even(uint64_t draw, int32_t message) {
  uint64_t x = draw * 0x9e3779b97f4a7c15 + ((uint64_t)(uint32_t)message + 1) * 0xd1342543de82ef95;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

double noise_of(const noise_curve *c, uint64_t bytes, uint64_t draw, int32_t message) {
  if (!c->pieces) return 0;
  int i = c->pieces - 1, k = 1;
  while (i > 0 && c->piece[i].from > bytes) i--;
  const noise_piece *p = &c->piece[i];
  double part = even(draw, message);
  while (k + 1 < p->knots && p->part[k] < part) k++;
  double share = (part - p->part[k - 1]) / (p->part[k] - p->part[k - 1]);
  return p->seconds[k - 1] + share * (p->seconds[k] - p->seconds[k - 1]);
}
