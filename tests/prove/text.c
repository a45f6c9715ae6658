/* What is written as text and read again is the same schedule: of every algorithm, the text, the operations, the proof, the times on two
 * machines and what every rank holds after each round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/plan/plan.h"
#include "core/catalogue/key.h"
#include "core/schedule/recorder/record.h"
#include "core/schedule/text.h"
#include "prove/holdings.h"
#include "prove/prover.h"

static char path[256];
static int points, failed;
static machine ideal, uneven;

static char *text_of(const record *r, const char *key) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  schedule_write(f, r, key);
  if (!f || fclose(f)) abort();
  return text;
}

static void put_file(const char *text) {
  unlink(path);  // a file system may wait for its disk where an older text is written over
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f)) {
    perror(path);
    exit(1);
  }
}

static bool same_pieces(const record *a, const record *b) {
  for (int i = 0; i < a->args.size; i++) {
    const rec_rank *x = &a->rank[i], *y = &b->rank[i];
    if (x->pieces != y->pieces || memcmp(x->piece_start, y->piece_start, sizeof(size_t) * (size_t)(a->calls + 1)) ||
        (x->pieces && memcmp(x->piece, y->piece, sizeof *x->piece * x->pieces)))
      return false;
  }
  return true;
}

static bool same_layout(const record *a, const record *b) {
  for (int i = 0; i < a->args.size; i++) {
    const rec_layout *x = &a->layout[i], *y = &b->layout[i];
    if (x->has_in != y->has_in || x->has_out != y->has_out || x->in_buf != y->in_buf || x->out_off != y->out_off ||
        x->size[0] != y->size[0] || x->size[1] != y->size[1])
      return false;
  }
  return true;
}

static bool same_proof(proof *p, const record *a, const record *b) {
  static proof_result x, y;
  bool fine = proof_check(p, a, &x);
  return proof_check(p, b, &y) == fine && x.kind == y.kind && !strcmp(x.failure, y.failure) &&
         x.messages == y.messages && x.bytes == y.bytes && x.reduced_bytes == y.reduced_bytes &&
         x.copied_bytes == y.copied_bytes && x.operations == y.operations;
}

static char *holdings_of(const record *r, const timing_result *t) {
  static holder memory;
  static proof_result result;
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  json j = json_on(f);
  json_object(&j, NULL);
  if (!holdings_print(&j, &memory, r, t, &result)) failed++;
  json_end(&j);
  fclose(f);
  return text;
}

/* The first call of both, as long and with the same data on the way. */
static bool same_times(const record *one, record *b) {
  static timing_result x = { .want_messages = true, .fresh = true }, y = { .want_messages = true, .fresh = true };
  schedule_first_call(b);
  if (timing_run(one, &uneven, &x) || timing_run(b, &uneven, &y) || x.makespan_s != y.makespan_s) return false;
  if (timing_run(one, &ideal, &x) || timing_run(b, &ideal, &y) || x.makespan_s != y.makespan_s) return false;
  char *first = holdings_of(one, &x), *second = holdings_of(b, &y);
  bool same = !strcmp(first, second);
  free(first);
  free(second);
  return same;
}

static void check(prover *v, const coll_alg *alg, const coll_args *a) {
  static record *made, *one;
  char key[256], error[512];
  points++;
  coll_key(alg, a->param, key, sizeof key);
  made = record_make(made, alg, a, alg->flags & COLL_SEGMENTS ? 2 : 1, 1);
  one = record_make(one, alg, a, 1, 1);
  char *text = text_of(made, key), *again = NULL;
  put_file(text);
  record *read = schedule_read(path, error, sizeof error);
  const char *wrong = NULL;
  if (!read) wrong = error;
  else if (strcmp(schedule_algorithm(read), key) != 0) wrong = "the algorithm is another";
  else if (strcmp(text, again = text_of(read, key)) != 0) wrong = "the text is another";
  else if (!record_same(made, read)) wrong = "the operations are others";
  else if (!same_pieces(made, read)) wrong = "the scratch is another";
  else if (!same_layout(made, read)) wrong = "the buffers lie elsewhere";
  else if (!same_proof(v->proof, made, read)) wrong = "the proof is another";
  else if (!same_times(one, read)) wrong = "times or holdings are others";
  if (wrong && ++failed < 20)
    printf("FAILED %s ranks=%d count=%zu root=%d: %s\n", key, a->size, a->count, a->root, wrong);
  free(text);
  free(again);
  schedule_free(read);
}

static void algorithm(prover *v, const coll_alg *known) {
  static const int ranks[] = { 1, 2, 5, 8, 12 };
  char error[512];
  long param[COLL_PARAMS] = { 0 };
  size_t *displs = NULL;
  const coll_alg *alg = coll_find(known->key, param, error, sizeof error);
  bool bare = coll_counts_of(alg->collective) == COLL_COUNTS_NOTHING;
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    for (int kind = 0; kind < 4; kind++) {
      int p = ranks[i];
      size_t counts[] = { 0, 29, 5000, (size_t)p };
      coll_args a = { .size = p, .count = bare ? 0 : counts[kind], .elem = kind ? 4 : 16, .param = param };
      a.root = coll_has_root(alg->collective) ? kind * (p - 1) / 3 : 0;
      a.commutes = kind != 1;
      a.in_place = kind == 3 && coll_has_in_place(alg->collective);
      a.place = prover_places(v, p);
      if (!record_unsupported(alg, &a, error, sizeof error)) check(v, alg, &a);
      if (!(alg->flags & COLL_ANY_BLOCKS)) continue;
      plan_point q = { .collective = alg->collective,
                       .count = 7,
                       .counts = { .kind = DISTRIBUTION_ZIPF, .exponent = 2 } };
      a.count = q.count;
      if (!plan_cut(&q, &a, &displs, error, sizeof error)) abort();
      if (!record_unsupported(alg, &a, error, sizeof error)) check(v, alg, &a);
    }
  free(displs);
}

int main(void) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%.200s/collscope-text-%d", folder && *folder ? folder : "/tmp", (int)getpid());
  put_file("ports fluid\ngamma 1e-10\ncopy 3e-11\nfirst_touch 1e-10 4096\neager 1000\noverhead 3e-7\n"
           "class network 0 2e-6 1e-9\nclass network 2000 5e-6 8e-10\n");
  char error[512];
  if (!machine_read(&uneven, path, error, sizeof error)) return printf("%s\n", error), 1;
  ideal = machine_one_port(1, 0, 0);
  prover *v = prover_new();
  for (const coll_alg *const *known = coll_registry; *known; known++) algorithm(v, *known);
  unlink(path);
  printf("%d schedules, %d failed\n", points, failed);
  prover_free(v);
  return failed || points < 1000;
}
