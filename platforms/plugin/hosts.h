/* Hosts of platform files that do not say where they sit: each is a node, all of whose cores share a cache. */
#ifndef COLLSCOPE_PLATFORMS_PLUGIN_HOSTS_H
#define COLLSCOPE_PLATFORMS_PLUGIN_HOSTS_H

#include <simgrid/s4u.hpp>

#include <string>
#include <vector>

namespace collscope {

/* All hosts by their names, in which numbers count: node-2 comes before node-10. Node n is the n-th of them. */
std::vector<simgrid::s4u::Host *> hosts_in_order(const simgrid::s4u::Engine &);

/* Gives each host the properties that the driver reads; costs: "GAMMA COPY", seconds per byte. */
void place_hosts(const simgrid::s4u::Engine &, const std::string &costs);

}  // namespace collscope

#endif
