/* collscope-overhead --plan FILE [--turns N] [--seconds S]: what our algorithms take beside what Open MPI's own take, which send the
 * same messages.
 *
 * A line of the plan is one of
 *   set NAME VALUE         a variable of the library, by MPI_T: for the communicators made from here on
 *   pair KEY COUNT         a twin, on COUNT floats as MPI counts them, beside the library's function, for which the lines
 *                          before have forced the same algorithm
 *   messages KEY COUNT     one of the exchanges (bench/exchanges.h), by our operations, beside plain calls of MPI
 *
 * All run in one launch, on the same buffers, in turns (bench/turns.h). Rank 0 prints a JSON line for each pair: key, count, kind (ok,
 * wrong, unsupported), status (the same in words), and what turns say. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench/exchanges.h"
#include "bench/turns.h"
#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/json.h"
#include "core/catalogue/number.h"
#include "core/runtime/mpi.h"
#include "driver/port.h"
#include "driver/check/verify.h"
#include "driver/launch.h"
#include "core/runtime/variables.h"

enum { TEXT = 320, MAX_REFUSED = 16 };

typedef struct {
  launch l;
  MPI_Comm ours, theirs; /* theirs is made again when a variable was set */
  MPI_Comm ends;         /* the first rank and the last */
  bool stale;
  char refused[MAX_REFUSED][TEXT]; /* "NAME to VALUE" of each variable that could not be set */
  int refusals;
  int turns;
  double seconds;
} bench;

/* Wrong elements over all ranks, after a call of each side. */
static long check(const pair *p, buffers *data) {
  long wrong = 0;
  plan_op op = coll_has_operator(p->alg->collective) ? PLAN_SUM : PLAN_NONE;
  int rank;
  MPI_Comm_rank(p->comm, &rank);
  for (side s = OURS; s <= THEIRS; s++) {
    buffers_fill(data, p->alg->collective, &p->args, rank, PLAN_FLOAT, op);
    turns_run(p, s);
    wrong += (long)buffers_check(data, p->alg->collective, &p->args, rank, PLAN_FLOAT, op, p->alg->key);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, p->comm);
  return wrong;
}

/* ---- a line of the plan ----------------------------------------------------------------------------------------- */

static json begin(const char *key, size_t count, const char *kind, const char *status) {
  json j = json_on(stdout);
  json_object(&j, NULL);
  json_text(&j, "key", key);
  json_size(&j, "count", count);
  json_text(&j, "kind", kind);
  json_text(&j, "status", status);
  return j;
}

static void end(json *j) {
  json_end(j);
  fflush(stdout);
}

static void answer_unsupported(const bench *b, const char *key, size_t count, const char *why) {
  if (b->l.rank) return;
  json j = begin(key, count, "unsupported", why);
  end(&j);
}

/* Times a pair that has all but its calls and buffers. `ours` is the communicator of our messages. */
static void compare(bench *b, pair *p, const char *key, MPI_Comm ours) {
  int rank;
  MPI_Comm_rank(p->comm, &rank);
  buffers data;
  buffers_make(&data, p->alg->collective, &p->args, rank);
  p->args.in = data.in;
  p->args.out = data.out;
  MPI_Op op = coll_has_operator(p->alg->collective) ? MPI_SUM : MPI_OP_NULL;
  p->call = coll_open(ours, p->alg, &p->args, MPI_FLOAT, op);
  if (p->plain)
    p->exchange = (plain){ .rank = rank, .n = (int)p->args.count, .in = data.in, .out = data.out, .comm = p->comm };
  else builtin_open(&p->builtin, p->comm, p->alg->collective, &p->args, MPI_FLOAT, op);
  long wrong = check(p, &data);
  turn_times *taken = wrong ? NULL : turns_take(p, b->turns, b->seconds);
  if (rank == 0) {
    json j = begin(key, p->args.count, wrong ? "wrong" : "ok", wrong ? "wrong data" : "ok");
    if (p->messages) json_int(&j, "messages", p->messages);
    if (taken) turns_print(taken, &j);
    end(&j);
  }
  turns_free(taken);
  if (!p->plain) builtin_close(&p->builtin);
  coll_close(p->call);
  buffers_free(&data);
}

static void compare_twin(bench *b, const char *key, size_t count) {
  char reason[2 * TEXT];
  pair p = { .comm = b->theirs };
  p.args = (coll_args){
    .size = b->l.size, .count = count, .elem = sizeof(float), .commutes = true, .param = p.param, .place = b->l.place
  };
  p.alg = coll_find(key, p.param, reason, sizeof reason);
  if (b->refusals) snprintf(reason, sizeof reason, "this library cannot set %s", b->refused[0]);
  else if (p.alg && !coll_unsupported(p.alg, &p.args, reason, sizeof reason)) {
    compare(b, &p, key, b->ours);
    return;
  }
  answer_unsupported(b, key, count, reason);
}

static void compare_messages(bench *b, const char *key, size_t count) {
  if (b->ends == MPI_COMM_NULL) return;
  const exchange *e = exchange_find(key);
  if (e) {
    pair p = { .alg = &e->alg, .comm = b->ends, .plain = e->plain, .messages = e->messages };
    p.args = (coll_args){ .size = 2, .count = count, .elem = sizeof(float), .param = p.param, .place = b->l.place };
    compare(b, &p, key, b->ends);
    return;
  }
  answer_unsupported(b, key, count, "no such exchange");
}

/* No pair is compared while a variable has another value than it should. */
static bool set(bench *b, const char *name, int value) {
  size_t length = strlen(name);
  for (int i = 0; i < b->refusals; i++)
    if (!strncmp(b->refused[i], name, length) && b->refused[i][length] == ' ') {
      memmove(b->refused[i], b->refused[b->refusals - 1], TEXT);
      b->refusals--;
      break;
    }
  b->stale = true;
  int before;
  if (variable_exchange(name, value, &before)) return true;
  if (b->refusals == MAX_REFUSED)
    return fprintf(stderr, "collscope-overhead: cannot set %s, nor %d others\n", name, MAX_REFUSED), false;
  snprintf(b->refused[b->refusals++], TEXT, "%.*s to %d", TEXT - 16, name, value);
  return true;
}

static bool work(bench *b, FILE *lines) {
  char line[TEXT], word[TEXT];
  while (fgets(line, sizeof line, lines)) {
    int value;
    size_t count;
    if (sscanf(line, "set %319s %d", word, &value) == 2) {
      if (!set(b, word, value)) return false;
    } else if (sscanf(line, "pair %319s %zu", word, &count) == 2) {
      if (b->stale) {
        MPI_Comm_free(&b->theirs);
        MPI_Comm_dup(b->l.world, &b->theirs);
        b->stale = false;
      }
      compare_twin(b, word, count);
    } else if (sscanf(line, "messages %319s %zu", word, &count) == 2) {
      compare_messages(b, word, count);
    } else return fprintf(stderr, "collscope-overhead: cannot read: %s", line), false;
  }
  return true;
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

typedef struct {
  const char *plan;
  int turns;
  double seconds;
} options;

static bool read_turns(const char *text, int *turns) {
  uint64_t number;
  if (!number_whole(text, TURNS_MAX, &number) || !number) return false;
  *turns = (int)number;
  return true;
}

static bool read_seconds(const char *text, double *seconds) {
  char *end;
  *seconds = strtod(text, &end);
  return end != text && !*end && *seconds >= 0 && *seconds < 1e6;
}

static bool parse(int argc, char **argv, options *o) {
  enum { PLAN, TURNS, SECONDS };
  static const struct option known[] = { { "plan", required_argument, NULL, PLAN },
                                         { "turns", required_argument, NULL, TURNS },
                                         { "seconds", required_argument, NULL, SECONDS },
                                         { NULL, 0, NULL, 0 } };
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, "", known, NULL)) >= 0;) {
    if (option == PLAN) o->plan = optarg;
    else if (option == TURNS && !read_turns(optarg, &o->turns)) return false;
    else if (option == SECONDS && !read_seconds(optarg, &o->seconds)) return false;
    else if (option == '?') return false;
  }
  return o->plan && optind == argc;
}

static void open_bench(bench *b) {
  int provided;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  launch_open(&b->l);
  MPI_Comm_dup(MPI_COMM_WORLD, &b->ours);
  MPI_Comm_dup(MPI_COMM_WORLD, &b->theirs);
  MPI_Comm_split(b->l.world, b->l.rank == 0 || b->l.rank == b->l.size - 1 ? 0 : MPI_UNDEFINED, b->l.rank, &b->ends);
}

static void close_bench(bench *b) {
  if (b->ends != MPI_COMM_NULL) MPI_Comm_free(&b->ends);
  MPI_Comm_free(&b->theirs);
  MPI_Comm_free(&b->ours);
  launch_close(&b->l);
  MPI_T_finalize();
}

static void print_meta(const bench *b) {
  json j = json_on(stdout);
  json_object(&j, NULL);
  json_object(&j, "meta");
  port_describe(&j);
  json_text(&j, "compiler", __VERSION__);
  json_int(&j, "ranks", b->l.size);
  json_end(&j);
  json_end(&j);
}

int main(int argc, char **argv) {
  options o = { .turns = 30, .seconds = 1 };
  FILE *lines = parse(argc, argv, &o) ? fopen(o.plan, "r") : NULL;
  if (!lines) {
    fprintf(stderr,
            "usage: collscope-overhead --plan FILE [--turns N] [--seconds S]; at most %d turns; FILE must be there\n",
            TURNS_MAX);
    return 2;
  }
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1",
         1); /* or nothing can be forced; other libraries know no such variable */
  MPI_Init(&argc, &argv);
  bench b = { .turns = o.turns, .seconds = o.seconds };
  open_bench(&b);
  if (b.l.rank == 0) print_meta(&b);
  bool done = b.l.size > 1 && work(&b, lines);
  if (b.l.size < 2) fprintf(stderr, "collscope-overhead: needs two ranks\n");
  fclose(lines);
  close_bench(&b);
  MPI_Finalize();
  return done ? 0 : 1;
}
