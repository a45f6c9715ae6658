/* A rank that is recorded alone does what it does among all the others; where that depends on them, the record says why not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/plan/plan.h"
#include "core/schedule/recorder/record.h"
#include "prove/prover.h"

static int points, failed;

static void fails(const coll_alg *alg, int rank, const char *why) {
  printf("FAILED %s rank %d: %s\n", alg->key, rank, why);
  failed++;
}

static bool same_list(const rec_rank *a, const rec_rank *b) {
  return a->n == b->n && a->scratch == b->scratch && a->pieces == b->pieces &&
         (!a->n || !memcmp(a->op, b->op, sizeof *a->op * a->n)) &&
         (!a->pieces || !memcmp(a->piece, b->piece, sizeof *a->piece * a->pieces));
}

static void compare(const coll_alg *alg, const coll_args *a, record **all, record **one) {
  bool any = alg->flags & COLL_ANY_SOURCE, shared = alg->flags & COLL_SEGMENTS;
  *all = record_make(*all, alg, a, 1, 0);
  for (int rank = 0; rank < a->size; rank++, points++) {
    *one = record_rank(*one, alg, a, rank);
    const char *reason = any ? "receives from any source" : "uses shared segments";
    if (any || shared) {
      if (!strstr((*one)->error, reason)) fails(alg, rank, "no reason why not");
      continue;
    }
    if (*(*one)->error) fails(alg, rank, (*one)->error);
    else if (!same_list(&(*all)->rank[rank], &(*one)->rank[rank])) fails(alg, rank, "does something else");
    for (int other = 0; other < a->size; other++)
      if (other != rank && (*one)->rank[other].n) fails(alg, rank, "another rank is recorded, too");
  }
}

int main(void) {
  static const int ranks[] = { 1, 2, 7, 12 };
  char error[512];
  long param[COLL_PARAMS] = { 0 };
  prover *v = prover_new();
  record *all = NULL, *one = NULL;
  size_t *displs = NULL;
  for (const coll_alg *const *known = coll_registry; *known; known++)
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
      const coll_alg *alg = coll_find((*known)->key, param, error, sizeof error);
      int p = ranks[i];
      bool bare = coll_counts_of(alg->collective) == COLL_COUNTS_NOTHING;
      coll_args a = { .size = p, .count = bare ? 0 : 29, .elem = 4, .commutes = true, .param = param };
      a.root = coll_has_root(alg->collective) ? p / 2 : 0;
      a.place = prover_places(v, p);
      if (!record_unsupported(alg, &a, error, sizeof error)) compare(alg, &a, &all, &one);
      if (!(alg->flags & COLL_ANY_BLOCKS)) continue;
      plan_point q = { .collective = alg->collective,
                       .count = 7,
                       .counts = { .kind = DISTRIBUTION_ZIPF, .exponent = 2 } };
      a.count = q.count;
      if (!plan_cut(&q, &a, &displs, error, sizeof error)) abort();
      if (!record_unsupported(alg, &a, error, sizeof error)) compare(alg, &a, &all, &one);
    }
  printf("%d ranks, %d failed\n", points, failed);
  free(displs);
  record_free(all);
  record_free(one);
  prover_free(v);
  return failed || points < 1000;
}
