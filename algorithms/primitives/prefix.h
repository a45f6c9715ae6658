/* Prefix sums by recursive doubling: the body of scan and of exscan. */
#ifndef COLLSCOPE_PRIMITIVES_PREFIX_H
#define COLLSCOPE_PRIMITIVES_PREFIX_H

#include "collscope.h"

/* out = the sum of in over the ranks before this one and, if inclusive, its own. Exclusive, rank 0's out is left alone.
 * in == out is allowed when inclusive. Keeps the rank order. Any p, any n. */
void coll_prefix(coll_ctx *, const void *in, void *out, size_t n, bool inclusive);

#endif
