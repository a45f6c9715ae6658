/* From the text of a key to the algorithm that it names. */
#ifndef COLLSCOPE_CORE_CATALOGUE_FIND_H
#define COLLSCOPE_CORE_CATALOGUE_FIND_H

#include "core/catalogue/key.h"
#include "decision/rules.h"

/* Splits `text`, "decision/rd_ring[threshold=8KiB]" or "decision/file:PATH", as coll_find does. */
const coll_decision *coll_decision_find(const char *text, long *value, char *error, size_t size);

/* Does the key name an algorithm or a decision that exists, with parameters that it has? If not, why: error[size]. */
bool coll_known(const char *text, char *error, size_t size);

/* The algorithm that the key names for this call, itself or by decision, with its parameters; or NULL with the reason in
 * error[size]. */
const coll_alg *coll_choose(const char *text, coll_collective, const coll_args *, long *param, char *error,
                            size_t size);

/* Does the key name the MPI library's own function, "bcast/builtin"? */
bool coll_is_builtin(const char *text);
/* The same, or does it decide so for this call? */
bool coll_takes_builtin(const char *text, coll_collective, const coll_args *);

#endif
