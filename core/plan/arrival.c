#include "core/plan/arrival.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/number.h"
#include "core/catalogue/text.h"
#include "core/plan/line.h"
#include "core/plan/places.h"

static const double MAX_S = 1e6;

static bool seconds_begin(const char *text, double *value, const char **rest) {
  char *end;
  *value = strtod(text, &end);
  *rest = end;
  return end != text && (*text == '.' || (*text >= '0' && *text <= '9')) && *value >= 0 && *value <= MAX_S;
}

const char *arrival_parse(arrival *a, const char *text) {
  static const char *const names[ARRIVAL_KINDS] = { "none", "linear:", "random:", "one_late:", "file:" };
  *a = (arrival){ .seed = 1, .rank = -1 };
  if (!strcmp(text, names[ARRIVAL_NONE])) return NULL;
  int kind = ARRIVAL_LINEAR;
  while (kind < ARRIVAL_KINDS && strncmp(text, names[kind], strlen(names[kind]))) kind++;
  if (kind == ARRIVAL_KINDS) return "choose none, linear:T, random:T[:SEED], one_late:T[:RANK] or file:PATH";
  a->kind = (arrival_kind)kind;
  text += strlen(names[kind]);
  if (kind == ARRIVAL_FILE) {
    if (!*text || strlen(text) >= ARRIVAL_PATH) return "give a path of 1 to 255 characters behind file:";
    strcpy(a->path, text);
    return NULL;
  }
  if (!seconds_begin(text, &a->seconds, &text)) return "give seconds, from 0 to 1e6, such as linear:1e-5";
  if (!*text) return NULL;
  uint64_t number;
  if (*text != ':' || kind == ARRIVAL_LINEAR)
    return "nothing can follow the seconds but a seed (random) or a rank (one_late)";
  if (!number_whole(text + 1, kind == ARRIVAL_RANDOM ? UINT32_MAX : PLACES_MAX - 1, &number))
    return "give a whole number behind the second colon";
  if (kind == ARRIVAL_RANDOM) a->seed = number;
  else a->rank = (int)number;
  return NULL;
}

bool arrival_same(const arrival *a, const arrival *b) {
  return a->kind == b->kind && a->seconds == b->seconds && a->seed == b->seed && a->rank == b->rank &&
         !strcmp(a->path, b->path);
}

/* splitmix64 (Steele, Lea and Flood, 2014): the same on every machine. */
static double part_of_one(uint64_t seed, uint64_t rank) {
  uint64_t z = (seed << 32 | rank) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-53;
}

typedef struct {
  double *late_s;
  int ranks, n;
} listed;

static bool line_taken(const file_line *l, char *text, void *self) {
  listed *list = self;
  const char *rest;
  double value;
  text[strcspn(text, "#\r\n")] = '\0';
  text += strspn(text, " \t");
  if (!*text) return true;
  if (!seconds_begin(text, &value, &rest) || rest[strspn(rest, " \t")])
    return line_wrong(l, "%.40s: give the seconds after which a rank enters, from 0 to 1e6, one number per line", text);
  if (list->n < list->ranks) list->late_s[list->n] = value;
  list->n++;
  return true;
}

static bool from_file(const arrival *a, int ranks, double *late_s, char *error, size_t size) {
  file_line l = { .error = error, .size = size };
  listed list = { late_s, ranks, 0 };
  if (!lines_read(&l, a->path, line_taken, &list)) return false;
  if (list.n == ranks) return true;
  return say(error, size, "%.200s: has seconds for %d ranks, and there are %d; give one line per rank", a->path, list.n,
             ranks);
}

bool arrival_times(const arrival *a, int ranks, double *late_s, char *error, size_t size) {
  for (int r = 0; r < ranks; r++) late_s[r] = 0;
  switch (a->kind) {
    case ARRIVAL_LINEAR:
      for (int r = 1; r < ranks; r++) late_s[r] = a->seconds * r / (ranks - 1);
      break;
    case ARRIVAL_RANDOM:
      for (int r = 0; r < ranks; r++) late_s[r] = a->seconds * part_of_one(a->seed, (uint64_t)r);
      break;
    case ARRIVAL_ONE_LATE:
      if (a->rank >= ranks) return say(error, size, "one_late: there is no rank %d among %d", a->rank, ranks);
      late_s[a->rank < 0 ? ranks - 1 : a->rank] = a->seconds;
      break;
    case ARRIVAL_FILE:
      if (!from_file(a, ranks, late_s, error, size)) return false;
      break;
    case ARRIVAL_NONE:
    case ARRIVAL_KINDS: break;
  }
  double first = late_s[0];
  for (int r = 1; r < ranks; r++)
    if (late_s[r] < first) first = late_s[r];
  for (int r = 0; r < ranks; r++) late_s[r] -= first;
  return true;
}

double arrival_last(const double *late_s, int ranks) {
  double last = 0;
  for (int r = 0; late_s && r < ranks; r++)
    if (late_s[r] > last) last = late_s[r];
  return last;
}
