#include "platforms/plugin/hosts.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace collscope {

namespace s4u = simgrid::s4u;

std::vector<s4u::Host *> hosts_in_order(const s4u::Engine &engine) {
  std::vector<s4u::Host *> hosts = engine.get_all_hosts();
  std::sort(hosts.begin(), hosts.end(),
            [](const s4u::Host *a, const s4u::Host *b) { return strverscmp(a->get_cname(), b->get_cname()) < 0; });
  return hosts;
}

void place_hosts(const s4u::Engine &engine, const std::string &costs) {
  std::string gamma, copy;
  std::istringstream(costs) >> gamma >> copy;
  int number = 0;
  for (s4u::Host *host : hosts_in_order(engine)) {
    for (const char *name : { "node", "socket", "cache" }) host->set_property(name, std::to_string(number));
    host->set_property("gamma", gamma);
    host->set_property("copy", copy);
    number++;
  }
}

}  // namespace collscope
