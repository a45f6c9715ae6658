/* Recording: see record.h. One rank after the other runs to its end, every operation is appended to its list, nothing
 * blocks. A rank that asks for a message from anyone leaves by siglongjmp when it is not known yet whose; it is run
 * again from the start, with the sources found so far, once the others have been played as far as they get without it.
 */
#include "core/schedule/recorder/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "core/schedule/array.h"
#include "core/schedule/recorder/recorder.h"

/* Faults and alarms are a process's business, so this is the one variable of the process: who records at present. */
static struct {
  recorder *volatile current;
  bool handler;
  uint64_t serial;
  int patience; /* seconds */
  void (*start_clock)(void);
  size_t most;  /* operations of a rank */
  uint64_t run; /* of an algorithm's code for one rank */
  /* of the last tick of the clock */
  uint64_t ticked_run;
  size_t ticked_ops;
  int idle; /* consecutive ticks without an operation */
} active = { .patience = RECORD_SECONDS, .start_clock = record_processor_time, .most = RECORD_OPERATIONS };

enum { ALL = -1 }; /* of recorder.alone */

/* An algorithm that looks at its data ends here; so does one that follows a wild pointer. */
static void on_fault(int number, siginfo_t *info, void *context) {
  recorder *s = active.current;
  if (!s) {
    signal(number, SIG_DFL);
    return; /* not ours: the instruction faults again and the process ends as usual */
  }
  s->fault = info->si_addr;
  siglongjmp(s->leave, STOP_FAULT);
}

/* Every second of processor time: an algorithm that loops without an operation is seen by nothing else. Memory that is
 * just being allocated must not be left half done, so then the next tick decides. */
static void on_tick(int number) {
  recorder *s = active.current;
  if (!s || !s->inside || active.ticked_run != active.run || active.ticked_ops != s->now->n) {
    active.ticked_run = active.run;
    active.ticked_ops = s && s->inside ? s->now->n : 0;
    active.idle = 0;
  } else if (++active.idle >= active.patience && !array_growing) siglongjmp(s->leave, STOP_LOOP);
}

static void listen_to_signals(void) {
  struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
  sigaction(SIGSEGV, &fault, NULL);
  sigaction(SIGBUS, &fault, NULL);
  struct sigaction tick = { .sa_handler = on_tick, .sa_flags = SA_RESTART | SA_NODEFER };
  sigaction(SIGVTALRM, &tick, NULL);
  active.start_clock();
  active.handler = true;
}

void record_processor_time(void) {
  struct itimerval every = { .it_interval.tv_sec = 1, .it_value.tv_sec = 1 };
  setitimer(ITIMER_VIRTUAL, &every, NULL);
}

void record_limits(int seconds, void (*start_clock)(void), size_t operations) {
  active.patience = seconds;
  active.start_clock = start_clock;
  active.most = operations;
}

static void run_rank(recorder *s, int rank) {
  record *r = &s->record;
  rec_rank *k = &r->rank[rank];
  s->rank = rank;
  s->now = k;
  k->n = k->scratch = k->pieces = 0;
  if (!(s->alg->flags & COLL_ANY_SOURCE)) pool_reset(&s->keep); /* those ranks leave their groups' members behind */
  r->segments[rank] = 0;
  s->scratches = s->scratch_last = s->pending = 0;
  s->site = NULL;
  s->any_source[rank].at = 0;
  const rec_layout *l = s->layout = &r->layout[rank];
  coll_args a = r->args;
  a.in = l->has_in ? s->base + (size_t)l->in_buf * BUFFER_BYTES + l->in_off : NULL;
  a.out = l->has_out ? s->base + (size_t)l->out_buf * BUFFER_BYTES + l->out_off : NULL;
  coll_ctx c = { .ops = &rec_operations,
                 .self = s,
                 .rank = rank,
                 .size = a.size,
                 .place = a.place,
                 .levels = s->levels,
                 .elem = a.elem };
  active.run++;
  s->inside = true;
  s->preparing = true;
  if (s->alg->prepare) a.prepared = s->alg->prepare(&c, &a);
  s->preparing = false;
  if (k->n) {
    rec_complain(s, "prepare() communicates or moves data");
    return;
  }
  for (int call = 0; call < r->calls; call++) {
    k->start[call] = k->n;
    k->piece_start[call] = k->pieces;
    coll_args once = a;
    coll_ctx again = c;
    s->alg->run(&again, &once);
    if (s->pending) {
      rec_complain(s, "run() returns with %d request%s not waited for", s->pending, s->pending == 1 ? "" : "s");
      return;
    }
  }
  k->start[r->calls] = k->n;
  k->piece_start[r->calls] = k->pieces;
  s->any_source[rank].done = true;
}

static void make_rank(recorder *s, int rank) {
  switch (sigsetjmp(s->leave, 0)) {
    case 0: run_rank(s, rank); break;
    case STOP_FAULT: {
      int buf = 0;
      int64_t off = 0;
      char name[32];
      if (rec_locate(s, s->fault, &buf, &off))
        rec_complain(s, "looks at the data itself (byte %lld of %s); only operations may", (long long)off,
                     record_buffer_name(buf, name, sizeof name));
      else rec_complain(s, "reads or writes address %p, which is not its own", s->fault);
      break;
    }
    case STOP_LOOP:
      s->record.endless = true;
      rec_complain(s, "computes for %d s of processor time without an operation (after %zu): it seems to loop for ever",
                   active.patience, s->now->n);
  }
  s->inside = false;
}

static void sized(recorder *s, int p) {
  if (p <= s->ranks) return;
  size_t n = (size_t)p, old = (size_t)s->ranks;
  record *r = &s->record;
  r->layout = array_grow(r->layout, sizeof *r->layout * n);
  r->rank = array_grow(r->rank, sizeof *r->rank * n);
  memset(r->rank + old, 0, sizeof *r->rank * (n - old));
  r->segment = array_grow(r->segment, sizeof *r->segment * n);
  memset(r->segment + old, 0, sizeof *r->segment * (n - old));
  r->segments = array_grow(r->segments, sizeof *r->segments * n);
  s->segment_cap = array_grow(s->segment_cap, sizeof *s->segment_cap * n);
  memset(s->segment_cap + old, 0, sizeof *s->segment_cap * (n - old));
  s->any_source = array_grow(s->any_source, sizeof *s->any_source * n);
  memset(s->any_source + old, 0, sizeof *s->any_source * (n - old));
  s->place = array_grow(s->place, sizeof *s->place * n);
  s->ranks = p;
}

static recorder *recorder_new(void) {
  recorder *s = memset(array_grow(NULL, sizeof *s), 0, sizeof *s);
  s->base = mmap(NULL, BUFFERS * BUFFER_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (s->base == MAP_FAILED) {
    perror("collscope: cannot reserve 3 TiB of addresses for a record (is there a limit, ulimit -v?)");
    exit(1);
  }
  return s;
}

static void copy_args(recorder *s, const coll_args *args) {
  record *r = &s->record;
  int p = args->size;
  r->args = *args;
  r->args.in = NULL;
  r->args.out = r->args.prepared = NULL;
  int params = 0;
  while (s->alg->params && s->alg->params[params].name) params++;
  for (int i = 0; i < params; i++) s->param[i] = args->param ? args->param[i] : s->alg->params[i].value;
  r->args.param = s->param;
  if (args->place && args->place != s->place) memcpy(s->place, args->place, sizeof *s->place * (size_t)p);
  else if (!args->place) memset(s->place, 0, sizeof *s->place * (size_t)p);
  r->args.place = s->place;
  if (s->levels_size == p && !memcmp(s->levels_place, s->place, sizeof *s->place * (size_t)p)) return;
  for (int l = 0; l < COLL_LEVELS; l++) {
    if (s->levels_size) coll_grouping_free(&s->levels[l]);
    coll_grouping_make(&s->levels[l], (coll_level)l, p, s->place);
  }
  s->levels_place = array_grow(s->levels_place, sizeof *s->place * (size_t)p);
  memcpy(s->levels_place, s->place, sizeof *s->place * (size_t)p);
  s->levels_size = p;
}

/* Shows a rank that is done. Its list serves the next one, so that a million need no more memory than the longest of them. */
static void show(recorder *s, int rank, record_viewer viewer) {
  rec_rank *now = &s->record.rank[rank];
  viewer.see(viewer.user, &s->record, rank);
  now->n = 0;
  if (rank + 1 == s->record.args.size) return;
  rec_rank empty = now[1];
  now[1].op = now->op;
  now[1].cap = now->cap;
  now->op = empty.op;
  now->cap = empty.cap;
}

/* What one rank does follows from its own code, unless that asks what others have done. */
static record *refuse_alone(recorder *s) {
  snprintf(s->record.error, sizeof s->record.error, "rank %d cannot be recorded alone: %s %s", s->alone, s->alg->key,
           s->alg->flags & COLL_ANY_SOURCE
               ? "receives from any source, and which message comes first is up to the others"
               : "uses shared segments, which all ranks of a group open together");
  return &s->record;
}

static record *record_into(recorder *s, const coll_alg *alg, const coll_args *args, int calls, unsigned seed,
                           record_viewer viewer) {
  record *r = &s->record;
  int p = args->size;
  sized(s, p);
  s->alg = alg;
  r->collective = alg->collective;
  r->serial = ++active.serial;
  r->calls = calls < 1 ? 1 : calls > REC_CALLS ? REC_CALLS : calls;
  r->error[0] = '\0';
  r->segment_groups = 0;
  r->chose = r->endless = false;
  s->seed = seed;
  s->most = active.most;
  s->player.begun = false;
  copy_args(s, args);
  pool_reset(&s->keep);
  pool_reset(&s->segments);
  if (!active.handler) listen_to_signals();
  for (int i = 0; i < p; i++) {
    s->any_source[i].n = s->any_source[i].at = 0;
    s->any_source[i].done = s->any_source[i].visited = false;
    r->layout[i] = rec_layout_of(alg->collective, &r->args, i);
    r->rank[i].n = 0;
    r->segments[i] = 0;
  }
  if (s->alone >= 0 && alg->flags & (COLL_ANY_SOURCE | COLL_SEGMENTS)) return refuse_alone(s);
  active.current = s;
  bool any = alg->flags & COLL_ANY_SOURCE;
  for (int left = p; left && !*r->error;) {
    left = 0;
    for (int i = 0; i < p && !*r->error; i++) {
      any_source *w = &s->any_source[i];
      if (s->alone >= 0 && i != s->alone) continue;
      if (w->done || (w->visited && w->at == w->n)) continue; /* nothing new for it */
      make_rank(s, i);
      w->visited = true;
      if (viewer.see && !any && !*r->error) show(s, i, viewer);
    }
    if (*r->error || !any) break;
    for (int i = 0; i < p; i++) left += !s->any_source[i].done;
    if (left && !rec_choose_sources(s)) {
      int i = 0;
      while (s->any_source[i].done) i++;
      snprintf(r->error, sizeof r->error, "rank %d: recv_any waits for a message that nobody sends", i);
    }
  }
  active.current = NULL;
  for (int i = 0; i < p && viewer.see && any && !*r->error; i++) viewer.see(viewer.user, r, i);
  for (int i = 0; i < p && !*r->error; i++)
    for (int k = 0; k < r->segments[i]; k++) s->groups[r->segment[i][k].group].opened++;
  for (int i = 0; i < r->segment_groups && !*r->error; i++) {
    const group *g = &s->groups[i];
    if (g->opened != g->members)
      snprintf(r->error, sizeof r->error, "rank %d: opens a segment of %d members, %d of which open it", g->first_rank,
               g->members, g->opened);
  }
  return r;
}

static void forget_sites(recorder *s) {
  for (int i = 0; i < s->ranks; i++) {
    free(s->record.rank[i].site);
    s->record.rank[i].site = NULL;
  }
  s->sited = false;
}

static record *record_afresh(record *reuse, const coll_alg *alg, const coll_args *args, int calls, unsigned seed,
                             int alone, record_viewer viewer) {
  recorder *s = reuse ? (recorder *)reuse : recorder_new();
  if (s->sited) forget_sites(s);
  s->alone = alone;
  return record_into(s, alg, args, calls, seed, viewer);
}

record *record_make(record *reuse, const coll_alg *alg, const coll_args *args, int calls, unsigned seed) {
  return record_afresh(reuse, alg, args, calls, seed, ALL, (record_viewer){ 0 });
}

record *record_view(record *reuse, const coll_alg *alg, const coll_args *args, unsigned seed, record_viewer viewer) {
  return record_afresh(reuse, alg, args, 1, seed, ALL, viewer);
}

record *record_rank(record *reuse, const coll_alg *alg, const coll_args *args, int rank) {
  return record_afresh(reuse, alg, args, 1, 0, rank, (record_viewer){ 0 });
}

void record_sites(record *r) {
  recorder *s = (recorder *)r;
  if (*r->error || s->sited) return;
  for (int i = 0; i < r->args.size; i++) r->rank[i].site = array_grow(NULL, sizeof *r->rank[i].site * r->rank[i].cap);
  s->sited = true;
  record_into(s, s->alg, &r->args, r->calls, s->seed, (record_viewer){ 0 });
}

void record_now(char *text, size_t size) {
  const recorder *s = active.current;
  *text = '\0';
  if (!s || !s->inside) return;
  snprintf(text, size, "rank %d has recorded %zu operations%s%s", s->rank, s->now->n, s->site ? ", the last at " : "",
           s->site ? s->site : "");
}

void record_free(record *r) {
  recorder *s = (recorder *)r;
  if (!s) return;
  for (int i = 0; i < s->ranks; i++) {
    free(r->rank[i].op);
    free(r->rank[i].site);
    free(r->rank[i].piece);
    free(r->segment[i]);
    free(s->any_source[i].source);
  }
  for (int l = 0; l < COLL_LEVELS && s->levels_size; l++) coll_grouping_free(&s->levels[l]);
  free(s->levels_place);
  free(r->layout);
  free(r->rank);
  free(r->segment);
  free(r->segments);
  free(s->segment_cap);
  free(s->any_source);
  free(s->place);
  free(s->scratch);
  free(s->groups);
  rec_player_free(&s->player);
  pool_free(&s->keep);
  pool_free(&s->segments);
  munmap(s->base, BUFFERS * BUFFER_BYTES);
  free(s);
}
