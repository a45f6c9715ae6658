/* The registry walk: every algorithm over ranks, counts, roots, operators and parameters, each call's data checked twice (a second run
 * on the same plan shows what the first left behind). */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "operations/mpi.h"

typedef struct { plan_type type; plan_op op; bool in_place; } flavour;

static const flavour reducing[] = { { PLAN_FLOAT, PLAN_SUM, false }, { PLAN_AFFINE, PLAN_OP_AFFINE, false },
                                    { PLAN_INT, PLAN_MAX, true }, { PLAN_AFFINE, PLAN_OP_AFFINE, true } };
static const flavour moving[] = { { PLAN_INT, PLAN_NONE, false }, { PLAN_DOUBLE, PLAN_NONE, true } };

typedef struct { size_t calls, unsupported, wrong; } tally;

static void one_call(driver *d, const coll_alg *alg, MPI_Comm comm, coll_args *a, const flavour *f, tally *t) {
  char why[256], what[384], key[256];
  a->elem = plan_type_bytes(f->type);
  a->commutes = plan_op_commutes(f->op);
  a->in_place = f->in_place;
  if (coll_unsupported(alg, a, why, sizeof why)) {
    t->unsupported++;
    return;
  }
  buffers b;
  buffers_make(&b, alg->collective, a, d->rank);
  a->in = b.in;
  a->out = b.out;
  coll_call *call = coll_open(comm, alg, a, d->types.type[f->type], coll_has_operator(alg->collective) ? d->types.op[f->op] : MPI_OP_NULL);
  coll_key(alg, a->param, key, sizeof key);
  snprintf(what, sizeof what, "%s p=%d count=%zu root=%d%s %s", key, a->size, a->count, a->root, f->in_place ? " in place" : "",
           plan_type_name(f->type));
  size_t wrong = 0;
  for (int run = 0; run < 2; run++) {
    buffers_fill(&b, alg->collective, a, d->rank, f->type, f->op);
    coll_run(call);
    wrong += buffers_check(&b, alg->collective, a, d->rank, f->type, f->op, what);
  }
  t->calls++;
  if (wrong) t->wrong++;
  coll_close(call);
  buffers_free(&b);
}

static void all_roots(driver *d, const coll_alg *alg, coll_args *a, MPI_Comm comm, int max_roots, tally *t) {
  bool op = coll_has_operator(alg->collective);
  const flavour *f = op ? reducing : moving;
  int flavours = op ? (int)(sizeof reducing / sizeof *reducing) : (int)(sizeof moving / sizeof *moving);
  int roots = coll_has_root(alg->collective) ? a->size : 1;
  for (int root = 0; root < roots; root++) {
    /* Few roots: the ends and the middle. */
    if (max_roots && roots > max_roots && root != 0 && root != roots / 2 && root != roots - 1) continue;
    a->root = root;
    for (int i = 0; i < flavours; i++) one_call(d, alg, comm, a, &f[i], t);
  }
}

/* A parameter that says how long segments are: s, or reduce_s and the like of a part. */
static bool is_segment(const char *name) {
  size_t n = strlen(name);
  return !strcmp(name, "s") || (n > 2 && !strcmp(name + n - 2, "_s"));
}

/* Elements that a part may have to move: for collectives of blocks, those of all ranks. */
static size_t whole_vector(const coll_alg *alg, const coll_args *a) {
  size_t in = coll_in_count(alg->collective, a, a->root), out = coll_out_count(alg->collective, a, a->root);
  return in > out ? in : out;
}

/* Defaults, then each parameter at values that lie on an edge, the others as they are. */
static void all_parameters(driver *d, const coll_alg *alg, coll_args *a, long *param, MPI_Comm comm, int max_roots, tally *t) {
  all_roots(d, alg, a, comm, max_roots, t);
  for (int i = 0; alg->params && alg->params[i].name; i++) {
    const coll_param *p = &alg->params[i];
    static const long numbers[] = { 0, 1, 3, 64, 1024 };
    long usual = param[i];
    long values = p->words ? p->max - p->min + 1 : (long)(sizeof numbers / sizeof *numbers);
    for (long k = 0; k < values; k++) {
      long v = p->words ? p->min + k : numbers[k];
      if (v < p->min || v > p->max || v == usual) continue;
      /* Short segments are tried on short vectors: each costs a message. */
      if (is_segment(p->name) && v > 0 && whole_vector(alg, a) * 8 > 16 * (size_t)v) continue;
      param[i] = v;
      all_roots(d, alg, a, comm, max_roots ? max_roots : 3, t);
    }
    param[i] = usual;
  }
}

size_t walk(driver *d, const walk_options *o) {
  static const int ranks[] = { 1, 2, 3, 4, 5, 7, 8, 13, 16 };
  size_t wrong = 0;
  for (const coll_alg *const *at = coll_registry; *at; at++) {
    const coll_alg *alg = *at;
    if (o->parts && (at - coll_registry) % o->parts != o->part) continue;
    if (o->algorithm && strncmp(alg->key, o->algorithm, strlen(o->algorithm))) continue;
    tally t = { 0 };
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      int p = ranks[r];
      if (p > d->size) continue;
      MPI_Comm comm = driver_first(d, p);
      if (d->rank >= p) continue;
      size_t counts[] = { 0, 1, (size_t)p - 1, (size_t)p, (size_t)p + 1, 1000 };
      for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        long param[COLL_PARAMS];
        for (int k = 0; alg->params && alg->params[k].name; k++) param[k] = alg->params[k].value;
        coll_args a = { .size = p, .count = counts[i], .param = param, .place = d->place };
        bool seen = false;
        for (size_t k = 0; k < i; k++) seen |= counts[k] == counts[i];
        if (!seen) all_parameters(d, alg, &a, param, comm, o->max_roots, &t);
      }
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
