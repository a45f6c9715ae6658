/* Hosts of the platform: where a rank sits, and how fast it works there. */
#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

static double host_number(const char *name) {
  const char *text = sg_host_get_property_value(sg_host_self(), name);
  if (text) return strtod(text, NULL);
  fprintf(stderr,
          "collscope: host %s has no property \"%s\" in the platform file; each host needs node, socket, cache, gamma "
          "and copy\n",
          sg_host_self_get_name(), name);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 0;
}

coll_place port_place(MPI_Comm comm) {
  (void)comm;
  return (coll_place){ .node = (int)host_number("node"),
                       .socket = (int)host_number("socket"),
                       .cache = (int)host_number("cache") };
}

const char *port_topology(FILE *out) {
  (void)out;
  return "a simulated machine is what its platform file says; ask the driver built for real runs";
}

/* Looked up once for each host: properties are text. */
typedef struct {
  double gamma, copy;
} speed;

static const speed *host_speed(void) {
  sg_host_t host = sg_host_self();
  speed *s = sg_host_get_data(host);
  if (!s) {
    s = runtime_allocate(sizeof *s);
    *s = (speed){ .gamma = host_number("gamma"), .copy = host_number("copy") };
    sg_host_set_data(host, s);
  }
  return s;
}

void port_charge_reduce(size_t bytes) {
  double seconds = (double)bytes * host_speed()->gamma;
  if (seconds > 0) smpi_execute_benched(seconds);
}

void port_charge_copy(size_t bytes) {
  double seconds = (double)bytes * host_speed()->copy;
  if (seconds > 0) smpi_execute_benched(seconds);
}
