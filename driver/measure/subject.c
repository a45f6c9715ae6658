#include "driver/measure/subject.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/runtime/port.h"

static const char *find_builtin(const plan_point *p, bool trace, char *reason, size_t size) {
  if (!coll_facts_of(p->collective)->mpi)
    return snprintf(reason, size, "MPI has no %s", coll_collective_name(p->collective)), reason;
  if (trace) return snprintf(reason, size, "MPI's own call cannot be seen into"), reason;
  if (p->count > (size_t)1 << 30)
    return snprintf(reason, size, "MPI's own call takes at most 2^30 elements here"), reason;
  return NULL;
}

/* NULL, or why the point's barrier cannot be. */
static const char *find_barrier(subject *s, const plan_point *p, char *reason, size_t size) {
  s->barrier_args = (coll_args){
    .size = s->args.size, .elem = s->args.elem, .commutes = true, .param = s->barrier_param, .place = s->args.place
  };
  s->barrier_alg = coll_choose(p->barrier, COLL_BARRIER, &s->barrier_args, s->barrier_param, reason, size);
  return s->barrier_alg ? coll_unsupported(s->barrier_alg, &s->barrier_args, reason, size) : reason;
}

const char *subject_find(subject *s, launch *l, const plan_point *p, int ranks, bool trace, char *reason, size_t size) {
  *s = (subject){
    .comm = launch_first(l, ranks), .collective = p->collective, .type = l->types.type[p->type], .op = MPI_OP_NULL
  };
  s->args = plan_args(p, ranks, s->param, l->place);
  if (coll_has_operator(p->collective)) s->op = l->types.op[p->op];

  const char *mismatch = coll_has_operator(p->collective) ? plan_op_mismatch(p->type, p->op) : NULL;
  if (mismatch) return snprintf(reason, size, "%s", mismatch), reason;
  if (coll_has_root(p->collective) && (p->root < 0 || p->root >= ranks))
    return snprintf(reason, size, "root %d is not one of the %d ranks", p->root, ranks), reason;
  char large[PLAN_REASON];
  if (plan_too_large(p, ranks, large)) return snprintf(reason, size, "count=%zu: %s", p->count, large), reason;
  if (p->buffers == PLAN_COLD && !port_has_caches())
    return snprintf(reason, size, "a simulation has no cold buffers; take warm or fresh ones"), reason;
  const char *barred = *p->barrier ? find_barrier(s, p, reason, size) : NULL;
  if (barred) return barred;
  const char *slash = strchr(p->key, '/');
  if (slash && !strcmp(slash, "/builtin")) return find_builtin(p, trace, reason, size);
  s->alg = coll_choose(p->key, p->collective, &s->args, s->param, reason, size);
  if (!s->alg) return reason;
  if (coll_is_decision(p->key)) coll_key(s->alg, s->param, s->chose, sizeof s->chose);
  if (s->alg->collective != p->collective)
    return snprintf(reason, size, "%s is no algorithm of %s", s->alg->key, coll_collective_name(p->collective)), reason;
  if (trace && (p->metric == PLAN_LOOP || p->metric == PLAN_OSU_AVG))
    return snprintf(reason, size, "a trace needs a common start: metric makespan"), reason;
  return coll_unsupported(s->alg, &s->args, reason, size);
}

void subject_open(subject *s, bool trace) {
  if (trace) s->observer = observe_make(port_now);
  if (s->alg) s->call = coll_open_observed(s->comm, s->alg, &s->args, s->type, s->op, s->observer);
  else builtin_open(&s->builtin, s->comm, s->collective, &s->args, s->type, s->op);
  if (!s->barrier_alg) return;
  MPI_Comm_dup(s->comm, &s->barrier_comm); /* a receive from any source must not take its messages */
  s->barrier = coll_open(s->barrier_comm, s->barrier_alg, &s->barrier_args, s->type, MPI_OP_NULL);
}

void subject_renew(const subject *s) {
  if (s->call) coll_renew(s->call);
}

void subject_run(const subject *s) {
  if (s->call) coll_run(s->call);
  else builtin_run(&s->builtin);
}

void subject_barrier(const subject *s) {
  if (s->barrier) coll_run(s->barrier);
  else MPI_Barrier(s->comm);
}

void subject_close(subject *s) {
  if (s->call) coll_close(s->call);
  else builtin_close(&s->builtin);
  if (s->barrier) {
    coll_close(s->barrier);
    MPI_Comm_free(&s->barrier_comm);
  }
  if (s->observer) observe_free(s->observer);
}
