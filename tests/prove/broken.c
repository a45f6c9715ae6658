/* broken FILE: the prover's own test: wrong algorithms, each of which must be caught as what it is, and right ones that must pass. FILE
 * has what is said of each, word for word but for the line's number; --write writes it again. */
#include "tests/prove/broken.h"

#include <stdio.h>
#include <string.h>

#include "core/schedule/recorder/record.h"
#include "prove/prover.h"

void sum_of(coll_ctx *c, const coll_args *a, int step, int skip) {
  NAMES;
  if (me == skip) return;
  if (me) {
    coll_send(c, a->in, m, 0);
    return;
  }
  void *s = coll_scratch(c, m);
  coll_copy(c, a->out, a->in, m);
  for (int i = 1; i < p; i++) {
    int from = i * step % p;
    if (from == skip) continue;
    coll_recv(c, s, m, from);
    coll_reduce(c, a->out, s, m);
    coll_copy(c, a->out, s, m);
  }
}

static FILE *file;
static bool writes;
static int others;

/* The line is written, or compared with the file's next. */
static void settle(const char *key, const char *kind, const char *failure) {
  char line[1024], before[1024] = "nothing\n";
  int n = snprintf(line, sizeof line, "%s %s: ", key, kind);
  for (const char *c = failure; *c && n < (int)sizeof line - 2; c++) {
    line[n++] = *c;
    if (c[0] == ':' && c > failure + 1 && c[-1] == 'c' && c[-2] == '.')
      while (c[1] >= '0' && c[1] <= '9') c++;
  }
  line[n++] = '\n';
  line[n] = '\0';
  if (writes) fputs(line, file);
  else if ((!fgets(before, sizeof before, file) || strcmp(before, line)) && ++others < 9)
    printf("before  %snow     %s", before, line);
}

static record *r;
static proof *e;
static prover *whole; /* chooses orders and numbers of calls by itself */

static bool check(const test *t) {
  coll_place place[256];
  for (int k = 0; k < t->p; k++)
    place[k] = t->alg.flags & COLL_SEGMENTS ? (coll_place){ 0, k % 2, k / 2 } : (coll_place){ k % 3, k % 3, k };
  coll_args a = { .size = t->p,
                  .count = t->count,
                  .elem = 4,
                  .root = t->root % t->p,
                  .commutes = t->commutes,
                  .in_place = t->in_place,
                  .place = place };
  proof_result result;
  bool fine = true;
  /* Right ones in every arrival order that the seeds find. */
  for (unsigned seed = 0; seed < 8 && fine; seed++) {
    r = record_make(r, &t->alg, &a, prover_calls(&t->alg, &a), seed);
    fine = proof_check(e, r, &result);
  }
  bool good = result.kind == t->want && strstr(result.failure, t->says) && fine == (t->want == PROOF_OK);
  if (t->want != PROOF_ENDLESS) good &= prover_point(whole, &t->alg, &a) == fine && whole->result.kind == t->want;
  settle(t->alg.key, proof_kind_name(result.kind), result.failure);
  printf("%s %-26s p=%-3d %-13s %s\n", good ? "ok    " : "FAILED", t->alg.key, t->p, proof_kind_name(result.kind),
         result.failure);
  if (!good) printf("       wanted %s: %s\n", proof_kind_name(t->want), t->says);
  return good;
}

/* Algorithms that compute for long send its ticks themselves. */
static void no_clock(void) {}

int main(int argc, char **argv) {
  writes = argc == 3 && !strcmp(argv[2], "--write");
  if (argc != 2 && !writes) return fprintf(stderr, "broken_test FILE [--write]\n"), 2;
  file = fopen(argv[1], writes ? "w" : "r");
  if (!file) return perror(argv[1]), 2;
  static const test_list *const lists[] = { &wrong_schedule, &wrong_memory, &wrong_data, &segments, &right };
  int cases = 0, failed = 0, caught = 0;
  e = proof_new();
  whole = prover_new();
  record_limits(PATIENCE_S, no_clock, 1 << 16);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    for (int i = 0; i < lists[k]->n; i++) {
      const test *t = &lists[k]->list[i];
      bool good = check(t);
      cases++;
      failed += !good;
      caught += good && t->want != PROOF_OK;
    }
  printf("%d cases, %d faults caught, %d failed, %d in other words\n", cases, caught, failed, others);
  if (others) printf("if this is meant: %s %s --write\n", argv[0], argv[1]);
  record_free(r);
  proof_free(e);
  prover_free(whole);
  return fclose(file) || failed || others;
}
