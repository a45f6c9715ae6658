/* The registry as JSON: the one source of every other list (command line, docs, tests, Python). */
#include "core/catalogue/list.h"

#include <string.h>

static void flag(FILE *out, const coll_alg *a, unsigned bit, const char *name, bool *first) {
  if (!(a->flags & bit)) return;
  fprintf(out, "%s\"%s\"", *first ? "" : ",", name);
  *first = false;
}

void coll_json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *t = (const unsigned char *)text; *t; t++) {
    if (*t == '"' || *t == '\\') fprintf(out, "\\%c", *t);
    else if (*t < 0x20) fprintf(out, "\\u%04x", *t);
    else fputc(*t, out);
  }
  fputc('"', out);
}

static void params(FILE *out, const coll_param *list) {
  fputs(",\"params\":[", out);
  for (const coll_param *p = list; p && p->name; p++) {
    fprintf(out, "%s{\"name\":\"%s\",\"default\":%ld,\"min\":%ld,\"max\":%ld,\"words\":", p == list ? "" : ",",
            p->name, p->value, p->min, p->max);
    if (p->words) {
      for (long v = p->min; v <= p->max; v++) fprintf(out, "%s\"%s\"", v == p->min ? "[" : ",", p->words[v - p->min]);
      fputc(']', out);
    } else fputs("null", out);
    fputs(",\"help\":", out);
    coll_json_string(out, p->help ? p->help : "");
    fputc('}', out);
  }
  fputc(']', out);
}

static void algorithm(FILE *out, const coll_alg *a) {
  fputs("{\"key\":", out);
  coll_json_string(out, a->key);
  fprintf(out, ",\"collective\":\"%s\",\"summary\":", coll_collective_name(a->collective));
  coll_json_string(out, a->summary);
  fputs(",\"source\":", out);
  coll_json_string(out, a->source ? a->source : "");
  params(out, a->params);
  fprintf(out, ",\"ports\":\"%s\",\"flags\":[", a->ports == COLL_PORTS_ONE ? "one" : "many");
  bool first = true;
  flag(out, a, COLL_COMMUTATIVE_ONLY, "commutative_only", &first);
  flag(out, a, COLL_ANY_SOURCE, "any_source", &first);
  flag(out, a, COLL_SEGMENTS, "segments", &first);
  if (a->twin.number)
    fprintf(out, "],\"twin\":{\"library\":\"%s\",\"collective\":\"%s\",\"number\":%d}", a->twin.library,
            coll_collective_name(a->collective), a->twin.number);
  else fputs("],\"twin\":null", out);
  fprintf(out, ",\"has_cost\":%s}", a->cost ? "true" : "false");
}

static void decision(FILE *out, const coll_decision *d) {
  fputs("{\"key\":", out);
  coll_json_string(out, d->key);
  fputs(",\"summary\":", out);
  coll_json_string(out, d->summary);
  fputs(",\"source\":", out);
  coll_json_string(out, d->source);
  params(out, d->params);
  fputs(",\"collectives\":[", out);
  bool first = true;
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    for (size_t i = 0; i < d->count; i++)
      if ((int)d->rules[i].collective == k) {
        fprintf(out, "%s\"%s\"", first ? "" : ",", coll_collective_name((coll_collective)k));
        first = false;
        break;
      }
  fputs("]}", out);
}

void coll_list_json(FILE *out) {
  fputs("{\"algorithms\":[\n", out);
  for (const coll_alg *const *a = coll_registry; *a; a++) {
    if (a != coll_registry) fputs(",\n", out);
    algorithm(out, *a);
  }
  fputs("],\n\"decisions\":[", out);
  for (const coll_decision *const *d = coll_decisions; *d; d++) {
    if (d != coll_decisions) fputs(",\n", out);
    decision(out, *d);
  }
  fputs("],\n\"collectives\":[", out);
  for (int k = 0; k < COLL_COLLECTIVES; k++)
    fprintf(out, "%s{\"name\":\"%s\",\"has_root\":%s,\"has_operator\":%s}", k ? ",\n" : "",
            coll_collective_name((coll_collective)k), coll_has_root((coll_collective)k) ? "true" : "false",
            coll_has_operator((coll_collective)k) ? "true" : "false");
  fputs("]}\n", out);
}
