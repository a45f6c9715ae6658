/* Keys and their parameters: from text to values and back. */
#include "core/catalogue/key.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/catalogue/number.h"
#include "core/catalogue/text.h"

static int param_count(const coll_param *params) {
  int n = 0;
  while (params && params[n].name) n++;
  return n;
}

/* Text of a key in messages, which end in what would do. */
enum { SHOWN = 40 };

/* "64KiB" → 65536, "first" → its number. Returns false when the text is neither, or more than a long holds. */
static bool parse_value(const coll_param *p, const char *text, size_t length, long *value) {
  if (p->words)
    for (long v = p->min; v <= p->max; v++)
      if (strlen(p->words[v - p->min]) == length && !strncmp(p->words[v - p->min], text, length))
        return *value = v, true;
  uint64_t number;
  const char *end;
  if (!number_begins(text, LONG_MAX, &number, &end)) return false;
  static const char *const unit[] = { "KiB", "MiB", "GiB" };
  for (int u = 0; u < 3; u++)
    if (!strncmp(end, unit[u], 3)) {
      if (number > (uint64_t)LONG_MAX >> 10 * (u + 1)) return false;
      number <<= 10 * (u + 1);
      end += 3;
      break;
    }
  return *value = (long)number, end == text + length;
}

size_t coll_key_stem(const char *text) { return strcspn(text, "["); }

static int shown(size_t length) { return length < SHOWN ? (int)length : SHOWN; }

static bool unknown(const char *text, const coll_param *params, const char *name, size_t length, char *error,
                    size_t size) {
  int n = param_count(params);
  char names[128] = "it has none";
  for (int k = 0, used = 0; k < n && used < (int)sizeof names; k++)
    used += snprintf(names + used, sizeof names - (size_t)used, "%s%s", k ? ", " : "", params[k].name);
  return say(error, size, "%.*s: \"%.*s\" is not one of its parameters (%s)", shown(coll_key_stem(text)), text,
             shown(length), name, names);
}

bool coll_key_read(const char *text, const coll_param *params, long *value, char *error, size_t size) {
  int n = param_count(params), stem = shown(coll_key_stem(text));
  bool given[COLL_PARAMS] = { false };
  for (int i = 0; i < n; i++) value[i] = params[i].value;
  const char *open = text + coll_key_stem(text);
  if (!*open) return true;
  const char *close = strchr(open, ']');
  if (!close || close[1]) return say(error, size, "%.60s: parameters must end in \"]\"", text);
  for (const char *at = open + 1; at < close;) {
    const char *end = at + strcspn(at, ",]"), *equal = memchr(at, '=', (size_t)(end - at));
    int i = 0;
    while (equal && i < n &&
           !(strlen(params[i].name) == (size_t)(equal - at) && !strncmp(params[i].name, at, (size_t)(equal - at))))
      i++;
    if (!equal || i == n) return unknown(text, params, at, (size_t)(end - at), error, size);
    const coll_param *p = &params[i];
    if (given[i]) return say(error, size, "%.*s: %s is given twice; give it once", stem, text, p->name);
    given[i] = true;
    if (!parse_value(p, equal + 1, (size_t)(end - equal - 1), &value[i]) || value[i] < p->min || value[i] > p->max)
      return say(error, size, "%.*s: %s must lie between %ld and %ld, not \"%.*s\"", stem, text, p->name, p->min,
                 p->max, shown((size_t)(end - equal - 1)), equal + 1);
    at = end + (*end == ',');
  }
  return true;
}

void coll_key_write(const char *stem, const coll_param *params, const long *value, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "%s", stem);
  int n = param_count(params);
  for (int i = 0; i < n && used < size; i++) {
    const coll_param *p = &params[i];
    used += (size_t)snprintf(text + used, size - used, "%c%s=", i ? ',' : '[', p->name);
    if (used >= size) break;
    used += p->words ? (size_t)snprintf(text + used, size - used, "%s", p->words[value[i] - p->min])
                     : (size_t)snprintf(text + used, size - used, "%ld", value[i]);
  }
  if (n && used < size) snprintf(text + used, size - used, "]");
}

void coll_key(const coll_alg *alg, const long *param, char *text, size_t size) {
  coll_key_write(alg->key, alg->params, param, text, size);
}

const coll_alg *coll_find(const char *text, long *param, char *error, size_t size) {
  size_t stem = coll_key_stem(text);
  for (const coll_alg *const *a = coll_registry; *a; a++)
    if (strlen((*a)->key) == stem && !strncmp((*a)->key, text, stem))
      return coll_key_read(text, (*a)->params, param, error, size) ? *a : NULL;
  return say(error, size, "unknown algorithm \"%.*s\"", stem < 60 ? (int)stem : 60, text), NULL;
}
