/* Proving the points of a plan: one JSON line per point.
 *
 * A point's line of JSON: id, algorithm (full key; `chose` when it is a decision), ranks, count, root, in_place;
 * status "ok" or why the point is unsupported; verdict "proven" or "failed", kind and failure say why; messages, bytes,
 * reduced_bytes, copied_bytes, operations: sums over all ranks; rounds: length of the critical path when a message costs
 * 1 whatever its size, rounds_cost: what cost() says it is. With --costs: exact, and costs: critical path and cost() at
 * several alpha, beta, gamma. With --messages: schedule, every message with its source, destination, bytes, the round in
 * which it ends, and its tag (0 outside sub-groups).
 */
#include "prove/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/find.h"
#include "core/catalogue/json.h"
#include "core/catalogue/key.h"
#include "core/plan/plan.h"
#include "core/plan/refuse.h"
#include "prove/prover.h"

static void print_costs(json *j, const prover *v, const coll_alg *alg, const coll_args *args) {
  if (alg->cost) json_bool(j, "exact", alg->exact && alg->exact(args));
  else json_null(j, "exact");
  json_array(j, "costs");
  for (const prover_cost *c = v->cost; c < v->cost + PROVER_COSTS; c++) {
    json_object(j, NULL);
    json_real(j, "alpha", c->alpha);
    json_real(j, "beta", c->beta);
    json_real(j, "gamma", c->gamma);
    json_real(j, "critical_s", c->critical_s);
    json_real(j, "cost_s", alg->cost ? c->cost_s : NAN);
    json_end(j);
  }
  json_end(j);
}

void points_print_proof(json *j, bool fine, const char *kind, const proof_result *r) {
  json_text(j, "verdict", fine ? "proven" : "failed");
  json_text(j, "kind", kind);
  json_text(j, "failure", *r->failure ? r->failure : NULL);
  json_size(j, "messages", r->messages);
  json_size(j, "bytes", r->bytes);
  json_size(j, "reduced_bytes", r->reduced_bytes);
  json_size(j, "copied_bytes", r->copied_bytes);
  json_size(j, "operations", r->operations);
}

void points_print_messages(json *j, const timing_result *t) {
  if (!t) {
    json_null(j, "schedule");
    return;
  }
  json_array(j, "schedule");
  for (const timing_message *m = t->message; m < t->message + t->messages; m++) {
    json_object(j, NULL);
    json_int(j, "src", m->src);
    json_int(j, "dst", m->dst);
    json_size(j, "bytes", m->bytes);
    json_real(j, "round", rint(m->end_s));
    json_size(j, "tag", m->label);
    json_end(j);
  }
  json_end(j);
}

/* Does the point name something that exists? If not says so and returns 2. */
static int check(const plan_point *q, const char *path) {
  char error[512];
  if (q->ranks < 1) return refuse("%s:%d: give ranks=P, 1 or more", path, q->line);
  if (coll_is_builtin(q->key))
    return refuse("%s:%d: %s is the MPI library's own; it can be run, not proved", path, q->line, q->key);
  return coll_known(q->key, error, sizeof error) ? 0 : refuse("%s:%d: %s", path, q->line, error);
}

/* Returns 0, or 1 when the proof fails. */
static int point(FILE *out, prover *v, const plan_point *q, points_request want) {
  char error[512], reason[512], key[PLAN_KEY + 64], chose[PLAN_KEY + 64] = "";
  long param[COLL_PARAMS] = { 0 };
  coll_args args = plan_args(q, q->ranks, param, prover_places(v, q->ranks));
  const coll_alg *alg = NULL;
  if (plan_cut(q, &args, &v->displs, error, sizeof error))
    alg = coll_choose(q->key, q->collective, &args, param, error, sizeof error);
  const char *status = alg ? NULL : error;
  if (alg) coll_key(alg, param, chose, sizeof chose);
  snprintf(key, sizeof key, "%s", coll_is_decision(q->key) ? q->key : chose);
  if (alg) status = record_unsupported(alg, &args, reason, sizeof reason);
  json j = json_on(out);
  json_object(&j, NULL);
  json_text(&j, "id", q->id);
  json_text(&j, "algorithm", key);
  if (alg && coll_is_decision(q->key)) json_text(&j, "chose", chose);
  json_int(&j, "ranks", q->ranks);
  json_size(&j, "count", q->count);
  json_int(&j, "root", q->root);
  json_int(&j, "in_place", q->in_place);
  json_text(&j, "status", status ? status : "ok");
  if (status) {
    json_null(&j, "verdict");
    json_end(&j);
    return 0;
  }
  bool fine = prover_point(v, alg, &args) && (!want.costs || prover_costs(v, alg, &args));
  const proof_result *r = &v->result;
  proof_result printed = *r; /* where cost() is wrong, the proof itself has not failed */
  snprintf(printed.failure, sizeof printed.failure, "%s", v->failure);
  points_print_proof(&j, fine, v->kind, &printed);
  /* Rounds only exist where the schedule runs to its end. */
  bool timed = r->kind == PROOF_OK && prover_rounds(v, alg, &args, want.messages);
  json_real(&j, "rounds", timed ? rint(v->timing.makespan_s) : NAN);
  json_real(&j, "rounds_cost", alg->cost ? alg->cost(&args, 1, 0, 0) : NAN);
  if (want.costs && v->costs_known) print_costs(&j, v, alg, &args);
  if (want.messages) points_print_messages(&j, timed ? &v->timing : NULL);
  json_end(&j);
  return !fine;
}

int points_main(const char *path, const char *places, points_request want) {
  plan p;
  char error[512];
  if (!plan_read(&p, path, error, sizeof error)) {
    plan_free(&p);
    return refuse("%s", error);
  }
  int status = 0;
  for (size_t i = 0; i < p.points && !status; i++)
    status = check(&p.point[i], strcmp(path, "-") ? path : "standard input");
  if (status) {
    plan_free(&p);
    return status;
  }
  prover *v = prover_new();
  if (places && !prover_read_places(v, places, error, sizeof error)) status = refuse("%s", error);
  for (size_t i = 0; i < p.points && !status; i++)
    if (!prover_places(v, p.point[i].ranks))
      status = refuse("%s: has fewer lines than line %d of the plan has ranks", places, p.point[i].line);
  for (size_t i = 0; i < p.points && status != 2; i++) {
    status |= point(stdout, v, &p.point[i], want);
    if (fflush(stdout)) break; /* main says so */
  }
  prover_free(v);
  plan_free(&p);
  return status;
}
