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

#endif
