#include "driver/measure/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/find.h"
#include "driver/measure/played.h"
#include "driver/port.h"

static const char *find_builtin(const plan_point *p, const coll_args *a, bool trace, char *reason, size_t size) {
  if (!coll_facts_of(p->collective)->mpi)
    return snprintf(reason, size, "MPI has no %s", coll_collective_name(p->collective)), reason;
  if (trace) return snprintf(reason, size, "a call of the library's own cannot be traced"), reason;
  bool counts_all = coll_may_be_uneven(p->collective) && coll_counts_of(p->collective) == COLL_COUNTS_BLOCK;
  size_t most = counts_all ? 0 : p->count;
  for (int r = 0; r < a->size && counts_all; r++) {
    size_t n = coll_in_count(p->collective, a, r) + coll_result_count(p->collective, a, r);
    most = n > most ? n : most;
  }
  if (most > (size_t)1 << 30) return snprintf(reason, size, "MPI's own call takes at most 2^30 elements here"), reason;
  return NULL;
}

/* NULL, or why the point's barrier cannot be. */
static const char *find_barrier(subject *s, const plan_point *p, char *reason, size_t size) {
  const coll_args *a = &s->bound.args;
  s->barrier_bound = (binding){
    .type = s->bound.type,
    .op = MPI_OP_NULL,
    .args = { .size = a->size, .elem = a->elem, .commutes = true, .param = s->barrier_bound.param, .place = a->place }
  };
  return bind_key(&s->barrier_bound, p->barrier, COLL_BARRIER, reason, size);
}

static const char *find(subject *s, launch *l, const plan_point *p, int ranks, bool trace, char *reason, size_t size) {
  bool combines = coll_has_operator(p->collective);
  *s = (subject){ .comm = launch_first(l, ranks), .apart = MPI_COMM_NULL, .collective = p->collective };
  const char *mismatch = combines ? plan_op_mismatch(p->type, p->op) : NULL;
  if (mismatch) return snprintf(reason, size, "%s", mismatch), reason;
  mpi_call call = { .collective = p->collective,
                    .ranks = ranks,
                    .root = p->root,
                    .count = p->count,
                    .type = l->types.type[p->type],
                    .op = combines ? l->types.op[p->op] : MPI_OP_NULL,
                    .in_place = p->in_place,
                    .place = l->place };
  const char *why = bind_shape(&s->bound, &call, reason, size);
  if (why) return why;
  char large[PLAN_REASON];
  if (plan_too_large(p, ranks, large)) return snprintf(reason, size, "count=%zu: %s", p->count, large), reason;
  if (!plan_cut(p, &s->bound.args, &s->displs, reason, size)) return reason;
  if (p->buffers == PLAN_COLD && !port_has_caches())
    return snprintf(reason, size, "a simulation has no cold buffers; take warm or fresh ones"), reason;
  bool goes_on = plan_is_nonblocking(p->metric);
  if (goes_on && trace) return snprintf(reason, size, "a trace is of a blocking call: metric makespan"), reason;
  if (*p->barrier && (why = find_barrier(s, p, reason, size))) return why;
  if (played_is_key(p->key)) why = played_bind(l->played, p, &s->bound, reason, size);
  else if (coll_takes_builtin(p->key, p->collective, &s->bound.args)) {
    if (coll_is_decision(p->key))
      snprintf(s->bound.chose, sizeof s->bound.chose, "%s/builtin", coll_collective_name(p->collective));
    why = find_builtin(p, &s->bound.args, trace, reason, size);
  } else why = bind_key(&s->bound, p->key, p->collective, reason, size);
  if (!why && goes_on) why = nonblocking_unsupported(p, s->bound.alg);
  if (!why && trace && (p->metric == PLAN_LOOP || p->metric == PLAN_OSU_AVG))
    return snprintf(reason, size, "a trace needs a common start: metric makespan"), reason;
  return why;
}

const char *subject_find(subject *s, launch *l, const plan_point *p, int ranks, bool trace, char *reason, size_t size) {
  const char *why = find(s, l, p, ranks, trace, reason, size);
  if (why) free(s->displs);
  return why;
}

/* Warming up, one rank is at a later point than another: a receive from any source would take messages of that. */
static MPI_Comm communicator_of(subject *s) {
  if (s->bound.alg->flags & COLL_ANY_SOURCE) MPI_Comm_dup(s->comm, &s->apart);
  return s->apart == MPI_COMM_NULL ? s->comm : s->apart;
}

void subject_open(subject *s, const plan_point *p, bool trace) {
  if (trace) s->observer = observe_make(port_now);
  if (!s->bound.alg) builtin_open(&s->builtin, s->comm, s->collective, &s->bound.args, s->bound.type, s->bound.op);
  if (plan_is_nonblocking(p->metric)) s->nonblocking = nonblocking_open(s->comm, p, &s->bound, &s->builtin);
  else if (s->bound.alg)
    s->call = coll_open_observed(communicator_of(s), s->bound.alg, &s->bound.args, s->bound.type, s->bound.op,
                                 s->observer);
  if (!s->barrier_bound.alg) return;
  MPI_Comm_dup(s->comm, &s->barrier_comm); /* a receive from any source must not take its messages */
  s->barrier = coll_open(s->barrier_comm, s->barrier_bound.alg, &s->barrier_bound.args, s->barrier_bound.type,
                         MPI_OP_NULL);
}

void subject_renew(const subject *s) {
  if (s->call) coll_renew(s->call);
}

void subject_run(const subject *s) {
  if (s->nonblocking) nonblocking_run(s->nonblocking);
  else if (s->call) coll_run(s->call);
  else builtin_run(&s->builtin);
}

void subject_barrier(const subject *s) {
  if (s->barrier) coll_run(s->barrier);
  else MPI_Barrier(s->comm);
}

void subject_close(subject *s) {
  if (s->nonblocking) nonblocking_close(s->nonblocking);
  if (s->call) coll_close(s->call);
  if (s->apart != MPI_COMM_NULL) MPI_Comm_free(&s->apart);
  if (!s->bound.alg) builtin_close(&s->builtin);
  if (s->barrier) {
    coll_close(s->barrier);
    MPI_Comm_free(&s->barrier_comm);
  }
  if (s->observer) observe_free(s->observer);
  free(s->displs);
}
