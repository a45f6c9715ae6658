/* A simulated machine has no caches. */
#include "driver/port_caches.h"

bool port_has_caches(void) { return false; }
void port_empty_caches(void) {}
void port_renew(void *buffer, size_t bytes) { (void)buffer, (void)bytes; }
