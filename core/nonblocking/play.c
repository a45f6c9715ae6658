/* The face: calls are started, advanced, waited for. */
#include "core/nonblocking/play.h"

#include <stdlib.h>
#include <threads.h>

#include "core/nonblocking/playing.h"
#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

/* ---- calls ------------------------------------------------------------------------------------------ */

static void take_buffers(coll_playing *p, const void *in, void *out) {
  p->buffer[REC_IN] = (void *)in;
  p->buffer[REC_OUT] = out;
  p->buffer[REC_SCRATCH] = p->scratch;
}

static void begin(coll_playing *p, const void *in, void *out, uint64_t sequence) {
  const coll_plan *g = p->plan;
  take_buffers(p, in, out);
  p->number = sequence % engine_numbers(p->engine);
  requests_open_numbered(&p->requests, p->requests.comm, p->requests.type, g->elem, p->number);
  playing_reset(p);
  engine_enter(p->engine);
  engine_add(p->engine, p);
  playing_go_on(p);
  engine_leave(p->engine);
}

/* It begins at a cache line, as its pieces do within it. */
static void take_scratch(coll_playing *p, size_t bytes) {
  if (!bytes) return;
  p->scratch_bytes = bytes;
  engine_enter(p->engine);
  p->scratch = engine_take_scratch(p->engine, &p->scratch_bytes);
  engine_leave(p->engine);
  if (bytes >= port_fresh_from()) byte_set_add(&p->untouched, (uintptr_t)p->scratch, bytes);
}

coll_playing *coll_start(coll_engine *e, MPI_Comm comm, const coll_plan *plan, const void *in, void *out,
                         MPI_Datatype type, MPI_Op op, uint64_t sequence) {
  size_t nodes = plan->nodes;
  coll_playing *p = runtime_allocate(sizeof *p + 2 * sizeof *p->waits_for * nodes);
  *p = (coll_playing){ .engine = e, .plan = plan, .op = op, .requests = { .comm = comm, .type = type } };
  p->waits_for = (uint32_t *)(p + 1);
  p->messages.node = p->waits_for + nodes;
  p->work.node = p->messages.node + plan->messages;
  take_scratch(p, plan->scratch);
  begin(p, in, out, sequence);
  return p;
}

void coll_restart(coll_playing *p, const void *in, void *out, uint64_t sequence) {
  p->done = false;
  begin(p, in, out, sequence);
}

/* A look, and what follows from it. A call that is held goes on when that before it is done, which is older. */
static void look(coll_engine *e, bool waits) {
  const message_owner *of = NULL;
  int through = engine_look(e, waits, &of);
  for (int i = 0; i < through; i++) playing_part_is_through(of[i].playing, of[i].node);
  for (coll_playing *p = through ? engine_oldest(e) : NULL, *next; p; p = next) {
    next = p->next;
    playing_go_on(p);
  }
}

bool coll_advance(coll_engine *e) {
  if (!engine_try(e)) return true;
  look(e, false);
  bool more = engine_oldest(e);
  engine_leave(e);
  return more;
}

bool coll_done(const coll_playing *p) { return atomic_load_explicit(&p->done, memory_order_acquire); }

bool coll_test(coll_playing *p) {
  if (!coll_done(p)) coll_advance(p->engine);
  return coll_done(p);
}

void coll_complete(coll_playing *p) {
  coll_engine *e = p->engine;
  while (!coll_done(p)) {
    if (!engine_try(e)) thrd_yield();
    else {
      if (!coll_done(p)) look(e, !engine_has_threads(e));
      engine_leave(e);
    }
  }
}

void coll_finish(coll_playing *p) {
  if (p->scratch) {
    engine_enter(p->engine);
    engine_give_scratch(p->engine, p->scratch, p->scratch_bytes);
    engine_leave(p->engine);
  }
  byte_set_free(&p->untouched);
  free(p);
}
