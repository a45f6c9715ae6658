#ifndef COLLSCOPE_MODEL_ASCEND_H
#define COLLSCOPE_MODEL_ASCEND_H

#include <stddef.h>
#include <stdint.h>

/* Sorts numbers of which nearly all are in order already. */
void ascend(uint64_t *number, size_t n);

#endif
