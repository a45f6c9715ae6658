#include "preload/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/text.h"
#include "preload/fits.h"
#include "preload/handle.h"
#include "preload/layout.h"
#include "preload/operators.h"
#include "preload/progress.h"
#include "preload/report.h"
#include "preload/settings.h"

extern char **environ;
bool session_active[COUNTS_COLLECTIVES], session_opens;
static settings chosen;
static bool counts_calls, runs, fits;
static double began_s;

/* A non-blocking call must not wait for others, as making a communicator does. */
int session_made(int code, const MPI_Comm *comm) {
  if (!session_opens || code != MPI_SUCCESS || *comm == MPI_COMM_NULL) return code;
  communicator_open(communicator_of(*comm));
  return code;
}

bool session_needs_threads(void) {
  const char *progress = getenv("COLLSCOPE_PROGRESS");
  return progress && !strncmp(progress, "thread", 6);
}

/* ---- begin and end ------------------------------------------------------------------------------------ */

static void end_program(void) {
  fflush(NULL);
  PMPI_Finalize();
  _exit(2);
}

/* Ranks with other settings would wait for each other. */
static bool all_agree(bool complete) {
  uint64_t mine = settings_digest(&chosen, complete), both[2] = { mine, ~mine }, most[2];
  MPI_Allreduce(both, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most[0] == mine && most[1] == ~mine;
}

/* A thread that calls MPI is asked for at MPI_Init; not every library has it. */
static bool has_threads(char *error) {
  int provided;
  MPI_Query_thread(&provided);
  if (!chosen.thread || provided == MPI_THREAD_MULTIPLE) return true;
  chosen.thread = false;
  memset(chosen.key, 0, sizeof chosen.key);
  return say(error, SETTINGS_ERROR,
             "COLLSCOPE_PROGRESS=thread: this MPI library does not provide MPI_THREAD_MULTIPLE; use calls");
}

static void read_settings(int rank) {
  char error[SETTINGS_ERROR];
  bool fine = settings_read(&chosen, environ, error) && has_threads(error);
  if (!all_agree(fine)) {
    if (rank == 0)
      fprintf(
          stderr,
          "collscope: COLLSCOPE_…, or a file that it names, differs between ranks: expected the same everywhere; pass it "
          "to all of them\n");
    end_program();
  }
  if (fine) return;
  if (rank == 0)
    fprintf(stderr, "collscope: %s%s\n", error,
            chosen.strict ? "" : " (the program goes on without choices: COLLSCOPE_STRICT=0)");
  if (chosen.strict) end_program();
}

void session_fits(void) { fits = fits_program(); }

bool session_chooses(coll_collective k) { return *chosen.key[k]; }

static bool is_chosen(int k) {
  if (k == COLL_ALLGATHERV && !*chosen.key[k]) k = COLL_ALLGATHER; /* where its blocks are of one size */
  return k < COLL_COLLECTIVES && *chosen.key[k];
}

void session_begin(void) {
  if (!fits) return;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  read_settings(rank);
  bool chooses = settings_choose(&chosen);
  counts_calls = chosen.report;
  if (!chooses && !counts_calls) return;
  communicators_start((communicators_guard){ progress_enter_tidy, progress_leave });
  layout_start();
  operators_start();
  progress_start(counts_calls, !chosen.thread   ? PROGRESS_NO_THREAD
                               : chosen.cpu < 0 ? -1
                                                : chosen.cpu + communicators_rank_on_node());
  runs = true;
  began_s = MPI_Wtime();
  session_opens = chooses;
  session_made(MPI_SUCCESS, &(MPI_Comm){ MPI_COMM_WORLD });
  session_made(MPI_SUCCESS, &(MPI_Comm){ MPI_COMM_SELF });
  for (int k = 0; k < COUNTS_COLLECTIVES; k++) session_active[k] = counts_calls || is_chosen(k % COUNTS_NONBLOCKING);
}

void session_end(void) {
  if (!runs) return;
  runs = false;
  session_opens = false;
  memset(session_active, 0, sizeof session_active);
  if (counts_calls) report_write(&chosen, MPI_Wtime() - began_s);
  communicators_end();
  progress_end();
  operators_end();
  layout_end();
}

void session_abort(void) {
  if (runs && counts_calls) report_write_alone(&chosen, MPI_Wtime() - began_s);
}

/* ---- calls -------------------------------------------------------------------------------------------- */

static const char inter[] = "an inter-communicator";
static const char not_chosen[] = "no algorithm was chosen";

/* Scattered by the number of the call alone (Steele et al. 2014, doi:10.1145/2660193.2660195), so that all ranks agree. */
static uint64_t scattered(uint64_t n) {
  n *= 0x9e3779b97f4a7c15u;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
  n = (n ^ n >> 27) * 0x94d049bb133111ebu;
  return n ^ n >> 31;
}

/* The first calls, then fewer and fewer, one of 1024 at last: what runs a few times is seen, and the rest costs nothing. In a loop of
 * several calls a fixed distance would miss some of them for ever. */
static bool is_sample(uint64_t calls) {
  return scattered(calls) % (calls < 8 ? 1 : calls < 4096 ? calls / 4 : 1024) == 0;
}

/* How long this rank waits for the others: its barrier, less what the last one's takes. */
static void sample_arrival(session_call *s, communicator *c) {
  double before = MPI_Wtime();
  MPI_Barrier(c->user);
  double waited[2] = { MPI_Wtime() - before, 0 }, most[2];
  waited[1] = -waited[0];
  MPI_Allreduce(waited, most, 2, MPI_DOUBLE, MPI_MAX, c->user);
  s->skew_s = most[0] + most[1];
  s->waited_s = most[1] - waited[1];
  s->sampled = true;
  s->arrived_s = MPI_Wtime() - before;
}

/* meets: all ranks are in this call, and can say more to each other. */
static void begin(session_call *s, communicator *c, bool meets) {
  c->calls++;
  if (!counts_calls) return;
  s->c = c;
  if (meets) communicator_survey(c);
  else communicator_survey_alone(c);
  if (meets && chosen.profile && is_sample(c->calls)) sample_arrival(s, c);
  s->start_s = MPI_Wtime();
}

/* Why MPI's own function is to be called, or the key of what serves the call. meets: see begin. */
static communicator *choose(session_call *s, MPI_Comm comm, const program_call *p, bool meets, const char **key) {
  communicator *c = communicator_of(comm);
  if (!c) return s->why = not_chosen, c;
  s->why = c->inter ? inter : p->why ? p->why : call_refuses(c, p);
  begin(s, c, meets && !c->inter && (p->why || !s->why));
  s->bytes = p->bytes;
  s->uneven = p->uneven;
  if (s->why) return c;
  s->bytes = call_bytes(c, p);
  s->in_place = p->in.buffer == MPI_IN_PLACE || p->out.buffer == MPI_IN_PLACE;
  *key = chosen.key[p->collective];
  if (!**key) s->why = not_chosen;
  return c;
}

session_call session_serve(MPI_Comm comm, const program_call *p) {
  session_call s = { .code = MPI_SUCCESS };
  const char *key = "";
  communicator *c = choose(&s, comm, p, true, &key);
  if (!s.why) s.why = communicator_open(c);
  if (s.why) return s;
  s.code = execute(c, p, key, &s.served);
  if (!s.served->call) s.why = s.served->name;
  return s;
}

static void start(communicator *c, const program_call *p, const form *f, planned *plan, plans_kind kind,
                  MPI_Request *request) {
  operation *o = operation_make(c, p, f, plan, kind);
  if (kind == PLANS_PERSISTENT) {
    o->tag = handle_make_persistent(request);
    o->request = *request;
    progress_know(o);
  } else {
    o->tag = handle_begin(request);
    progress_know(o);
    progress_begin(o);
  }
}

session_call session_start(MPI_Comm comm, const program_call *p, plans_kind kind, MPI_Request *request) {
  session_call s = { .code = MPI_SUCCESS };
  const char *key = "";
  communicator *c = choose(&s, comm, p, false, &key);
  if (!s.why) s.why = communicator_is_open(c);
  if (s.why) return s;
  progress_enter_tidy();
  form f = form_of(c, p);
  s.begun = plans_find(c, &f.shape, call_is_in_place(c, p), key);
  s.kind = kind;
  if (s.begun->plan) {
    start(c, p, &f, s.begun, kind, request);
  } else {
    s.why = s.begun->name;
    form_free(&f);
  }
  progress_leave();
  return s;
}

static row *row_of(session_call *s, int collective) {
  tally *all = &s->c->counts;
  if (s->served) return counts_numbered(all, &s->served->row, collective, s->bytes, s->served->name, s->why);
  if (s->begun) return counts_numbered(all, &s->begun->row[s->kind], collective, s->bytes, s->begun->name, s->why);
  return counts_row(all, collective, s->uneven ? 0 : s->bytes, s->why, true);
}

int session_done(session_call *s, int collective, int root, MPI_Datatype type) {
  if (!s->c) return s->code;
  double took = MPI_Wtime() - s->start_s;
  row *r = row_of(s, collective);
  if (s->uneven) counts_uneven(r, s->bytes, s->bytes);
  counts_type(r, type);
  counts_root(r, root);
  r->calls++;
  r->bytes += s->bytes;
  r->in_place += s->in_place;
  r->seconds += took;
  if (!s->sampled) return s->code;
  r->samples++;
  r->skew_s += s->skew_s;
  r->waited_s += s->waited_s;
  r->sampling_s += s->arrived_s;
  if (s->skew_s > r->max_skew_s) r->max_skew_s = s->skew_s;
  return s->code;
}
