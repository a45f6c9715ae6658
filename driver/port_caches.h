/* The part of the driver's port that knows no MPI: what measured buffers are found in. */
#ifndef COLLSCOPE_DRIVER_PORT_CACHES_H
#define COLLSCOPE_DRIVER_PORT_CACHES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether there are caches to empty and pages to map; if not, the next two do nothing. */
bool port_has_caches(void);
void port_empty_caches(void); /* of what was in them, by reading what is larger than they are */
/* Gives back the whole pages of a buffer of port_alloc's, data and all: they are mapped again when they are next touched. */
void port_renew(void *buffer, size_t bytes);

#endif
