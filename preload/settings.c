#include "preload/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/find.h"
#include "core/catalogue/text.h"
#include "preload/nearest.h"

static const char prefix[] = "COLLSCOPE_";
static const char *const others[] = { "REPORT", "PROFILE", "STRICT" };
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
             "%s%.*s is not a variable of collscope; expected %s and a collective (BCAST, …), %sREPORT, %sPROFILE or "
             "%sSTRICT",
             prefix, (int)(length < NAME ? length : NAME), text, prefix, prefix, prefix, prefix);
}

/* Adds what the writer may have meant, where nothing has this name. */
static bool explain(coll_collective k, const char *key, const char *why, char *error) {
  char name[NAME];
  size_t stem = strcspn(key, "["), head = strcspn(key, "/") + 1;
  nearest close = nearest_to(key + head, stem > head ? stem - head : 0);
  const char *best = NULL;
  bool exists = false;
  variable_name(k, name);
  for (const coll_alg *const *a = coll_registry; *a; a++) {
    if ((*a)->collective != k) continue;
    const char *own = strchr((*a)->key, '/') + 1;
    exists |= is((*a)->key, key, stem);
    if (nearest_offer(&close, own)) best = own;
  }
  for (const coll_decision *const *d = coll_decisions; *d; d++) {
    exists |= is((*d)->key, key, stem);
    if (coll_is_decision(key) && nearest_offer(&close, (*d)->key + head)) best = (*d)->key;
  }
  if (exists || !best)
    return say(error, SETTINGS_ERROR, "%s%s: %s; ./collscope list shows the algorithms", prefix, name, why);
  return say(error, SETTINGS_ERROR, "%s%s: %s; did you mean %s?", prefix, name, why, best);
}

static bool choose(settings *s, coll_collective k, const char *value, char *error) {
  char why[SETTINGS_ERROR / 2], name[NAME];
  variable_name(k, name);
  if (!*value || strlen(value) > SETTINGS_KEY / 2)
    return say(error, SETTINGS_ERROR, "%s%s: expected the name of an algorithm, with its parameters in brackets",
               prefix, name);
  const char *own = strchr(value, '/');
  snprintf(s->key[k], SETTINGS_KEY, "%s%s%s", own ? "" : coll_collective_name(k), own ? "" : "/", value);
  if (coll_is_builtin(s->key[k])) {
    s->key[k][0] = '\0';
    return true;
  }
  if (!coll_known(s->key[k], why, sizeof why)) return explain(k, s->key[k], why, error);
  long ignored[COLL_PARAMS];
  bool serves = coll_is_decision(s->key[k])
                    ? coll_decision_knows(coll_decision_find(s->key[k], ignored, why, sizeof why), k)
                    : coll_find(s->key[k], ignored, why, sizeof why)->collective == k;
  if (!serves)
    return say(error, SETTINGS_ERROR, "%s%s: %s is not for %s; ./collscope list shows the algorithms", prefix, name,
               s->key[k], coll_collective_name(k));
  return true;
}

static bool is_switch(const char *value) { return (*value == '0' || *value == '1') && !value[1]; }

static bool read_other(settings *s, const char *name, size_t length, const char *value, char *error) {
  if (is("REPORT", name, length)) {
    if (!*value) return say(error, SETTINGS_ERROR, "%sREPORT: expected the name of a file", prefix);
    s->report = value;
    return true;
  }
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
  if (!fine) memset(s->key, 0, sizeof s->key);
  return fine;
}

bool settings_choose(const settings *s) {
  bool any = false;
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
  digest = mixed(digest, s->report ? s->report : "");
  return mixed(digest, s->profile ? "profile" : s->strict ? "strict" : "");
}
