/* What SimGrid makes of a platform file, for who models it: hosts, links and routes in lines on standard output. */
#ifndef COLLSCOPE_PLATFORMS_PLUGIN_ROUTES_H
#define COLLSCOPE_PLATFORMS_PLUGIN_ROUTES_H

#include <simgrid/s4u.hpp>

#include <string>

namespace collscope {

/* names: of hosts, with blanks between.
 *
 *   host CORES NAME                       every host, in the order of their numbers
 *   setting NAME VALUE                    how SMPI prices messages, as the file's <config> or SimGrid itself has it
 *   link BYTES_PER_S POLICY               those between the named hosts, from number 0 on; policy: shared, fatpipe or other
 *   route FROM TO LATENCY_S LINK …        every ordered pair of the named hosts, each also to itself, by their places in names */
void print_network(const simgrid::s4u::Engine &, const std::string &names);

}  // namespace collscope

#endif
