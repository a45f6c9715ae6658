/* collscope-prove --decide collective=bcast ranks=64 count=1024 [elem=4] [root=0] [commutes=1] [in_place=0]
 *
 * What each decision table takes for one call: a JSON line a decision with its key, status ("ok", or why nothing is
 * taken or what is taken cannot run), chose (full key or null), and the rule that said so: its number among `rules`, what
 * it asks of ranks, bytes, block, the operator and so on; null when no rule fits.
 */
#include <stdio.h>
#include <string.h>

#include "list.h"
#include "prover.h"
#include "sweep.h"

static const char *const counts[] = {
  [COLL_COUNT_ANY] = "", [COLL_COUNT_AT_MOST_ONE] = "at most one element",
  [COLL_COUNT_BELOW_RANKS] = "fewer elements than ranks", [COLL_COUNT_AT_MOST_RANKS] = "at most as many elements as ranks",
  [COLL_COUNT_BELOW_POWER] = "fewer elements than the largest power of two in the ranks",
};
static const char *const numbers[] = {
  [COLL_RANKS_ANY] = "", [COLL_RANKS_POWER_OF_TWO] = "a power of two of ranks", [COLL_RANKS_ODD] = "an odd number of ranks",
};
static const char *const units[] = { [COLL_PER_CALL] = "call", [COLL_PER_BLOCK] = "block", [COLL_PER_VECTOR] = "vector" };

static void rule(FILE *out, const coll_decision *d, coll_collective k, const coll_rule *r)
{
  fprintf(out, "{\"number\":%zu,\"rules\":%zu,\"ranks\":[%d,%d],\"unit\":\"%s\",\"bytes\":[%zu,%zu],\"block\":[%zu,%zu]",
          (size_t)(r - d->rules) + 1, d->count, r->p_min, r->p_max, units[d->unit[k]], r->bytes_min, r->bytes_end,
          r->block_min, r->block_end);
  fprintf(out, ",\"commutes\":%d,\"in_place\":%s,\"line\":", r->commutes, r->in_place ? "true" : "false");
  if (r->a == 0 && r->b == 0) fputs("null", out);
  else fprintf(out, "{\"above\":%s,\"a\":%.17g,\"b\":%.17g}", r->above ? "true" : "false", r->a, r->b);
  fputs(",\"elements\":", out);
  coll_json_string(out, counts[r->elements]);
  fputs(",\"number_of_ranks\":", out);
  coll_json_string(out, numbers[r->ranks]);
  fputc('}', out);
}

static void answer(FILE *out, const coll_decision *d, coll_collective k, coll_args *a)
{
  char error[512], reason[512], key[512];
  long param[COLL_PARAMS] = {0};
  a->param = param;
  const coll_alg *alg = coll_decide(d, k, a, param, error, sizeof error);
  const char *status = alg ? coll_unsupported(alg, a, reason, sizeof reason) : error;
  fputs("{\"decision\":", out);
  coll_json_string(out, d->key);
  fputs(",\"status\":", out);
  coll_json_string(out, status ? status : "ok");
  fputs(",\"chose\":", out);
  if (alg) {
    coll_key(alg, param, key, sizeof key);
    coll_json_string(out, key);
  } else {
    fputs("null", out);
  }
  fputs(",\"rule\":", out);
  const coll_rule *r = coll_decision_rule(d, k, a);
  if (r) rule(out, d, k, r);
  else fputs("null", out);
  fputs("}\n", out);
}

int decide_main(int argc, char **argv)
{
  char collective[64] = "";
  int commutes = 1, in_place = 0, k = 0;
  coll_args a = {.elem = 4};
  for (int i = 2; i < argc; i++) {
    bool known = sscanf(argv[i], "collective=%63s", collective) == 1 || sscanf(argv[i], "ranks=%d", &a.size) == 1 ||
                 sscanf(argv[i], "count=%zu", &a.count) == 1 || sscanf(argv[i], "elem=%zu", &a.elem) == 1 ||
                 sscanf(argv[i], "root=%d", &a.root) == 1 || sscanf(argv[i], "commutes=%d", &commutes) == 1 ||
                 sscanf(argv[i], "in_place=%d", &in_place) == 1;
    if (!known) return fprintf(stderr, "collscope-prove: --decide does not know \"%s\"\n", argv[i]), 2;
  }
  a.commutes = commutes;
  a.in_place = in_place;
  while (k < COLL_COLLECTIVES && strcmp(coll_collective_name((coll_collective)k), collective)) k++;
  if (k == COLL_COLLECTIVES) return fprintf(stderr, "collscope-prove: unknown collective \"%s\"\n", collective), 2;
  if (a.size < 1 || !a.elem || a.root < 0 || a.root >= a.size) {
    fprintf(stderr, "collscope-prove: --decide needs ranks=P, 1 or more, elem=BYTES, and root below P\n");
    return 2;
  }
  prover *v = prover_new();
  a.place = prover_places(v, a.size);
  for (const coll_decision *const *d = coll_decisions; *d; d++) answer(stdout, *d, (coll_collective)k, &a);
  prover_free(v);
  return 0;
}
