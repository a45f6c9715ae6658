/* The part of the port that knows no MPI: memory for data. */
#ifndef COLLSCOPE_CORE_RUNTIME_PORT_MEMORY_H
#define COLLSCOPE_CORE_RUNTIME_PORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* From now on buffers of messages share a few pages and hold no data, so that hundreds of GiB fit. Chosen once, before the first
 * allocation; simulation only: false where the back-end cannot. */
bool port_share_buffers(void);
bool port_holds_data(void);
void *port_alloc(size_t bytes); /* aborts with a message when out of memory */
void port_release(void *buffer);

/* Whether there are caches to empty and pages to map; if not, the next two do nothing. */
bool port_has_caches(void);
void port_empty_caches(void); /* of what was in them, by reading what is larger than they are */
/* Gives back the whole pages of a buffer of port_alloc's, data and all: they are mapped anew when they are next touched. */
void port_renew(void *buffer, size_t bytes);

#endif
