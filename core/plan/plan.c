/* Reading plans. Everything a program is asked to do passes here, so every complaint names file and line and says what
 * would do. */
#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/number.h"
#include "core/catalogue/text.h"
#include "core/plan/line.h"
#include "core/plan/places.h"
#include "core/plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  size_t bytes;
} types[PLAN_TYPES] = {
  [PLAN_FLOAT] = { "float", 4 }, [PLAN_DOUBLE] = { "double", 8 }, [PLAN_INT] = { "int", 4 },
  [PLAN_BYTE] = { "byte", 1 },   [PLAN_LONG] = { "long", 8 },     [PLAN_AFFINE] = { "affine", 8 },
};
static const char *const ops[PLAN_OPS] = {
  [PLAN_SUM] = "sum", [PLAN_PROD] = "prod",        [PLAN_MAX] = "max",
  [PLAN_MIN] = "min", [PLAN_OP_AFFINE] = "affine", [PLAN_NONE] = "none",
};
static const char *const metrics[PLAN_METRICS] = {
  [PLAN_MAKESPAN] = "makespan", [PLAN_OSU_AVG] = "osu_avg",         [PLAN_ROOT] = "root",       [PLAN_LOOP] = "loop",
  [PLAN_DELAY] = "delay",       [PLAN_NONBLOCKING] = "nonblocking", [PLAN_OVERLAP] = "overlap",
};
static const char *const progresses[PLAN_PROGRESSES] = {
  [PLAN_BY_CALLS] = "calls", [PLAN_BY_THREAD] = "thread", [PLAN_BY_OFFLOAD] = "offload"
};
static const char *const buffers[PLAN_BUFFERS] = { [PLAN_WARM] = "warm", [PLAN_COLD] = "cold", [PLAN_FRESH] = "fresh" };

const char *plan_type_name(plan_type t) { return types[t].name; }
size_t plan_type_bytes(plan_type t) { return types[t].bytes; }
const char *plan_op_name(plan_op o) { return ops[o]; }
bool plan_op_commutes(plan_op o) { return o != PLAN_OP_AFFINE; }
const char *plan_metric_name(plan_metric m) { return metrics[m]; }
const char *plan_progress_name(plan_progress p) { return progresses[p]; }

const char *plan_buffers_name(plan_buffers b) { return buffers[b]; }

const char *plan_op_mismatch(plan_type t, plan_op o) {
  if (o == PLAN_OP_AFFINE && t != PLAN_AFFINE) return "op=affine needs type=affine";
  if (t == PLAN_AFFINE && o != PLAN_OP_AFFINE && o != PLAN_NONE)
    return "type=affine goes with op=affine or op=none only";
  return NULL;
}

coll_args plan_args(const plan_point *q, int size, const long *param, const coll_place *place) {
  return (coll_args){ .size = size,
                      .count = q->count,
                      .elem = plan_type_bytes(q->type),
                      .root = q->root,
                      .commutes = plan_op_commutes(q->op),
                      .in_place = q->in_place,
                      .param = param,
                      .place = place };
}

bool plan_cut(const plan_point *q, coll_args *a, size_t **displs, char *error, size_t size) {
  if (q->counts.kind == DISTRIBUTION_UNIFORM) return true;
  bool pairs = q->collective == COLL_ALLTOALLV;
  if (pairs && a->size > DISTRIBUTION_PAIRS)
    return say(error, size, "counts of alltoallv are known for at most %d ranks", DISTRIBUTION_PAIRS);
  size_t all = coll_counts_of(q->collective) == COLL_COUNTS_BLOCK ? q->count * (size_t)a->size : q->count;
  size_t *room = realloc(*displs, sizeof *room * coll_displs(q->collective, a->size));
  if (!room) return say(error, size, "out of memory for the counts of %d ranks", a->size);
  a->displs = *displs = room;
  return (pairs ? distribution_cut_pairs : distribution_cut)(&q->counts, all, a->size, *displs, error, size);
}

bool plan_too_large(const plan_point *q, int ranks, char reason[PLAN_REASON]) {
  uint64_t bytes, blocks = coll_counts_of(q->collective) == COLL_COUNTS_BLOCK ? (uint64_t)ranks : 1;
  bool too_large = __builtin_mul_overflow((uint64_t)q->count, plan_type_bytes(q->type), &bytes) ||
                   __builtin_mul_overflow(bytes, blocks, &bytes) || bytes > PLAN_MAX_BYTES;
  if (too_large)
    snprintf(reason, PLAN_REASON,
             "so many elements of %zu bytes on %" PRIu64 " rank%s are more than 1024 TiB; give fewer",
             plan_type_bytes(q->type), blocks, blocks == 1 ? "" : "s");
  return too_large;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static bool whole_number(const file_line *r, const char *key, const char *text, uint64_t max, uint64_t *value) {
  const char *rest;
  if (number_begins(text, max, value, &rest) && !*rest) return true;
  if (*rest || rest == text) return line_wrong(r, "%s=%.40s: give a whole number, 0 or more", key, text);
  return line_wrong(r, "%s=%.40s: at most %" PRIu64, key, text, max);
}

static bool small_number(const file_line *r, const char *key, const char *text, int max, int *value) {
  uint64_t wide = 0;
  if (!whole_number(r, key, text, (uint64_t)max, &wide)) return false;
  *value = (int)wide;
  return true;
}

static bool real_number(const file_line *r, const char *key, const char *text, double max, double *value) {
  char *rest;
  *value = strtod(text, &rest);
  if (rest != text && !*rest && *value > 0 && *value <= max) return true;
  return line_wrong(r, "%s=%.40s: give a number above 0, at most %g", key, text, max);
}

static bool flag(const file_line *r, const char *key, const char *text, bool *value) {
  int number = 0;
  if (!small_number(r, key, text, 1, &number)) return false;
  *value = number;
  return true;
}

/* The index of `text` among n names; on failure all names are told. */
static bool one_of(const file_line *r, const char *key, const char *text, const char *const *names, int n, int *index) {
  char list[256] = "";
  for (int i = 0; i < n; i++) {
    if (strcmp(text, names[i]) == 0) {
      *index = i;
      return true;
    }
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", names[i]);
  }
  return line_wrong(r, "%s=%.40s: choose one of %s", key, text, list);
}

static bool text_value(const file_line *r, const char *key, const char *text, char *value, size_t size) {
  if (!*text) return line_wrong(r, "%s= has no value", key);
  if (strlen(text) >= size) return line_wrong(r, "%s=%.40s…: longer than %zu characters", key, text, size - 1);
  strcpy(value, text);
  return true;
}

#define WITH_BARRIER "osu_avg[barrier="

static bool barrier_value(const file_line *r, plan_point *q, const char *text) {
  const char *key = text + strlen(WITH_BARRIER);
  size_t n = strlen(key);
  q->metric = PLAN_OSU_AVG;
  if (n < 2 || key[n - 1] != ']' || n > sizeof q->barrier)
    return line_wrong(r, "metric=%.60s: write osu_avg[barrier=KEY]", text);
  memcpy(q->barrier, key, n - 1);
  q->barrier[n - 1] = '\0';
  if (coll_is_decision(q->barrier) || !strncmp(q->barrier, "barrier/", strlen("barrier/"))) return true;
  return line_wrong(r, "metric=%.60s: %.60s is not a barrier; give barrier/… or decision/…", text, q->barrier);
}

/* "nonblocking[offload]", "overlap[poll,calls]". */
static bool progress_value(const file_line *r, plan_point *q, const char *text) {
  static const char *const methods[] = { "wait", "poll" };
  char spelt[64];
  for (int p = 0; p < PLAN_PROGRESSES; p++)
    for (int polls = 0; polls < 2; polls++) {
      q->metric = *text == 'n' ? PLAN_NONBLOCKING : PLAN_OVERLAP;
      if (q->metric == PLAN_NONBLOCKING) snprintf(spelt, sizeof spelt, "nonblocking[%s]", progresses[p]);
      else snprintf(spelt, sizeof spelt, "overlap[%s,%s]", methods[polls], progresses[p]);
      q->progress = (plan_progress)p;
      q->polls = polls;
      if (!strcmp(text, spelt)) return true;
    }
  return line_wrong(r,
                    "metric=%.60s: write nonblocking[PROGRESS] or overlap[wait|poll,PROGRESS], with PROGRESS calls, "
                    "thread or offload",
                    text);
}

static bool pair(const file_line *r, plan_point *q, const char *key, const char *text, int *collective, int *op) {
  uint64_t wide = 0;
  int index = 0;
  if (!strcmp(key, "id")) return text_value(r, key, text, q->id, sizeof q->id);
  if (!strcmp(key, "algorithm")) return text_value(r, key, text, q->key, sizeof q->key);
  if (!strcmp(key, "ranks")) return small_number(r, key, text, PLACES_MAX, &q->ranks);
  if (!strcmp(key, "root")) return small_number(r, key, text, PLACES_MAX, &q->root);
  if (!strcmp(key, "repetitions")) return small_number(r, key, text, PLAN_MAX_REPETITIONS, &q->repetitions);
  if (!strcmp(key, "warmup")) return small_number(r, key, text, PLAN_MAX_REPETITIONS, &q->warmup);
  if (!strcmp(key, "group")) return small_number(r, key, text, PLAN_MAX_REPETITIONS, &q->group);
  if (!strcmp(key, "until_ci")) return real_number(r, key, text, 1, &q->until_ci);
  if (!strcmp(key, "budget_s")) return real_number(r, key, text, 1e6, &q->budget_s);
  if (!strcmp(key, "within")) return real_number(r, key, text, 1e6, &q->within);
  if (!strcmp(key, "stop_s")) return real_number(r, key, text, 1e9, &q->stop_s);
  if (!strcmp(key, "in_place")) return flag(r, key, text, &q->in_place);
  if (!strcmp(key, "check")) return flag(r, key, text, &q->check);
  if (!strcmp(key, "op")) return one_of(r, key, text, ops, PLAN_OPS, op);
  if (!strcmp(key, "count")) {
    if (!whole_number(r, key, text, PLAN_MAX_BYTES, &wide)) return false;
    q->count = (size_t)wide;
    return true;
  }
  if (!strcmp(key, "metric")) {
    if (!strncmp(text, WITH_BARRIER, strlen(WITH_BARRIER))) return barrier_value(r, q, text);
    if (!strncmp(text, "nonblocking", 11) || !strncmp(text, "overlap", 7)) return progress_value(r, q, text);
    if (!one_of(r, key, text, metrics, PLAN_METRICS, &index)) return false;
    q->metric = (plan_metric)index;
    return true;
  }
  if (!strcmp(key, "skew")) {
    const char *wrong = arrival_parse(&q->skew, text);
    return !wrong || line_wrong(r, "skew=%.40s: %s", text, wrong);
  }
  if (!strcmp(key, "counts")) {
    const char *wrong = distribution_parse(&q->counts, text);
    return !wrong || line_wrong(r, "counts=%.40s: %s", text, wrong);
  }
  if (!strcmp(key, "buffers")) {
    if (!one_of(r, key, text, buffers, PLAN_BUFFERS, &index)) return false;
    q->buffers = (plan_buffers)index;
    return true;
  }
  if (!strcmp(key, "type")) {
    const char *names[PLAN_TYPES];
    for (int t = 0; t < PLAN_TYPES; t++) names[t] = types[t].name;
    if (!one_of(r, key, text, names, PLAN_TYPES, &index)) return false;
    q->type = (plan_type)index;
    return true;
  }
  if (!strcmp(key, "collective")) {
    const char *names[COLL_COLLECTIVES];
    for (int c = 0; c < COLL_COLLECTIVES; c++) names[c] = coll_collective_name((coll_collective)c);
    return one_of(r, key, text, names, COLL_COLLECTIVES, collective);
  }
  return line_wrong(r,
                    "unknown key %.40s; known: id collective algorithm ranks count type op root in_place counts metric "
                    "repetitions until_ci budget_s warmup buffers skew group within stop_s check",
                    key);
}

/* What holds between keys. The algorithm itself is looked up by whoever runs the point. */
static bool finish(const file_line *r, plan_point *q, int collective, int op) {
  if (!*q->id) snprintf(q->id, sizeof q->id, "%d", r->number);
  if (!*q->key) return line_wrong(r, "no algorithm=; give a key such as bcast/mst");
  size_t stem = strcspn(q->key, "/");
  if (!q->key[stem]) return line_wrong(r, "algorithm=%.60s: give the full key, collective/algorithm", q->key);
  bool chooses = coll_is_decision(q->key);
  if (collective < 0) {
    if (chooses) return line_wrong(r, "algorithm=%.60s needs collective=", q->key);
    collective = coll_collective_find(q->key, stem);
    if (collective == COLL_COLLECTIVES)
      return line_wrong(r, "algorithm=%.60s: %.*s is not a collective", q->key,
                        stem < LINE_SHOWN ? (int)stem : LINE_SHOWN, q->key);
  } else if (!chooses) {
    const char *name = coll_collective_name((coll_collective)collective);
    if (strlen(name) != stem || strncmp(name, q->key, stem))
      return line_wrong(r, "algorithm=%.60s does not belong to collective=%s", q->key, name);
  }
  q->collective = (coll_collective)collective;
  q->op = op < 0 ? (q->type == PLAN_AFFINE ? PLAN_OP_AFFINE : PLAN_SUM) : (plan_op)op;
  const char *mismatch = plan_op_mismatch(q->type, q->op);
  if (mismatch) return line_wrong(r, "%s", mismatch);
  if (coll_has_operator(q->collective) && q->op == PLAN_NONE)
    return line_wrong(r, "op=none: %s needs an operator", coll_collective_name(q->collective));
  if (q->ranks && q->root >= q->ranks) return line_wrong(r, "root=%d: there are only %d ranks", q->root, q->ranks);
  char reason[PLAN_REASON];
  if (plan_too_large(q, q->ranks ? q->ranks : 1, reason)) return line_wrong(r, "count=%zu: %s", q->count, reason);
  if (q->counts.kind != DISTRIBUTION_UNIFORM && !coll_may_be_uneven(q->collective))
    return line_wrong(r, "counts= goes with gatherv, scatterv, allgatherv, alltoallv and reduce_scatter, not with %s",
                      coll_collective_name(q->collective));
  if (!q->repetitions) return line_wrong(r, "repetitions=0: at least one");
  if (!q->until_ci != !q->budget_s) return line_wrong(r, "until_ci= and budget_s= go together");
  if (q->until_ci > 0 && q->metric == PLAN_LOOP)
    return line_wrong(r, "until_ci=%g: a loop is one time; take another metric", q->until_ci);
  if ((q->within > 0 || q->stop_s > 0) && q->metric != PLAN_MAKESPAN)
    return line_wrong(r, "within= and stop_s= go with metric=makespan, not with %s", metrics[q->metric]);
  if (q->within > 0 && !q->group)
    return line_wrong(r, "within=%g is of the fastest of a group; give group=", q->within);
  if (q->buffers != PLAN_WARM && q->metric == PLAN_LOOP)
    return line_wrong(r, "buffers=%s: calls of a loop follow each other; take another metric", buffers[q->buffers]);
  if (q->buffers == PLAN_FRESH && plan_is_nonblocking(q->metric))
    return line_wrong(r, "buffers=fresh goes with blocking calls; take warm, or metric=makespan");
  if (q->skew.kind != ARRIVAL_NONE &&
      (q->metric == PLAN_LOOP || q->metric == PLAN_OSU_AVG || plan_is_nonblocking(q->metric)))
    return line_wrong(r, "skew= goes with metric=makespan, root or delay, not with %s", metrics[q->metric]);
  return true;
}

/* Points of a group share their buffers. */
static bool same_call(const plan_point *a, const plan_point *b) {
  return a->collective == b->collective && a->ranks == b->ranks && a->count == b->count && a->type == b->type &&
         a->op == b->op && a->root == b->root && a->in_place == b->in_place && a->metric == b->metric &&
         a->progress == b->progress && a->polls == b->polls && a->buffers == b->buffers &&
         arrival_same(&a->skew, &b->skew) && distribution_same(&a->counts, &b->counts);
}

typedef struct {
  plan *plan;
  size_t cap;
} growing;

static bool line_read(const file_line *r, char *text, void *self) {
  growing *g = self;
  plan *p = g->plan;
  plan_point q = { .line = r->number, .repetitions = 1, .skew = { .seed = 1, .rank = -1 } };
  int collective = -1, op = -1;
  bool any = false;
  char *rest = NULL;
  for (char *word = strtok_r(text, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
    if (*word == '#') break;
    char *equals = strchr(word, '=');
    if (!equals || equals == word) return line_wrong(r, "%.40s: give key=value", word);
    *equals = '\0';
    if (!pair(r, &q, word, equals + 1, &collective, &op)) return false;
    any = true;
  }
  if (!any) return true;
  if (!finish(r, &q, collective, op)) return false;
  const plan_point *before = p->points ? &p->point[p->points - 1] : NULL;
  if (before && q.group && q.group == before->group && !same_call(before, &q))
    return line_wrong(r, "group=%d: another call than line %d's; all of a group are the same call", q.group,
                      before->line);
  if (p->points == g->cap) {
    g->cap = g->cap ? 2 * g->cap : 64;
    plan_point *more = realloc(p->point, g->cap * sizeof *more);
    if (!more) return line_wrong(r, "out of memory after %zu points", p->points);
    p->point = more;
  }
  p->point[p->points++] = q;
  return true;
}

bool plan_read(plan *p, const char *path, char *error, size_t size) {
  *p = (plan){ 0 };
  file_line line = { .error = error, .size = size };
  return lines_read(&line, path, line_read, &(growing){ .plan = p });
}

void plan_free(plan *p) {
  free(p->point);
  *p = (plan){ 0 };
}
