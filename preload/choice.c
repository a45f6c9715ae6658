#include "preload/choice.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/find.h"
#include "core/catalogue/text.h"
#include "preload/nearest.h"

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
  char why[CHOICE_ERROR / 2];
  long ignored[COLL_PARAMS];
  if (!*text || strlen(text) > CHOICE_KEY / 2)
    return say(error, CHOICE_ERROR, "%s: expected the name of an algorithm, with its parameters in brackets", label);
  const char *own = strchr(text, '/');
  snprintf(key, CHOICE_KEY, "%s%s%s", own ? "" : coll_collective_name(k), own ? "" : "/", text);
  if (coll_is_builtin(key)) {
    *key = '\0';
    return true;
  }
  if (!coll_known(key, why, sizeof why)) return explain(label, k, key, why, error);
  bool serves = coll_is_decision(key) ? coll_decision_knows(coll_decision_find(key, ignored, why, sizeof why), k)
                                      : coll_find(key, ignored, why, sizeof why)->collective == k;
  if (serves) return true;
  return say(error, CHOICE_ERROR, "%s: %s is not for %s; ./collscope list shows the algorithms", label, key,
             coll_collective_name(k));
}
