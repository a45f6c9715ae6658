/* The interpreter of decision tables: the first rule that fits a call names the algorithm. */
#include "core/catalogue/decide.h"

#include <stdio.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/key.h"
#include "core/catalogue/text.h"
#include "patterns/fold.h"
#include "patterns/lg.h"

bool coll_is_decision(const char *text) { return !strncmp(text, "decision/", 9); }

const coll_decision *coll_table_find(const char *text, long *value, char *error, size_t size) {
  size_t stem = coll_key_stem(text);
  for (const coll_decision *const *d = coll_decisions; *d; d++)
    if (strlen((*d)->key) == stem && !strncmp((*d)->key, text, stem))
      return coll_key_read(text, (*d)->params, value, error, size) ? *d : NULL;
  return say(error, size, "unknown decision \"%.*s\"", stem < 60 ? (int)stem : 60, text), NULL;
}

void coll_decision_key(const coll_decision *d, const long *value, char *text, size_t size) {
  coll_key_write(d->key, d->params, value, text, size);
}

bool coll_decision_knows(const coll_decision *d, coll_collective k) {
  for (size_t i = 0; i < d->count; i++)
    if (d->rules[i].collective == k) return true;
  return false;
}

static bool count_fits(coll_count_need need, size_t count, int p) {
  size_t power = (size_t)coll_fold_make(p, COLL_FOLD_EVEN).power;
  switch (need) {
    case COLL_COUNT_AT_MOST_ONE: return count <= 1;
    case COLL_COUNT_BELOW_RANKS: return count < (size_t)p;
    case COLL_COUNT_AT_MOST_RANKS: return count <= (size_t)p;
    case COLL_COUNT_BELOW_POWER: return count < power;
    case COLL_COUNT_MULTIPLE_OF_RANKS: return count % (size_t)p == 0;
    case COLL_COUNT_MULTIPLE_OF_POWER: return count % power == 0;
    default: return true;
  }
}

static bool ranks_fit(coll_ranks_need need, int p) {
  return need == COLL_RANKS_ANY || (need == COLL_RANKS_ODD ? p % 2 == 1 : coll_is_power_of_two(p));
}

static bool line_fits(const coll_rule *r, int p, size_t bytes) {
  if (r->a == 0 && r->b == 0) return true;
  double line = r->a * (double)bytes + r->b;
  return r->above ? p > line : p < line;
}

size_t coll_bound_value(size_t bound, const long *value) {
  return SIZE_MAX - bound < COLL_PARAMS ? (size_t)value[SIZE_MAX - bound] : bound;
}

static bool within(size_t bytes, size_t min, size_t end, const long *value) {
  return bytes >= coll_bound_value(min, value) && (!end || bytes < coll_bound_value(end, value));
}

int coll_ranks_per_node(const coll_args *a) {
  coll_grouping nodes;
  int most = 0;
  coll_grouping_make(&nodes, COLL_LEVEL_NODE, a->size, a->place);
  for (int g = 0; g < nodes.groups; g++) {
    int ranks = nodes.first[g + 1] - nodes.first[g];
    if (ranks > most) most = ranks;
  }
  coll_grouping_free(&nodes);
  return most;
}

/* *per_node: 0 before it is known. */
static bool nodes_fit(const coll_rule *r, const coll_args *a, int *per_node) {
  if (r->per_node_min <= 1 && !r->per_node_max) return true;
  if (!*per_node) *per_node = coll_ranks_per_node(a);
  return *per_node >= r->per_node_min && (!r->per_node_max || *per_node <= r->per_node_max);
}

static bool fits(const coll_rule *r, const long *value, coll_collective k, const coll_args *a, size_t bytes,
                 size_t block) {
  return r->collective == k && a->size >= r->p_min && (!r->p_max || a->size <= r->p_max) &&
         (r->commutes < 0 || r->commutes == (int)a->commutes) && (!r->in_place || a->in_place) &&
         (!r->root_zero || a->root == 0) && (!r->bytes_multiple || bytes % r->bytes_multiple == 0) &&
         within(bytes, r->bytes_min, r->bytes_end, value) && within(block, r->block_min, r->block_end, value) &&
         line_fits(r, a->size, bytes) && count_fits(r->elements, a->count, a->size) && ranks_fit(r->ranks, a->size);
}

const coll_rule *coll_decision_rule(const coll_decision *d, const long *value, coll_collective k, const coll_args *a) {
  size_t bytes = a->count * a->elem, p = (size_t)a->size;
  bool blocks = coll_counts_of(k) == COLL_COUNTS_BLOCK;
  size_t block = blocks ? bytes : bytes / p, vector = blocks ? bytes * p : bytes;
  if (d->unit[k] == COLL_PER_VECTOR) bytes = vector;
  if (d->unit[k] == COLL_PER_BLOCK) bytes = block;
  int per_node = 0;
  for (size_t i = 0; i < d->count; i++)
    if (fits(&d->rules[i], value, k, a, bytes, block) && nodes_fit(&d->rules[i], a, &per_node)) return &d->rules[i];
  return NULL;
}
