/* How many points a sweep visits, worked out by hand, and that each is one that its collective has. */
#include "driver/check/points.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"

static int visited, failures;
static char last[POINTS_NAME];

static void visit(void *self, const coll_alg *alg, const coll_args *a, plan_type type, plan_op op) {
  bool has_operator = coll_has_operator(alg->collective), has_root = coll_has_root(alg->collective);
  bool right = a->root >= 0 && a->root < (has_root ? a->size : 1) && a->elem == plan_type_bytes(type) &&
               has_operator == (op != PLAN_NONE) && a->commutes == plan_op_commutes(op);
  points_name(last, sizeof last, alg, a, type);
  if (!right && failures++ < 5) fprintf(stderr, "%s: no point of its collective\n", last);
  visited++;
}

static void visits(const coll_alg *alg, int ranks, int max_roots, int expected) {
  coll_place place[8] = { { 0 } };
  visited = 0;
  points_each(alg, ranks, place, max_roots, visit, NULL);
  if (visited == expected) return;
  failures++;
  fprintf(stderr, "%s, %d ranks, at most %d roots: %d points instead of %d\n", alg->key, ranks, max_roots, visited,
          expected);
}

int main(void) {
  static const char *const words[] = { "one", "two", "three", NULL };
  static const coll_param params[] = { { .name = "way", .value = 1, .min = 0, .max = 2, .words = words },
                                       { .name = "s", .value = 1024, .min = 0, .max = 1 << 30 },
                                       { 0 } };
  static const coll_alg gather = { .key = "gather/made", .collective = COLL_GATHER },
                        reduce = { .key = "reduce/made", .collective = COLL_REDUCE },
                        allgather = { .key = "allgather/made", .collective = COLL_ALLGATHER },
                        segmented = { .key = "allgather/made", .collective = COLL_ALLGATHER, .params = params };
  /* Six counts, of one rank four; two flavours of what moves data, four of what combines. */
  visits(&gather, 4, 0, 6 * 2 * 4);
  visits(&gather, 1, 0, 4 * 2);
  visits(&reduce, 4, 0, 6 * 4 * 4);
  visits(&reduce, 4, 3, 6 * 4 * 3);
  visits(&reduce, 3, 3, 6 * 4 * 3);
  visits(&allgather, 4, 0, 6 * 2);
  visits(&allgather, 4, 3, 6 * 2);
  /* With parameters: as they are, two other words, and segments: 0 always, 1, 3 and 64 where they are not short for the vector. */
  visits(&segmented, 4, 0, (6 + 6 * 2 + 4 + 3 + 2 + 2 + 2 + 1) * 2);
  if (strcmp(last, "allgather/made[way=two,s=0] p=4 count=1000 root=0 in place double")) {
    failures++;
    fprintf(stderr, "the last is %s\n", last);
  }
  return failures != 0;
}
