#include "tests/readers/readers.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/decision_file.h"
#include "core/catalogue/find.h"
#include "core/plan/line.h"
#include "core/plan/places.h"
#include "core/plan/plan.h"
#include "core/schedule/recorder/record.h"
#include "core/schedule/text.h"
#include "model/timing.h"
#include "prove/call.h"
#include "prove/proof/proof.h"

/* ---- each of them --------------------------------------------------------------------------------------------- */

static coll_place nowhere[PLACES_MAX];

/* What every program asks of a call before it runs it. */
static bool call_is_known(const char *key, coll_collective k, coll_args *a, char *error, size_t size) {
  char reason[READER_ERROR];
  long param[COLL_PARAMS] = { 0 };
  a->place = nowhere;
  a->param = param;
  if (!coll_known(key, error, size)) return false;
  const coll_alg *alg = coll_choose(key, k, a, param, reason, sizeof reason);
  if (!alg || record_unsupported(alg, a, reason, sizeof reason)) return true;
  double cost = alg->cost ? alg->cost(a, 1e-6, 1e-9, 1e-10) : 0;
  if (!isfinite(cost) || cost < 0) return snprintf(error, size, "%s: cost() is %g", key, cost), false;
  return true;
}

static bool plan_takes(const char *path, char *error, size_t size) {
  plan p;
  bool fine = plan_read(&p, path, error, size);
  for (size_t i = 0; i < p.points && fine; i++) {
    const plan_point *q = &p.point[i];
    coll_args a = plan_args(q, q->ranks ? q->ranks : 1, NULL, NULL);
    if (q->root < a.size && !coll_is_builtin(q->key)) fine = call_is_known(q->key, q->collective, &a, error, size);
  }
  plan_free(&p);
  return fine;
}

static bool key_line(const file_line *l, char *text, void *self) {
  text[strcspn(text, "\n")] = '\0';
  return *text == '#' || coll_known(text, l->error, l->size);
}

static bool recorded_line(const file_line *l, char *text, void *self) {
  call c = { 0 };
  if (*text == '#') return true;
  if (!call_read(text, &c)) return line_wrong(l, "cannot be read");
  coll_args *a = &c.args;
  return a->size < 1 || !a->elem || a->root >= a->size || coll_is_decision(c.key) ||
         call_is_known(c.key, COLL_BCAST, a, l->error, l->size);
}

static bool shape_line(const file_line *l, char *text, void *self) {
  coll_place place[8];
  text[strcspn(text, "\n")] = '\0';
  return *text == '#' || places_given(text, 8, place, l->error, l->size);
}

static bool lines_take(const char *path, bool (*take)(const file_line *, char *, void *), char *error, size_t size) {
  file_line l = { .error = error, .size = size };
  return lines_read(&l, path, take, NULL);
}

static bool places_take(const char *path, char *error, size_t size) {
  places_list list;
  bool fine = places_read(&list, path, error, size);
  if (fine && list.ranks < 4096)
    for (int level = 0; level < COLL_LEVELS; level++) {
      coll_grouping g;
      coll_grouping_make(&g, (coll_level)level, (int)list.ranks, list.place);
      coll_grouping_free(&g);
    }
  free(list.place);
  return fine;
}

/* Some schedules with short and long messages, many at once and one after the other, must get a time that is a number. */
static bool machine_takes(const char *path, char *error, size_t size) {
  static const char *const keys[] = { "allreduce/ring", "bcast/chain[s=1024]", "alltoall/linear", "gather/linear" };
  enum { KEYS = sizeof keys / sizeof *keys, RANKS = 6 };
  static record *made[KEYS];
  static timing_result result;
  machine m;
  bool fine = machine_read(&m, path, error, size);
  for (size_t i = 0; i < KEYS && fine; i++) {
    long param[COLL_PARAMS];
    coll_args a = { .size = RANKS, .count = i ? 5000 : 12, .elem = 4, .commutes = true, .param = param };
    if (!made[i]) made[i] = record_make(NULL, coll_find(keys[i], param, error, size), &a, 1, 1);
    result.draw = i % 2; /* of the machine's noise, where it has one */
    if (timing_run(made[i], &m, &result)) fine = (snprintf(error, size, "%s", result.error), false);
    else if (!isfinite(result.makespan_s) || result.makespan_s < 0)
      fine = (snprintf(error, size, "%s takes %g s", keys[i], result.makespan_s), false);
  }
  machine_free(&m);
  return fine;
}

/* A schedule that is taken can be written, proved and timed, whatever that says of it. */
static bool schedule_takes(const char *path, char *error, size_t size) {
  static timing_result time;
  static proof *engine;
  proof_result result;
  record *r = schedule_read(path, error, size);
  if (!r) return false;
  char *text = NULL;
  size_t length = 0;
  FILE *f = open_memstream(&text, &length);
  schedule_write(f, r, schedule_algorithm(r));
  fclose(f);
  free(text);
  if (!engine) engine = proof_new();
  if (r->collective < COLL_COLLECTIVES && !proof_check(engine, r, &result)) {
    schedule_sites(r);
    proof_check(engine, r, &result);
  }
  schedule_first_call(r);
  machine m = machine_one_port(1e-6, 1e-9, 1e-10);
  timing_run(r, &m, &time);
  machine_free(&m);
  schedule_free(r);
  return true;
}

static bool decision_takes(const char *path, char *error, size_t size) {
  decision_rules rules;
  bool fine = decision_file_read(&rules, path, error, size);
  for (size_t i = 0; i < rules.n && fine; i++) {
    const coll_rule *r = &rules.rule[i];
    const coll_decision one = { .key = "decision/x", .rules = r, .count = 1 };
    coll_args a = { .size = r->p_min ? r->p_min : 1, .count = r->bytes_min, .elem = 1, .place = nowhere };
    if (a.size > 4096 || r->per_node_min > a.size || (r->per_node_max && r->per_node_max < a.size)) continue;
    if (coll_decision_rule(&one, NULL, r->collective, &a) != r)
      fine = (snprintf(error, size, "rule %zu does not fit its own first call", i + 1), false);
  }
  decision_file_discard(&rules);
  return fine;
}

/* ---- all of them ---------------------------------------------------------------------------------------------- */

const char *const reader_kinds[] = { "plan",     "key",      "machine",  "places", "shape",
                                     "recorded", "schedule", "decision", NULL };

bool reader_takes(const char *kind, const char *path, char error[READER_ERROR]) {
  *error = '\0';
  if (!strcmp(kind, "plan")) return plan_takes(path, error, READER_ERROR);
  if (!strcmp(kind, "machine")) return machine_takes(path, error, READER_ERROR);
  if (!strcmp(kind, "places")) return places_take(path, error, READER_ERROR);
  if (!strcmp(kind, "key")) return lines_take(path, key_line, error, READER_ERROR);
  if (!strcmp(kind, "shape")) return lines_take(path, shape_line, error, READER_ERROR);
  if (!strcmp(kind, "recorded")) return lines_take(path, recorded_line, error, READER_ERROR);
  if (!strcmp(kind, "decision")) return decision_takes(path, error, READER_ERROR);
  if (!strcmp(kind, "schedule")) return schedule_takes(path, error, READER_ERROR);
  fprintf(stderr, "there is no reader of %s\n", kind);
  exit(2);
}

static int no_dot(const struct dirent *entry) { return *entry->d_name != '.'; }

void corpus_each(const char *corpus, const char *kind, void (*take)(const char *path, void *self), void *self) {
  char folder[2048], path[4096];
  struct dirent **file;
  snprintf(folder, sizeof folder, "%s/%s", corpus, kind);
  int n = scandir(folder, &file, no_dot, alphasort);
  if (n < 1) {
    fprintf(stderr, "%s: no files\n", folder);
    exit(2);
  }
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, file[i]->d_name);
    take(path, self);
    free(file[i]);
  }
  free(file);
}
