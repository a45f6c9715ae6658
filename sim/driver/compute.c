/* Computing takes simulated time, and ranks have no threads. */
#include <smpi/smpi.h>

#include "driver/port.h"

void port_compute(double seconds) {
  if (seconds > 0) smpi_execute_benched(seconds);
}

bool port_has_threads(void) { return false; }
