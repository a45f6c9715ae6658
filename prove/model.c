/* collscope-prove --model MACHINE [--trace] --plan FILE: what a model of the machine says of each point, a JSON line a
 * point. With --trace the line holds all there is to draw, too: see trace.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/json.h"
#include "core/plan/plan.h"
#include "core/plan/refuse.h"
#include "core/schedule/record.h"
#include "model/timing.h"
#include "model/trace.h"
#include "prove/sweep.h"

typedef struct {
  machine machine, rounds;      /* rounds: a message takes one second, and nothing else takes any */
  coll_place *place;            /* for machines that say nothing of places: every rank alone on its node */
  int places;
  record *record;
  timing_result timing;
  const char *path;             /* of the plan */
  bool trace;
  double *round;                /* of each message and transfer */
  size_t round_cap;
} model;

static const coll_place *places(model *m, int ranks)
{
  if (m->machine.places) return m->machine.place;
  if (ranks > m->places) {
    m->place = realloc(m->place, sizeof *m->place * (size_t)ranks);
    if (!m->place) { fputs("out of memory\n", stderr); abort(); }
    for (int r = m->places; r < ranks; r++) m->place[r] = (coll_place){r, r, r};
    m->places = ranks;
  }
  return m->place;
}

static void print_text(FILE *out, const char *name, const char *text)
{
  fprintf(out, ",\"%s\":", name);
  if (text && *text) json_string(out, text);
  else fputs("null", out);
}

static void print_status(FILE *out, const char *id, const char *status)
{
  fputs("{\"id\":", out);
  json_string(out, id);
  print_text(out, "status", status ? status : "ok");
}

/* What a driver would print for this metric, all ranks having entered together. */
static double time_of(const timing_result *t, const plan_point *q)
{
  if (q->metric == PLAN_ROOT) return t->rank_end_s[q->root];
  if (q->metric == PLAN_MAKESPAN) return t->makespan_s;
  double sum = 0;
  for (int r = 0; r < t->ranks; r++) sum += t->rank_end_s[r];
  return sum / t->ranks;
}

static void keep_rounds(model *m)
{
  size_t n = m->timing.messages + m->timing.transfers;
  if (n > m->round_cap) {
    m->round = realloc(m->round, n * sizeof *m->round);
    if (!m->round) { fputs("out of memory\n", stderr); abort(); }
    m->round_cap = n;
  }
  for (size_t i = 0; i < n; i++) m->round[i] = m->timing.message[i].end_s;
}

/* Returns 0, 1 when the schedule cannot be timed, 2 when the point names nothing that exists. */
static int point(FILE *out, model *m, const plan_point *q)
{
  static const char none[] = ",\"model_s\":null,\"cost_s\":null,\"exact\":null,\"bound_s\":null,\"rounds\":null";
  char error[512], reason[512], chose[PLAN_KEY + 64] = "";
  long param[COLL_PARAMS] = {0};
  const char *status = NULL;
  if (q->ranks < 1) return refuse("%s:%d: give ranks=P, 1 or more", m->path, q->line);
  if (m->machine.places && q->ranks > m->machine.places)
    return refuse("%s:%d: ranks=%d, but the machine has places for %d", m->path, q->line, q->ranks, m->machine.places);
  coll_args args = plan_args(q, q->ranks, param, places(m, q->ranks));
  const coll_alg *alg = NULL;
  if (!strcmp(q->key + strcspn(q->key, "/"), "/builtin")) {
    status = "builtin is the MPI library's own: it can be run, not modelled; use a decision/… of that library";
  } else {
    if (!coll_known(q->key, error, sizeof error)) return refuse("%s:%d: %s", m->path, q->line, error);
    alg = coll_choose(q->key, q->collective, &args, param, error, sizeof error);
    if (!alg) status = error;
    else if (coll_is_decision(q->key)) coll_key(alg, param, chose, sizeof chose);
  }
  if (alg) status = coll_unsupported(alg, &args, reason, sizeof reason);
  if (!status && q->metric == PLAN_LOOP) status = "the model times one call; take another metric than loop";
  if (status) {
    print_status(out, q->id, status);
    fputs(none, out);
    print_text(out, "chose", chose);
    fputs("}\n", out);
    return 0;
  }
  m->record = record_make(m->record, alg, &args, 1, 1);
  m->timing.want_messages = m->trace;
  if (timing_run(m->record, &m->rounds, &m->timing)) {
    print_status(out, q->id, m->timing.error);
    fputs(none, out);
    print_text(out, "chose", chose);
    fputs("}\n", out);
    return 1;
  }
  double rounds = m->timing.makespan_s;
  if (m->trace) keep_rounds(m);
  if (timing_run(m->record, &m->machine, &m->timing)) return refuse("%s: %s", q->key, m->timing.error);
  const machine *on = &m->machine;
  double alpha = on->bound_alpha_s, beta = on->bound_beta_s_per_byte, gamma = on->bound_gamma_s_per_byte;
  print_status(out, q->id, NULL);
  fprintf(out, ",\"model_s\":%.17g", time_of(&m->timing, q));
  if (alg->cost) fprintf(out, ",\"cost_s\":%.17g,\"exact\":%s", alg->cost(&args, alpha, beta, gamma),
                         alg->exact && alg->exact(&args) ? "true" : "false");
  else fputs(",\"cost_s\":null,\"exact\":null", out);
  fprintf(out, ",\"bound_s\":%.17g,\"rounds\":%.0f", coll_bound(q->collective, &args, alpha, beta, gamma), rounds);
  print_text(out, "chose", chose);
  if (m->trace) trace_print(out, m->record, &m->timing, m->round);
  fputs("}\n", out);
  return 0;
}

static int points(model *m, const char *path)
{
  plan p;
  char error[512];
  m->path = strcmp(path, "-") ? path : "standard input";
  if (!plan_read(&p, path, error, sizeof error)) {
    plan_free(&p);
    return refuse("%s", error);
  }
  int status = 0;
  for (size_t i = 0; i < p.points && status < 2; i++) {
    int one = point(stdout, m, &p.point[i]);
    if (one > status) status = one;
  }
  plan_free(&p);
  return status;
}

int model_main(int argc, char **argv)
{
  const char *machine_path = NULL, *plan_path = NULL;
  model m = {0};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--trace")) {
      m.trace = true;
      continue;
    }
    const char **path = !strcmp(argv[i], "--model") ? &machine_path : !strcmp(argv[i], "--plan") ? &plan_path : NULL;
    if (!path) return refuse("%s: not understood beside --model MACHINE --plan FILE", argv[i]);
    if (++i == argc) return refuse("%s needs a file", argv[i - 1]);
    *path = argv[i];
  }
  if (!machine_path || !plan_path) return refuse("give both --model MACHINE and --plan FILE");
  char error[512];
  int status;
  if (machine_read(&m.machine, machine_path, error, sizeof error)) {
    m.rounds = machine_one_port(1, 0, 0);
    status = points(&m, plan_path);
    machine_free(&m.rounds);
    if (m.record) record_free(m.record);
    timing_free(&m.timing);
    free(m.place);
    free(m.round);
  } else status = refuse("%s", error);
  machine_free(&m.machine);
  return status;
}
