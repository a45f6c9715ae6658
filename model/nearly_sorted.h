#ifndef COLLSCOPE_MODEL_NEARLY_SORTED_H
#define COLLSCOPE_MODEL_NEARLY_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* Sorts numbers of which nearly all are in order already. */
void sort_nearly_sorted(uint64_t *number, size_t n);

#endif
