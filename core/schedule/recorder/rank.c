/* One rank from the beginning of its code to its end, for whoever records it: among all the others (record.c), or alone. */
#include "core/schedule/recorder/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/catalogue/collective.h"
#include "core/schedule/array.h"
#include "core/schedule/recorder/recorder.h"

/* ---- a recorder ------------------------------------------------------------------------------------- */

/* Addresses that no process has: an algorithm that looks at data faults there, too. */
#if UINTPTR_MAX > UINT32_MAX
static const uintptr_t nowhere = (uintptr_t)1 << 52;
#else
static const uintptr_t nowhere = (uintptr_t)1
                                 << 31; /* beyond the memory that WebAssembly is given (prove/CMakeLists.txt) */
#endif

recorder *rec_new(void) {
  recorder *s = memset(array_grow(NULL, sizeof *s), 0, sizeof *s);
  s->base = (char *)nowhere;
  return s;
}

static void make_room(recorder *s, int p) {
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

static void take_args(recorder *s, const coll_args *args) {
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
  if (args->displs) {
    size_t numbers = coll_displs(r->collective, p);
    if (args->displs != s->displs) {
      RESERVE(s->displs, s->displs_cap, numbers);
      memcpy(s->displs, args->displs, sizeof *s->displs * numbers);
    }
    r->args.displs = s->displs;
  }
  if (s->levels_size == p && !memcmp(s->levels_place, s->place, sizeof *s->place * (size_t)p)) return;
  for (int l = 0; l < COLL_LEVELS; l++) {
    if (s->levels_size) coll_grouping_free(&s->levels[l]);
    coll_grouping_make(&s->levels[l], (coll_level)l, p, s->place);
  }
  s->levels_place = array_grow(s->levels_place, sizeof *s->place * (size_t)p);
  memcpy(s->levels_place, s->place, sizeof *s->place * (size_t)p);
  s->levels_size = p;
}

void rec_begin(recorder *s, const coll_alg *alg, const coll_args *args) {
  record *r = &s->record;
  make_room(s, args->size);
  s->alg = alg;
  r->collective = alg->collective;
  r->error[0] = '\0';
  r->segment_groups = 0;
  r->chose = r->endless = r->cut_short = false;
  s->player.begun = false;
  take_args(s, args);
  pool_reset(&s->keep);
  pool_reset(&s->segments);
  for (int i = 0; i < args->size; i++) {
    s->any_source[i].n = s->any_source[i].at = 0;
    s->any_source[i].done = s->any_source[i].visited = false;
    r->layout[i] = rec_layout_of(alg->collective, &r->args, i);
    r->rank[i].n = 0;
    r->segments[i] = 0;
  }
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
  free(s->displs);
  free(s->scratch);
  free(s->groups);
  rec_player_free(&s->player);
  pool_free(&s->keep);
  pool_free(&s->segments);
  if (s->reserved) munmap(s->base, BUFFERS * BUFFER_BYTES);
  free(s);
}

/* ---- a rank ----------------------------------------------------------------------------------------- */

void rec_run_rank(recorder *s, int rank) {
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

/* What one rank does follows from its own code, unless that asks what others have done. */
static void refuse(recorder *s, int rank) {
  snprintf(s->record.error, sizeof s->record.error, "rank %d cannot be recorded alone: %s %s", rank, s->alg->key,
           s->alg->flags & COLL_ANY_SOURCE
               ? "receives from any source, and which message comes first is up to the others"
               : "uses shared segments, which all ranks of a group open together");
}

/* By itself: what is left by a jump has no variables of its own to lose. */
__attribute__((noinline)) static void try_rank(recorder *s, int rank) {
  if (!sigsetjmp(s->leave, 0)) rec_run_rank(s, rank);
}

record *record_rank(record *reuse, const coll_alg *alg, const coll_args *args, int rank) {
  recorder *s = reuse ? (recorder *)reuse : rec_new();
  rec_begin(s, alg, args);
  s->record.serial = 0;
  s->record.calls = 1;
  s->most = RECORD_OPERATIONS;
  if (alg->flags & (COLL_ANY_SOURCE | COLL_SEGMENTS)) refuse(s, rank);
  else try_rank(s, rank);
  s->inside = false;
  return &s->record;
}
