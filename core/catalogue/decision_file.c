#include "core/catalogue/decision_file.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/choice.h"
#include "core/catalogue/collective.h"
#include "core/catalogue/nearest.h"
#include "core/catalogue/number.h"
#include "core/catalogue/text.h"
#include "core/plan/line.h"

static const char prefix[] = "decision/file:";

bool decision_file_names(const char *key) { return !strncmp(key, prefix, sizeof prefix - 1); }

/* ---- a line ------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t first, last; /* last UINT64_MAX: no end */
} range;

/* "8KiB". */
static bool read_number(const char **text, uint64_t most, uint64_t *value) {
  static const char *const unit[] = { "KiB", "MiB", "GiB" };
  if (!number_begins(*text, (uint64_t)1 << 32, value, text)) return false;
  for (int u = 0; u < 3; u++)
    if (!strncmp(*text, unit[u], 3)) {
      *value <<= 10 * (u + 1);
      *text += 3;
      break;
    }
  return *value <= most;
}

/* "2..16", "8KiB..", "4". */
static bool read_range(const char *text, uint64_t most, range *r) {
  if (!read_number(&text, most, &r->first)) return false;
  r->last = r->first;
  if (!*text) return true;
  if (strncmp(text, "..", 2)) return false;
  text += 2;
  r->last = UINT64_MAX;
  return !*text || (read_number(&text, most, &r->last) && !*text && r->first <= r->last);
}

/* What may stand between the collective and the algorithm. */
enum { RANKS, RANKS_PER_NODE, BYTES, CONDITIONS };
static const char *const conditions[CONDITIONS] = { "ranks", "ranks_per_node", "bytes" };
static const uint64_t most[CONDITIONS] = { INT_MAX, INT_MAX, (uint64_t)1 << 62 };

static int end_of(range r) { return r.last == UINT64_MAX ? 0 : (int)r.last; }

static void set(coll_rule *rule, int condition, range r) {
  if (condition == RANKS) rule->p_min = (int)r.first, rule->p_max = end_of(r);
  else if (condition == RANKS_PER_NODE) rule->per_node_min = (int)r.first, rule->per_node_max = end_of(r);
  else rule->bytes_min = r.first, rule->bytes_end = r.last + 1; /* 0 where there is no end */
}

static bool of_a_library(const char *word) {
  return *word == '{' || (*word >= '0' && *word <= '9') || !strncmp(word, "rule-file-version-", 18);
}

static bool unknown_collective(const file_line *l, const char *word) {
  if (of_a_library(word))
    return line_wrong(l,
                      "\"%.40s\" begins rules of Open MPI or MPICH, which ./collscope tune --check reads; here a rule"
                      " begins with a collective",
                      word);
  nearest close = nearest_to(word, strlen(word));
  const char *best = NULL;
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    if (nearest_offer(&close, coll_collective_name((coll_collective)k)))
      best = coll_collective_name((coll_collective)k);
  return line_wrong(l, "unknown collective \"%.40s\"%s%s%s", word, best ? "; did you mean " : "", best ? best : "",
                    best ? "?" : "; expected bcast, reduce, …");
}

/* Of words such as `bytes 0..8KiB`; *word is the first behind them. */
static bool read_conditions(const file_line *l, coll_rule *rule, char **word, char **rest) {
  bool given[CONDITIONS] = { false };
  for (; (*word = strtok_r(NULL, " \t", rest));) {
    int c = 0;
    range r;
    while (c < CONDITIONS && strcmp(*word, conditions[c])) c++;
    if (c == CONDITIONS) return true;
    const char *text = strtok_r(NULL, " \t", rest);
    if (given[c]) return line_wrong(l, "%s is given twice; give one range", conditions[c]);
    if (!text || !read_range(text, most[c], &r))
      return line_wrong(l, "%s %.40s: expected a range, such as 2..16, 8KiB.. or 4", conditions[c], text ? text : "");
    given[c] = true;
    set(rule, c, r);
  }
  return true;
}

static bool read_algorithm(const file_line *l, coll_rule *rule, const char *word) {
  char label[256], key[CHOICE_KEY];
  snprintf(label, sizeof label, "%.200s:%d", l->path, l->number);
  if (decision_file_names(word)) return line_wrong(l, "%.60s: a file's rule names no other file", word);
  if (!choice_read(label, rule->collective, word, key, l->error)) return false;
  if (!*key) snprintf(key, sizeof key, "%s/builtin", coll_collective_name(rule->collective));
  rule->key = strdup(key);
  return rule->key || line_wrong(l, "out of memory");
}

static bool grow(decision_rules *all) {
  if (all->n < all->capacity) return true;
  size_t capacity = all->capacity ? 2 * all->capacity : 16;
  coll_rule *more = realloc(all->rule, capacity * sizeof *more);
  if (!more) return false;
  all->rule = more;
  all->capacity = capacity;
  return true;
}

/* Word by word: how many blanks there are says nothing. */
static void mix(uint64_t *digest, const char *text) {
  for (size_t n; *(text += strspn(text, " \t")); text += n) {
    n = strcspn(text, " \t");
    for (size_t i = 0; i <= n; i++) *digest = (*digest ^ (unsigned char)(i < n ? text[i] : ' ')) * 0x100000001b3u;
  }
}

static bool read_line(const file_line *l, char *text, void *self) {
  decision_rules *all = self;
  char *rest, *word;
  text[strcspn(text, "#\r\n")] = '\0';
  mix(&all->digest, text);
  if (!(word = strtok_r(text, " \t", &rest))) return true;
  mix(&all->digest, "\n");
  if (!grow(all)) return line_wrong(l, "out of memory");
  coll_rule *rule = &all->rule[all->n++];
  *rule = (coll_rule){ .collective = coll_collective_find(word, strlen(word)), .commutes = -1, .p_min = 1 };
  if (rule->collective == COLL_COLLECTIVES) return unknown_collective(l, word);
  if (!read_conditions(l, rule, &word, &rest)) return false;
  if (!word) return line_wrong(l, "expected an algorithm at the end of the line");
  const char *more = strtok_r(NULL, " \t", &rest);
  if (more) return line_wrong(l, "\"%.40s\" stands behind the algorithm; end the line there", more);
  return read_algorithm(l, rule, word);
}

bool decision_file_read(decision_rules *all, const char *path, char *error, size_t size) {
  *all = (decision_rules){ .digest = 0xcbf29ce484222325u };
  char what[CHOICE_ERROR];
  file_line line = { .error = what, .size = sizeof what };
  if (!*path || strpbrk(path, "[]"))
    return say(error, size, "%.60s: expected decision/file:PATH, and a path without brackets", path);
  if (!lines_read(&line, path, read_line, all)) return say(error, size, "%s", what);
  return all->n || say(error, size, "%.200s: the file has no rule", path);
}

/* ---- files -------------------------------------------------------------------------------------------- */

/* Those that were read: the one variable of this library, which ranks of a simulation share, since a file says the same to all. Threads may
 * look while another adds one; a file that two read at once stands there twice. */
typedef struct file {
  coll_decision decision;
  uint64_t digest;
  struct file *next;
  char key[];
} file;
static _Atomic(file *) files_read;

void decision_file_discard(decision_rules *all) {
  for (size_t i = 0; i < all->n; i++) free((char *)all->rule[i].key);
  free(all->rule);
}

static const file *add(const char *key, decision_rules *all) {
  file *f = malloc(sizeof *f + strlen(key) + 1);
  if (!f) return NULL;
  strcpy(f->key, key);
  f->digest = all->digest;
  f->decision = (coll_decision){ .key = f->key,
                                 .summary = "rules of a file",
                                 .source = f->key + sizeof prefix - 1,
                                 .rules = all->rule,
                                 .count = all->n };
  f->next = files_read;
  while (!atomic_compare_exchange_weak(&files_read, &f->next, f)) continue;
  return f;
}

static const file *find(const char *key, char *error, size_t size) {
  for (const file *f = files_read; f; f = f->next)
    if (!strcmp(f->key, key)) return f;
  decision_rules all;
  const file *made = NULL;
  if (decision_file_read(&all, key + sizeof prefix - 1, error, size) && !(made = add(key, &all)))
    say(error, size, "out of memory");
  if (!made) decision_file_discard(&all);
  return made;
}

const coll_decision *decision_file_find(const char *key, char *error, size_t size) {
  const file *f = find(key, error, size);
  return f ? &f->decision : NULL;
}

uint64_t decision_file_digest(const char *key) {
  char ignored[CHOICE_ERROR];
  const file *f = find(key, ignored, sizeof ignored);
  return f ? f->digest : 0;
}
