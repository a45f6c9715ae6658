#include "prove/osu_loop.h"

#include <stdio.h>

#include "core/catalogue/find.h"
#include "core/schedule/recorder/record.h"

/* warmup, repetitions: calls of which none is marked, and of which all are. */
static struct {
  const coll_alg *barrier, *call;
  const long *barrier_param;
  int warmup, repetitions;
} now;

typedef struct {
  void *barrier, *call;
} prepared;

static coll_args barrier_args(const coll_args *a, void *ready) {
  return (coll_args){
    .size = a->size, .elem = a->elem, .commutes = true, .param = now.barrier_param, .place = a->place, .prepared = ready
  };
}

static void *prepare(coll_ctx *c, const coll_args *a) {
  prepared *p = coll_keep(c, sizeof *p);
  coll_args b = barrier_args(a, NULL);
  *p = (prepared){ now.barrier->prepare ? now.barrier->prepare(c, &b) : NULL,
                   now.call->prepare ? now.call->prepare(c, a) : NULL };
  return p;
}

static void run(coll_ctx *c, const coll_args *a) {
  const prepared *p = a->prepared;
  coll_args b = barrier_args(a, p->barrier), call = *a;
  call.prepared = p->call;
  for (int i = 0; i < now.warmup + now.repetitions; i++) {
    now.barrier->run(c, &b);
    if (i >= now.warmup) record_mark(c, false);
    now.call->run(c, &call);
    if (i >= now.warmup) record_mark(c, true);
  }
}

const coll_alg *osu_loop_alg(const plan_point *q, const coll_alg *call, const coll_args *args, long *param,
                             char *reason, size_t size) {
  static coll_alg alg;
  coll_args none = { .size = args->size, .elem = args->elem, .commutes = true, .param = param, .place = args->place };
  const coll_alg *barrier = coll_choose(q->barrier, COLL_BARRIER, &none, param, reason, size);
  if (!barrier) return NULL;
  const char *why = record_unsupported(barrier, &none, reason, size);
  if (!why && (call->flags | barrier->flags) & COLL_ANY_SOURCE)
    why = "receives from any source, which could take a message of the next barrier; take osu_avg without one";
  if (why) {
    if (why != reason) snprintf(reason, size, "%s", why);
    return NULL;
  }
  now.barrier = barrier;
  now.call = call;
  now.barrier_param = param;
  now.warmup = q->warmup;
  now.repetitions = q->repetitions;
  alg = *call;
  alg.flags |= barrier->flags;
  alg.prepare = prepare;
  alg.run = run;
  return &alg;
}
