/* recorded < CALLS: our side of `messages`: the messages of recorded schedules, in order, at every rank.
 *
 * A line is ID KEY RANKS COUNT ROOT COMMUTES IN_PLACE [ELEM], of floats where ELEM, the bytes of an element, is not given;
 * KEY is an algorithm's, or a decision's with its collective: decision/ompi_4_1:bcast. Answers: `ID key KEY` and a line
 * `ID RANK messages…` for each rank, as `messages` writes them; or, when the call is not supported, `ID - REASON<tab>ADVICE`:
 * what supports() says before and after its first semicolon. With the argument `keys`, no messages. What nobody could mean ends
 * it with status 1, and so does an algorithm that misbehaves: neither must look like a call that is not supported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/catalogue/decide.h"
#include "core/schedule/record.h"

static int fail(const char *id, const char *why) {
  fprintf(stderr, "collscope-recorded: %s: %s\n", id, why);
  return 1;
}

/* The collective that stands behind a decision's key, which ends before it then; COLL_COLLECTIVES: none does. */
static coll_collective cut_collective(char *key) {
  char *name = strchr(key, ':');
  if (!name) return COLL_COLLECTIVES;
  *name++ = 0;
  return coll_collective_find(name, strlen(name));
}

static void show(const char *id, int rank, const rec_rank *list) {
  printf("%s %d", id, rank);
  for (size_t i = 0; i < list->n; i++) {
    const rec_op *op = &list->op[i];
    bool sends = op->kind == REC_SEND || op->kind == REC_ISEND,
         receives = op->kind == REC_RECV || op->kind == REC_IRECV;
    if (sends || receives) printf(" %c%d:%llu", sends ? 'S' : 'R', op->peer, (unsigned long long)op->bytes);
  }
  putchar('\n');
}

static void show_unsupported(const char *id, const char *why) {
  const char *end = strstr(why, "; ");
  printf("%s - %.*s\t%s\n", id, end ? (int)(end - why) : (int)strlen(why), why, end ? end + 2 : "");
}

int main(int argc, char **argv) {
  bool keys_only = argc == 2 && !strcmp(argv[1], "keys");
  char id[128], key[256], full[256], error[400];
  int commutes, in_place;
  long param[COLL_PARAMS];
  record *made = NULL;
  coll_place *place = NULL;
  coll_args a = { .elem = sizeof(float), .param = param };
  int words;
  while ((words = scanf("%127s %255s %d %zu %d %d %d", id, key, &a.size, &a.count, &a.root, &commutes, &in_place)) ==
         7) {
    if (scanf("%*[ ]%zu", &a.elem) != 1) a.elem = sizeof(float);
    a.commutes = commutes;
    a.in_place = in_place;
    if (a.size < 1 || !a.elem) return fail(id, "needs a rank, and elements of a byte");
    free(place);
    a.place = place = calloc((size_t)a.size, sizeof *place); /* all on one node */
    coll_collective collective = cut_collective(key);
    if (!coll_known(key, error, sizeof error)) return fail(id, error);
    if (coll_is_decision(key) != (collective < COLL_COLLECTIVES))
      return fail(id, "a decision, and nothing else, needs a collective");
    const coll_alg *alg = coll_choose(key, collective, &a, param, error, sizeof error);
    if (!alg || coll_unsupported(alg, &a, error, sizeof error)) {
      show_unsupported(id, error);
      continue;
    }
    coll_key(alg, param, full, sizeof full);
    if (keys_only) {
      printf("%s key %s\n", id, full);
      continue;
    }
    made = record_make(made, alg, &a, 1, 1);
    if (*made->error) return fail(full, made->error);
    printf("%s key %s\n", id, full);
    for (int rank = 0; rank < a.size; rank++) show(id, rank, &made->rank[rank]);
  }
  if (words != EOF) return fail("a line", "cannot be read");
  record_free(made);
  free(place);
  return 0;
}
