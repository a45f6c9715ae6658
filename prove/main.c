/* collscope-prove: what can be said of an algorithm without running it. No MPI, one process.
 *
 *   --list --json                   the registry
 *   --plan FILE [--costs]           proves each point: a JSON line a point; --places FILE: where ranks sit,
 *                                   "node socket cache" a line, else as prover_places has it
 *   --schedule --plan FILE          the same with every message
 *   --model MACHINE --plan FILE     times each point on a model of a machine (model.c); with --trace, all to draw it
 *   --decide collective=NAME [ranks=P count=N]      what each decision table takes for a call, or for many (decide.c)
 *   --rules                                         all rules of all decision tables
 *   --sweep                         proves every registered algorithm over ranks, roots, counts, operators, in place (sweep.c)
 *
 * A point's line of JSON: id, algorithm (full key; `chose` when it is a decision), ranks, count, root, in_place;
 * status "ok" or why the point is unsupported; verdict "proven" or "failed", kind and failure say of what; messages, bytes,
 * reduced_bytes, copied_bytes, operations: sums over all ranks; orders: arrival orders proven (1 where there is only
 * one); rounds: length of the critical path when a message costs 1 whatever its size, rounds_cost: what cost() says it
 * is. With --costs: exact, and costs: critical path and cost() at several alpha, beta, gamma. With --schedule:
 * schedule, every message with its source, destination, bytes, the round in which it ends, and its tag (0 outside
 * sub-groups).
 *
 * Exit status: 0 all is well, 1 something failed, 2 the request makes no sense.
 */
#include "prove/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/json.h"
#include "core/catalogue/list.h"
#include "core/plan/plan.h"
#include "core/plan/refuse.h"
#include "model/timing.h"

static const char usage[] =
  "usage: collscope-prove --list --json\n"
  "       collscope-prove --plan FILE [--costs] [--places FILE]\n"
  "       collscope-prove --schedule --plan FILE\n"
  "       collscope-prove --model MACHINE [--trace] --plan FILE\n"
  "       collscope-prove --sweep [--algorithm KEY]… [--ranks A..B,P,…] [--counts N,N,…] [--no-costs] [--no-variants]\n"
  "       collscope-prove --decide collective=NAME [ranks=P count=N] [elem=4] [root=0] [commutes=1] [in_place=0]\n"
  "                                [decision=KEY]…       without ranks: calls from standard input, RANKS COUNT a line\n"
  "       collscope-prove --rules\n"
  "FILE holds a point a line (- is standard input): id=1 algorithm=bcast/mst ranks=8 count=1000 root=3\n";

/* ---- one point -------------------------------------------------------------------------------------- */

static void text_or_null(FILE *out, const char *name, const char *text)
{
  fprintf(out, ",\"%s\":", name);
  if (text && *text) json_string(out, text);
  else fputs("null", out);
}

static void print_costs(FILE *out, const prover *v, const coll_alg *alg, const coll_args *args)
{
  bool exact = alg->exact && alg->exact(args);
  fprintf(out, ",\"exact\":%s,\"costs\":[", alg->cost ? exact ? "true" : "false" : "null");
  for (int i = 0; i < PROVER_COSTS; i++) {
    const prover_cost *c = &v->cost[i];
    fprintf(out, "%s{\"alpha\":%g,\"beta\":%g,\"gamma\":%g,\"critical_s\":%.17g,\"cost_s\":", i ? "," : "", c->alpha,
            c->beta, c->gamma, c->critical_s);
    if (alg->cost) fprintf(out, "%.17g}", c->cost_s);
    else fputs("null}", out);
  }
  fputc(']', out);
}

static void print_messages(FILE *out, const timing_result *t)
{
  fputs(",\"schedule\":[", out);
  for (size_t i = 0; i < t->messages; i++) {
    const timing_message *m = &t->message[i];
    fprintf(out, "%s{\"src\":%d,\"dst\":%d,\"bytes\":%zu,\"round\":%.0f,\"tag\":%u}", i ? "," : "", m->src, m->dst,
            m->bytes, m->end_s, m->label);
  }
  fputs("]", out);
}

typedef struct { bool costs, schedule; } wanted;

/* Does the point name something that exists? If not says so and returns 2. */
static int check(const plan_point *q, const char *path)
{
  char error[512];
  if (q->ranks < 1) return refuse("%s:%d: give ranks=P, 1 or more", path, q->line);
  if (!strcmp(q->key + strcspn(q->key, "/"), "/builtin"))
    return refuse("%s:%d: %s is the MPI library's own; it can be run, not proved", path, q->line, q->key);
  return coll_known(q->key, error, sizeof error) ? 0 : refuse("%s:%d: %s", path, q->line, error);
}

/* Returns 0, or 1 when the proof fails. */
static int point(FILE *out, prover *v, const plan_point *q, wanted want)
{
  char error[512], reason[512], key[PLAN_KEY + 64], chose[PLAN_KEY + 64] = "";
  long param[COLL_PARAMS] = {0};
  coll_args args = plan_args(q, q->ranks, param, prover_places(v, q->ranks));
  const coll_alg *alg = coll_choose(q->key, q->collective, &args, param, error, sizeof error);
  const char *status = alg ? NULL : error;
  if (alg) coll_key(alg, param, chose, sizeof chose);
  snprintf(key, sizeof key, "%s", coll_is_decision(q->key) ? q->key : chose);
  if (alg) status = coll_unsupported(alg, &args, reason, sizeof reason);
  fputs("{\"id\":", out);
  json_string(out, q->id);
  fputs(",\"algorithm\":", out);
  json_string(out, key);
  if (alg && coll_is_decision(q->key)) text_or_null(out, "chose", chose);
  fprintf(out, ",\"ranks\":%d,\"count\":%zu,\"root\":%d,\"in_place\":%d", q->ranks, q->count, q->root, q->in_place);
  fputs(",\"status\":", out);
  json_string(out, status ? status : "ok");
  if (status) {
    fputs(",\"verdict\":null}\n", out);
    return 0;
  }
  bool fine = prover_point(v, alg, &args) && (!want.costs || prover_costs(v, alg, &args));
  const proof_result *r = &v->result;
  fprintf(out, ",\"verdict\":\"%s\",\"kind\":\"%s\"", fine ? "proven" : "failed", v->kind);
  text_or_null(out, "failure", v->failure);
  fprintf(out,
          ",\"messages\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"reduced_bytes\":%" PRIu64 ",\"copied_bytes\":%" PRIu64
          ",\"operations\":%" PRIu64 ",\"orders\":%d",
          r->messages, r->bytes, r->reduced_bytes, r->copied_bytes, r->operations, v->orders);
  /* Rounds only exist where the schedule runs to its end. */
  bool timed = r->kind == PROOF_OK && prover_rounds(v, alg, &args, want.schedule);
  if (timed) fprintf(out, ",\"rounds\":%.0f", v->timing.makespan_s);
  else fputs(",\"rounds\":null", out);
  if (alg->cost) fprintf(out, ",\"rounds_cost\":%.17g", alg->cost(&args, 1, 0, 0));
  else fputs(",\"rounds_cost\":null", out);
  if (want.costs && v->costs_known) print_costs(out, v, alg, &args);
  if (want.schedule) {
    if (timed) print_messages(out, &v->timing);
    else fputs(",\"schedule\":null", out);
  }
  fputs("}\n", out);
  return !fine;
}

static int plan_main(const char *path, const char *places, wanted want)
{
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
  const char *misplaced = places ? prover_read_places(v, places) : NULL;
  if (misplaced) status = refuse("%s: %s", places, misplaced);
  for (size_t i = 0; i < p.points && !status; i++)
    if (!prover_places(v, p.point[i].ranks))
      status = refuse("%s: has fewer lines than line %d of the plan has ranks", places, p.point[i].line);
  for (size_t i = 0; i < p.points && status != 2; i++) {
    status |= point(stdout, v, &p.point[i], want);
    if (fflush(stdout)) break;   /* main says so */
  }
  prover_free(v);
  plan_free(&p);
  return status;
}

/* ---- arguments -------------------------------------------------------------------------------------- */

static bool parse_counts(const char *text, sweep_options *o)
{
  for (o->counts = 0; *text; o->counts++) {
    char *end;
    if (o->counts == SWEEP_COUNTS || *text < '0' || *text > '9') return false;
    o->count[o->counts] = (size_t)strtoull(text, &end, 10);
    if (*end == ',') end++;
    else if (*end) return false;
    text = end;
  }
  return o->counts > 0;
}

/* "1..17,24,32": each number once, ascending. */
static bool parse_ranks(const char *text, sweep_options *o)
{
  for (o->ranks = 0; *text;) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    long first = strtol(text, &end, 10), last = first;
    if (!strncmp(end, "..", 2)) {
      if (end[2] < '0' || end[2] > '9') return false;
      last = strtol(end + 2, &end, 10);
    }
    if (first < 1 || last < first || last > INT32_MAX / 2) return false;
    if (o->ranks && first <= o->rank[o->ranks - 1]) return false;
    for (long p = first; p <= last; p++) {
      if (o->ranks == SWEEP_RANKS) return false;
      o->rank[o->ranks++] = (int)p;
    }
    if (*end == ',' ? !*++end : *end) return false;
    text = end;
  }
  return o->ranks > 0;
}

static int answer(int argc, char **argv)
{
  const char *plan_path = NULL, *places = NULL;
  const char *of_plan = NULL, *of_sweep = NULL;   /* a word that only the one of them knows */
  bool list = false, sweep = false;
  wanted want = {false, false};
  static sweep_options o = {.costs = true, .variants = true};
  parse_ranks("1..64", &o);
  if (argc > 1 && !strcmp(argv[1], "--decide")) return decide_main(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "--rules")) return rules_main();
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--model")) return model_main(argc, argv);
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    bool takes = !strcmp(word, "--plan") || !strcmp(word, "--algorithm") || !strcmp(word, "--ranks") ||
                 !strcmp(word, "--counts") || !strcmp(word, "--places");
    if (takes && i + 1 == argc) return refuse("%s needs a value\n%s", word, usage);
    if (!strcmp(word, "--plan") || !strcmp(word, "--places") || !strcmp(word, "--costs") || !strcmp(word, "--schedule"))
      of_plan = word;
    if (!strcmp(word, "--algorithm") || !strcmp(word, "--ranks") || !strcmp(word, "--counts") || !strcmp(word, "--no-costs") ||
        !strcmp(word, "--no-variants")) of_sweep = word;
    if (!strcmp(word, "--plan")) plan_path = argv[++i];
    else if (!strcmp(word, "--places")) places = argv[++i];
    else if (!strcmp(word, "--list")) list = true;
    else if (!strcmp(word, "--json")) continue;
    else if (!strcmp(word, "--costs")) want.costs = true;
    else if (!strcmp(word, "--schedule")) want.schedule = true;
    else if (!strcmp(word, "--sweep")) sweep = true;
    else if (!strcmp(word, "--no-costs")) o.costs = false;
    else if (!strcmp(word, "--no-variants")) o.variants = false;
    else if (!strcmp(word, "--algorithm")) {
      if (o.keys == SWEEP_KEYS) return refuse("at most %d times --algorithm", SWEEP_KEYS);
      o.key[o.keys++] = argv[++i];
    } else if (!strcmp(word, "--ranks")) {
      if (!parse_ranks(argv[++i], &o)) return refuse("--ranks %s: give numbers and ranges A..B with commas between, 1 or more, ascending, at most %d",
                      argv[i], SWEEP_RANKS);
    } else if (!strcmp(word, "--counts")) {
      if (!parse_counts(argv[++i], &o))
        return refuse("--counts %s: give numbers with commas between, at most %d", argv[i], SWEEP_COUNTS);
    } else if (!strcmp(word, "--help")) {
      fputs(usage, stdout);
      return 0;
    } else return refuse("unknown argument %s\n%s", word, usage);
  }
  if (list) {
    coll_list_json(stdout);
    return 0;
  }
  if (sweep && of_plan) return refuse("%s is not for --sweep\n%s", of_plan, usage);
  if (!sweep && of_sweep) return refuse("%s is for --sweep only\n%s", of_sweep, usage);
  if (sweep) {
    char error[512];
    int status = sweep_main(&o, error, sizeof error);
    return status == 2 ? refuse("%s", error) : status;
  }
  if (!plan_path) return refuse("nothing to do\n%s", usage);
  return plan_main(plan_path, places, want);
}

int main(int argc, char **argv)
{
  int status = answer(argc, argv);
  /* Output that was lost, on a full disk say, must not look like a short answer. */
  if (!fflush(stdout) && !ferror(stdout)) return status;
  perror("collscope-prove: standard output");
  return status ? status : 1;
}
