/* Protocol curves for each class of link: what SimGrid's options can only say for a whole machine at once.
 *
 *   COLLSCOPE_PLATFORM=machine.xml smpirun -platform collscope-platform.so …
 *
 * With COLLSCOPE_PLAIN_HOSTS="GAMMA COPY" it is any file that SimGrid reads, and prices messages by itself: see hosts.h; with
 * COLLSCOPE_ROUTES="HOST …" its network is printed, see routes.h, and nothing is run. Without either,
 * the XML holds, as properties of its outermost zone, one curve per class (cache, socket, node, network and those that
 * python/collscope/machines/inside.py adds: the closest level that two hosts share):
 *
 *   curve.network = "0 1.4e-06 9.5e-10 1; 1024 2.1e-06 3.3e-10 1; …"       from bytes, seconds, seconds per byte, traffic
 *                                                                         [, gap, gap a byte: the sender's]
 *   curve_nonblocking.network                                             of MPI_Isend, where it has one of its own
 *   receive_gap.network = "0 2e-07 0; 1024 1e-07 1e-10; …"                from bytes, seconds, seconds per byte: the receiver's, contained
 *   turnaround.network, turnaround_nonblocking.network                    likewise, besides the time: who sends on what it has received
 *   collscope.in_order, nic_gap_s, overhead_s, eager_bytes                docs/node_model.md says what these do
 *
 * A message of n bytes, alone, takes `seconds` + n · `seconds per byte`. Of that it keeps the links of its route busy for n · traffic /
 * (bandwidth of the narrowest link): traffic is how many bytes the links move for each byte of the message (a copy through memory
 * reads, fills and writes). The rest is waiting, in which others may use the links: it goes into the latency.
 *
 * SimGrid's semantics behind that:
 *  - a bandwidth factor f scales what a flow gets from its share, so f = 1 / traffic keeps the links busy longer;
 *  - latency factors multiply the latency of the route, and flows share a link in inverse proportion to that same latency.
 *    Shares have to be even, so every route here gets a latency of one second and the factor is in seconds;
 *  - the callbacks see what flows, which is the message and SMPI's envelope of 16 bytes; curves speak of the message. What flows to or
 *    from a host that stands for memory (its property stands_for) is the access of a rank to a shared segment, which has none;
 *  - a flow without any latency would be weighed differently, so there is always a little;
 *  - ranks that share a core talk over SimGrid's loopback, and are priced as the closest class. Its latency comes from an option,
 *    network/loopback-lat:1, which has to be set.
 */
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <xbt/config.hpp>
#if SIMGRID_VERSION < 33400
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif

#include <smpi/smpi.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "platforms/plugin/flows.h"
#include "platforms/plugin/hosts.h"
#include "platforms/plugin/posted.h"
#include "platforms/plugin/properties.h"
#include "platforms/plugin/routes.h"

using namespace collscope;

namespace {

namespace s4u = simgrid::s4u;

constexpr double ENVELOPE_BYTES = 16;
constexpr double MIN_LATENCY_S = 1e-12;
constexpr double WIDE_BYTES_PER_S = 1e24;

struct Place {
  int node, socket, cache;
};

/* Of the sends that block, and of those that do not. */
struct Class {
  Curve blocking, nonblocking;
  std::vector<Spent>
      received; /* what the receiver spends on an eager message, however it was sent; empty: the overhead is all */
  std::vector<Spent> turnaround, turnaround_nonblocking;
};

/* Caches that belong together between a cache and a socket. */
struct Level {
  int caches;
  Class curves;
};

struct Machine {
  Class cache, socket, node, far, network;
  std::vector<Level> levels;             /* closest first */
  std::vector<std::vector<bool>> joined; /* sockets of a node; empty: any two */
  int nic_socket = 0, sockets = 1;       /* of so many */
  double nic_other_socket_s = 0;
  double overhead_s;
  long long eager_bytes, eager_bytes_nonblocking;
  double hop_latency_s = 0; /* of each link between nodes beyond so many, which the network's curve holds */
  int hops_in_curve = 0;
  std::unordered_set<const s4u::Link *> hops;
  std::unordered_map<const s4u::Host *, Place> place;
  std::unordered_set<const s4u::Host *> memory; /* hosts that stand for memory that the ranks of a node share */
} machine;

std::vector<std::pair<std::string, int>> read_levels(const s4u::NetZone *root) {
  std::vector<std::pair<std::string, int>> levels;
  for (std::istringstream &item : items_of(root, "collscope.levels")) {
    std::string name;
    int caches;
    double bytes_per_s; /* its links are in the file */
    if (not(item >> name >> caches >> bytes_per_s) || caches < 1)
      fail("collscope.levels: expected 'name caches bytes_per_s; …'");
    levels.emplace_back(name, caches);
  }
  return levels;
}

void read_mesh(const s4u::NetZone *root) {
  for (std::istringstream &item : items_of(root, "collscope.mesh")) {
    int a, b;
    if (not(item >> a >> b) || std::min(a, b) < 0 || std::max(a, b) > 256)
      fail("collscope.mesh: expected 'socket socket; …', each 0 to 256");
    size_t sockets = std::max<size_t>(machine.joined.size(), std::max(a, b) + 1);
    machine.joined.resize(sockets);
    for (auto &row : machine.joined) row.resize(sockets);
    machine.joined[a][b] = machine.joined[b][a] = true;
  }
}

void read_nic_socket(const s4u::NetZone *root) {
  for (std::istringstream &item : items_of(root, "collscope.nic_socket"))
    if (not(item >> machine.nic_socket >> machine.sockets >> machine.nic_other_socket_s) || machine.sockets < 1)
      fail("collscope.nic_socket: expected 'socket sockets seconds'");
}

/* Kind and latency; the links themselves are in the file, and called hop_…. */
void read_topology(const s4u::Engine &engine, const s4u::NetZone *root) {
  std::string kind;
  for (std::istringstream &item : items_of(root, "collscope.topology"))
    if (not(item >> kind >> machine.hop_latency_s)) fail("collscope.topology: expected 'kind hop_latency_s …'");
  machine.hops_in_curve = kind == "torus" ? 1 : 0;
  for (const s4u::Link *link : engine.get_all_links())
    if (link->get_name().compare(0, 4, "hop_") == 0) machine.hops.insert(link);
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

/* The class of the closest level that two cores share. */
const Class &class_of(const Place &a, const Place &b) {
  if (a.node != b.node) return machine.network;
  if (a.socket != b.socket) {
    size_t sockets = machine.joined.size();
    return sockets == 0 || machine.joined[a.socket % sockets][b.socket % sockets] ? machine.node : machine.far;
  }
  if (a.cache == b.cache) return machine.cache;
  for (const Level &level : machine.levels)
    if (a.cache / level.caches == b.cache / level.caches) return level.curves;
  return machine.socket;
}

const Piece *piece_for(double bytes, const s4u::Host *src, const s4u::Host *dst, bool nonblocking) {
  const Class &of = class_of(machine.place[src], machine.place[dst]);
  const Curve &curve = nonblocking ? of.nonblocking : of.blocking;
  auto after = std::upper_bound(curve.begin(), curve.end(), bytes, [](double n, const Piece &p) { return n < p.from; });
  return &*(after - 1);
}

/* To or from memory that ranks share: no message, so without an envelope, and nobody has left a note. */
bool is_access(const s4u::Host *src, const s4u::Host *dst) {
  return machine.memory.count(src) > 0 || machine.memory.count(dst) > 0;
}

double message_bytes(double flowing, const s4u::Host *src, const s4u::Host *dst) {
  return is_access(src, dst) ? flowing : std::max(0.0, flowing - ENVELOPE_BYTES);
}

/* What the curve of the network does not hold: an end on another socket than the NIC's. */
double to_the_nic(const s4u::Host *src, const s4u::Host *dst) {
  const Place &a = machine.place[src];
  const Place &b = machine.place[dst];
  if (a.node == b.node) return 0;
  return machine.nic_other_socket_s *
         ((a.socket % machine.sockets != machine.nic_socket) + (b.socket % machine.sockets != machine.nic_socket));
}

/* What the sender's processor spends on a message before it is posted. */
double gap_of(const Piece *p, double bytes) {
  return p->has_gap ? p->gap_s + bytes * p->gap_s_per_byte : machine.overhead_s;
}

double spent_on(const std::vector<Spent> &pieces, double bytes) {
  double seconds = 0;
  for (const Spent &s : pieces)
    if (s.from <= bytes) seconds = s.seconds + bytes * s.s_per_byte;
  return seconds;
}

/* What this rank spends that has received from another than it sends to; sim/runtime/messages.c knows, and says so. */
double turnaround_of(double bytes, const s4u::Host *src, const s4u::Host *dst, bool nonblocking) {
  static void *const FORWARDS = reinterpret_cast<void *>(-2);
  s4u::Actor *self = s4u::Actor::self();
  if (self->get_data<void>() != FORWARDS) return 0;
  self->set_data(nullptr);
  const Class &of = class_of(machine.place[src], machine.place[dst]);
  return spent_on(nonblocking ? of.turnaround_nonblocking : of.turnaround, bytes);
}

/* SMPI asks this of sends that need not wait, of synchronous ones, and of all non-blocking ones. A blocking send that waits spends
 * nothing: it is sent synchronously where SMPI's one limit would let it go. */
double cost_of_send(std::size_t bytes, const s4u::Host *src, const s4u::Host *dst) {
  double n = static_cast<double>(bytes), spends_s = turnaround_of(n, src, dst, false);
  if (static_cast<long long>(bytes) > machine.eager_bytes) return spends_s;
  spends_s += gap_of(piece_for(n, src, dst, false), n);
  leave_note(src, dst, n, false, false, spends_s);
  return spends_s;
}

double cost_of_isend(std::size_t bytes, const s4u::Host *src, const s4u::Host *dst) {
  double n = static_cast<double>(bytes);
  double spends_s = turnaround_of(n, src, dst, true) + gap_of(piece_for(n, src, dst, true), n);
  leave_note(src, dst, n, true, static_cast<long long>(bytes) > machine.eager_bytes_nonblocking, spends_s);
  return spends_s;
}

/* What its receiver's spends on an eager one that has arrived, besides the overhead. */
double received_in(double bytes, const s4u::Host *src, const s4u::Host *dst) {
  return spent_on(class_of(machine.place[src], machine.place[dst]).received, bytes);
}

/* SMPI asks this of eager messages only, which are those that it detaches. */
double cost_of_receive(std::size_t bytes, const s4u::Host *src, const s4u::Host *dst) {
  return machine.overhead_s + received_in(static_cast<double>(bytes), src, dst);
}

/* Likewise, the way between two nodes beyond the nearest one. */
double over_the_hops(const std::vector<s4u::Link *> &links) {
  if (machine.hops.empty()) return 0;
  int hops = 0;
  for (const s4u::Link *link : links) hops += machine.hops.count(link) > 0;
  return std::max(0, hops - machine.hops_in_curve) * machine.hop_latency_s;
}

double latency_factor(double flowing, const s4u::Host *src, const s4u::Host *dst, const std::vector<s4u::Link *> &links,
                      const std::unordered_set<s4u::NetZone *> &) {
  double bytes = message_bytes(flowing, src, dst);
  bool access = is_access(src, dst);
  Posted posted = access ? Posted() : take_note(src, dst, bytes);
  const Piece *p = piece_for(bytes, src, dst, posted.nonblocking);
  double narrowest = links.front()->get_bandwidth();
  for (const s4u::Link *link : links) narrowest = std::min(narrowest, link->get_bandwidth());
  double spent = posted.charged && p->has_gap ? gap_of(p, bytes) : 0;
  if (posted.eager) spent += received_in(bytes, src, dst);
  double latency_s = std::max(MIN_LATENCY_S, to_the_nic(src, dst) + over_the_hops(links) + p->latency_s +
                                                 bytes * p->s_per_byte - spent - flowing * p->traffic / narrowest);
  const Place &from = machine.place[src];
  int node = from.node == machine.place[dst].node ? -1 : from.node;
  if (not access) flow_starts(src, dst, latency_s, node, posted.turn);
  return latency_s;
}

double bandwidth_factor(double flowing, const s4u::Host *src, const s4u::Host *dst, const std::vector<s4u::Link *> &,
                        const std::unordered_set<s4u::NetZone *> &) {
  double bytes = message_bytes(flowing, src, dst);
  bool nonblocking = not is_access(src, dst) && read_note(src, dst, bytes).nonblocking;
  return 1 / piece_for(bytes, src, dst, nonblocking)->traffic;
}

/* The outermost zone of the file: since SimGrid 4 a zone without a name in the file is around it. */
const s4u::NetZone *outermost(const s4u::NetZone *root) {
  while (root->get_property("curve.cache") == nullptr && root->get_children().size() == 1)
    root = root->get_children().front();
  return root;
}

/* Every route begins with the link "…_up" of a core, or of memory that ranks share, and ends with a "…_down". */
void level_latencies(const s4u::Engine &engine) {
  for (s4u::Link *link : engine.get_all_links()) {
    const std::string &name = link->get_name();
    bool port = name.find("_core") != std::string::npos || name.find("_shared") != std::string::npos;
    if (name.find("__loopback__") == std::string::npos) link->set_latency(port ? 0.5 : 0);
  }
}

/* A switch that is as fast as the NICs keeps no message from anything, as each crosses NICs, too. But SimGrid looks at all flows of a
 * FATPIPE link for every one that it gives a share; of a shared link it keeps the sum. So that is what it becomes, too wide to fill up. */
void widen_switch(const s4u::Engine &engine, const s4u::NetZone *root) {
  double nic = amount(root, "nic_bytes_per_s"), rate = amount(root, "switch_bytes_per_s");
  s4u::Link *link = nic > 0 && nic <= rate ? engine.link_by_name_or_null("switch") : nullptr;
  if (link == nullptr) return;
  link->set_sharing_policy(s4u::Link::SharingPolicy::SHARED);
  link->set_bandwidth(WIDE_BYTES_PER_S);
}

/* From SimGrid 4 on a cost that begins at 0 bytes, "0:1e-07:0", is not that of a message of 0 bytes. A number alone is that of
 * every message. */
void charge_empty_messages() {
#if SIMGRID_VERSION >= 40000
  for (const char *name : { "smpi/os", "smpi/ois", "smpi/or" }) {
    std::string text = simgrid::config::get_value<std::string>(name);
    size_t end = text.rfind(":0");
    if (text.rfind("0:", 0) == 0 && end >= 2 && end + 2 == text.size() && text.find(';') == std::string::npos)
      simgrid::config::set_as_string(name, text.substr(2, end - 2));
  }
#endif
}

}  // namespace

extern "C" void load_platform(const s4u::Engine &engine);

void load_platform(const s4u::Engine &engine) {
  const char *path = std::getenv("COLLSCOPE_PLATFORM");
  if (path == nullptr) fail("the environment variable COLLSCOPE_PLATFORM does not name an XML file");
  charge_empty_messages();
  engine.load_platform(path);
  if (const char *names = std::getenv("COLLSCOPE_ROUTES")) {
    print_network(engine, names);
    std::_Exit(0);
  }
  const char *costs = std::getenv("COLLSCOPE_PLAIN_HOSTS");
  if (costs != nullptr) return place_hosts(engine, costs); /* SimGrid prices their messages by itself */

  const s4u::NetZone *root = outermost(engine.get_netzone_root());
  bool kinds = false, turns = false;
  auto curve = [&](const std::string &level) {
    std::string name = "curve." + level;
    const char *text = root->get_property(name);
    if (text == nullptr) fail(std::string(path) + ": its outermost zone has no property '" + name + "'");
    Class one;
    one.blocking = one.nonblocking = read_curve(text, name);
    name = "curve_nonblocking." + level;
    text = root->get_property(name);
    if (text != nullptr) one.nonblocking = read_curve(text, name);
    one.received = read_spent(root, "receive_gap." + level);
    one.turnaround = one.turnaround_nonblocking = read_spent(root, "turnaround." + level);
    if (root->get_property("turnaround_nonblocking." + level) != nullptr)
      one.turnaround_nonblocking = read_spent(root, "turnaround_nonblocking." + level);
    turns |= not one.turnaround.empty() || not one.turnaround_nonblocking.empty();
    kinds |= text != nullptr || not one.received.empty();
    for (const Piece &p : one.blocking) kinds |= p.has_gap;
    return one;
  };
  machine.cache = curve("cache");
  machine.socket = curve("socket");
  machine.node = curve("node");
  machine.network = curve("network");
  for (auto &[name, caches] : read_levels(root)) machine.levels.push_back({ caches, curve(name) });
  read_mesh(root);
  for (const auto &row : machine.joined)
    if (std::count(row.begin(), row.end(), false) > 1 && machine.far.blocking.empty()) machine.far = curve("far");
  read_nic_socket(root);
  read_topology(engine, root);
  for (const s4u::Host *host : engine.get_all_hosts()) {
    machine.place[host] = { number_of(host, "node"), number_of(host, "socket"), number_of(host, "cache") };
    const char *stands_for = host->get_property("stands_for");
    if (stands_for != nullptr && std::string(stands_for) == "memory") machine.memory.insert(host);
  }

  level_latencies(engine);
  widen_switch(engine, root);
  machine.overhead_s = amount(root, "overhead_s");
  machine.eager_bytes = static_cast<long long>(amount(root, "eager_bytes"));
  bool two_limits = root->get_property("collscope.eager_bytes_nonblocking") != nullptr;
  machine.eager_bytes_nonblocking = two_limits ? static_cast<long long>(amount(root, "eager_bytes_nonblocking"))
                                               : machine.eager_bytes;
  bool ordered = root->get_property("collscope.in_order") != nullptr;
  double nic_gap_s = amount(root, "nic_gap_s");
  if (ordered || nic_gap_s > 0) hold_flows(engine, ordered, nic_gap_s);
  if (turns) engine.get_netzone_root()->set_property("collscope.turnaround", "1"); /* sim/runtime asks */
  if (kinds || turns || ordered || nic_gap_s > 0 || two_limits) {
    smpi_register_op_cost_callback(SmpiOperation::SEND, cost_of_send);
    smpi_register_op_cost_callback(SmpiOperation::ISEND, cost_of_isend);
    smpi_register_op_cost_callback(SmpiOperation::RECV, cost_of_receive);
  }
#if SIMGRID_VERSION >= 33400
  s4u::NetZone *whole = engine.get_netzone_root();
  whole->set_latency_factor_cb(latency_factor);
  whole->set_bandwidth_factor_cb(bandwidth_factor);
#else
  root->get_network_model()->set_lat_factor_cb(latency_factor);
  root->get_network_model()->set_bw_factor_cb(bandwidth_factor);
#endif
}
