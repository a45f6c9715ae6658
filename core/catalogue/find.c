#include "core/catalogue/find.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/decision_file.h"
#include "core/catalogue/key.h"
#include "core/catalogue/text.h"

const coll_decision *coll_decision_find(const char *text, long *value, char *error, size_t size) {
  return decision_file_names(text) ? decision_file_find(text, error, size) : coll_table_find(text, value, error, size);
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
  if (r && r->key && coll_is_builtin(r->key))
    return say(error, size, "the MPI library's own is chosen (%.100s)", d->key), NULL;
  if (r && r->key) return coll_choose(r->key, k, a, param, error, size);
  if (decision_file_names(text)) snprintf(error, size, "no rule for this call (%.100s)", d->key);
  else if (r) snprintf(error, size, "%s: %s", d->key, r->why);
  else
    snprintf(error, size, "%s has no rule for %s on %d ranks with %zu bytes", d->key, coll_collective_name(k), a->size,
             a->count * a->elem);
  return NULL;
}

bool coll_takes_builtin(const char *text, coll_collective k, const coll_args *a) {
  char ignored[256];
  long value[COLL_PARAMS];
  if (!coll_is_decision(text)) return coll_is_builtin(text);
  const coll_decision *d = coll_decision_find(text, value, ignored, sizeof ignored);
  const coll_rule *r = d ? coll_decision_rule(d, value, k, a) : NULL;
  return r && r->key && coll_is_builtin(r->key);
}

bool coll_is_builtin(const char *text) { return !strcmp(text + strcspn(text, "/"), "/builtin"); }
