#include "driver/check/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/key.h"

typedef struct {
  plan_type type;
  plan_op op;
  bool in_place;
} flavour;

static const flavour reducing[] = { { PLAN_FLOAT, PLAN_SUM, false },
                                    { PLAN_AFFINE, PLAN_OP_AFFINE, false },
                                    { PLAN_INT, PLAN_MAX, true },
                                    { PLAN_AFFINE, PLAN_OP_AFFINE, true } };
static const flavour moving[] = { { PLAN_INT, PLAN_NONE, false }, { PLAN_DOUBLE, PLAN_NONE, true } };

typedef struct {
  const coll_alg *alg;
  coll_args *args;
  points_visit *visit;
  void *self;
} sweeping;

static void all_roots(const sweeping *s, int max_roots) {
  coll_args *a = s->args;
  bool op = coll_has_operator(s->alg->collective);
  const flavour *f = op ? reducing : moving;
  int flavours = op ? (int)(sizeof reducing / sizeof *reducing) : (int)(sizeof moving / sizeof *moving);
  int roots = coll_has_root(s->alg->collective) ? a->size : 1;
  for (int root = 0; root < roots; root++) {
    /* Few roots: the ends and the middle. */
    if (max_roots && roots > max_roots && root != 0 && root != roots / 2 && root != roots - 1) continue;
    a->root = root;
    for (int i = 0; i < flavours; i++) {
      a->elem = plan_type_bytes(f[i].type);
      a->commutes = plan_op_commutes(f[i].op);
      a->in_place = f[i].in_place;
      s->visit(s->self, s->alg, a, f[i].type, f[i].op);
    }
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
static void all_parameters(const sweeping *s, long *param, int max_roots) {
  all_roots(s, max_roots);
  for (int i = 0; s->alg->params && s->alg->params[i].name; i++) {
    const coll_param *p = &s->alg->params[i];
    static const long numbers[] = { 0, 1, 3, 64, 1024 };
    long usual = param[i];
    long values = p->words ? p->max - p->min + 1 : (long)(sizeof numbers / sizeof *numbers);
    for (long k = 0; k < values; k++) {
      long v = p->words ? p->min + k : numbers[k];
      if (v < p->min || v > p->max || v == usual) continue;
      /* Short segments are tried on short vectors: each costs a message. */
      if (is_segment(p->name) && v > 0 && whole_vector(s->alg, s->args) * 8 > 16 * (size_t)v) continue;
      param[i] = v;
      all_roots(s, max_roots ? max_roots : 3);
    }
    param[i] = usual;
  }
}

/* Blocks of several lengths, some of them empty. */
static void uneven_blocks(sweeping *s, long *param, int max_roots) {
  static const char *const names[] = { "linear", "zipf:2", "one:0" };
  plan_point q = { .collective = s->alg->collective, .count = 29 };
  size_t *displs = NULL;
  s->args->count = q.count;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char error[512];
    if (distribution_parse(&q.counts, names[i]) || !plan_cut(&q, s->args, &displs, error, sizeof error)) abort();
    all_parameters(s, param, max_roots ? max_roots : 3);
  }
  free(displs);
}

void points_each(const coll_alg *alg, int p, const coll_place *place, int max_roots, points_visit *visit, void *self) {
  long param[COLL_PARAMS];
  for (int k = 0; alg->params && alg->params[k].name; k++) param[k] = alg->params[k].value;
  size_t counts[] = { 0, 1, (size_t)p - 1, (size_t)p, (size_t)p + 1, 1000 };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    bool repeated = false;
    for (size_t k = 0; k < i; k++) repeated |= counts[k] == counts[i];
    if (repeated) continue;
    coll_args a = { .size = p, .count = counts[i], .param = param, .place = place };
    all_parameters(&(sweeping){ .alg = alg, .args = &a, .visit = visit, .self = self }, param, max_roots);
  }
  if (!(alg->flags & COLL_ANY_BLOCKS)) return;
  coll_args a = { .size = p, .param = param, .place = place };
  uneven_blocks(&(sweeping){ .alg = alg, .args = &a, .visit = visit, .self = self }, param, max_roots);
}

void points_name(char *name, size_t size, const coll_alg *alg, const coll_args *a, plan_type type) {
  char key[256];
  coll_key(alg, a->param, key, sizeof key);
  snprintf(name, size, "%s p=%d count=%zu%s root=%d%s %s", key, a->size, a->count, a->displs ? " uneven" : "", a->root,
           a->in_place ? " in place" : "", plan_type_name(type));
}
