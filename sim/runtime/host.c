/* Hosts of the platform: where a rank sits, and how fast it works there. */
#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdlib.h>

#include "core/catalogue/number.h"
#include "core/plan/places.h"
#include "core/runtime/allocate.h"
#include "core/runtime/port.h"
#include "sim/runtime/platform.h"

static void refuse_host(const char *name, const char *text, const char *needed) {
  fprintf(stderr, "collscope: host %s has %s%.40s for the property \"%s\" in the platform file; each host needs %s\n",
          sg_host_self_get_name(), text ? "" : "nothing", text ? text : "", name, needed);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int host_place(const char *name) {
  const char *text = sg_host_get_property_value(sg_host_self(), name);
  uint64_t number = 0;
  if (!text || !number_whole(text, PLACES_MAX - 1, &number)) {
    char needed[64];
    snprintf(needed, sizeof needed, "node, socket and cache, whole numbers below %d", PLACES_MAX);
    refuse_host(name, text, needed);
  }
  return (int)number;
}

static double host_number(const char *name) {
  const char *text = sg_host_get_property_value(sg_host_self(), name);
  char *end = NULL;
  double number = text ? strtod(text, &end) : -1;
  if (!text || end == text || *end || !(number >= 0 && number <= 1))
    refuse_host(name, text, "gamma and copy, seconds per byte from 0 to 1");
  return number;
}

coll_place port_place(MPI_Comm comm) {
  (void)comm;
  return (coll_place){ .node = host_place("node"), .socket = host_place("socket"), .cache = host_place("cache") };
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

/* Seconds per byte, 0 where the platform does not say. All ranks ask for the same: it is looked up once. */
static double platform_number(const char *property, double *known) {
  if (*known < 0) {
    const char *text = platform_says(property);
    *known = text ? strtod(text, NULL) : 0;
  }
  return *known;
}

static double first_touch_s_per_byte(void) {
  static double known = -1;
  return platform_number("collscope.first_touch_s_per_byte", &known);
}

static double invalidation_s_per_byte(void) {
  static double known = -1;
  return platform_number("collscope.invalidation_s_per_byte", &known);
}

void port_charge_first_touch(size_t bytes) {
  double seconds = (double)bytes * first_touch_s_per_byte();
  if (seconds > 0) smpi_execute_benched(seconds);
}

void port_charge_invalidation(size_t bytes) {
  double seconds = (double)bytes * invalidation_s_per_byte();
  if (seconds > 0) smpi_execute_benched(seconds);
}

size_t port_read_in_place_from(void) {
  if (invalidation_s_per_byte() <= 0) return SIZE_MAX;
  const char *eager = platform_says("collscope.eager_bytes");
  return eager ? (size_t)(strtoll(eager, NULL, 10) + 1) : SIZE_MAX;
}

size_t port_fresh_from(void) {
  const char *text = platform_says("collscope.fresh_from_bytes");
  return text && first_touch_s_per_byte() > 0 ? (size_t)strtoull(text, NULL, 10) : SIZE_MAX;
}
