/* What can be said of an algorithm without running it: keys, parameters, support, buffer sizes, printed bounds. */
#include "collscope.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "patterns/block.h"

static const struct { const char *name; bool root, op; } collectives[COLL_COLLECTIVES] = {
  [COLL_BCAST] = { "bcast", true, false },
  [COLL_REDUCE] = { "reduce", true, true },
  [COLL_SCATTER] = { "scatter", true, false },
  [COLL_GATHER] = { "gather", true, false },
  [COLL_ALLGATHER] = { "allgather", false, false },
  [COLL_REDUCE_SCATTER] = { "reduce_scatter", false, true },
  [COLL_REDUCE_SCATTER_BLOCK] = { "reduce_scatter_block", false, true },
  [COLL_ALLREDUCE] = { "allreduce", false, true },
  [COLL_ROTATION] = { "rotation", false, false },
  [COLL_BARRIER] = { "barrier", false, false },
  [COLL_ALLTOALL] = { "alltoall", false, false },
  [COLL_SCAN] = { "scan", false, true },
  [COLL_EXSCAN] = { "exscan", false, true },
};

const char *coll_collective_name(coll_collective k) { return collectives[k].name; }
bool coll_has_root(coll_collective k) { return collectives[k].root; }
bool coll_has_operator(coll_collective k) { return collectives[k].op; }

/* ---- keys ------------------------------------------------------------------------------------------- */

static int param_count(const coll_alg *alg) {
  int n = 0;
  while (alg->params && alg->params[n].name) n++;
  return n;
}

static const coll_alg *find_stem(const char *text, size_t length) {
  for (const coll_alg *const *a = coll_registry; *a; a++)
    if (strlen((*a)->key) == length && !strncmp((*a)->key, text, length)) return *a;
  return NULL;
}

/* "64KiB" → 65536, "first" → its number. Returns false when the text is neither. */
static bool parse_value(const coll_param *p, const char *text, size_t length, long *value) {
  if (p->words)
    for (long v = p->min; v <= p->max; v++)
      if (strlen(p->words[v - p->min]) == length && !strncmp(p->words[v - p->min], text, length)) return *value = v, true;
  char *end;
  long v = strtol(text, &end, 10);
  if (end == text) return false;
  static const char *const unit[] = { "KiB", "MiB", "GiB" };
  for (int u = 0; u < 3; u++)
    if (!strncmp(end, unit[u], 3)) { v <<= 10 * (u + 1); end += 3; break; }
  return *value = v, end == text + length;
}

const coll_alg *coll_find(const char *text, long *param, char *error, size_t size) {
  const char *open = strchr(text, '[');
  size_t stem = open ? (size_t)(open - text) : strlen(text);
  const coll_alg *alg = find_stem(text, stem);
  if (!alg) return snprintf(error, size, "unknown algorithm \"%.*s\"", (int)stem, text), NULL;
  int n = param_count(alg);
  for (int i = 0; i < n; i++) param[i] = alg->params[i].value;
  if (!open) return alg;
  const char *close = strchr(open, ']');
  if (!close || close[1]) return snprintf(error, size, "%s: parameters must end in \"]\"", text), NULL;
  for (const char *at = open + 1; at < close;) {
    const char *end = at + strcspn(at, ",]"), *equal = memchr(at, '=', (size_t)(end - at));
    int i = 0;
    while (equal && i < n && !(strlen(alg->params[i].name) == (size_t)(equal - at) &&
                               !strncmp(alg->params[i].name, at, (size_t)(equal - at)))) i++;
    if (!equal || i == n) {
      int used = snprintf(error, size, "%s: \"%.*s\" is not one of its parameters (", alg->key, (int)(end - at), at);
      for (int k = 0; k < n && used < (int)size; k++)
        used += snprintf(error + used, size - (size_t)used, "%s%s", k ? ", " : "", alg->params[k].name);
      if (used < (int)size) snprintf(error + used, size - (size_t)used, "%s)", n ? "" : "it has none");
      return NULL;
    }
    const coll_param *p = &alg->params[i];
    if (!parse_value(p, equal + 1, (size_t)(end - equal - 1), &param[i]) || param[i] < p->min || param[i] > p->max) {
      snprintf(error, size, "%s: %s must lie between %ld and %ld, not \"%.*s\"", alg->key, p->name, p->min, p->max,
               (int)(end - equal - 1), equal + 1);
      return NULL;
    }
    at = end + (*end == ',');
  }
  return alg;
}

void coll_key(const coll_alg *alg, const long *param, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "%s", alg->key);
  int n = param_count(alg);
  for (int i = 0; i < n && used < size; i++) {
    const coll_param *p = &alg->params[i];
    used += (size_t)snprintf(text + used, size - used, "%c%s=", i ? ',' : '[', p->name);
    if (used >= size) break;
    used += p->words ? (size_t)snprintf(text + used, size - used, "%s", p->words[param[i] - p->min])
                     : (size_t)snprintf(text + used, size - used, "%ld", param[i]);
  }
  if (n && used < size) snprintf(text + used, size - used, "]");
}

const char *coll_unsupported(const coll_alg *alg, const coll_args *a, char *reason, size_t size) {
  if (coll_has_root(alg->collective) && (a->root < 0 || a->root >= a->size))
    return snprintf(reason, size, "root %d is not one of the %d ranks", a->root, a->size), reason;
  if ((alg->flags & COLL_COMMUTATIVE_ONLY) && !a->commutes)
    return snprintf(reason, size, "needs an operator that commutes"), reason;
  const char *why = alg->supports ? alg->supports(a) : NULL;
  return why ? (snprintf(reason, size, "%s", why), reason) : NULL;
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

size_t coll_in_count(coll_collective k, const coll_args *a, int rank) {
  size_t m = a->count, p = (size_t)a->size;
  switch (k) {
    case COLL_SCATTER: return rank == a->root ? p * m : 0;
    case COLL_REDUCE_SCATTER_BLOCK: case COLL_ALLTOALL: return p * m;
    case COLL_BARRIER: return 0;
    default: return m;
  }
}

size_t coll_out_count(coll_collective k, const coll_args *a, int rank) {
  size_t m = a->count, p = (size_t)a->size;
  switch (k) {
    case COLL_GATHER: return rank == a->root ? p * m : 0;
    case COLL_ALLGATHER: case COLL_ALLTOALL: return p * m;
    case COLL_REDUCE: return rank == a->root ? m : 0;
    case COLL_REDUCE_SCATTER: return a->in_place ? m : coll_block(m, a->size, rank).count;
    case COLL_REDUCE_SCATTER_BLOCK: return a->in_place ? p * m : m;
    case COLL_BARRIER: return 0;
    default: return m;
  }
}

/* ---- printed bounds --------------------------------------------------------------------------------- */

double coll_bound(coll_collective k, const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || (a->count == 0 && k != COLL_BARRIER)) return 0;  // a call without data sends nothing
  double p = a->size, lg = ceil(log2(p)), m = (double)(a->count * a->elem), part = (p - 1) / p;
  switch (k) {
    case COLL_BCAST: return lg * alpha + m * beta;
    case COLL_REDUCE: return lg * alpha + m * beta + part * m * gamma;
    case COLL_SCATTER: case COLL_GATHER: case COLL_ALLGATHER: return lg * alpha + part * p * m * beta;
    case COLL_REDUCE_SCATTER: return lg * alpha + part * m * (beta + gamma);
    case COLL_REDUCE_SCATTER_BLOCK: return lg * alpha + part * p * m * (beta + gamma);
    case COLL_ALLREDUCE: return lg * alpha + part * m * (2 * beta + gamma);
    case COLL_ROTATION: return alpha + m * beta;
    case COLL_BARRIER: return lg * alpha;
    case COLL_ALLTOALL: return lg * alpha + part * p * m * beta;
    case COLL_SCAN: case COLL_EXSCAN: return lg * alpha + m * beta + m * gamma;
    default: return 0;
  }
}
