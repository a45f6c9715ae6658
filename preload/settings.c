#include "preload/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/decision_file.h"
#include "core/catalogue/nearest.h"
#include "core/catalogue/text.h"

static const char prefix[] = "COLLSCOPE_";
static const char *const others[] = { "REPORT", "PROFILE", "STRICT", "RULES", "PROGRESS" };
static const char own_function[] = "builtin"; /* a key until all variables are read: no rule counts */
static const char *const elsewhere[] = { "CACHE", "OWNER", "PLAIN_HOSTS", "PLATFORM",
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
             "%sREPORT, %sPROFILE, %sPROGRESS or %sSTRICT",
             prefix, (int)(length < NAME ? length : NAME), text, prefix, prefix, prefix, prefix, prefix, prefix);
}

static bool choose_file(settings *s, coll_collective k, const char *label, const char *value, char *error) {
  char why[SETTINGS_ERROR - 64];
  const coll_decision *d = strlen(value) < SETTINGS_KEY ? decision_file_find(value, why, sizeof why) : NULL;
  if (strlen(value) >= SETTINGS_KEY)
    return say(error, SETTINGS_ERROR, "%s: a path has at most %d characters", label, SETTINGS_KEY - 20);
  if (!d) return say(error, SETTINGS_ERROR, "%s: %s", label, why);
  strcpy(s->key[k], value);
  return coll_decision_knows(d, k) ||
         say(error, SETTINGS_ERROR, "%s: %.300s has no rule for %s", label, value, coll_collective_name(k));
}

static bool choose(settings *s, coll_collective k, const char *value, char *error) {
  char name[NAME], label[NAME + sizeof prefix];
  variable_name(k, name);
  snprintf(label, sizeof label, "%s%s", prefix, name);
  if (decision_file_names(value)) return choose_file(s, k, label, value, error);
  if (!choice_read(label, k, value, s->key[k], error)) return false;
  if (!*s->key[k]) strcpy(s->key[k], own_function);
  return true;
}

/* The file serves the collectives that it has rules for and no variable names. */
static bool read_rules(settings *s, char *error) {
  char key[SETTINGS_KEY], why[SETTINGS_ERROR - 64];
  if (snprintf(key, sizeof key, "decision/file:%s", s->rules) >= (int)sizeof key)
    return say(error, SETTINGS_ERROR, "%sRULES: the path has more than %d characters", prefix, SETTINGS_KEY - 20);
  const coll_decision *d = decision_file_find(key, why, sizeof why);
  if (!d) return say(error, SETTINGS_ERROR, "%sRULES: %s", prefix, why);
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    if (!*s->key[k] && coll_decision_knows(d, (coll_collective)k)) strcpy(s->key[k], key);
  return true;
}

static bool is_switch(const char *value) { return (*value == '0' || *value == '1') && !value[1]; }

static bool read_progress(settings *s, const char *value, char *error) {
  int end = -1;
  s->cpu = -1;
  s->thread = strcmp(value, "calls") != 0;
  if (!s->thread || !strcmp(value, "thread")) return true;
  sscanf(value, "thread[cpu=%4d]%n", &s->cpu, &end);
  if (end >= 0 && !value[end] && s->cpu >= 0) return true;
  return say(error, SETTINGS_ERROR, "%sPROGRESS: expected calls, thread or thread[cpu=N], not \"%.40s\"", prefix,
             value);
}

static bool read_other(settings *s, const char *name, size_t length, const char *value, char *error) {
  if (is("REPORT", name, length)) {
    if (!*value) return say(error, SETTINGS_ERROR, "%sREPORT: expected the name of a file", prefix);
    s->report = value;
    return true;
  }
  if (is("RULES", name, length)) {
    s->rules = value;
    return true;
  }
  if (is("PROGRESS", name, length)) return read_progress(s, value, error);
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
  if (fine && s->rules) fine = read_rules(s, error);
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    if (!fine || !strcmp(s->key[k], own_function)) *s->key[k] = '\0';
  if (!fine) s->thread = false;
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
  for (int k = 0; k < COLL_COLLECTIVES; k++) {
    digest = mixed(digest, s->key[k]);
    if (decision_file_names(s->key[k])) digest = (digest ^ decision_file_digest(s->key[k])) * 0x100000001b3u;
  }
  digest = mixed(digest, s->report ? s->report : "");
  digest = mixed(digest, s->thread ? "thread" : "calls");
  return mixed(digest, s->profile ? "profile" : s->strict ? "strict" : "");
}
