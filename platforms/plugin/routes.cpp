#include "platforms/plugin/routes.h"

#include <xbt/config.hpp>

#include <cstdio>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "platforms/plugin/hosts.h"

namespace collscope {

namespace s4u = simgrid::s4u;

namespace {

void print_settings() {
  for (const char *name : { "smpi/lat-factor", "smpi/bw-factor", "smpi/os", "smpi/ois", "smpi/or" })
    std::printf("setting %s %s\n", name, simgrid::config::get_value<std::string>(name).c_str());
  for (const char *name : { "network/TCP-gamma", "network/weight-S" })
    std::printf("setting %s %.17g\n", name, simgrid::config::get_value<double>(name));
  std::printf("setting network/crosstraffic %d\n", simgrid::config::get_value<bool>("network/crosstraffic"));
  for (const char *name : { "smpi/async-small-thresh", "smpi/send-is-detached-thresh" })
    std::printf("setting %s %d\n", name, simgrid::config::get_value<int>(name));
}

const char *policy_of(const s4u::Link *link) {
  switch (link->get_sharing_policy()) {
    case s4u::Link::SharingPolicy::SHARED: return "shared";
    case s4u::Link::SharingPolicy::FATPIPE: return "fatpipe";
    default: return "other";
  }
}

void print_routes(const std::vector<const s4u::Host *> &hosts) {
  std::unordered_map<const s4u::Link *, size_t> number;
  for (size_t a = 0; a < hosts.size(); a++)
    for (size_t b = 0; b < hosts.size(); b++) {
      std::vector<s4u::Link *> links;
      double latency_s = 0;
      hosts[a]->route_to(hosts[b], links, &latency_s);
      for (const s4u::Link *link : links)
        if (number.emplace(link, number.size()).second)
          std::printf("link %.17g %s\n", link->get_bandwidth(), policy_of(link));
      std::printf("route %zu %zu %.17g", a, b, latency_s);
      for (const s4u::Link *link : links) std::printf(" %zu", number.at(link));
      std::printf("\n");
    }
}

}  // namespace

void print_network(const s4u::Engine &engine, const std::string &names) {
  for (const s4u::Host *host : hosts_in_order(engine))
    std::printf("host %d %s\n", host->get_core_count(), host->get_cname());
  print_settings();
  engine.seal_platform(); /* makes the links of hosts to themselves */
  std::vector<const s4u::Host *> named;
  std::istringstream words(names);
  for (std::string name; words >> name;) named.push_back(engine.host_by_name(name));
  print_routes(named);
  std::fflush(stdout);
}

}  // namespace collscope
