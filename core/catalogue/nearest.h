/* Which of some names the writer of another may have meant. */
#ifndef COLLSCOPE_CORE_CATALOGUE_NEAREST_H
#define COLLSCOPE_CORE_CATALOGUE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *text;
  size_t length;
  size_t best; /* distance of the nearest so far; names further off than a third of the text's length do not count */
} nearest;

nearest nearest_to(const char *text, size_t length);
/* Is this name nearer than all before it? */
bool nearest_offer(nearest *, const char *name);

#endif
