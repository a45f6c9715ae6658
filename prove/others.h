/* Machines besides the first one, on which a point is timed without being recorded again. */
#ifndef COLLSCOPE_PROVE_OTHERS_H
#define COLLSCOPE_PROVE_OTHERS_H

#include "model/machine.h"

typedef struct {
  machine *machine;
  size_t n, cap;
  bool differ;    /* operations are to be looked at again for one of them, and so to be kept */
  double *time_s; /* [n]: of the point timed last */
} other_machines;

/* Reads the machines whose files a list names, a line each; false, having said why, when it cannot, or where a rank sits elsewhere than on
 * the first one: what a schedule does may follow from its places. */
bool others_read(other_machines *, const machine *first, const char *list);
void others_free(other_machines *);

#endif
