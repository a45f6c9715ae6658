/* collscope-prove: what can be said of an algorithm without running it. No MPI, one process.
 *
 *   --list --json                   the registry
 *   --plan FILE [--costs]           proves each point (points.c); --places FILE: where ranks sit, one line "node socket cache" per rank,
 *                                   else as prover_places has it
 *   --plan FILE --messages          the same with every message
 *   --schedule FILE [--messages]    proves a schedule from a file (file.c); with --describe, only what the file says of itself
 *   --model MACHINE --plan FILE     times each point on a model of a machine (model.c); with --trace, all to draw it; with
 *                                   --holdings instead what every rank holds after each round; with --explain, what its time
 *                                   is spent on; with --noise N also the times of N draws of the machine's noise; with --others
 *                                   also those on the machines whose files a list names; with --write no time but the schedule
 *                                   itself as text (core/schedule/text.h), of a plan of one point
 *                                   With --traffic also how many bytes cross links between nodes (model/traffic.h).
 *                                   With --bundle-after N flows go into bundles once N shares have been found (model/dense.h); else where it pays
 *   --model MACHINE --schedule FILE the same of a schedule from a file
 *   --decide collective=NAME [ranks=P count=N]      what each decision table takes for a call, or for many (decide.c)
 *   --rules                                         all rules of all decision tables
 *   --sweep                         proves every registered algorithm over ranks, roots, counts, operators, in place (sweep.c)
 *
 * Ended by SIGTERM, it writes to standard error what it was doing: the caller that ends a point at its limit reports that.
 *
 * Exit status: 0 all is well, 1 something failed, 2 the request makes no sense.
 */
#include <getopt.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/catalogue/list.h"
#include "core/catalogue/number.h"
#include "core/plan/places.h"
#include "core/plan/plan.h"
#include "core/plan/refuse.h"
#include "core/schedule/recorder/record.h"
#include "prove/file.h"
#include "prove/points.h"
#include "prove/sweep.h"

static const char usage[] =
    "usage: collscope-prove --list --json\n"
    "       collscope-prove --plan FILE [--costs] [--places FILE]\n"
    "       collscope-prove --plan FILE --messages\n"
    "       collscope-prove --schedule FILE [--messages | --describe]\n"
    "       collscope-prove --model MACHINE [--trace | --holdings | --explain | --noise DRAWS | --others LIST | --write] --plan FILE\n"
    "       collscope-prove --model MACHINE [--trace | --holdings | --explain | --noise DRAWS] --schedule FILE\n"
    "                                any --model: [--traffic] [--bundle-after SHARES]\n"
    "       collscope-prove --sweep [--algorithm KEY]… [--ranks A..B,P,…] [--counts N,N,…] [--no-costs] [--no-variants]\n"
    "       collscope-prove --decide collective=NAME [ranks=P count=N] [elem=4] [root=0] [commutes=1] [in_place=0]\n"
    "                                [decision=KEY]…       without ranks: calls from standard input, one line RANKS COUNT per call\n"
    "       collscope-prove --rules [decision=KEY]…\n"
    "FILE holds one point per line (- is standard input): id=1 algorithm=bcast/mst ranks=8 count=1000 root=3\n";

/* ---- arguments -------------------------------------------------------------------------------------- */

static bool parse_counts(const char *text, sweep_options *o) {
  for (o->counts = 0; *text; o->counts++) {
    const char *end;
    uint64_t count;
    if (o->counts == SWEEP_COUNTS || !number_begins(text, PLAN_MAX_BYTES, &count, &end)) return false;
    o->count[o->counts] = (size_t)count;
    if (*end == ',' ? !*++end : *end) return false;
    text = end;
  }
  return o->counts > 0;
}

/* "1..17,24,32": each number once, ascending. */
static bool parse_ranks(const char *text, sweep_options *o) {
  for (o->ranks = 0; *text;) {
    const char *end;
    uint64_t first, last;
    if (!number_begins(text, PLACES_MAX, &first, &end)) return false;
    last = first;
    if (!strncmp(end, "..", 2) && !number_begins(end + 2, PLACES_MAX, &last, &end)) return false;
    if (first < 1 || last < first) return false;
    if (o->ranks && first <= (uint64_t)o->rank[o->ranks - 1]) return false;
    for (uint64_t p = first; p <= last; p++) {
      if (o->ranks == SWEEP_RANKS) return false;
      o->rank[o->ranks++] = (int)p;
    }
    if (*end == ',' ? !*++end : *end) return false;
    text = end;
  }
  return o->ranks > 0;
}

/* What to do: the first of these that is named, else to prove a plan. */
enum { LIST = 1, SWEEP = 2, MODEL = 4, DECIDE = 8, RULES = 16, SCHEDULE = 32, PLAN = 64 };

typedef enum {
  O_LIST,
  O_JSON,
  O_SWEEP,
  O_MODEL,
  O_DECIDE,
  O_RULES,
  O_PLAN,
  O_COSTS,
  O_MESSAGES,
  O_SCHEDULE,
  O_DESCRIBE,
  O_WRITE,
  O_PLACES,
  O_TRACE,
  O_HOLDINGS,
  O_EXPLAIN,
  O_TRAFFIC,
  O_NOISE,
  O_OTHERS,
  O_BUNDLE_AFTER,
  O_ALGORITHM,
  O_RANKS,
  O_COUNTS,
  O_NO_COSTS,
  O_NO_VARIANTS,
  O_HELP,
  OPTIONS
} option_id;

static const struct option names[] = {
  [O_LIST] = { "list", no_argument, NULL, O_LIST },
  [O_JSON] = { "json", no_argument, NULL, O_JSON },
  [O_SWEEP] = { "sweep", no_argument, NULL, O_SWEEP },
  [O_MODEL] = { "model", required_argument, NULL, O_MODEL },
  [O_DECIDE] = { "decide", no_argument, NULL, O_DECIDE },
  [O_RULES] = { "rules", no_argument, NULL, O_RULES },
  [O_PLAN] = { "plan", required_argument, NULL, O_PLAN },
  [O_COSTS] = { "costs", no_argument, NULL, O_COSTS },
  [O_MESSAGES] = { "messages", no_argument, NULL, O_MESSAGES },
  [O_SCHEDULE] = { "schedule", required_argument, NULL, O_SCHEDULE },
  [O_DESCRIBE] = { "describe", no_argument, NULL, O_DESCRIBE },
  [O_WRITE] = { "write", no_argument, NULL, O_WRITE },
  [O_PLACES] = { "places", required_argument, NULL, O_PLACES },
  [O_TRACE] = { "trace", no_argument, NULL, O_TRACE },
  [O_HOLDINGS] = { "holdings", no_argument, NULL, O_HOLDINGS },
  [O_EXPLAIN] = { "explain", no_argument, NULL, O_EXPLAIN },
  [O_TRAFFIC] = { "traffic", no_argument, NULL, O_TRAFFIC },
  [O_NOISE] = { "noise", required_argument, NULL, O_NOISE },
  [O_OTHERS] = { "others", required_argument, NULL, O_OTHERS },
  [O_BUNDLE_AFTER] = { "bundle-after", required_argument, NULL, O_BUNDLE_AFTER },
  [O_ALGORITHM] = { "algorithm", required_argument, NULL, O_ALGORITHM },
  [O_RANKS] = { "ranks", required_argument, NULL, O_RANKS },
  [O_COUNTS] = { "counts", required_argument, NULL, O_COUNTS },
  [O_NO_COSTS] = { "no-costs", no_argument, NULL, O_NO_COSTS },
  [O_NO_VARIANTS] = { "no-variants", no_argument, NULL, O_NO_VARIANTS },
  [O_HELP] = { "help", no_argument, NULL, O_HELP },
  [OPTIONS] = { 0 },
};
/* Which of them goes with what. */
static const int of[OPTIONS] = {
  [O_LIST] = LIST,
  [O_JSON] = LIST,
  [O_SWEEP] = SWEEP,
  [O_MODEL] = MODEL,
  [O_DECIDE] = DECIDE,
  [O_RULES] = RULES,
  [O_PLAN] = PLAN | MODEL,
  [O_COSTS] = PLAN,
  [O_SCHEDULE] = SCHEDULE | MODEL,
  [O_MESSAGES] = PLAN | SCHEDULE,
  [O_DESCRIBE] = SCHEDULE,
  [O_WRITE] = MODEL,
  [O_PLACES] = PLAN,
  [O_TRACE] = MODEL,
  [O_HOLDINGS] = MODEL,
  [O_EXPLAIN] = MODEL,
  [O_TRAFFIC] = MODEL,
  [O_ALGORITHM] = SWEEP,
  [O_RANKS] = SWEEP,
  [O_COUNTS] = SWEEP,
  [O_NO_COSTS] = SWEEP,
  [O_NO_VARIANTS] = SWEEP,
  [O_NOISE] = MODEL,
  [O_OTHERS] = MODEL,
  [O_BUNDLE_AFTER] = MODEL,
};

static const char *mode_name(int mode) {
  return mode == LIST       ? "list"
         : mode == SWEEP    ? "sweep"
         : mode == MODEL    ? "model"
         : mode == DECIDE   ? "decide"
         : mode == RULES    ? "rules"
         : mode == SCHEDULE ? "schedule"
                            : "plan";
}

/* Refuses an option that does not go with the rest; returns 0 without one. */
static int misplaced(const bool *given, int mode) {
  for (int i = 0; i < OPTIONS; i++) {
    if (!given[i] || !of[i] || of[i] & mode) continue;
    if (of[i] & (of[i] - 1)) return refuse("--%s is not for --%s\n%s", names[i].name, mode_name(mode), usage);
    return refuse("--%s is for --%s only\n%s", names[i].name, mode_name(of[i]), usage);
  }
  return 0;
}

static int read_value(option_id id, const char *value, sweep_options *o) {
  if (id == O_ALGORITHM) {
    if (o->keys == SWEEP_KEYS) return refuse("at most %d times --algorithm", SWEEP_KEYS);
    o->key[o->keys++] = value;
  } else if (id == O_RANKS && !parse_ranks(value, o))
    return refuse("--ranks %.40s: give numbers and ranges A..B with commas between, 1 or more, ascending, at most %d",
                  value, SWEEP_RANKS);
  else if (id == O_COUNTS && !parse_counts(value, o))
    return refuse("--counts %.40s: give numbers with commas between, at most %d of them, none above 2^50", value,
                  SWEEP_COUNTS);
  return 0;
}

static int answer(int argc, char **argv) {
  bool given[OPTIONS] = { false };
  const char *value[OPTIONS] = { NULL };
  static sweep_options o;
  parse_ranks("1..64", &o);
  opterr = 0;
  for (int id; (id = getopt_long(argc, argv, ":", names, NULL)) >= 0;) {
    if (id == ':') return refuse("%s needs a value\n%s", argv[optind - 1], usage);
    if (id == '?') return refuse("unknown argument %s\n%s", argv[optind - 1], usage);
    if (id == O_HELP) return fputs(usage, stdout), 0;
    given[id] = true;
    value[id] = optarg;
    int status = read_value((option_id)id, optarg, &o);
    if (status) return status;
  }
  int mode = given[O_LIST]       ? LIST
             : given[O_SWEEP]    ? SWEEP
             : given[O_MODEL]    ? MODEL
             : given[O_DECIDE]   ? DECIDE
             : given[O_RULES]    ? RULES
             : given[O_SCHEDULE] ? SCHEDULE
                                 : PLAN;
  int status = misplaced(given, mode);
  if (status) return status;
  if (mode != DECIDE && mode != RULES && optind < argc) return refuse("unknown argument %s\n%s", argv[optind], usage);
  switch (mode) {
    case LIST: return coll_list_json(stdout), 0;
    case RULES: return rules_main(argc - optind, argv + optind);
    case DECIDE: return decide_main(argc - optind, argv + optind);
    case SWEEP: {
      char error[512];
      o.costs = !given[O_NO_COSTS];
      o.variants = !given[O_NO_VARIANTS];
      status = sweep_main(&o, error, sizeof error);
      return status == 2 ? refuse("%s", error) : status;
    }
  }
  if (mode == SCHEDULE)
    return given[O_DESCRIBE] ? file_describe(value[O_SCHEDULE]) : file_prove(value[O_SCHEDULE], given[O_MESSAGES]);
  if (mode == MODEL && given[O_PLAN] == given[O_SCHEDULE])
    return refuse("--model MACHINE needs --plan FILE or --schedule FILE\n%s", usage);
  if (!value[O_PLAN] && mode != MODEL) return refuse("nothing to do\n%s", usage);
  if (mode == MODEL) {
    if (given[O_SCHEDULE] && given[O_WRITE]) return refuse("--write is for --plan, not for --schedule\n%s", usage);
    model_request request = {
      given[O_TRACE], given[O_HOLDINGS], given[O_EXPLAIN], given[O_TRAFFIC], given[O_WRITE], 0, value[O_OTHERS], 0
    };
    const char *end;
    uint64_t draws = 0, bundle_after = 0;
    if (given[O_NOISE] && (!number_begins(value[O_NOISE], MODEL_DRAWS, &draws, &end) || *end || !draws))
      return refuse("--noise %.40s: give a number of draws from 1 to %d", value[O_NOISE], MODEL_DRAWS);
    if (given[O_BUNDLE_AFTER] && (!number_begins(value[O_BUNDLE_AFTER], INT32_MAX, &bundle_after, &end) || *end))
      return refuse("--bundle-after %.40s: give a number of shares, 0: where it pays", value[O_BUNDLE_AFTER]);
    request.draws = (int)draws;
    request.bundle_after = (size_t)bundle_after;
    return model_main(value[O_MODEL], value[O_PLAN], value[O_SCHEDULE], request);
  }
  return points_main(value[O_PLAN], value[O_PLACES], (points_request){ given[O_COSTS], given[O_MESSAGES] });
}

static void on_end(int number) {
  char text[400];
  record_now(text, sizeof text - 1);
  if (!*text) snprintf(text, sizeof text, "it was preparing, proving or timing a schedule, not recording one");
  size_t n = strlen(text);
  text[n] = '\n';
  if (write(STDERR_FILENO, text, n + 1) < 0) _exit(1);
  _exit(128 + number);
}

int main(int argc, char **argv) {
  signal(SIGTERM, on_end);
  int status = answer(argc, argv);
  /* Output that was lost, on a full disk say, must not look like a short answer. */
  if (!fflush(stdout) && !ferror(stdout)) return status;
  perror("collscope-prove: standard output");
  return status ? status : 1;
}
