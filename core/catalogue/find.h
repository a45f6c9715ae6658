/* From the text of a key to the algorithm that it names. */
#ifndef COLLSCOPE_CORE_CATALOGUE_FIND_H
#define COLLSCOPE_CORE_CATALOGUE_FIND_H

#include "collscope.h"

/* Splits `text`, a full key such as "bcast/knomial[k=4,s=64KiB]", into the descriptor and values (defaults where not
 * given; sizes may end in KiB, MiB, GiB). Returns NULL and writes the reason to error[size] when it cannot. param must hold
 * COLL_PARAMS values. */
const coll_alg *coll_find(const char *text, long *param, char *error, size_t size);

/* Does the key name an algorithm or a decision that exists, with parameters that it has? If not, why: error[size]. */
bool coll_known(const char *text, char *error, size_t size);

/* The algorithm that the key names for this call, itself or by decision, with its parameters; or NULL with the reason in
 * error[size]. */
const coll_alg *coll_choose(const char *text, coll_collective, const coll_args *, long *param, char *error,
                            size_t size);

/* Does the key name the MPI library's own function, "bcast/builtin"? */
bool coll_is_builtin(const char *text);

#endif
