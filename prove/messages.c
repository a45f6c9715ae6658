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
#include "core/schedule/recorder/record.h"
#include "prove/call.h"

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

/* Returns the exit status: 0 unless nobody could mean the call, or the algorithm misbehaves. */
static int answer(call *c, record **made, bool keys_only) {
  char full[256], error[400];
  long param[COLL_PARAMS];
  coll_args *a = &c->args;
  a->param = param;
  if (a->size < 1 || !a->elem) return fail(c->id, "needs a rank, and elements of a byte");
  coll_collective collective = cut_collective(c->key);
  if (!coll_known(c->key, error, sizeof error)) return fail(c->id, error);
  if (coll_is_decision(c->key) != (collective < COLL_COLLECTIVES))
    return fail(c->id, "a decision, and nothing else, needs a collective");
  coll_place *place = calloc((size_t)a->size, sizeof *place); /* all on one node */
  if (!place) return fail(c->id, "out of memory");
  a->place = place;
  int status = 0;
  const coll_alg *alg = coll_choose(c->key, collective, a, param, error, sizeof error);
  if (!alg || record_unsupported(alg, a, error, sizeof error)) show_unsupported(c->id, error);
  else {
    coll_key(alg, param, full, sizeof full);
    if (!keys_only) *made = record_make(*made, alg, a, 1, 1);
    if (!keys_only && *(*made)->error) status = fail(full, (*made)->error);
    else printf("%s key %s\n", c->id, full);
    for (int rank = 0; rank < (keys_only || status ? 0 : a->size); rank++) show(c->id, rank, &(*made)->rank[rank]);
  }
  free(place);
  return status;
}

int main(int argc, char **argv) {
  bool keys_only = argc == 2 && !strcmp(argv[1], "keys");
  record *made = NULL;
  char *line = NULL, name[32];
  size_t room = 0;
  int status = 0;
  for (int number = 1; !status && getline(&line, &room, stdin) >= 0; number++) {
    call c = { 0 };
    if (!line[strspn(line, " \n")]) continue;
    snprintf(name, sizeof name, "line %d", number);
    status = call_read(line, &c) ? answer(&c, &made, keys_only)
                                 : fail(name, "cannot be read; write ID KEY RANKS COUNT ROOT COMMUTES IN_PLACE [ELEM]");
  }
  free(line);
  record_free(made);
  return status;
}
