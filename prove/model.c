/* collscope-prove --model MACHINE [--trace | --holdings | --explain | --noise N | --others LIST] [--traffic] --plan FILE: what a model of the machine says of each
 * point, one JSON line per point: id; kind "ok", "unsupported", "slower" or "failed", and status "ok" or the reason; chose, the full key that a decision took, or null; model_s, the
 * time; cost_s and exact of the closed form; bound_s; rounds, null where there are more than half a million messages; steps, the work of timing it once. Also, with --trace,
 * all there is to draw (model/trace.h); with --explain, what the makespan is spent on (model/explain.h); with --traffic, bytes by kinds of links (model/traffic.h); with
 * --noise, noise_s: the times of N draws of the machine's noise, by their numbers; with --others, others_s: the times on other machines, whose files LIST names, a line
 * each: the schedule is recorded once, and its rounds are not counted. With --holdings it says instead what every rank holds after each round (holdings.h); with --write
 * it prints the schedule itself, as text: of an algorithm that uses segments, two back-to-back calls, as it is proved.
 * Of a point with within= or stop_s= that takes longer there is kind "slower" and slower_than_s, what it takes more than, in place of a time.
 * A schedule from a file is answered like a point of a plan, with id 1, without a closed form and causes. Its first call is timed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/catalogue/decide.h"
#include "core/plan/plan.h"
#include "core/plan/refuse.h"
#include "core/schedule/array.h"
#include "core/schedule/recorder/record.h"
#include "core/schedule/text.h"
#include "model/explain.h"
#include "model/trace.h"
#include "model/traffic.h"
#include "prove/file.h"
#include "prove/holdings.h"
#include "prove/metric.h"
#include "prove/osu_loop.h"
#include "prove/others.h"
#include "prove/race.h"
#include "prove/sweep.h"

enum { MAX_COUNTED = 1 << 19 }; /* messages: to count rounds takes as long as to find the time */

typedef struct {
  machine machine, rounds; /* rounds: a message takes one second, and nothing else takes any */
  coll_place *place;       /* for machines that say nothing of places: every rank alone on its node */
  int places;
  size_t *displs; /* memory for those of a point's call */
  record *record; /* memory of the recorder */
  record *file;   /* from a file; NULL: a plan is worked off */
  timing_result timing;
  nonblocking player;
  overlap overlap;                              /* of the point, where that is its metric */
  const char *path;                             /* of the plan */
  bool trace, holdings, explain, write, counts; /* counts: bytes by kinds of links */
  int draws;
  double *drawn_s; /* [draws]: of the point */
  other_machines others;
  race race; /* where only the fastest of some points counts */
  explanation explanation;
  traffic moved; /* by the point */
  holder holder;
  double *late_s; /* of each rank, by the point's skew */
  double *round;  /* of each message and transfer */
  size_t round_cap;
} model;

static const coll_place *places(void *self, int ranks) {
  model *m = self;
  if (m->machine.places) return m->machine.place;
  if (ranks > m->places) {
    m->place = array_grow(m->place, sizeof *m->place * (size_t)ranks);
    for (int r = m->places; r < ranks; r++) m->place[r] = (coll_place){ r, r, r };
    m->places = ranks;
  }
  return m->place;
}

static void keep_rounds(model *m) {
  size_t n = m->timing.messages + m->timing.transfers;
  RESERVE(m->round, m->round_cap, n);
  for (size_t i = 0; i < n; i++) m->round[i] = m->timing.message[i].end_s;
}

/* What there is to say of a point. */
typedef struct {
  const char *id, *kind, *status; /* "ok", "unsupported", "slower", "failed"; "ok" or the reason */
  const char *chose;              /* full key that a decision took; "" */
  const coll_alg *alg;            /* NULL where no closed form is known */
  coll_collective collective;     /* COLL_COLLECTIVES: a file that promises nothing */
  const coll_args *args;
  double time_s, rounds, steps; /* NAN: unknown; steps: of the engine, for one run */
  const overlap *overlap;       /* NULL: that is not its metric */
  const traffic *moved;         /* NULL: not counted */
  double slower_than_s;         /* of kind "slower" */
} answer;

/* What is timed. */
static record *timed(const model *m) { return m->file ? m->file : m->record; }

static void print_times(json *j, const char *name, size_t n, const double *time_s) {
  if (n) json_array(j, name);
  for (size_t i = 0; i < n; i++) json_real(j, NULL, time_s[i]);
  if (n) json_end(j);
}

static void print_answer(model *m, const answer *a) {
  const machine *on = &m->machine;
  double alpha = on->bound_alpha_s, beta = on->bound_beta_s_per_byte, gamma = on->bound_gamma_s_per_byte;
  json j = json_on(stdout);
  json_object(&j, NULL);
  json_text(&j, "id", a->id);
  json_text(&j, "kind", a->kind);
  json_text(&j, "status", a->status);
  if (!strcmp(a->kind, "failed") && timed(m)->endless) json_bool(&j, "endless", true);
  json_text(&j, "chose", *a->chose ? a->chose : NULL);
  if (!strcmp(a->kind, "slower")) json_real(&j, "slower_than_s", a->slower_than_s);
  bool ok = !strcmp(a->kind, "ok");
  const coll_alg *alg = ok ? a->alg : NULL;
  json_real(&j, "model_s", ok ? a->time_s : NAN);
  json_real(&j, "cost_s", alg && alg->cost ? alg->cost(a->args, alpha, beta, gamma) : NAN);
  if (alg && alg->cost) json_bool(&j, "exact", alg->exact && alg->exact(a->args));
  else json_null(&j, "exact");
  bool bounded = ok && a->collective < COLL_COLLECTIVES;
  json_real(&j, "bound_s", bounded ? coll_bound(a->collective, a->args, alpha, beta, gamma) : NAN);
  json_real(&j, "rounds", ok ? rint(a->rounds) : NAN);
  if (ok && !m->trace) json_real(&j, "steps", a->steps);
  if (ok && a->overlap) overlap_print(&j, a->overlap);
  if (ok) print_times(&j, "noise_s", (size_t)m->draws, m->drawn_s);
  if (ok) print_times(&j, "others_s", m->others.n, m->others.time_s);
  if (ok && a->moved) traffic_print(&j, a->moved, on);
  if (ok && m->explain) explain_print(&j, on, a->args->size, &m->explanation);
  if (ok && m->trace) trace_print(&j, timed(m), &m->timing, m->round);
  json_end(&j);
}

/* Prints what every rank holds after each round, of the point whose rounds have just been timed. Returns the exit status. */
static int print_holdings(model *m, const plan_point *q, const answer *a) {
  proof_result result = { 0 };
  json j = json_on(stdout);
  json_object(&j, NULL);
  json_text(&j, "id", a->id);
  json_text(&j, "kind", "ok");
  json_text(&j, "status", "ok");
  json_text(&j, "chose", *a->chose ? a->chose : NULL);
  bool fine = holdings_print(&j, &m->holder, timed(m), &m->timing, &result);
  json_end(&j);
  return fine ? 0 : refuse("%s: %s", q->key, result.failure);
}

/* The schedule comes to no end on this machine. Returns the exit status. */
static int failed(model *m, const machine *on, answer *a) {
  if (m->file) schedule_sites(m->file);
  else record_sites(m->record); /* once more, to say where in the source */
  timing_run(timed(m), on, &m->timing);
  a->kind = "failed";
  a->status = m->timing.error;
  print_answer(m, a);
  return 1;
}

/* The point's time in each draw of the noise; false where it has none. */
static bool draw_noise(model *m, const plan_point *q) {
  bool fine = true;
  for (int d = 0; fine && d < m->draws; d++) {
    m->timing.draw = (uint64_t)d + 1;
    fine = !timing_run(timed(m), &m->machine, &m->timing);
    if (fine) m->drawn_s[d] = metric_time(&m->timing, q);
  }
  m->timing.draw = 0;
  return fine;
}

/* The point's times on the other machines. Returns the one on which it has none, or NULL. */
static const machine *time_others(model *m, const plan_point *q) {
  for (size_t i = 0; i < m->others.n; i++) {
    if (timing_run(timed(m), &m->others.machine[i], &m->timing)) return &m->others.machine[i];
    m->others.time_s[i] = metric_time(&m->timing, q);
  }
  return NULL;
}

/* Prints that the point's time is of no interest. Returns the exit status. */
static int answer_slower(model *m, answer *a) {
  const timing_result *t = &m->timing;
  char why[64] = "", status[128];
  if (t->slower_than_s < t->stop_s)
    snprintf(why, sizeof why, "not timed, more than %zu operations: ", t->max_operations);
  snprintf(status, sizeof status, "%sslower than %.9g s", why, t->slower_than_s);
  a->kind = "slower";
  a->status = status;
  a->slower_than_s = t->slower_than_s;
  print_answer(m, a);
  return 0;
}

/* Counts the rounds of what is recorded, where they are few enough. 0, or the exit status where an answer is printed. */
static int count_rounds(model *m, const plan_point *q, answer *a, bool *answered) {
  record *r = timed(m);
  bool few = timing_messages(&m->timing, r) <= MAX_COUNTED;
  if (m->others.n || *q->barrier || a->collective == COLL_COLLECTIVES || !few) return 0;
  m->timing.late_s = NULL; /* rounds know no time */
  m->timing.stop_s = m->timing.max_steps = 0;
  *answered = true;
  if (timing_run(r, &m->rounds, &m->timing)) return failed(m, &m->rounds, a);
  if (m->holdings) return print_holdings(m, q, a);
  *answered = false;
  a->rounds = m->timing.makespan_s;
  if (m->trace) keep_rounds(m);
  return 0;
}

/* Times what is recorded or read, and prints the answer. Returns the exit status. */
static int answer_timed(model *m, const plan_point *q, answer *a) {
  record *r = timed(m);
  bool races = m->timing.stop_s > 0 || m->timing.max_steps > 0, answered = false;
  a->rounds = NAN; /* of those that race few have a time that is of interest, so rounds come last */
  int status = races ? 0 : count_rounds(m, q, a, &answered);
  if (answered) return status;
  if (!metric_late(&m->timing, q, &m->late_s, m->path)) return 2;
  if (!draw_noise(m, q)) return failed(m, &m->machine, a);
  const machine *without = time_others(m, q);
  if (without) return failed(m, without, a);
  int wrong = m->explain ? explain_run(r, &m->machine, &m->timing, &m->explanation)
                         : timing_run(r, &m->machine, &m->timing);
  if (wrong) return failed(m, &m->machine, a);
  if (m->timing.is_unfinished) return 0;
  if (races && m->timing.is_slower) return answer_slower(m, a);
  a->time_s = metric_time(&m->timing, q);
  a->steps = m->timing.steps;
  race_timed(&m->race, q, a->time_s);
  if (m->counts) traffic_count(&m->moved, timing_wiring(&m->timing), &m->machine);
  if (m->counts) a->moved = &m->moved;
  if (races) status = count_rounds(m, q, a, &answered);
  if (!answered) print_answer(m, a);
  return status;
}

/* Times the call on all machines, by itself or beside computation, and prints the answer. Returns the exit status. */
static int answer_nonblocking(model *m, const plan_point *q, answer *a) {
  bool shares = m->player.shares_segments;
  int wrong = 0;
  for (size_t i = 0; i < m->others.n && !wrong && !shares; i++) {
    wrong = metric_nonblocking(&m->player, &m->overlap, q, m->record, &m->others.machine[i]);
    m->others.time_s[i] = m->player.makespan_s;
  }
  if (!wrong && !shares) wrong = metric_nonblocking(&m->player, &m->overlap, q, m->record, &m->machine);
  if (wrong || shares) {
    a->kind = shares ? "unsupported" : "failed";
    a->status = shares ? "uses shared segments, whose flags a rank waits for; it has no non-blocking form"
                       : m->player.error;
  } else a->time_s = m->player.makespan_s, a->steps = engine_steps(&m->player.engine);
  a->rounds = NAN;
  a->overlap = q->metric == PLAN_NONBLOCKING ? NULL : &m->overlap;
  print_answer(m, a);
  return wrong ? 1 : 0;
}

/* Prints the schedule itself. Returns the exit status. */
static int write_schedule(model *m, const plan_point *q, const coll_alg *alg, const coll_args *args) {
  char key[PLAN_KEY + 64];
  m->record = record_make(m->record, alg, args, alg->flags & COLL_SEGMENTS ? 2 : 1, 1);
  coll_key(alg, args->param, key, sizeof key);
  if (*m->record->error) return refuse("%s: %s", q->key, m->record->error);
  schedule_write(stdout, m->record, key);
  return 0;
}

/* Returns 0, 1 when the schedule cannot be timed, 2 when the point names nothing that exists. */
static int point(model *m, const plan_point *q) {
  char error[512], reason[512], chose[PLAN_KEY + 64] = "";
  long param[COLL_PARAMS] = { 0 };
  const char *status = NULL;
  if (q->ranks < 1) return refuse("%s:%d: give ranks=P, 1 or more", m->path, q->line);
  if (m->machine.places && q->ranks > m->machine.places)
    return refuse("%s:%d: ranks=%d, but the machine has places for %d", m->path, q->line, q->ranks, m->machine.places);
  coll_args args = plan_args(q, q->ranks, param, places(m, q->ranks));
  if (!plan_cut(q, &args, &m->displs, error, sizeof error)) return refuse("%s:%d: counts: %s", m->path, q->line, error);
  const coll_alg *alg = NULL;
  if (coll_is_builtin(q->key)) {
    status = "builtin is the MPI library's own: it can be run, not modelled; use a decision/… of that library";
  } else {
    if (!coll_known(q->key, error, sizeof error)) return refuse("%s:%d: %s", m->path, q->line, error);
    alg = coll_choose(q->key, q->collective, &args, param, error, sizeof error);
    if (!alg) status = error;
    else if (coll_is_decision(q->key)) coll_key(alg, param, chose, sizeof chose);
  }
  if (alg) status = record_unsupported(alg, &args, reason, sizeof reason);
  const coll_alg *recorded = alg;
  long barrier_param[COLL_PARAMS] = { 0 };
  if (!status && *q->barrier && (m->trace || m->holdings))
    status = "what happens inside is known of one call; use metric makespan";
  if (!status && *q->barrier && !(recorded = osu_loop_alg(q, alg, &args, barrier_param, reason, sizeof reason)))
    status = reason;
  bool goes_on = plan_is_nonblocking(q->metric);
  if (!status && goes_on) status = metric_blocks(alg, m->trace || m->holdings || m->explain || m->draws);
  if (!status && q->metric == PLAN_LOOP) status = "the model times one call; use a metric other than loop";
  if (!status && q->buffers == PLAN_COLD) status = "the model has no cold buffers; take warm or fresh ones";
  answer a = { .id = q->id,
               .kind = status ? "unsupported" : "ok",
               .status = status ? status : "ok",
               .chose = chose,
               .alg = alg,
               .collective = q->collective,
               .args = &args };
  if (status && m->write) return refuse("%s: %s", q->key, status);
  if (status) {
    print_answer(m, &a);
    return 0;
  }
  if (m->write) return write_schedule(m, q, recorded, &args);
  if (goes_on) {
    m->record = record_view(m->record, recorded, &args, 1, nonblocking_viewer(&m->player, &m->machine));
    return answer_nonblocking(m, q, &a);
  }
  m->timing.want_messages = m->trace || m->holdings;
  m->timing.fresh = q->buffers == PLAN_FRESH;
  bool more = m->timing.want_messages || m->explain || m->draws || m->others.n;
  race_limits(&m->race, q, more, &m->timing);
  if (m->timing.want_messages || m->others.differ) m->record = record_make(m->record, recorded, &args, 1, 1);
  else m->record = record_view(m->record, recorded, &args, 1, timing_viewer(&m->timing, &m->machine));
  if (m->record->cut_short) return answer_slower(m, &a);
  return answer_timed(m, q, &a);
}

/* A schedule from a file, as the one point of a plan. */
static int file(model *m, const char *path) {
  char error[512];
  plan_point q = { .id = "1", .metric = PLAN_MAKESPAN };
  m->file = schedule_read(path, error, sizeof error);
  if (!m->file) return refuse("%s", error);
  const record *r = m->file;
  if (m->machine.places && r->args.size > m->machine.places)
    return refuse("%s: %d ranks, but the machine has places for %d", path, r->args.size, m->machine.places);
  if (m->holdings && r->collective == COLL_COLLECTIVES)
    return refuse("%s: collective=none: what ranks hold is not known", path);
  if (!file_segments_fit(r, places(m, r->args.size), path)) return 2;
  schedule_first_call(m->file);
  snprintf(q.key, sizeof q.key, "%.100s", path);
  m->timing.want_messages = m->trace || m->holdings;
  answer a = { .id = q.id, .kind = "ok", .status = "ok", .chose = "", .collective = r->collective, .args = &r->args };
  if (r->collective == COLL_COLLECTIVES && !file_sizes_agree(r, error, sizeof error)) { /* no proof says so */
    a.kind = "failed";
    a.status = error;
    print_answer(m, &a);
    return 1;
  }
  return answer_timed(m, &q, &a);
}

static int points(model *m, const char *path) {
  plan p;
  char error[512];
  m->path = strcmp(path, "-") ? path : "standard input";
  if (!plan_read(&p, path, error, sizeof error)) {
    plan_free(&p);
    return refuse("%s", error);
  }
  int status = m->write && p.points != 1 ? refuse("%s: --write is for a plan of one point", m->path) : 0;
  for (const plan_point *q; status < 2 && (q = race_next(&m->race, &p, &m->machine, places, m));) {
    m->timing.is_unfinished = false;
    int one = point(m, q);
    if (m->timing.is_unfinished) race_postpone(&m->race, &p, q);
    if (one > status) status = one;
    if (fflush(stdout)) break; /* main says so */
  }
  plan_free(&p);
  return status;
}

int model_main(const char *machine_path, const char *plan_path, const char *schedule_path, model_request request) {
  model m = { .trace = request.trace,
              .holdings = request.holdings,
              .explain = request.explain,
              .write = request.write,
              .counts = request.traffic,
              .draws = request.draws,
              .timing = { .bundle_after = request.bundle_after },
              .player = { .bundle_after = request.bundle_after } };
  char error[512];
  int status;
  if (!machine_read(&m.machine, machine_path, error, sizeof error)) status = refuse("%s", error);
  else if (request.others && !others_read(&m.others, &m.machine, request.others)) status = 2;
  else {
    m.rounds = machine_one_port(1, 0, 0);
    m.drawn_s = array_grow(NULL, sizeof *m.drawn_s * ((size_t)m.draws + 1));
    status = plan_path ? points(&m, plan_path) : file(&m, schedule_path);
    machine_free(&m.rounds);
    if (m.record) record_free(m.record);
    schedule_free(m.file);
    timing_free(&m.timing);
    nonblocking_free(&m.player);
    explain_free(&m.explanation);
    traffic_free(&m.moved);
    free(m.place);
    free(m.displs);
    free(m.round);
    race_free(&m.race);
    free(m.late_s);
    free(m.drawn_s);
    holder_free(&m.holder);
  }
  others_free(&m.others);
  machine_free(&m.machine);
  return status;
}
