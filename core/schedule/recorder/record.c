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

static void make_rank(recorder *s, int rank) {
  switch (sigsetjmp(s->leave, 0)) {
    case 0:
      active.run++;
      rec_run_rank(s, rank);
      break;
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

/* WebAssembly has neither signals nor addresses to reserve: nothing has those that stand for buffers, and a program that touches one
 * ends. */
#ifdef __wasm__
static void reserve(recorder *s) {}
#else
static void reserve(recorder *s) {
  s->base = mmap(NULL, BUFFERS * BUFFER_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (s->base == MAP_FAILED) {
    perror("collscope: cannot reserve 3 TiB of addresses for a record (is there a limit, ulimit -v?)");
    exit(1);
  }
  s->reserved = true;
}
#endif

/* Shows a rank that is done. Its list serves the next one, so that a million need no more memory than the longest of them. */
static void show(recorder *s, int rank, record_viewer viewer) {
  rec_rank *now = &s->record.rank[rank];
  s->record.cut_short = !viewer.see(viewer.user, &s->record, rank);
  now->n = 0;
  if (rank + 1 == s->record.args.size) return;
  rec_rank empty = now[1];
  now[1].op = now->op;
  now[1].cap = now->cap;
  now->op = empty.op;
  now->cap = empty.cap;
}

static record *record_into(recorder *s, const coll_alg *alg, const coll_args *args, int calls, unsigned seed,
                           record_viewer viewer) {
  record *r = &s->record;
  int p = args->size;
  rec_begin(s, alg, args);
  r->serial = ++active.serial;
  r->calls = calls < 1 ? 1 : calls > REC_CALLS ? REC_CALLS : calls;
  s->seed = seed;
  s->most = active.most;
  if (!active.handler) listen_to_signals();
  active.current = s;
  bool any = alg->flags & COLL_ANY_SOURCE;
  for (int left = p; left && !*r->error;) {
    left = 0;
    for (int i = 0; i < p && !*r->error && !r->cut_short; i++) {
      any_source *w = &s->any_source[i];
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
  for (int i = 0; i < p && viewer.see && any && !*r->error && !r->cut_short; i++)
    r->cut_short = !viewer.see(viewer.user, r, i);
  if (r->cut_short) return r;
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
                             record_viewer viewer) {
  recorder *s = reuse ? (recorder *)reuse : rec_new();
  if (!s->reserved) reserve(s);
  if (s->sited) forget_sites(s);
  return record_into(s, alg, args, calls, seed, viewer);
}

record *record_make(record *reuse, const coll_alg *alg, const coll_args *args, int calls, unsigned seed) {
  return record_afresh(reuse, alg, args, calls, seed, (record_viewer){ 0 });
}

record *record_view(record *reuse, const coll_alg *alg, const coll_args *args, unsigned seed, record_viewer viewer) {
  return record_afresh(reuse, alg, args, 1, seed, viewer);
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
