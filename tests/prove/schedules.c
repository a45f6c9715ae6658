/* schedules FILE: every algorithm's schedule on a few calls, beside what FILE says of it; --write writes FILE again.
 *
 * The proof asks whether a schedule is right. This asks whether it is the same as before: what is waited for, how many
 * messages are under variant, how long a first segment is, and what cost() says, exact or not. A line is a call, how many
 * operations of each kind all ranks do, the bytes they send and combine, a hash over everything, and cost() where only
 * alpha, only beta or only gamma is 1. A difference is not a fault by itself: look at the call
 * with `collscope show KEY`, and when the change is meant, write the file again and commit it with the reason.
 *
 * The last line of an algorithm is a sum over a grid of calls, too many to list: `schedules_test FILE --grid KEY` lists them, one a
 * line, before and after a change.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/schedule/recorder/record.h"
#include "prove/prover.h"

enum { LINE = 1024, SHOWN = 20 };

static record *made;
static prover *places;
static FILE *file;
static bool writes;
static uint64_t *sums; /* where a grid's calls go instead: the schedules, the costs, the reasons why not */
static int lines, differences;

static uint64_t mixed(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; i++, value >>= 8) hash = (hash ^ (value & 255)) * 0x100000001b3u;
  return hash;
}

/* The same for a grid, which has many to mix. */
static uint64_t quickly(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mixed_text(uint64_t hash, const char *text) {
  for (; *text; text++) hash = quickly(hash, (unsigned char)*text);
  return hash;
}

static uint64_t hash_of(const record *r, uint64_t (*mix)(uint64_t, uint64_t)) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int rank = 0; rank < r->args.size; rank++) {
    const rec_rank *list = &r->rank[rank];
    hash = mix(hash, list->n);
    for (size_t i = 0; i < list->n; i++) {
      rec_op op = list->op[i];
      if (!op.bytes && (rec_sends(op.kind) || rec_receives(op.kind))) op.buf = 0, op.off = 0;
      const uint64_t fields[] = { op.kind, op.buf, op.buf2, op.label, (uint64_t)op.peer, op.off, op.off2, op.bytes };
      for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) hash = mix(hash, fields[k]);
    }
  }
  return hash;
}

static void operations(const record *r, char *text, size_t size) {
  static const char *const names[] = { "send",   "recv", "isend", "irecv", "any",     "wait",
                                       "reduce", "copy", "write", "read",  "publish", "await" };
  size_t n[REC_AWAIT + 1] = { 0 }, sent = 0, combined = 0;
  for (int rank = 0; rank < r->args.size; rank++)
    for (const rec_op *op = r->rank[rank].op; op < r->rank[rank].op + r->rank[rank].n; op++) {
      n[op->kind]++;
      if (rec_sends(op->kind)) sent += op->bytes;
      if (op->kind == REC_REDUCE) combined += op->bytes;
    }
  int at = 0;
  for (int kind = 0; kind <= REC_AWAIT; kind++)
    if (n[kind]) at += snprintf(text + at, size - (size_t)at, " %s %zu", names[kind], n[kind]);
  snprintf(text + at, size - (size_t)at, " sent %zu combined %zu %016" PRIx64, sent, combined, hash_of(r, mixed));
}

/* The line is written, or compared with the file's next. */
static void settle(const char *line) {
  char before[LINE] = "nothing\n";
  lines++;
  if (!file) {
    fputs(line, stdout);
    return;
  }
  if (writes) {
    fputs(line, file);
    return;
  }
  if (fgets(before, sizeof before, file) && !strcmp(before, line)) return;
  if (differences++ < SHOWN) printf("before  %snow     %s", before, line);
}

static void costs(const coll_alg *alg, const coll_args *a, char *text, size_t size) {
  if (!alg->cost) return;
  snprintf(text, size, " cost %.9g %.9g %.9g", alg->cost(a, 1, 0, 0), alg->cost(a, 0, 1, 0), alg->cost(a, 0, 0, 1));
}

/* One more call of a grid. */
static void add(const coll_alg *alg, const coll_args *a) {
  char text[256] = "";
  sums[3]++;
  if (coll_unsupported(alg, a, text, sizeof text)) {
    sums[2] = mixed_text(sums[2], text);
    return;
  }
  made = record_make(made, alg, a, alg->flags & COLL_SEGMENTS ? 2 : 1, 1);
  sums[0] = mixed_text(quickly(sums[0], *made->error ? 0 : hash_of(made, quickly)), made->error);
  costs(alg, a, text, sizeof text);
  sums[1] = mixed_text(quickly(sums[1], alg->exact && alg->exact(a)), text);
}

static void call(const coll_alg *alg, const coll_args *a) {
  char key[256], what[512] = " unsupported", cost[128] = "", reason[256], line[LINE];
  if (sums && file) {
    add(alg, a);
    return;
  }
  coll_key(alg, a->param, key, sizeof key);
  if (!coll_unsupported(alg, a, reason, sizeof reason)) {
    made = record_make(made, alg, a, alg->flags & COLL_SEGMENTS ? 2 : 1, 1);
    if (*made->error) snprintf(what, sizeof what, " %s", made->error);
    else operations(made, what, sizeof what);
    costs(alg, a, cost, sizeof cost);
  }
  snprintf(line, sizeof line, "%s ranks=%d count=%zu root=%d%s%s:%s%s\n", key, a->size, a->count, a->root,
           a->commutes ? "" : " ordered", a->in_place ? " in place" : "", what, cost);
  settle(line);
}

/* One parameter after the other takes other values; the rest keep their defaults. Of segments 6 bytes are one and a half
 * elements, and with 8 bytes 33 elements are one and a half rounds of 11 ranks: what is rounded is seen at its tie. */
static void parameters(const coll_alg *alg, coll_args a, long *param) {
  static const long others[] = { 1, 2, 3, 6, 8, 64, 100 };
  for (const coll_param *q = alg->params; q && q->name; q++) {
    long *value = &param[q - alg->params];
    int n = q->words ? (int)(q->max - q->min + 1) : (int)(sizeof others / sizeof *others) + 1;
    for (int k = 0; k < n; k++) {
      *value = q->words ? q->min + k : k ? others[k - 1] : q->min;
      if (*value != q->value && *value >= q->min && *value <= q->max && (!k || q->words || *value != q->min))
        call(alg, &a);
    }
    if (!strcmp(q->name, "s")) {
      coll_args tie = a;
      tie.count = 3 * (size_t)a.size;
      *value = 8;
      call(alg, &tie);
    }
    *value = q->value;
  }
}

/* Calls with these parameters, on nodes that are uneven, even, and taken in turn. */
static void calls_of(const coll_alg *alg, coll_args a, const int *ranks, int n) {
  static coll_place even[64], cyclic[64];
  size_t counts[] = { 0, 1, 0, 0, 0, 1000 };
  bool bare = coll_counts_of(alg->collective) == COLL_COUNTS_NOTHING;
  for (int r = 0; r < 64; r++)
    even[r] = (coll_place){ r / 8, r / 4, r / 2 }, cyclic[r] = (coll_place){ r % 4, r % 8, r % 16 };
  for (int i = 0; i < n; i++) {
    a.size = ranks[i];
    size_t p = (size_t)a.size;
    int roots[] = { 0, a.size / 2, a.size - 1 }, last = coll_has_root(alg->collective) ? 3 : 1;
    counts[2] = p - 1, counts[3] = p, counts[4] = 4 * p + 1;
    for (int c = 0; c < (bare ? 1 : 6); c++) {
      if (p > 17 && !bare && c != 2 && c != 4) continue; /* there it takes long */
      for (int root = 0; root < last; root++)
        for (int variant = 0; variant < 4; variant++) {
          a.count = counts[c];
          a.root = roots[root];
          a.commutes = !(variant == 1 && coll_has_operator(alg->collective));
          a.in_place = variant == 2 && coll_has_in_place(alg->collective);
          a.elem = variant == 3 ? 16 : 4;
          a.place = variant == 3 ? cyclic : variant == 2 ? even : prover_places(places, a.size);
          call(alg, &a);
        }
    }
  }
}

/* The grid: default parameters at many numbers of ranks, then one parameter after the other at a few. */
static void grid(const coll_alg *alg, long *param) {
  static const int many[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 23, 27, 32, 33 }, few[] = { 2, 5, 8, 13, 24 };
  static const long others[] = { 1, 2, 3, 4, 5, 8, 24, 100 };
  uint64_t sum[4] = { 1, 1, 1, 0 };
  coll_args a = { .param = param };
  char line[LINE];
  sums = sum;
  calls_of(alg, a, many, sizeof many / sizeof *many);
  for (const coll_param *q = alg->params; q && q->name; q++) {
    long *value = &param[q - alg->params];
    int n = q->words ? (int)(q->max - q->min + 1) : (int)(sizeof others / sizeof *others);
    for (int k = 0; k < n; k++) {
      *value = q->words ? q->min + k : others[k];
      if (*value != q->value && *value >= q->min && *value <= q->max) calls_of(alg, a, few, sizeof few / sizeof *few);
    }
    *value = q->value;
  }
  static const int one_node[] = { 3, 7, 8 };
  for (const coll_param *q = alg->params; q && q->name && q[1].name; q++) /* two at once, at their ends */
    for (const coll_param *other = q + 1; other->name; other++)
      for (int variant = 0; variant < 4; variant++) {
        long *first = &param[q - alg->params], *second = &param[other - alg->params];
        *first = variant % 2 && q->max < 100 ? q->max : q->min;
        *second = variant / 2 && other->max < 100 ? other->max : other->min;
        calls_of(alg, a, one_node, sizeof one_node / sizeof *one_node);
        *first = q->value;
        *second = other->value;
      }
  sums = NULL;
  snprintf(line, sizeof line,
           "%s grid of %" PRIu64 ": schedules %016" PRIx64 " costs %016" PRIx64 " refusals %016" PRIx64 "\n", alg->key,
           sum[3], sum[0], sum[1], sum[2]);
  if (file) settle(line);
}

static void algorithm(const char *name) {
  static const struct {
    int ranks;
    size_t count;
    int root;
    bool ordered, in_place;
  } calls[] = {
    { 5, 13, 2, false, false }, { 8, 24, 7, false, true }, { 9, 100, 0, true, false }, { 16, 7, 1, false, false }
  };
  char error[512];
  long param[COLL_PARAMS] = { 0 };
  const coll_alg *alg = coll_find(name, param, error, sizeof error);
  bool rooted = coll_has_root(alg->collective), bare = coll_counts_of(alg->collective) == COLL_COUNTS_NOTHING;
  coll_args a = { .elem = 4, .param = param };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    a.size = calls[i].ranks;
    a.count = bare ? 0 : calls[i].count;
    a.root = rooted ? calls[i].root : 0;
    a.commutes = !(calls[i].ordered && coll_has_operator(alg->collective));
    a.in_place = calls[i].in_place && coll_has_in_place(alg->collective);
    a.place = prover_places(places, a.size);
    call(alg, &a);
  }
  a = (coll_args){
    .size = 11, .count = bare ? 0 : 29, .elem = 4, .commutes = true, .param = param, .root = rooted ? 3 : 0
  };
  a.place = prover_places(places, a.size);
  call(alg, &a); /* the root is one of those that are folded away */
  parameters(alg, a, param);
  grid(alg, param);
}

int main(int argc, char **argv) {
  char left[LINE];
  writes = argc == 3 && !strcmp(argv[2], "--write");
  bool lists = argc == 4 && !strcmp(argv[2], "--grid");
  if (argc != 2 && !writes && !lists) return fprintf(stderr, "schedules_test FILE [--write | --grid KEY]\n"), 2;
  if (lists) {
    long param[COLL_PARAMS] = { 0 };
    const coll_alg *alg = coll_find(argv[3], param, left, sizeof left);
    places = prover_new();
    if (alg) grid(alg, param);
    else fprintf(stderr, "%s\n", left);
    record_free(made);
    prover_free(places);
    return alg ? 0 : 2;
  }
  file = fopen(argv[1], writes ? "w" : "r");
  if (!file) return perror(argv[1]), 2;
  places = prover_new();
  for (const coll_alg *const *alg = coll_registry; *alg; alg++) algorithm((*alg)->key);
  while (!writes && fgets(left, sizeof left, file))
    if (differences++ < SHOWN) printf("before  %snow     nothing\n", left);
  printf("%d schedules, %d differ\n", lines, differences);
  if (differences) printf("if this is meant: %s %s --write\n", argv[0], argv[1]);
  record_free(made);
  prover_free(places);
  return fclose(file) || differences;
}
