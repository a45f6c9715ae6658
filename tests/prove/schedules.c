/* schedules FILE: every algorithm's schedule on a few calls, beside what FILE says of it; --write makes FILE anew.
 *
 * The proof asks whether a schedule is right. This asks whether it is the same as before: what is waited for, how many
 * messages are under way, how long a first segment is, and what cost() says, exact or not. A line is a call, how many
 * operations of each kind all ranks do, the bytes they send and combine, a hash over everything, and cost() where only
 * alpha, only beta or only gamma is 1. A difference is no fault by itself: look at the call
 * with `collscope show KEY`, and when the change is meant, write the file anew and commit it with the reason.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/schedule/record.h"
#include "prove/prover.h"

enum { LINE = 1024, SHOWN = 20 };

static record *made;
static prover *places;
static FILE *file;
static bool writes;
static int lines, differences;

static uint64_t mixed(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; i++, value >>= 8) hash = (hash ^ (value & 255)) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_of(const record *r) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int rank = 0; rank < r->args.size; rank++) {
    const rec_rank *list = &r->rank[rank];
    hash = mixed(hash, list->n);
    for (size_t i = 0; i < list->n; i++) {
      rec_op op = list->op[i];
      if (!op.bytes && (rec_sends(op.kind) || rec_receives(op.kind))) op.buf = 0, op.off = 0;
      const uint64_t fields[] = { op.kind, op.buf, op.buf2, op.label, (uint64_t)op.peer, op.off, op.off2, op.bytes };
      for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) hash = mixed(hash, fields[k]);
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
  snprintf(text + at, size - (size_t)at, " sent %zu combined %zu %016" PRIx64, sent, combined, hash_of(r));
}

/* The line is written, or compared with the file's next. */
static void settle(const char *line) {
  char before[LINE] = "nothing\n";
  lines++;
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

static void call(const coll_alg *alg, const coll_args *a) {
  char key[256], what[512] = " unsupported", cost[128] = "", reason[256], line[LINE];
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
}

int main(int argc, char **argv) {
  char left[LINE];
  writes = argc == 3 && !strcmp(argv[2], "--write");
  if (argc != 2 && !writes) return fprintf(stderr, "schedules_test FILE [--write]\n"), 2;
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
