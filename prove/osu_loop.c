#include "prove/osu_loop.h"

#include "core/schedule/recorder/record.h"

static osu_loop now;

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

const coll_alg *osu_loop_alg(const osu_loop *loop) {
  static coll_alg alg;
  now = *loop;
  alg = *loop->call;
  alg.flags |= loop->barrier->flags;
  alg.prepare = prepare;
  alg.run = run;
  return &alg;
}
