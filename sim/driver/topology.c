/* What processors this machine has. */
#include "driver/port.h"

const char *port_topology(FILE *out) {
  (void)out;
  return "a simulated machine is what its platform file says; use the driver built for real runs";
}
