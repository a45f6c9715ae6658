/* Keys with parameters in brackets, as algorithms and decisions have them: "bcast/knomial[k=4,s=64KiB]". */
#ifndef COLLSCOPE_CORE_CATALOGUE_KEY_H
#define COLLSCOPE_CORE_CATALOGUE_KEY_H

#include "collscope.h"

/* Length of the part before the bracket. */
size_t coll_key_stem(const char *text);

/* Reads the bracket of `text`, if it has one, into value[]: defaults for those not given. Returns false and writes the
 * reason to error[size] when it cannot. */
bool coll_key_read(const char *text, const coll_param *params, long *value, char *error, size_t size);

/* The full key with all parameters in the list's order. */
void coll_key_write(const char *stem, const coll_param *params, const long *value, char *text, size_t size);

/* The full key of an algorithm: what tables show. */
void coll_key(const coll_alg *, const long *param, char *text, size_t size);

/* Splits `text`, a full key such as "bcast/knomial[k=4,s=64KiB]", into the descriptor and values (defaults where not
 * given; sizes may end in KiB, MiB, GiB). Returns NULL and writes the reason to error[size] when it cannot. param must hold
 * COLL_PARAMS values. */
const coll_alg *coll_find(const char *text, long *param, char *error, size_t size);

#endif
