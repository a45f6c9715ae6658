/* Calls that are kept open. Which ones depends on nothing but the calls before, so that all ranks open and close the same ones. */
#ifndef COLLSCOPE_PRELOAD_KEEP_H
#define COLLSCOPE_PRELOAD_KEEP_H

#include "preload/communicator.h"

/* The call of this shape by this key on an open communicator; collective. Never NULL: see kept. */
kept *keep_find(communicator *, const shape *, const char *key);
void keep_close(kept *); /* NULL: nothing happens */

/* The algorithm that the key names for this shape, with its arguments. Its full key or, where it returns false, why none serves it, in
 * name[COUNTS_NAME]. */
bool keep_bind(binding *, const communicator *, const shape *, const char *key, char *name);
bool keep_equal(const communicator *, const shape *, const shape *);
shape keep_shape(const communicator *, const shape *); /* a copy; its displs are to be freed */
int keep_set(const communicator *, const shape *);     /* the set in which calls and plans of this shape are kept */

#endif
