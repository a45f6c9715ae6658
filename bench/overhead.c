/* collscope-overhead PLAN TURNS SECONDS: what our algorithms take beside what Open MPI's own take, which send the same messages.
 *
 * A line of the plan is one of
 *   set NAME VALUE         a variable of the library, by MPI_T: for the communicators made from here on
 *   pair KEY COUNT         a twin, on COUNT floats as MPI counts them, beside the library's function, for which the lines
 *                          before have forced the same algorithm
 *   messages KEY COUNT     one of the exchanges below, by our operations, beside plain calls of MPI
 *
 * All run in one launch, on the same buffers. They take turns: in each, ours, theirs and theirs once more run for a batch of
 * calls, in an order that changes. The second batch of theirs says what the machine's noise alone makes of equal calls.
 * Rank 0 prints JSON lines with the time of a call in each batch, of the rank that took longest: at least TURNS turns, or as
 * many as fit in SECONDS.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/json.h"
#include "core/runtime/mpi.h"
#include "core/runtime/port.h"
#include "driver/check/verify.h"
#include "driver/launch.h"
#include "driver/mpi/builtin.h"

enum { TEXT = 320, MOST_REFUSED = 16, MOST_TURNS = 300, MOST_CALLS = 4096 };
static const double batch_s = 200e-6;    /* a batch lasts at least so long: a barrier's end is not the same instant everywhere */

typedef struct {
  launch l;
  MPI_Comm ours, theirs;       /* theirs is made anew when a variable was set */
  MPI_Comm ends;               /* the first rank and the last */
  bool stale;
  char refused[MOST_REFUSED][TEXT];   /* "NAME to VALUE" of each variable that could not be set */
  int refusals;
  int turns;
  double seconds;
} bench;

/* ---- exchanges between two ranks: each operation beside what an MPI programmer would write ---------------------- */

static void send_recv(coll_ctx *c, const coll_args *a) {
  if (c->rank == 0) coll_send(c, a->in, a->count, 1), coll_recv(c, a->out, a->count, 1);
  else coll_recv(c, a->out, a->count, 0), coll_send(c, a->in, a->count, 0);
}

static void sendrecv(coll_ctx *c, const coll_args *a)
{ coll_sendrecv(c, a->in, a->count, !c->rank, a->out, a->count, !c->rank); }

static void isend_irecv(coll_ctx *c, const coll_args *a) {
  coll_req reqs[2];
  reqs[0] = coll_irecv(c, a->out, a->count, !c->rank);
  reqs[1] = coll_isend(c, a->in, a->count, !c->rank);
  coll_waitall(c, 2, reqs);
}

typedef struct { int rank, n; const void *in; void *out; MPI_Comm comm; } plain;

static void plain_send_recv(const plain *p) {
  if (p->rank == 0) {
    MPI_Send(p->in, p->n, MPI_FLOAT, 1, 0, p->comm);
    MPI_Recv(p->out, p->n, MPI_FLOAT, 1, 0, p->comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(p->out, p->n, MPI_FLOAT, 0, 0, p->comm, MPI_STATUS_IGNORE);
    MPI_Send(p->in, p->n, MPI_FLOAT, 0, 0, p->comm);
  }
}

static void plain_sendrecv(const plain *p) {
  MPI_Sendrecv(p->in, p->n, MPI_FLOAT, !p->rank, 0, p->out, p->n, MPI_FLOAT, !p->rank, 0, p->comm, MPI_STATUS_IGNORE);
}

static void plain_isend_irecv(const plain *p) {
  MPI_Request reqs[2];
  MPI_Irecv(p->out, p->n, MPI_FLOAT, !p->rank, 0, p->comm, &reqs[0]);
  MPI_Isend(p->in, p->n, MPI_FLOAT, !p->rank, 0, p->comm, &reqs[1]);
  MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE);
}

/* Two ranks that exchange blocks have rotated them, so the data can be checked as that. */
static const struct {
  coll_alg alg;
  void (*plain)(const plain *);
  int messages;                /* one after the other */
} exchanges[] = {
  { { .key = "messages/send_recv", .collective = COLL_ROTATION, .run = send_recv }, plain_send_recv, 2 },
  { { .key = "messages/sendrecv", .collective = COLL_ROTATION, .run = sendrecv }, plain_sendrecv, 1 },
  { { .key = "messages/isend_irecv", .collective = COLL_ROTATION, .run = isend_irecv }, plain_isend_irecv, 1 },
};

/* ---- timing ----------------------------------------------------------------------------------------------------- */

typedef enum { OURS, THEIRS, AGAIN, SIDES } side;
static const char *const side_name[] = { "ours_s", "theirs_s", "again_s" };

/* One pair. */
typedef struct {
  const coll_alg *alg;
  coll_args args;
  long param[COLL_PARAMS];
  coll_call *call;
  builtin builtin;             /* what ours is compared with: this, */
  void (*plain)(const plain *);
  plain exchange;              /* or this */
  MPI_Comm comm;
  int messages;                /* 0: not known here */
} pair;

static void run(const pair *p, side s) {
  if (s == OURS) coll_run(p->call);
  else if (p->plain) p->plain(&p->exchange);
  else builtin_run(&p->builtin);
}

static double batch(pair *p, side s, int calls) {
  MPI_Barrier(p->comm);
  double start = port_now();
  for (int i = 0; i < calls; i++) run(p, s);
  return port_now() - start;
}

/* Calls that fill a batch; the same number on all ranks. One short batch of a few says that it is too short: the others may have
 * been held up. */
static int enough_calls(pair *p, double *took) {
  int calls = 1;
  for (int i = 0; i < 10; i++) batch(p, THEIRS, 1);   /* connections are made */
  for (;; calls *= 2) {
    *took = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
      double own = batch(p, THEIRS, calls), longest;
      MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, p->comm);
      *took = longest < *took ? longest : *took;
    }
    if (*took >= batch_s || calls >= MOST_CALLS) return calls;
  }
}

/* Puts the sides of a turn in an order, the same on all ranks; each order comes equally often in the long run. */
static void shuffle(side order[SIDES], uint32_t *state) {
  for (int i = SIDES; i-- > 1;) {
    *state = *state * 1664525u + 1013904223u;
    int k = (int)((*state >> 16) % (uint32_t)(i + 1));
    side other = order[k];
    order[k] = order[i];
    order[i] = other;
  }
}

static void print_times(const bench *b, const pair *p, int turns, const double *time) {
  FILE *out = stdout;
  for (int s = 0; s < SIDES; s++) {
    fprintf(out, ",\"%s\":[", side_name[s]);
    for (int i = 0; i < turns; i++) fprintf(out, "%s%.4g", i ? "," : "", time[s * MOST_TURNS + i]);
    fputs("]", out);
  }
}

static void take_turns(const bench *b, pair *p) {
  double took;
  int calls = enough_calls(p, &took);
  int turns = (int)(b->seconds / (SIDES * took));
  turns = turns < b->turns ? b->turns : turns;
  turns = turns < MOST_TURNS ? turns : MOST_TURNS;
  double *own = calloc(SIDES * MOST_TURNS, sizeof *own), *longest = calloc(SIDES * MOST_TURNS, sizeof *longest);
  side order[SIDES] = { OURS, THEIRS, AGAIN };
  uint32_t state = 1;
  for (int s = 0; s < SIDES; s++) batch(p, order[s], calls);   /* warm up */
  double until = port_now() + b->seconds;
  for (int i = 0, late = 0; i < turns; i++) {
    shuffle(order, &state);
    for (int s = 0; s < SIDES; s++) own[order[s] * MOST_TURNS + i] = batch(p, order[s], calls) / calls;
    late = port_now() > until;   /* on a busy machine turns last longer than was foreseen */
    MPI_Bcast(&late, 1, MPI_INT, 0, p->comm);
    if (late && i + 1 >= b->turns) turns = i + 1;
  }
  MPI_Reduce(own, longest, SIDES * MOST_TURNS, MPI_DOUBLE, MPI_MAX, 0, p->comm);
  if (b->l.rank == 0) {
    fprintf(stdout, ",\"calls\":%d", calls);
    print_times(b, p, turns, longest);
  }
  free(own);
  free(longest);
}

/* Wrong elements over all ranks, after a call of each side. */
static long check(const bench *b, pair *p, buffers *data) {
  long wrong = 0;
  plan_op op = coll_has_operator(p->alg->collective) ? PLAN_SUM : PLAN_NONE;
  int rank;
  MPI_Comm_rank(p->comm, &rank);
  for (side s = OURS; s <= THEIRS; s++) {
    buffers_fill(data, p->alg->collective, &p->args, rank, PLAN_FLOAT, op);
    run(p, s);
    wrong += (long)buffers_check(data, p->alg->collective, &p->args, rank, PLAN_FLOAT, op, p->alg->key);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, p->comm);
  return wrong;
}

/* ---- a line of the plan ----------------------------------------------------------------------------------------- */

static void begin(const bench *b, const char *key, size_t count, const char *status) {
  if (b->l.rank) return;
  fprintf(stdout, "{\"key\":\"%s\",\"count\":%zu,\"status\":", key, count);
  json_string(stdout, status);
}

static void end(const bench *b) {
  if (b->l.rank) return;
  fputs("}\n", stdout);
  fflush(stdout);
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
  if (p->plain) p->exchange = (plain){ .rank = rank, .n = (int)p->args.count, .in = data.in, .out = data.out, .comm = p->comm };
  else builtin_open(&p->builtin, p->comm, p->alg->collective, &p->args, MPI_FLOAT, op);
  long wrong = check(b, p, &data);
  begin(b, key, p->args.count, wrong ? "wrong data" : "ok");
  if (p->messages && rank == 0) fprintf(stdout, ",\"messages\":%d", p->messages);
  if (!wrong) take_turns(b, p);
  end(b);
  if (!p->plain) builtin_close(&p->builtin);
  coll_close(p->call);
  buffers_free(&data);
}

static void compare_twin(bench *b, const char *key, size_t count) {
  char reason[2 * TEXT];
  pair p = { .comm = b->theirs };
  p.args = (coll_args){ .size = b->l.size, .count = count, .elem = sizeof(float), .commutes = true, .param = p.param,
                        .place = b->l.place };
  p.alg = coll_find(key, p.param, reason, sizeof reason);
  if (b->refusals) snprintf(reason, sizeof reason, "this library cannot set %s", b->refused[0]);
  else if (p.alg && !coll_unsupported(p.alg, &p.args, reason, sizeof reason)) {
    compare(b, &p, key, b->ours);
    return;
  }
  begin(b, key, count, reason);
  end(b);
}

static void compare_messages(bench *b, const char *key, size_t count) {
  if (b->ends == MPI_COMM_NULL) return;
  for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
    if (strcmp(exchanges[i].alg.key, key)) continue;
    pair p = { .alg = &exchanges[i].alg, .comm = b->ends, .plain = exchanges[i].plain, .messages = exchanges[i].messages };
    p.args = (coll_args){ .size = 2, .count = count, .elem = sizeof(float), .param = p.param, .place = b->l.place };
    compare(b, &p, key, b->ends);
    return;
  }
  begin(b, key, count, "no such exchange");
  end(b);
}

static bool write_variable(const char *name, int value) {
  int index, count;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) || MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) return false;
  bool written = !MPI_T_cvar_write(handle, &value);
  MPI_T_cvar_handle_free(&handle);
  return written;
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
  if (write_variable(name, value)) return true;
  if (b->refusals == MOST_REFUSED) return fprintf(stderr, "collscope-overhead: cannot set %s, nor %d others\n", name, MOST_REFUSED), false;
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

int main(int argc, char **argv) {
  bench b = { 0 };
  FILE *lines = argc == 4 ? fopen(argv[1], "r") : NULL;
  if (!lines || sscanf(argv[2], "%d", &b.turns) != 1 || b.turns < 1 || b.turns > MOST_TURNS || sscanf(argv[3], "%lf", &b.seconds) != 1) {
    fprintf(stderr, "usage: collscope-overhead PLAN TURNS SECONDS; TURNS is at most %d\n", MOST_TURNS);
    return 2;
  }
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);   /* or nothing can be forced; other libraries know no such variable */
  int provided;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  launch_open(&b.l);
  MPI_Comm_dup(MPI_COMM_WORLD, &b.ours);
  MPI_Comm_dup(MPI_COMM_WORLD, &b.theirs);
  MPI_Comm_split(b.l.world, b.l.rank == 0 || b.l.rank == b.l.size - 1 ? 0 : MPI_UNDEFINED, b.l.rank, &b.ends);
  if (b.l.rank == 0) {
    fputs("{\"meta\":{", stdout);
    port_describe(stdout);
    printf(",\"compiler\":\"%s\",\"ranks\":%d}}\n", __VERSION__, b.l.size);
  }
  bool done = b.l.size > 1 && work(&b, lines);
  if (b.l.size < 2) fprintf(stderr, "collscope-overhead: needs two ranks\n");
  fclose(lines);
  if (b.ends != MPI_COMM_NULL) MPI_Comm_free(&b.ends);
  MPI_Comm_free(&b.theirs);
  MPI_Comm_free(&b.ours);
  launch_close(&b.l);
  MPI_T_finalize();
  MPI_Finalize();
  return done ? 0 : 1;
}
