/* The catalogue as JSON: see list.h. */
#include "core/catalogue/list.h"

#include "core/catalogue/collective.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/json.h"
#include "core/plan/plan.h"

static void params(json *j, const coll_param *list) {
  json_array(j, "params");
  for (const coll_param *p = list; p && p->name; p++) {
    json_object(j, NULL);
    json_text(j, "name", p->name);
    json_int(j, "default", p->value);
    json_int(j, "min", p->min);
    json_int(j, "max", p->max);
    if (p->words) {
      json_array(j, "words");
      for (long v = p->min; v <= p->max; v++) json_text(j, NULL, p->words[v - p->min]);
      json_end(j);
    } else json_null(j, "words");
    json_text(j, "help", p->help ? p->help : "");
    json_end(j);
  }
  json_end(j);
}

static void algorithm(json *j, const coll_alg *a) {
  static const struct {
    unsigned bit;
    const char *name;
  } flags[] = {
    { COLL_COMMUTATIVE_ONLY, "commutative_only" },
    { COLL_ANY_SOURCE, "any_source" },
    { COLL_SEGMENTS, "segments" },
    { COLL_PLACES, "places" },
    { COLL_ANY_BLOCKS, "any_blocks" },
  };
  json_object(j, NULL);
  json_text(j, "key", a->key);
  json_text(j, "collective", coll_collective_name(a->collective));
  json_text(j, "summary", a->summary);
  json_text(j, "source", a->source ? a->source : "");
  params(j, a->params);
  json_text(j, "ports", a->ports == COLL_PORTS_ONE ? "one" : "many");
  json_array(j, "flags");
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (a->flags & flags[i].bit) json_text(j, NULL, flags[i].name);
  json_end(j);
  if (a->twin.number) {
    json_object(j, "twin");
    json_text(j, "library", a->twin.library);
    json_text(j, "collective", coll_collective_name(a->collective));
    json_int(j, "number", a->twin.number);
    json_end(j);
  } else json_null(j, "twin");
  json_bool(j, "has_cost", a->cost);
  json_end(j);
}

static void decision(json *j, const coll_decision *d) {
  json_object(j, NULL);
  json_text(j, "key", d->key);
  json_text(j, "summary", d->summary);
  json_text(j, "source", d->source);
  params(j, d->params);
  json_array(j, "collectives");
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    if (coll_decision_knows(d, (coll_collective)k)) json_text(j, NULL, coll_collective_name((coll_collective)k));
  json_end(j);
  json_end(j);
}

static void side(json *j, const char *name, coll_side s) {
  static const char *const who[] = { [COLL_NO_RANK] = "none", [COLL_ROOT] = "root", [COLL_EVERY_RANK] = "every" };
  static const char *const amount[] = {
    [COLL_HOLDS_NOTHING] = "nothing", [COLL_HOLDS_BLOCK] = "block", [COLL_HOLDS_BLOCKS] = "blocks",
    [COLL_HOLDS_VECTOR] = "vector",   [COLL_HOLDS_PART] = "part",
  };
  json_object(j, name);
  json_text(j, "who", who[s.who]);
  json_text(j, "amount", amount[s.amount]);
  json_end(j);
}

static void collective(json *j, coll_collective k) {
  static const char *const unit[] = {
    [COLL_COUNTS_NOTHING] = "none",
    [COLL_COUNTS_BLOCK] = "block",
    [COLL_COUNTS_VECTOR] = "vector",
  };
  static const char *const in_place[] = {
    [COLL_IN_PLACE_NEVER] = "never",   [COLL_IN_PLACE_ALWAYS] = "always", [COLL_IN_PLACE_SAME] = "same",
    [COLL_IN_PLACE_IN_OUT] = "in_out", [COLL_IN_PLACE_OUT_IN] = "out_in",
  };
  static const char *const share[] = {
    [COLL_SHARE_NONE] = "none",
    [COLL_SHARE_WHOLE] = "whole",
    [COLL_SHARE_OTHERS] = "others",
    [COLL_SHARE_BLOCK] = "block",
  };
  const coll_facts *f = coll_facts_of(k);
  json_object(j, NULL);
  json_text(j, "name", f->name);
  json_text(j, "mpi", f->mpi);
  json_bool(j, "has_root", f->root);
  json_bool(j, "has_operator", f->op);
  json_bool(j, "uneven", f->uneven);
  json_text(j, "unit", unit[coll_counts_of(k)]);
  side(j, "in", f->in);
  side(j, "out", f->out);
  json_text(j, "in_place", in_place[f->in_place]);
  json_object(j, "bound");
  json_text(j, "rounds", f->bound.one_round ? "one" : "log");
  json_text(j, "sent", share[f->bound.sent]);
  json_int(j, "times", f->bound.times);
  json_text(j, "combined", share[f->bound.combined]);
  json_end(j);
  json_end(j);
}

void coll_list_json(FILE *out) {
  json j = json_on(out);
  json_object(&j, NULL);
  json_array(&j, "algorithms");
  for (const coll_alg *const *a = coll_registry; *a; a++) {
    json_break(&j);
    algorithm(&j, *a);
  }
  json_end(&j);
  json_break(&j);
  json_array(&j, "decisions");
  for (const coll_decision *const *d = coll_decisions; *d; d++) {
    json_break(&j);
    decision(&j, *d);
  }
  json_end(&j);
  json_break(&j);
  json_array(&j, "collectives");
  for (int k = 0; k < COLL_COLLECTIVES; k++) {
    json_break(&j);
    collective(&j, (coll_collective)k);
  }
  json_end(&j);
  json_break(&j);
  json_array(&j, "types");
  for (int t = 0; t < PLAN_TYPES; t++) {
    json_object(&j, NULL);
    json_text(&j, "name", plan_type_name((plan_type)t));
    json_size(&j, "bytes", plan_type_bytes((plan_type)t));
    json_end(&j);
  }
  json_end(&j);
  json_array(&j, "operators");
  for (int o = 0; o < PLAN_OPS; o++) json_text(&j, NULL, plan_op_name((plan_op)o));
  json_end(&j);
  json_array(&j, "metrics");
  for (int m = 0; m < PLAN_METRICS; m++) json_text(&j, NULL, plan_metric_name((plan_metric)m));
  json_end(&j);
  json_end(&j);
}
