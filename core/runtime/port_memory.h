/* The part of the port that knows no MPI: memory for data. */
#ifndef COLLSCOPE_CORE_RUNTIME_PORT_MEMORY_H
#define COLLSCOPE_CORE_RUNTIME_PORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Buffers of messages. While folding is on, all share a few pages and hold no data (simulation only: returns false where
 * the back-end cannot). Folding is chosen once, before the first allocation. */
bool port_fold(bool on);
bool port_holds_data(void);
void *port_alloc(size_t bytes);            /* aborts with a message when out of memory */
void port_release(void *buffer);

#endif
