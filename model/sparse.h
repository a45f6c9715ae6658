/* The shares of a network of links. */
#ifndef COLLSCOPE_MODEL_SPARSE_H
#define COLLSCOPE_MODEL_SPARSE_H

#include "model/flows.h"

/* Finds the shares of all flows that a change of the dirty resources concerns, and lists them as solved: where a network has thousands
 * of links, most changes concern few. */
void sparse_solve(fluid *);
void sparse_free(fluid *);

#endif
