#include "driver/check/sweep.h"

#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/json.h"
#include "core/catalogue/key.h"
#include "core/runtime/mpi.h"
#include "driver/check/barrier.h"
#include "driver/check/points.h"
#include "driver/check/verify.h"

typedef struct {
  const launch *launch;
  MPI_Comm comm;
  size_t calls, unsupported, wrong;
} tally;

static void one_call(void *self, const coll_alg *alg, const coll_args *shape, plan_type type, plan_op op) {
  tally *t = self;
  const launch *l = t->launch;
  char why[256], what[POINTS_NAME];
  coll_args a = *shape;
  if (coll_unsupported(alg, &a, why, sizeof why)) {
    t->unsupported++;
    return;
  }
  buffers b;
  buffers_make(&b, alg->collective, &a, l->rank);
  a.in = b.in;
  a.out = b.out;
  bool apart = alg->flags & COLL_ANY_SOURCE; /* would take messages of the next calls */
  MPI_Comm comm = t->comm;
  if (apart) MPI_Comm_dup(t->comm, &comm);
  coll_call *call = coll_open(comm, alg, &a, l->types.type[type],
                              coll_has_operator(alg->collective) ? l->types.op[op] : MPI_OP_NULL);
  points_name(what, sizeof what, alg, &a, type);
  size_t wrong = 0;
  for (int run = 0; run < 2; run++) {
    buffers_fill(&b, alg->collective, &a, l->rank, type, op);
    coll_run(call);
    wrong += buffers_check(&b, alg->collective, &a, l->rank, type, op, what);
  }
  /* A barrier's call has a shape like any other, but only one meaning: once will do. */
  if (coll_counts_of(alg->collective) == COLL_COUNTS_NOTHING && !a.count && !a.in_place)
    wrong += barrier_check(t->comm, call, what);
  t->calls++;
  if (wrong) t->wrong++;
  coll_close(call);
  if (apart) MPI_Comm_free(&comm);
  buffers_free(&b);
}

/* Returns the number of wrong calls over all ranks. */
static size_t sweep_algorithm(launch *l, const coll_alg *alg, int max_roots, FILE *out) {
  static const int ranks[] = { 1, 2, 3, 4, 5, 7, 8, 13, 16 };
  tally t = { .launch = l };
  for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
    if (ranks[r] > l->size) continue;
    t.comm = launch_first(l, ranks[r]);
    if (l->rank < ranks[r]) points_each(alg, ranks[r], l->place, max_roots, one_call, &t);
  }
  unsigned long bad = t.wrong, total;
  MPI_Allreduce(&bad, &total, 1, MPI_UNSIGNED_LONG, MPI_SUM, l->world);
  if (l->rank == 0) {
    json j = json_on(out);
    json_object(&j, NULL);
    json_text(&j, "sweep", alg->key);
    json_size(&j, "calls", t.calls);
    json_size(&j, "unsupported", t.unsupported);
    json_size(&j, "wrong", total);
    json_end(&j);
    fflush(out);
  }
  return total;
}

size_t sweep(launch *l, const sweep_options *o, FILE *out) {
  size_t wrong = 0;
  for (const coll_alg *const *at = coll_registry; *at; at++) {
    if (o->parts && (at - coll_registry) % o->parts != o->part) continue;
    if (o->algorithm && strncmp((*at)->key, o->algorithm, strlen(o->algorithm))) continue;
    wrong += sweep_algorithm(l, *at, o->max_roots, out);
  }
  return wrong;
}
