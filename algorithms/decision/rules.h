/* Decision tables: which algorithm a library takes for which call, a rule a row. */
#ifndef COLLSCOPE_DECISION_RULES_H
#define COLLSCOPE_DECISION_RULES_H

#include "collscope.h"

typedef enum { COLL_PER_CALL, COLL_PER_BLOCK, COLL_PER_VECTOR } coll_unit; /* of a threshold: see docs of each table */

/* Further needs of a row: of the element count (all of the call's: see coll_args) and of the number of ranks. */
typedef enum {
  COLL_COUNT_ANY,
  COLL_COUNT_AT_MOST_ONE,
  COLL_COUNT_BELOW_RANKS,
  COLL_COUNT_AT_MOST_RANKS,
  COLL_COUNT_BELOW_POWER, /* fewer elements than the largest power of two that is not above p */
  COLL_COUNT_MULTIPLE_OF_RANKS,
  COLL_COUNT_MULTIPLE_OF_POWER, /* the same power */
} coll_count_need;
typedef enum { COLL_RANKS_ANY, COLL_RANKS_POWER_OF_TWO, COLL_RANKS_ODD } coll_ranks_need;

/* Written for a number of bytes in a row: the value of the decision's parameter i. */
#define COLL_BOUND_PARAM(i) (SIZE_MAX - (size_t)(i))

typedef struct {
  coll_collective collective;
  int p_min, p_max;            /* inclusive; p_max 0: no limit */
  int commutes;                /* -1 any, else 0 or 1 */
  size_t bytes_min, bytes_end; /* bytes_min <= bytes < bytes_end; 0: no limit */
  double a, b;                 /* if a or b: the row also needs p < a·bytes + b */
  const char *key; /* with all parameters; in a file's rules also bcast/builtin or decision/…; NULL: see why */
  const char *why; /* there is no such algorithm here */
  bool above;      /* the row needs p > a·bytes + b instead */
  coll_count_need elements;
  coll_ranks_need ranks;
  size_t block_min, block_end;    /* and of one rank's block; block_end 0: no limit */
  bool in_place;                  /* the row needs a call in place */
  bool root_zero;                 /* … and root 0 */
  size_t bytes_multiple;          /* … and a whole number of so many bytes; 0: any */
  int per_node_min, per_node_max; /* inclusive: ranks on the node that has most; per_node_max 0: no limit */
} coll_rule;

typedef struct {
  const char *key; /* "decision/ompi_4_1" */
  const char *summary, *source;
  const coll_param *params; /* NULL: none */
  coll_unit unit[COLL_COLLECTIVES];
  const coll_rule *rules; /* first match wins; ends with key = NULL and why = NULL */
  size_t count;
} coll_decision;

extern const coll_decision *const coll_decisions[]; /* ends with NULL */

#endif
