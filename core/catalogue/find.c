#include "core/catalogue/find.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/key.h"
#include "core/catalogue/text.h"

const coll_alg *coll_find(const char *text, long *param, char *error, size_t size) {
  size_t stem = coll_key_stem(text);
  for (const coll_alg *const *a = coll_registry; *a; a++)
    if (strlen((*a)->key) == stem && !strncmp((*a)->key, text, stem))
      return coll_key_read(text, (*a)->params, param, error, size) ? *a : NULL;
  return say(error, size, "unknown algorithm \"%.*s\"", stem < 60 ? (int)stem : 60, text), NULL;
}

bool coll_known(const char *text, char *error, size_t size) {
  long value[COLL_PARAMS];
  return coll_is_decision(text) ? coll_decision_find(text, value, error, size) != NULL
                                : coll_find(text, value, error, size) != NULL;
}

const coll_alg *coll_choose(const char *text, coll_collective k, const coll_args *a, long *param, char *error,
                            size_t size) {
  if (!coll_is_decision(text)) return coll_find(text, param, error, size);
  long value[COLL_PARAMS];
  const coll_decision *d = coll_decision_find(text, value, error, size);
  if (!d) return NULL;
  const coll_rule *r = coll_decision_rule(d, value, k, a);
  if (r && r->key) return coll_find(r->key, param, error, size);
  if (r) snprintf(error, size, "%s: %s", d->key, r->why);
  else
    snprintf(error, size, "%s has no rule for %s on %d ranks with %zu bytes", d->key, coll_collective_name(k), a->size,
             a->count * a->elem);
  return NULL;
}

bool coll_is_builtin(const char *text) { return !strcmp(text + strcspn(text, "/"), "/builtin"); }
