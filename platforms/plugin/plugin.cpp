/* Protocol curves for each class of link: what SimGrid's options can only say for a whole machine at once.
 *
 *   COLLSCOPE_PLATFORM=machine.xml smpirun -platform collscope-platform.so …
 *
 * The XML holds, as properties of its outermost zone, one curve a class (cache, socket, node, network: the closest level that two
 * hosts share):
 *
 *   curve.network = "0 1.4e-06 9.5e-10 1; 1024 2.1e-06 3.3e-10 1; …"       from bytes, seconds, seconds a byte, traffic
 *
 * A message of n bytes, alone, takes `seconds` + n · `seconds a byte`. Of that it keeps the links of its route busy for n · traffic /
 * (bandwidth of the narrowest link): traffic is how many bytes the links move for each byte of the message (a copy through memory
 * reads, fills and writes). The rest is waiting, in which others may use the links: it goes into the latency.
 *
 * SimGrid's semantics behind that:
 *  - a bandwidth factor f scales what a flow gets from its share, so f = 1 / traffic keeps the links busy longer;
 *  - latency factors multiply the latency of the route, and flows share a link in inverse proportion to that same latency.
 *    Shares have to be even, so every route here gets a latency of one second and the factor is in seconds;
 *  - the callbacks see what flows, which is the message and SMPI's envelope of 16 bytes; curves speak of the message;
 *  - a flow without any latency would be weighed differently, so there is always a little;
 *  - ranks that share a core talk over SimGrid's loopback, and are priced as the closest class. Its latency comes from an option,
 *    network/loopback-lat:1, which has to be set.
 */
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#if SIMGRID_VERSION < 33400
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

constexpr double ENVELOPE_BYTES = 16;
constexpr double LEAST_LATENCY_S = 1e-12;

struct Piece {
  double from, latency_s, s_per_byte, traffic;
};
using Curve = std::vector<Piece>;

enum Level { CACHE, SOCKET, NODE, NETWORK, LEVELS };
const char *const LEVEL_NAMES[LEVELS] = { "cache", "socket", "node", "network" };

struct Place {
  int node, socket, cache;
};

struct Machine {
  Curve curve[LEVELS];
  std::unordered_map<const s4u::Host *, Place> place;
} machine;

[[noreturn]] void fail(const std::string &what) {
  std::cerr << "collscope: platform: " << what << std::endl;
  std::exit(1);
}

Curve read_curve(const char *text, const std::string &name) {
  Curve curve;
  std::istringstream pieces(text);
  for (std::string one; std::getline(pieces, one, ';');) {
    std::istringstream numbers(one);
    Piece p;
    if (not(numbers >> p.from >> p.latency_s >> p.s_per_byte >> p.traffic) || not(numbers >> std::ws).eof())
      fail(name + ": expected 'from latency s_per_byte traffic' in '" + one + "'");
    if (p.traffic <= 0 || p.latency_s < 0 || p.s_per_byte < 0 || p.from < 0 ||
        (curve.empty() ? p.from != 0 : p.from <= curve.back().from))
      fail(name + ": pieces start at 0 and ascend, nothing is negative, traffic is more than 0: '" + one + "'");
    curve.push_back(p);
  }
  if (curve.empty()) fail(name + " is empty");
  return curve;
}

int number_of(const s4u::Host *host, const char *name) {
  const char *text = host->get_property(name);
  if (text == nullptr) fail("host " + host->get_name() + " has no property '" + name + "'");
  char *end;
  long number = std::strtol(text, &end, 10);
  if (end == text || *end || number < 0 || number >= 1 << 20)
    fail("host " + host->get_name() + ": property '" + name + "' is '" + text + "', not a whole number below 2^20");
  return static_cast<int>(number);
}

const Piece *piece_for(double bytes, const s4u::Host *src, const s4u::Host *dst) {
  const Place &a = machine.place[src];
  const Place &b = machine.place[dst];
  Level level = NETWORK;
  if (a.node == b.node) level = a.socket != b.socket ? NODE : a.cache != b.cache ? SOCKET : CACHE;
  const Curve &curve = machine.curve[level];
  auto after = std::upper_bound(curve.begin(), curve.end(), bytes, [](double n, const Piece &p) { return n < p.from; });
  return &*(after - 1);
}

double message_bytes(double flowing) { return std::max(0.0, flowing - ENVELOPE_BYTES); }

double latency_factor(double flowing, const s4u::Host *src, const s4u::Host *dst, const std::vector<s4u::Link *> &links,
                      const std::unordered_set<s4u::NetZone *> &) {
  double bytes = message_bytes(flowing);
  const Piece *p = piece_for(bytes, src, dst);
  double narrowest = links.front()->get_bandwidth();
  for (const s4u::Link *link : links) narrowest = std::min(narrowest, link->get_bandwidth());
  return std::max(LEAST_LATENCY_S, p->latency_s + bytes * p->s_per_byte - flowing * p->traffic / narrowest);
}

double bandwidth_factor(double flowing, const s4u::Host *src, const s4u::Host *dst, const std::vector<s4u::Link *> &,
                        const std::unordered_set<s4u::NetZone *> &) {
  return 1 / piece_for(message_bytes(flowing), src, dst)->traffic;
}

/* Every route begins with the link "…_up" of a core and ends with a "…_down". */
void level_latencies(const s4u::Engine &engine) {
  for (s4u::Link *link : engine.get_all_links()) {
    const std::string &name = link->get_name();
    bool port = name.find("_core") != std::string::npos;
    if (name.find("__loopback__") == std::string::npos) link->set_latency(port ? 0.5 : 0);
  }
}

}  // namespace

extern "C" void load_platform(const s4u::Engine &engine);

void load_platform(const s4u::Engine &engine) {
  const char *path = std::getenv("COLLSCOPE_PLATFORM");
  if (path == nullptr) fail("the environment variable COLLSCOPE_PLATFORM does not name an XML file");
  engine.load_platform(path);

  const s4u::NetZone *root = engine.get_netzone_root();
  for (int level = CACHE; level < LEVELS; level++) {
    std::string name = std::string("curve.") + LEVEL_NAMES[level];
    const char *text = root->get_property(name);
    if (text == nullptr) fail(std::string(path) + ": its outermost zone has no property '" + name + "'");
    machine.curve[level] = read_curve(text, name);
  }
  for (const s4u::Host *host : engine.get_all_hosts())
    machine.place[host] = { number_of(host, "node"), number_of(host, "socket"), number_of(host, "cache") };

  level_latencies(engine);
#if SIMGRID_VERSION >= 33400
  root->set_latency_factor_cb(latency_factor);
  root->set_bandwidth_factor_cb(bandwidth_factor);
#else
  root->get_network_model()->set_lat_factor_cb(latency_factor);
  root->get_network_model()->set_bw_factor_cb(bandwidth_factor);
#endif
}
