/* Decision tables: finding one, and which of its rules fits a call. */
#ifndef COLLSCOPE_CORE_CATALOGUE_DECIDE_H
#define COLLSCOPE_CORE_CATALOGUE_DECIDE_H

#include "decision/rules.h"

bool coll_is_decision(const char *text); /* does the key name one? It need not exist */
/* Splits `text`, "decision/rd_ring[threshold=8KiB]", as coll_find does; value must hold COLL_PARAMS values. Of the catalogue alone: see
 * coll_decision_find. */
const coll_decision *coll_table_find(const char *text, long *value, char *error, size_t size);
void coll_decision_key(const coll_decision *, const long *value, char *text, size_t size);
/* Has it a rule for the collective? */
bool coll_decision_knows(const coll_decision *, coll_collective);
/* The first rule that fits the call; NULL if none does. */
const coll_rule *coll_decision_rule(const coll_decision *, const long *value, coll_collective, const coll_args *);
/* Of the node that has most. */
int coll_ranks_per_node(const coll_args *);
/* A row's number of bytes: itself, or the parameter's value that it stands for. */
size_t coll_bound_value(size_t bound, const long *value);

#endif
