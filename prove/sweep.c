#include "prove/sweep.h"
#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/plan/plan.h"
#include "prove/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FAILURES_SHOWN = 3 };
enum { NAME = 44, REASON = 9 }; /* columns: of a name, and before a reason */
enum { ALL_ROOTS = 17 };        /* up to so many ranks every root takes its turn; beyond, 0, 1 and p-1 */

/* What is wrong, at the first point where it was found, and at how many. */
typedef struct {
  char point[400], text[64 + sizeof((prover *)0)->failure];
  long points;
} failure;

/* What is wrong with the schedule, and with its cost alone. */
enum { OF_SCHEDULE, OF_COST, FAILURE_LISTS };

typedef struct {
  prover *prover;
  const sweep_options *options;
  const coll_alg *alg;
  bool fixed;         /* the key says its parameters: no others are tried */
  const char *blocks; /* how they are distributed; NULL: evenly */
  long points, unsupported, failed, compared;
  double operations;
  char why[256]; /* of the first unsupported point */
  failure failures[FAILURE_LISTS][FAILURES_SHOWN];
  bool endless; /* it goes on for ever: its other points are not tried */
} sweep;

typedef struct {
  size_t value[SWEEP_COUNTS];
  int n;
} counts;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add(counts *c, size_t value) {
  for (int i = 0; i < c->n; i++)
    if (c->value[i] == value) return;
  c->value[c->n++] = value;
}

static counts counts_of(const sweep *s, int p) {
  counts c = { .n = 0 };
  const sweep_options *o = s->options;
  for (int i = 0; i < o->counts; i++) add(&c, o->count[i]);
  if (o->counts) return c;
  if (coll_counts_of(s->alg->collective) == COLL_COUNTS_NOTHING) return add(&c, 0), c;
  add(&c, 0);
  add(&c, 1);
  add(&c, (size_t)p);
  add(&c, (size_t)p + 1);
  add(&c, 1000);
  return c;
}

/* Keeps what has failed at a point, each failure once. */
static void keep_failure(sweep *s, const coll_args *a) {
  const prover *v = s->prover;
  char text[sizeof s->failures[0][0].text], key[256], root[32] = "", commutes[32] = "", in_place[32] = "";
  char blocks[32] = "";
  s->failed++;
  bool endless = v->result.kind == PROOF_ENDLESS;
  s->endless |= endless;
  snprintf(text, sizeof text, "%s: %s%s", v->kind, v->failure, endless ? "; its other points are not tried" : "");
  failure *f = s->failures[v->result.kind == PROOF_OK ? OF_COST : OF_SCHEDULE], *end = f + FAILURES_SHOWN;
  while (f < end && f->points && strcmp(f->text, text)) f++;
  if (f == end || f->points++) return;
  coll_key(s->alg, a->param, key, sizeof key);
  if (coll_has_root(s->alg->collective)) snprintf(root, sizeof root, " root=%d", a->root);
  if (coll_has_operator(s->alg->collective)) snprintf(commutes, sizeof commutes, " commutes=%d", a->commutes);
  if (coll_has_in_place(s->alg->collective)) snprintf(in_place, sizeof in_place, " in_place=%d", a->in_place);
  if (s->blocks) snprintf(blocks, sizeof blocks, " counts=%s", s->blocks);
  snprintf(f->point, sizeof f->point, "%s ranks=%d count=%zu%s%s%s%s", key, a->size, a->count, blocks, root, commutes,
           in_place);
  memcpy(f->text, text, sizeof text);
}

/* A wrong cost() comes last: it often follows from a wrong schedule. */
static void print_failures(const sweep *s) {
  long others = s->failed;
  int shown = 0;
  for (const failure *f = s->failures[0]; f < s->failures[FAILURE_LISTS] && shown < FAILURES_SHOWN; f++) {
    if (!f->points) continue;
    lines_print(REASON, "  FAILED %s", f->point);
    lines_print(REASON, "%*s%s", REASON, "", f->text);
    if (f->points > 1) lines_print(REASON, "%*sthe same at %ld more points", REASON, "", f->points - 1);
    others -= f->points;
    shown++;
  }
  if (others) printf("  … and %ld more points\n", others);
}

static bool supported(sweep *s, const coll_args *a) {
  char reason[256];
  if (s->endless) return false;
  s->points++;
  if (!record_unsupported(s->alg, a, reason, sizeof reason)) return true;
  if (!s->unsupported++) snprintf(s->why, sizeof s->why, "%s", reason);
  return false;
}

/* An operator that does not commute is the harder case. Where the algorithm does the same for both, one proof covers
 * both. */
static void operators(sweep *s, coll_args a) {
  prover *v = s->prover;
  bool reduces = coll_has_operator(s->alg->collective), proven = false;
  if (reduces) {
    a.commutes = false;
    if (supported(s, &a)) {
      proven = prover_point(v, s->alg, &a);
      if (!proven) keep_failure(s, &a);
      s->operations += (double)v->result.operations;
    }
  }
  a.commutes = true;
  if (!supported(s, &a)) return;
  bool same = false;
  if (proven && !(s->alg->flags & (COLL_ANY_SOURCE | COLL_SEGMENTS))) {
    v->other = record_make(v->other, s->alg, &a, prover_calls(s->alg, &a), 0);
    same = !*v->other->error && record_same(v->record, v->other);
  }
  if (!same) {
    if (!prover_point(v, s->alg, &a)) {
      keep_failure(s, &a);
      return;
    }
    s->operations += (double)v->result.operations;
  }
  bool slow = a.displs && a.size > ALL_ROOTS; /* messages of many lengths are played once for each alpha and beta */
  if (s->options->costs && !slow && s->alg->cost && s->alg->exact && s->alg->exact(&a)) {
    s->compared++;
    if (!prover_costs(v, s->alg, &a)) keep_failure(s, &a);
  }
}

static void call(sweep *s, coll_args a, bool every_root) {
  bool rooted = coll_has_root(s->alg->collective);
  for (int root = 0; root < (rooted ? a.size : 1); root++) {
    if (!every_root && root > 1 && root < a.size - 1) continue;
    a.root = root;
    a.in_place = false;
    operators(s, a);
    if (!coll_has_in_place(s->alg->collective)) continue;
    a.in_place = true;
    operators(s, a);
  }
}

/* A few values of each parameter, of which at most `others_left` differ from their defaults; the defaults are proven
 * anyway. */
static void parameters(sweep *s, coll_args a, long *param, int i, int others_left) {
  static const long others[] = { 1, 2, 3, 4, 5, 64, 100 };
  const coll_param *q = s->alg->params ? &s->alg->params[i] : NULL;
  if (!q || !q->name) {
    bool usual = true;
    for (int k = 0; k < i; k++) usual &= param[k] == s->alg->params[k].value;
    if (!usual) call(s, a, false);
    return;
  }
  long last = q->value;
  param[i] = q->value;
  parameters(s, a, param, i + 1, others_left);
  if (!others_left) return;
  int n = q->words ? (int)(q->max - q->min + 1) : (int)(sizeof others / sizeof *others) + 1;
  for (int k = 0; k < n; k++) {
    long value = q->words ? q->min + k : k ? others[k - 1] : q->min;
    if (value == q->value || value == last || value < q->min || value > q->max) continue;
    param[i] = last = value;
    parameters(s, a, param, i + 1, others_left - 1);
  }
  param[i] = q->value;
}

/* Other places, from 0 on. Returns false when there are no more. */
static bool other_place(int kind, int p, coll_place *place) {
  int a_node = (p + 3) / 4, a_socket = (a_node + 3) / 4; /* of four nodes with four sockets */
  for (int r = 0; r < p; r++) {
    int node = 0, socket, core;
    switch (kind) {
      case 0: socket = r % 2, core = r / 2; break;                   /* all on one node */
      case 1: node = r % 3, socket = r / 3 % 2, core = r / 6; break; /* dealt out to nodes and sockets */
      case 2: node = r / a_node, core = r % a_node, socket = core / a_socket; break; /* blocks */
      case 3: node = r % 4, core = r / 4, socket = core / a_socket; break;           /* dealt out to nodes alone */
      default: return false;
    }
    place[r] = (coll_place){ node, 4 * node + socket, 64 * node + 16 * socket + core / 2 % 16 };
  }
  return true;
}

/* Does the schedule depend on where ranks sit? Else what is proven already says it all. */
static bool same_schedule(sweep *s, const coll_args *usual, const coll_args *other) {
  char reason[256];
  if (record_unsupported(s->alg, usual, reason, sizeof reason) ||
      record_unsupported(s->alg, other, reason, sizeof reason))
    return false;
  prover *v = s->prover;
  if (s->endless) return true;
  v->record = record_make(v->record, s->alg, usual, prover_calls(s->alg, usual), 0);
  v->other = record_make(v->other, s->alg, other, prover_calls(s->alg, other), 0);
  return !*v->record->error && !*v->other->error && record_same(v->record, v->other);
}

static void other_places(sweep *s, coll_args a, long *param, coll_place *place) {
  coll_args usual = a;
  a.place = place;
  for (int kind = 0; other_place(kind, a.size, place); kind++) {
    if (same_schedule(s, &usual, &a)) continue;
    call(s, a, false);
    if (!s->fixed) parameters(s, a, param, 0, COLL_PARAMS);
  }
}

/* Blocks of several lengths, some of them empty. */
static void uneven_blocks(sweep *s, coll_args a) {
  char last[24], error[512];
  snprintf(last, sizeof last, "one:%d", a.size - 1);
  const char *const names[] = { "linear", "zipf:2", last };
  plan_point q = { .collective = s->alg->collective };
  q.count = coll_counts_of(q.collective) == COLL_COUNTS_VECTOR ? (size_t)a.size * 3 + 1 : 3;
  a.count = q.count;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (distribution_parse(&q.counts, names[i]) || !plan_cut(&q, &a, &s->prover->displs, error, sizeof error)) abort();
    s->blocks = names[i];
    call(s, a, a.size <= 5);
  }
  s->blocks = NULL;
}

static void algorithm(sweep *s, long *param) {
  const sweep_options *o = s->options;
  int most = 0;
  for (int i = 0; i < o->ranks; i++) most = o->rank[i] > most ? o->rank[i] : most;
  coll_place *place = malloc(sizeof *place * (size_t)most);
  if (!place) abort();
  for (int k = 0; k < o->ranks; k++) {
    int p = o->rank[k];
    counts c = counts_of(s, p);
    coll_args a = { .size = p, .elem = 4, .commutes = true, .param = param, .place = prover_places(s->prover, p) };
    bool few = p <= 9 || p == 13 || p == 16 || p == 17 || p == 31 || p == 32 || p == 64;
    s->prover->remembers = o->variants && few; /* variants are often what has been proven already */
    for (int i = 0; i < c.n; i++) {
      a.count = c.value[i];
      call(s, a, p <= ALL_ROOTS);
    }
    if (few && s->alg->flags & COLL_ANY_BLOCKS) uneven_blocks(s, a);
    if (!o->variants || !few) continue;
    a.count = o->counts ? o->count[o->counts - 1] : 3 * (size_t)p + 1;
    int params = 0;
    while (s->alg->params && s->alg->params[params].name) params++;
    if (!s->fixed) parameters(s, a, param, 0, params > 2 ? 1 : 2);
    other_places(s, a, param, place);
  }
  free(place);
}

/* A row of the table; NULL: its head. Where the terminal is narrow, columns go, and what is widest has a line of its own. */
static void row(const char *name, const sweep *s, double seconds) {
  int columns = lines_columns(), used = NAME;
  char text[128] = "";
  const struct {
    const char *title;
    int width, rank; /* rank 0 stays longest */
    double value;
  } cell[] = { { "points", 9, 1, s ? (double)s->points : 0 },
               { "unsupported", 12, 2, s ? (double)s->unsupported : 0 },
               { "failed", 8, 0, s ? (double)s->failed : 0 },
               { "cost()", 10, 3, s ? (double)s->compared : 0 },
               { "seconds", 9, 4, seconds } };
  enum { CELLS = sizeof cell / sizeof *cell };
  int most = -1; /* the cells up to this rank fit */
  for (int rank = 0; rank < CELLS && most == rank - 1; rank++)
    for (int i = 0; i < CELLS; i++)
      if (cell[i].rank == rank && used + cell[i].width <= columns) used += cell[i].width, most = rank;
  for (int i = 0; i < CELLS; i++) {
    char *end = text + strlen(text);
    size_t room = sizeof text - (size_t)(end - text);
    if (cell[i].rank > most) continue;
    if (!s) snprintf(end, room, "%*s", cell[i].width, cell[i].title);
    else snprintf(end, room, "%*.*f", cell[i].width, i == CELLS - 1 ? 3 : 0, cell[i].value);
  }
  if ((int)strlen(name) <= NAME) printf("%-*s%s\n", NAME, name, text);
  else {
    lines_print(2, "%s", name);
    printf("%*s%s\n", NAME, "", text);
  }
}

int sweep_main(const sweep_options *o, char *error, size_t size) {
  long param[COLL_PARAMS] = { 0 };
  for (int i = 0; i < o->keys; i++)
    if (!coll_find(o->key[i], param, error, size)) return 2;
  prover *v = prover_new();
  v->scales = true;
  double begin = now_s(), operations = 0;
  clock_t busy = clock();
  long points = 0, unsupported = 0, failed = 0, compared = 0, algorithms = 0;
  row("algorithm", NULL, 0);
  for (int i = 0; o->keys ? i < o->keys : coll_registry[i] != NULL; i++) {
    sweep s = { .prover = v, .options = o };
    s.fixed = o->keys && strchr(o->key[i], '[');
    s.alg = coll_find(o->keys ? o->key[i] : coll_registry[i]->key, param, error, size);
    double started = now_s();
    proven_forget(&v->proven);
    algorithm(&s, param);
    print_failures(&s);
    row(o->keys ? o->key[i] : s.alg->key, &s, now_s() - started);
    if (s.unsupported) lines_print(REASON, "%*s%ld unsupported: %s", REASON, "", s.unsupported, s.why);
    fflush(stdout);
    algorithms++;
    points += s.points;
    unsupported += s.unsupported;
    failed += s.failed;
    compared += s.compared;
    operations += s.operations;
  }
  double seconds = now_s() - begin;
  lines_print(
      0,
      "%ld algorithms, %ld points: %ld proven, %ld unsupported, %ld failed; cost() compared at %ld; %.1f million "
      "operations, "
      "%.2f s of processor time, %.2f s",
      algorithms, points, points - unsupported - failed, unsupported, failed, compared, operations / 1e6,
      (double)(clock() - busy) / CLOCKS_PER_SEC, seconds);
  prover_free(v);
  return failed || !points ? 1 : 0;
}
