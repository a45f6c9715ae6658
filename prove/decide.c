/* collscope-prove --decide collective=bcast [ranks=64 count=1024] [elem=4] [root=0] [commutes=1] [in_place=0] [per_node=0] [decision=KEY]…
 * collscope-prove --rules [decision=KEY]…
 *
 * --decide: what each decision table that knows the collective (or those named) takes for one call, or without ranks= and count= for each line
 * "RANKS COUNT" of standard input: one JSON line per call and decision, with decision (full key), ranks, count, kind ("ok", "unsupported"), status ("ok", or
 * why nothing is taken or what is taken cannot run), chose (full key or null), and the rule that said so; null when no rule
 * fits. per_node: so many ranks on each node; 0: as everywhere in the prover. --rules: all rules of all tables (or of those named), with what they take and with the defaults of parameters.
 *
 * A rule is its number among `rules`, its conditions on ranks, bytes, block, the operator and so on; `divides`: it depends on what divides
 * the count, so no range of counts says where it holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/json.h"
#include "core/catalogue/number.h"
#include "core/schedule/array.h"
#include "prove/prover.h"
#include "core/plan/places.h"
#include "core/plan/refuse.h"
#include "prove/sweep.h"

static const char *const counts[] = {
  [COLL_COUNT_ANY] = "",
  [COLL_COUNT_AT_MOST_ONE] = "at most one element",
  [COLL_COUNT_BELOW_RANKS] = "fewer elements than ranks",
  [COLL_COUNT_AT_MOST_RANKS] = "at most as many elements as ranks",
  [COLL_COUNT_BELOW_POWER] = "fewer elements than the largest power of two in the ranks",
  [COLL_COUNT_MULTIPLE_OF_RANKS] = "elements in a multiple of the ranks",
  [COLL_COUNT_MULTIPLE_OF_POWER] = "elements in a multiple of the largest power of two in the ranks",
};
static const char *const numbers[] = {
  [COLL_RANKS_ANY] = "",
  [COLL_RANKS_POWER_OF_TWO] = "a power of two of ranks",
  [COLL_RANKS_ODD] = "an odd number of ranks",
};
static const char *const units[] = {
  [COLL_PER_CALL] = "call", [COLL_PER_BLOCK] = "block", [COLL_PER_VECTOR] = "vector"
};

/* Bytes from … below …, with the values of the parameters that the row refers to. */
static void range(json *j, const char *name, size_t min, size_t end, const long *value) {
  json_array(j, name);
  json_size(j, NULL, coll_bound_value(min, value));
  json_size(j, NULL, coll_bound_value(end, value));
  json_end(j);
}

static void rule(json *j, const coll_decision *d, const long *value, const coll_rule *r) {
  json_object(j, "rule");
  json_size(j, "number", (size_t)(r - d->rules) + 1);
  json_size(j, "rules", d->count);
  json_array(j, "ranks");
  json_int(j, NULL, r->p_min);
  json_int(j, NULL, r->p_max);
  json_end(j);
  if (r->per_node_min || r->per_node_max) { /* of files alone */
    json_array(j, "ranks_per_node");
    json_int(j, NULL, r->per_node_min);
    json_int(j, NULL, r->per_node_max);
    json_end(j);
  }
  json_text(j, "unit", units[d->unit[r->collective]]);
  range(j, "bytes", r->bytes_min, r->bytes_end, value);
  range(j, "block", r->block_min, r->block_end, value);
  json_int(j, "commutes", r->commutes);
  json_bool(j, "in_place", r->in_place);
  json_bool(j, "root_zero", r->root_zero);
  json_size(j, "bytes_multiple", r->bytes_multiple);
  json_bool(j, "divides",
            r->bytes_multiple || r->elements == COLL_COUNT_MULTIPLE_OF_RANKS ||
                r->elements == COLL_COUNT_MULTIPLE_OF_POWER);
  if (r->a == 0 && r->b == 0) json_null(j, "line");
  else {
    json_object(j, "line");
    json_bool(j, "above", r->above);
    json_real(j, "a", r->a);
    json_real(j, "b", r->b);
    json_end(j);
  }
  json_text(j, "elements", counts[r->elements]);
  json_text(j, "number_of_ranks", numbers[r->ranks]);
  json_end(j);
}

/* A decision and the values of its parameters. */
typedef struct {
  const coll_decision *table;
  long value[COLL_PARAMS];
} decision;

static void answer(FILE *out, const decision *d, coll_collective k, coll_args *a) {
  char error[512], reason[512], name[512], key[512];
  long param[COLL_PARAMS] = { 0 };
  a->param = param;
  coll_decision_key(d->table, d->value, name, sizeof name);
  bool builtin = coll_takes_builtin(name, k, a);
  const coll_alg *alg = builtin ? NULL : coll_choose(name, k, a, param, error, sizeof error);
  const char *status = builtin ? NULL : alg ? coll_unsupported(alg, a, reason, sizeof reason) : error;
  if (alg) coll_key(alg, param, key, sizeof key);
  if (builtin) snprintf(key, sizeof key, "%s/builtin", coll_collective_name(k));
  json j = json_on(out);
  json_object(&j, NULL);
  json_text(&j, "decision", name);
  json_int(&j, "ranks", a->size);
  json_size(&j, "count", a->count);
  json_text(&j, "status", status ? status : "ok");
  json_text(&j, "kind", status ? "unsupported" : "ok");
  json_text(&j, "chose", alg || builtin ? key : NULL);
  const coll_rule *r = coll_decision_rule(d->table, d->value, k, a);
  if (r) rule(&j, d->table, d->value, r);
  else json_null(&j, "rule");
  json_end(&j);
}

enum { MAX_DECISIONS = 32 };

/* Some tables, and a call whose ranks and count may still be missing. */
typedef struct {
  const char *collective;
  coll_args call;
  bool has_call; /* ranks and count are on the command line */
  int per_node;
  coll_place *place; /* [size] where per_node says so */
  decision list[MAX_DECISIONS];
  int n;
} question;

static bool ask(question *q, const char *key, char *error, size_t size) {
  if (q->n == MAX_DECISIONS) return snprintf(error, size, "at most %d decisions", MAX_DECISIONS), false;
  decision *d = &q->list[q->n];
  d->table = coll_decision_find(key, d->value, error, size);
  q->n += d->table != NULL;
  return d->table;
}

/* One word of the command line; false with the reason. */
static bool read_word(question *q, const char *word, char *error, size_t size) {
  if (!strncmp(word, "decision=", 9)) return ask(q, word + 9, error, size);
  if (!strncmp(word, "collective=", 11)) return q->collective = word + 11, true;
  static const char *const names[] = { "ranks=", "count=", "elem=", "root=", "commutes=", "in_place=", "per_node=" };
  static const size_t most[] = { PLACES_MAX, SIZE_MAX, SIZE_MAX, PLACES_MAX, 1, 1, PLACES_MAX };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]);
    uint64_t n = 0;
    if (strncmp(word, names[i], length)) continue;
    if (!number_whole(word + length, most[i], &n))
      return snprintf(error, size, "--decide cannot read \"%.40s\": give a whole number, at most %zu", word, most[i]),
             false;
    switch (i) {
      case 0: q->call.size = (int)n; break;
      case 1: q->call.count = n; break;
      case 2: q->call.elem = n; break;
      case 3: q->call.root = (int)n; break;
      case 4: q->call.commutes = n; break;
      case 5: q->call.in_place = n; break;
      default: q->per_node = (int)n; break;
    }
    q->has_call |= i < 2;
    return true;
  }
  return snprintf(error, size, "--decide does not know \"%.40s\"", word), false;
}

/* Blocks of so many ranks, each on a node of its own. */
static const coll_place *blocks(question *q) {
  q->place = array_grow(q->place, sizeof *q->place * (size_t)q->call.size);
  for (int i = 0; i < q->call.size; i++) {
    int node = i / q->per_node;
    q->place[i] = (coll_place){ .node = node, .socket = node, .cache = node };
  }
  return q->place;
}

static int reply(question *q, coll_collective k, prover *v) {
  if (q->call.size < 1 || !q->call.elem || q->call.root < 0 || q->call.root >= q->call.size)
    return refuse("--decide needs ranks, 1 or more, elem=BYTES, and root below the ranks");
  if (q->call.count > SIZE_MAX / q->call.elem / (size_t)q->call.size)
    return refuse("--decide: count %zu on %d ranks: more bytes than fit into 64 bits", q->call.count, q->call.size);
  q->call.place = q->per_node ? blocks(q) : prover_places(v, q->call.size);
  for (int i = 0; i < q->n; i++) answer(stdout, &q->list[i], k, &q->call);
  return 0;
}

/* The calls of standard input, "RANKS COUNT" a line. */
static int reply_to_lines(question *q, coll_collective k, prover *v) {
  char line[128];
  int status = 0;
  while (!status && fgets(line, sizeof line, stdin)) {
    uint64_t ranks, count;
    const char *rest;
    line[strcspn(line, "\n")] = '\0';
    if (!number_begins(line, PLACES_MAX, &ranks, &rest) || *rest != ' ' || !number_whole(rest + 1, SIZE_MAX, &count))
      return refuse("--decide cannot read the line \"%s\": give RANKS COUNT", line);
    q->call.size = (int)ranks;
    q->call.count = count;
    status = reply(q, k, v);
  }
  return status;
}

int decide_main(int words, char **word) {
  char error[512];
  static question q = { .collective = "", .call = { .elem = 4, .commutes = true } };
  for (int i = 0; i < words; i++)
    if (!read_word(&q, word[i], error, sizeof error)) return refuse("%s", error);
  coll_collective k = coll_collective_find(q.collective, strlen(q.collective));
  if (k == COLL_COLLECTIVES) return refuse("unknown collective \"%.40s\"", q.collective);
  bool all = !q.n;
  for (const coll_decision *const *d = coll_decisions; all && *d; d++)
    if (coll_decision_knows(*d, k) && !ask(&q, (*d)->key, error, sizeof error)) return refuse("%s", error);
  prover *v = prover_new();
  int status = q.has_call ? reply(&q, k, v) : reply_to_lines(&q, k, v);
  prover_free(v);
  free(q.place);
  return status;
}

static void print_rules(const decision *d) {
  char name[512];
  coll_decision_key(d->table, d->value, name, sizeof name);
  for (const coll_rule *r = d->table->rules; r < d->table->rules + d->table->count; r++) {
    json j = json_on(stdout);
    json_object(&j, NULL);
    json_text(&j, "decision", name);
    json_text(&j, "collective", coll_collective_name(r->collective));
    json_text(&j, "key", r->key);
    json_text(&j, "why", r->why);
    rule(&j, d->table, d->value, r);
    json_end(&j);
  }
}

int rules_main(int words, char **word) {
  char error[512];
  static question q;
  for (int i = 0; i < words; i++) {
    if (strncmp(word[i], "decision=", 9)) return refuse("--rules does not know \"%.40s\"", word[i]);
    if (!ask(&q, word[i] + 9, error, sizeof error)) return refuse("%s", error);
  }
  for (const coll_decision *const *d = coll_decisions; !words && *d; d++)
    if (!ask(&q, (*d)->key, error, sizeof error)) return refuse("%s", error);
  for (int i = 0; i < q.n; i++) print_rules(&q.list[i]);
  return 0;
}
