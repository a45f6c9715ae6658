#include "driver/p2p/plan.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/number.h"
#include "core/runtime/allocate.h"

enum { MAX_MESSAGES = 1 << 16 };

/* The flows of "0>1,0>2". Returns NULL, or what is wrong. */
static const char *read_flows(measurement *m, const char *text, int ranks) {
  for (const char *at = text;; at++) {
    uint64_t from, to;
    if (!number_begins(at, INT_MAX, &from, &at) || *at != '>' || !number_begins(at + 1, INT_MAX, &to, &at))
      return "flows are FROM>TO, with commas between";
    if (from >= (uint64_t)ranks || to >= (uint64_t)ranks) return "there is no such rank";
    if (from == to) return "a flow leads to another rank";
    m->flow = runtime_reallocate(m->flow, sizeof *m->flow * (size_t)(m->flows + 1));
    m->flow[m->flows++] = (flow){ (int)from, (int)to };
    if (!*at) return NULL;
    if (*at != ',') return "flows are FROM>TO, with commas between";
  }
}

static const char *read_word(measurement *m, const char *word, int ranks) {
  uint64_t n;
  if (!strncmp(word, "flows=", 6)) return read_flows(m, word + 6, ranks);
  if (!strncmp(word, "bytes=", 6)) {
    if (!number_whole(word + 6, INT_MAX, &n)) return "bytes is a number up to 2147483647";
    m->bytes = n;
  } else if (!strncmp(word, "count=", 6)) {
    if (!number_whole(word + 6, MAX_MESSAGES, &n) || !n) return "count is a number from 1 to 65536";
    m->count = (int)n;
  } else if (!strncmp(word, "samples=", 8)) {
    if (!number_whole(word + 8, P2P_SAMPLES, &n) || !n) return "samples is a number from 1 to 10000";
    m->samples = (int)n;
  } else return "write flows=, bytes=, count= and samples= behind the pattern";
  return NULL;
}

static const char *check(const measurement *m, int ranks) {
  if (m->pattern->local) {
    if (m->flows) return "local work has no flows; count is its ranks";
    if (m->count > ranks) return "there are not so many ranks";
    if (m->bytes < sizeof(float)) return "local work is on four bytes at least";
    return NULL;
  }
  if (!m->flows) return "flows= is missing";
  if ((long)m->flows * m->count > MAX_MESSAGES) return "flows times count is at most 65536";
  return NULL;
}

static const char *read_line(measurement *m, char *line, int ranks) {
  *m = (measurement){ .count = 1, .samples = 1 };
  char *rest, *word = strtok_r(line, " \t", &rest);
  m->pattern = pattern_named(word);
  if (!m->pattern) return "there is no such pattern";
  const char *wrong = NULL;
  while (!wrong && (word = strtok_r(NULL, " \t", &rest))) wrong = read_word(m, word, ranks);
  return wrong ? wrong : check(m, ranks);
}

bool p2p_plan_read(p2p_plan *p, char *text, int ranks, char *error, size_t size) {
  *p = (p2p_plan){ 0 };
  int number = 1;
  for (char *line = text; line; number++) {
    char *end = strchr(line, '\n'), *next = end ? end + 1 : NULL;
    if (end) *end = 0;
    line[strcspn(line, "#\r")] = 0;
    if (line[strspn(line, " \t")]) {
      p->of = runtime_reallocate(p->of, sizeof *p->of * (p->measurements + 1));
      const char *wrong = read_line(&p->of[p->measurements++], line, ranks);
      if (wrong) {
        snprintf(error, size, "%d: %s", number, wrong);
        return false;
      }
    }
    line = next;
  }
  return true;
}

void p2p_plan_free(p2p_plan *p) {
  for (size_t i = 0; i < p->measurements; i++) free(p->of[i].flow);
  free(p->of);
}
