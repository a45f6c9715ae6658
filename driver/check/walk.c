/* The registry walk: every algorithm over ranks, counts, roots, operators and parameters, each call's data checked twice (a second run
 * on the same plan shows what the first left behind). */
#include "driver/driver.h"

#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/key.h"
#include "core/runtime/mpi.h"
#include "driver/check/points.h"

typedef struct {
  driver *d;
  MPI_Comm comm;
  size_t calls, unsupported, wrong;
} tally;

static void one_call(void *self, const coll_alg *alg, const coll_args *shape, plan_type type, plan_op op) {
  tally *t = self;
  driver *d = t->d;
  char why[256], what[384], key[256];
  coll_args a = *shape;
  if (coll_unsupported(alg, &a, why, sizeof why)) {
    t->unsupported++;
    return;
  }
  buffers b;
  buffers_make(&b, alg->collective, &a, d->rank);
  a.in = b.in;
  a.out = b.out;
  coll_call *call = coll_open(t->comm, alg, &a, d->types.type[type], coll_has_operator(alg->collective) ? d->types.op[op] : MPI_OP_NULL);
  coll_key(alg, a.param, key, sizeof key);
  snprintf(what, sizeof what, "%s p=%d count=%zu root=%d%s %s", key, a.size, a.count, a.root, a.in_place ? " in place" : "",
           plan_type_name(type));
  size_t wrong = 0;
  for (int run = 0; run < 2; run++) {
    buffers_fill(&b, alg->collective, &a, d->rank, type, op);
    coll_run(call);
    wrong += buffers_check(&b, alg->collective, &a, d->rank, type, op, what);
  }
  /* A barrier's call has a shape like any other, but only one meaning: once will do. */
  if (coll_counts_of(alg->collective) == COLL_COUNTS_NOTHING && !a.count && !a.in_place) wrong += barrier_check(t->comm, call, what);
  t->calls++;
  if (wrong) t->wrong++;
  coll_close(call);
  buffers_free(&b);
}

size_t walk(driver *d, const walk_options *o) {
  static const int ranks[] = { 1, 2, 3, 4, 5, 7, 8, 13, 16 };
  size_t wrong = 0;
  for (const coll_alg *const *at = coll_registry; *at; at++) {
    const coll_alg *alg = *at;
    if (o->parts && (at - coll_registry) % o->parts != o->part) continue;
    if (o->algorithm && strncmp(alg->key, o->algorithm, strlen(o->algorithm))) continue;
    tally t = { .d = d };
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      if (ranks[r] > d->size) continue;
      t.comm = driver_first(d, ranks[r]);
      if (d->rank < ranks[r]) points_each(alg, ranks[r], d->place, o->max_roots, one_call, &t);
    }
    unsigned long bad = t.wrong, total;
    MPI_Allreduce(&bad, &total, 1, MPI_UNSIGNED_LONG, MPI_SUM, d->world);
    if (d->rank == 0) {
      fprintf(d->out, "{\"walk\":\"%s\",\"calls\":%zu,\"unsupported\":%zu,\"wrong\":%lu}\n", alg->key, t.calls, t.unsupported, total);
      fflush(d->out);
    }
    wrong += total;
  }
  return wrong;
}
