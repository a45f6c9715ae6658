/* Trees in which segments go up and down at the same time: a rank has three exchanges for a segment, as the papers say, so each segment more takes
 * three rounds; what the first takes follows from the trees' height. */
#include <stdio.h>

#include "core/catalogue/find.h"
#include "prove/prover.h"

static int failed, calls;
static prover *v;

/* Rounds of so many segments of one element. */
static int rounds(const char *name, int p, int segments) {
  char error[512], key[128];
  long param[COLL_PARAMS] = { 0 };
  snprintf(key, sizeof key, "%s[s=4]", name);
  const coll_alg *alg = coll_find(key, param, error, sizeof error);
  coll_args a = { .size = p, .count = (size_t)segments, .elem = 4, .param = param, .place = prover_places(v, p) };
  calls++;
  if (alg && prover_point(v, alg, &a) && prover_rounds(v, alg, &a, false)) return (int)v->timing.makespan_s;
  failed++;
  printf("FAILED %s, %d ranks, %d segments: %s\n", key, p, segments, alg ? v->failure : error);
  return 0;
}

static void holds(bool fine, const char *name, int p, int segments, int found, int stated) {
  if (fine) return;
  failed++;
  printf("FAILED %s, %d ranks, %d segments: %d rounds, stated are %d\n", name, p, segments, found, stated);
}

int main(void) {
  v = prover_new();
  for (int h = 3; h <= 7; h++)
    for (int b = 1; b <= 9; b += 4) {
      /* Two exchanges on each level up, one of the roots, two on each level down. */
      int p = (1 << h) - 2, found = rounds("allreduce/dual_root", p, b), stated = 4 * (h - 2) + 1 + 3 * (b - 1);
      holds(found == stated, "allreduce/dual_root", p, b, found, stated);
      for (int exclusive = 0; exclusive < 2; exclusive++) {
        const char *name = exclusive ? "exscan/binary_tree" : "scan/binary_tree";
        int most = 4 * h - 3 + 3 * (b - 1), scanned = rounds(name, p + 1, b);
        holds(scanned <= most, name, p + 1, b, scanned, most);
      }
    }
  static const char *const names[] = { "allreduce/dual_root", "scan/binary_tree", "exscan/binary_tree" };
  for (int i = 0; i < 3; i++)
    for (int p = 30; p <= 63; p += 11) {
      int few = rounds(names[i], p, 9), more = rounds(names[i], p, 13);
      holds(more - few == 3 * 4, names[i], p, 13, more, few + 3 * 4);
    }
  printf("%d calls, %d failed\n", calls, failed);
  prover_free(v);
  return failed != 0;
}
