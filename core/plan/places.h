/* Where ranks sit, as somebody wrote it: a line "NODE SOCKET CACHE" a rank, # starts a comment; or a shape such as 4x4x4. */
#ifndef COLLSCOPE_CORE_PLAN_PLACES_H
#define COLLSCOPE_CORE_PLAN_PLACES_H

#include "collscope.h"

/* Numbers of nodes, sockets and caches are below this, and so are ranks: more than any machine has, and tables over them fit. */
enum { PLACES_MAX = 1 << 22 };

typedef struct {
  coll_place *place;
  size_t ranks, cap;
} places_list;

/* Reads a file; false with the reason. Free list->place in either case. */
bool places_read(places_list *, const char *path, char *error, size_t size);

/* The same of so many ranks: from a file where there is one of this name, else as the shape says: "4x4x4" nodes, sockets, cores
 * ("4x4x2x2": and caches), perhaps with ",cyclic". False with the reason. */
bool places_given(const char *text, int ranks, coll_place *place, char *error, size_t size);

#endif
