#include "core/catalogue/choice.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/key.h"
#include "core/catalogue/text.h"
#include "core/catalogue/nearest.h"

static bool is(const char *name, const char *text, size_t length) {
  return strlen(name) == length && !strncmp(name, text, length);
}

/* Adds what the writer may have meant, where nothing has this name. */
static bool explain(const char *label, coll_collective k, const char *key, const char *why, char *error) {
  size_t stem = strcspn(key, "["), head = strcspn(key, "/") + 1;
  nearest close = nearest_to(key + head, stem > head ? stem - head : 0);
  const char *best = NULL;
  bool exists = false;
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
  if (exists || !best) return say(error, CHOICE_ERROR, "%s: %s; ./collscope list shows the algorithms", label, why);
  return say(error, CHOICE_ERROR, "%s: %s; did you mean %s?", label, why, best);
}

bool choice_read(const char *label, coll_collective k, const char *text, char *key, char *error) {
  char why[CHOICE_ERROR - 128];
  long ignored[COLL_PARAMS];
  if (!*text || strlen(text) > CHOICE_KEY / 2)
    return say(error, CHOICE_ERROR, "%s: expected the name of an algorithm, with its parameters in brackets", label);
  const char *own = strchr(text, '/');
  snprintf(key, CHOICE_KEY, "%s%s%s", own ? "" : coll_collective_name(k), own ? "" : "/", text);
  if (!strcmp(strchr(key, '/'), "/builtin")) {
    *key = '\0';
    return true;
  }
  const coll_decision *table = NULL;
  const coll_alg *alg = NULL;
  if (coll_is_decision(key)) table = coll_table_find(key, ignored, why, sizeof why);
  else alg = coll_find(key, ignored, why, sizeof why);
  if (!table && !alg) return explain(label, k, key, why, error);
  bool serves = table ? coll_decision_knows(table, k) : alg->collective == k;
  if (serves) return true;
  return say(error, CHOICE_ERROR, "%s: %s %s %s; ./collscope list shows the algorithms", label, key,
             table ? "has no rule for" : "is not for", coll_collective_name(k));
}
