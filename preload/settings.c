#include "preload/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/text.h"
#include "preload/choice.h"
#include "preload/nearest.h"

static const char prefix[] = "COLLSCOPE_";
static const char *const others[] = { "REPORT", "PROFILE", "STRICT", "RULES" };
static const char *const elsewhere[] = { "CACHE", "OWNER", "PLATFORM",
                                         "ROOT" }; /* of the commands, not of this library */
enum { OTHERS = sizeof others / sizeof *others, NAME = 40 };

/* "bcast" → "BCAST"; "": MPI has no such collective. */
static void variable_name(coll_collective k, char name[NAME]) {
  const char *from = coll_facts_of(k)->mpi ? coll_collective_name(k) : "";
  size_t n = 0;
  for (; from[n]; n++) name[n] = (char)toupper(from[n]);
  name[n] = '\0';
}

static bool is(const char *name, const char *text, size_t length) {
  return *name && strlen(name) == length && !strncmp(name, text, length);
}

static bool unknown_variable(const char *text, size_t length, char *error) {
  nearest close = nearest_to(text, length);
  char name[NAME], best[NAME] = "";
  for (int k = 0; k < COLL_COLLECTIVES; k++) {
    variable_name((coll_collective)k, name);
    if (*name && nearest_offer(&close, name)) strcpy(best, name);
  }
  for (int i = 0; i < OTHERS; i++)
    if (nearest_offer(&close, others[i])) strcpy(best, others[i]);
  if (*best)
    return say(error, SETTINGS_ERROR, "%s%.*s is not a variable of collscope; did you mean %s%s?", prefix, (int)length,
               text, prefix, best);
  return say(error, SETTINGS_ERROR,
             "%s%.*s is not a variable of collscope; expected %s and a collective (BCAST, …), %sRULES, "
             "%sREPORT, %sPROFILE or %sSTRICT",
             prefix, (int)(length < NAME ? length : NAME), text, prefix, prefix, prefix, prefix, prefix);
}

static bool choose(settings *s, coll_collective k, const char *value, char *error) {
  char name[NAME], label[NAME + sizeof prefix];
  variable_name(k, name);
  snprintf(label, sizeof label, "%s%s", prefix, name);
  s->decided[k] = true;
  return choice_read(label, k, value, s->key[k], error);
}

static bool is_switch(const char *value) { return (*value == '0' || *value == '1') && !value[1]; }

static bool read_other(settings *s, const char *name, size_t length, const char *value, char *error) {
  if (is("REPORT", name, length)) {
    if (!*value) return say(error, SETTINGS_ERROR, "%sREPORT: expected the name of a file", prefix);
    s->report = value;
    return true;
  }
  if (is("RULES", name, length)) return rules_read(&s->rules, value, error);
  bool *what = is("PROFILE", name, length) ? &s->profile : is("STRICT", name, length) ? &s->strict : NULL;
  if (!what) return unknown_variable(name, length, error);
  if (!is_switch(value))
    return say(error, SETTINGS_ERROR, "%s%.*s: expected 0 or 1, not \"%.40s\"", prefix, (int)length, name, value);
  *what = *value == '1';
  return true;
}

static bool read_variable(settings *s, const char *name, size_t length, const char *value, char *error) {
  char known[NAME];
  for (int k = 0; k < COLL_COLLECTIVES; k++) {
    variable_name((coll_collective)k, known);
    if (is(known, name, length)) return choose(s, (coll_collective)k, value, error);
  }
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
    if (is(elsewhere[i], name, length)) return true;
  return read_other(s, name, length, value, error);
}

bool settings_read(settings *s, char *const *environment, char *error) {
  *s = (settings){ .strict = true };
  bool fine = true;
  for (char *const *e = environment; *e; e++) {
    const char *name = *e + sizeof prefix - 1, *equal = strchr(*e, '=');
    if (!equal || strncmp(*e, prefix, sizeof prefix - 1)) continue;
    char ignored[SETTINGS_ERROR]; /* the first fault is told, but STRICT may stand behind it */
    fine &= read_variable(s, name, (size_t)(equal - name), equal + 1, fine ? error : ignored);
  }
  if (s->profile && !s->report)
    fine = fine ? say(error, SETTINGS_ERROR, "%sPROFILE: name the file with %sREPORT=FILE", prefix, prefix) : false;
  if (!fine) {
    memset(s->key, 0, sizeof s->key);
    rules_free(&s->rules);
  }
  return fine;
}

bool settings_serves(const settings *s, coll_collective k) {
  return *s->key[k] || (!s->decided[k] && rules_name(&s->rules, k));
}

const char *settings_key(const settings *s, coll_collective k, int ranks, size_t bytes) {
  return s->decided[k] || !s->rules.n ? s->key[k] : rules_find(&s->rules, k, ranks, bytes);
}

bool settings_choose(const settings *s) {
  bool any = s->rules.n > 0;
  for (int k = 0; k < COLL_COLLECTIVES; k++) any |= *s->key[k];
  return any;
}

static uint64_t mixed(uint64_t digest, const char *text) {
  for (; *text; text++) digest = (digest ^ (unsigned char)*text) * 0x100000001b3u;
  return (digest ^ '\n') * 0x100000001b3u;
}

uint64_t settings_digest(const settings *s, bool complete) {
  uint64_t digest = mixed(0xcbf29ce484222325u, complete ? "read" : "refused");
  for (int k = 0; k < COLL_COLLECTIVES; k++) digest = mixed(digest, s->key[k]);
  for (size_t i = 0; i < s->rules.n; i++) digest = mixed(digest, s->rules.rule[i].line);
  digest = mixed(digest, s->report ? s->report : "");
  return mixed(digest, s->profile ? "profile" : s->strict ? "strict" : "");
}
