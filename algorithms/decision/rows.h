/* How decision tables are written: a row a line, numbers as in the library they come from. */
#ifndef COLLSCOPE_DECISION_ROWS_H
#define COLLSCOPE_DECISION_ROWS_H

#include "decision/rules.h"

enum { ANY = -1, ORDERED = 0, COMMUTES = 1 }; /* the operator */

/* Ranks p0 … p1 (0: no limit), bytes b0 … b1-1 (0: no limit), the key, and further needs as designated fields. */
#define ROW(collective_, p0, p1, operator_, b0, b1, ...) \
  { .collective = COLL_##collective_,                    \
    .p_min = p0,                                         \
    .p_max = p1,                                         \
    .commutes = operator_,                               \
    .bytes_min = b0,                                     \
    .bytes_end = b1,                                     \
    .key = __VA_ARGS__ }

#endif
