#include "preload/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/number.h"
#include "core/catalogue/text.h"
#include "core/runtime/allocate.h"
#include "preload/nearest.h"

/* ---- reading ------------------------------------------------------------------------------------------ */

static bool read_number(const char **text, uint64_t *value) {
  static const char *const unit[] = { "KiB", "MiB", "GiB" };
  if (!number_begins(*text, (uint64_t)1 << 33, value, text)) return false;
  for (int u = 0; u < 3; u++)
    if (!strncmp(*text, unit[u], 3)) {
      *value <<= 10 * (u + 1);
      *text += 3;
      break;
    }
  return true;
}

/* "2..16", "8KiB..", "4". */
static bool read_range(const char *text, range *r) {
  if (!read_number(&text, &r->first)) return false;
  r->last = r->first;
  if (!*text) return true;
  if (strncmp(text, "..", 2)) return false;
  text += 2;
  r->last = UINT64_MAX;
  return !*text || (read_number(&text, &r->last) && !*text && r->first <= r->last);
}

static bool unknown_collective(const char *label, const char *word, char *error) {
  nearest close = nearest_to(word, strlen(word));
  const char *best = NULL;
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    if (coll_facts_of((coll_collective)k)->mpi && nearest_offer(&close, coll_collective_name((coll_collective)k)))
      best = coll_collective_name((coll_collective)k);
  return say(error, CHOICE_ERROR, "%s: unknown collective \"%.40s\"%s%s%s", label, word, best ? "; did you mean " : "",
             best ? best : "", best ? "?" : "; expected bcast, reduce, …");
}

/* Words of a line that is not empty. */
static bool read_rule(rule *r, const char *label, char *line, char *error) {
  char *rest, *word = strtok_r(line, " \t", &rest);
  r->ranks = r->bytes = (range){ 0, UINT64_MAX };
  r->collective = coll_collective_find(word, strlen(word));
  if (r->collective == COLL_COLLECTIVES || !coll_facts_of(r->collective)->mpi)
    return unknown_collective(label, word, error);
  while ((word = strtok_r(NULL, " \t", &rest))) {
    range *which = !strcmp(word, "ranks") ? &r->ranks : !strcmp(word, "bytes") ? &r->bytes : NULL;
    if (!which) break;
    const char *text = strtok_r(NULL, " \t", &rest);
    if (!text || !read_range(text, which))
      return say(error, CHOICE_ERROR, "%s: %s %.40s: expected a range, such as 2..16, 8KiB.. or 4", label, word,
                 text ? text : "");
  }
  if (!word) return say(error, CHOICE_ERROR, "%s: expected an algorithm at the end of the line", label);
  const char *more = strtok_r(NULL, " \t", &rest);
  if (more)
    return say(error, CHOICE_ERROR, "%s: \"%.40s\" stands behind the algorithm; end the line there", label, more);
  return choice_read(label, r->collective, word, r->key, error);
}

static bool read_line(rules *all, const char *path, int number, char *line, char *error) {
  char label[160];
  snprintf(label, sizeof label, "%.120s:%d", path, number);
  size_t length = strcspn(line, "#\r\n");
  if (length >= RULES_LINE) return say(error, CHOICE_ERROR, "%s: more than %d characters", label, RULES_LINE - 1);
  line[length] = '\0';
  if (!line[strspn(line, " \t")]) return true;
  all->rule = runtime_reallocate(all->rule, sizeof *all->rule * (all->n + 1));
  rule *r = &all->rule[all->n++];
  memset(r, 0, sizeof *r);
  memcpy(r->line, line, length);
  return read_rule(r, label, line, error);
}

bool rules_read(rules *all, const char *path, char *error) {
  char line[RULES_LINE + 2];
  bool fine = true;
  FILE *in = fopen(path, "r");
  if (!in)
    return say(error, CHOICE_ERROR, "COLLSCOPE_RULES=%.120s: %s; every node needs the file at this path", path,
               strerror(errno));
  for (int number = 1; fine && fgets(line, sizeof line, in); number++) fine = read_line(all, path, number, line, error);
  fclose(in);
  if (fine && !all->n) return say(error, CHOICE_ERROR, "COLLSCOPE_RULES=%.120s: the file has no rule", path);
  return fine;
}

/* ---- finding ------------------------------------------------------------------------------------------ */

static bool is_within(range r, uint64_t value) { return value >= r.first && value <= r.last; }

bool rules_name(const rules *all, coll_collective k) {
  for (const rule *r = all->rule; r < all->rule + all->n; r++)
    if (r->collective == k && *r->key) return true;
  return false;
}

const char *rules_find(const rules *all, coll_collective k, int ranks, size_t bytes) {
  for (const rule *r = all->rule; r < all->rule + all->n; r++)
    if (r->collective == k && is_within(r->ranks, (uint64_t)ranks) && is_within(r->bytes, bytes)) return r->key;
  return "";
}

void rules_free(rules *all) {
  free(all->rule);
  *all = (rules){ 0 };
}
