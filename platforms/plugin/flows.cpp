/* SimGrid's side of it: an action that is suspended before its latency is over spends the latency and then uses nothing until it is
 * resumed. It must not be resumed earlier, as then it flows at once; so whoever is let go has to be ready, or a timer lets it go when it
 * is. An action is reached from the callback for its latency, as the last that was begun: suspended by its state alone, as it has no
 * share yet that could be taken from it.
 *
 * A receive that is posted while less than 1e-12 bytes of its message are left takes it for over and lets go of its action, whose end
 * would never be heard of. So every flow keeps its action until that ends. */
#include "platforms/plugin/flows.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Model.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <unordered_map>
#include <vector>

namespace collscope {

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::Action;
using simgrid::kernel::resource::Model;
using simgrid::kernel::timer::Timer;

namespace {

constexpr double AT_ONCE_S = 1e-12; /* SimGrid's events are no more exact: surf/precision */

using Pair = std::pair<const s4u::Host *, const s4u::Host *>;
struct PairHash {
  std::size_t operator()(const Pair &pair) const {
    return 31 * std::hash<const void *>()(pair.first) + std::hash<const void *>()(pair.second);
  }
};

struct Flow {
  Action *action;
  Pair pair;
  double start, ready;
  long sender;        /* its rank, as far as order goes */
  unsigned long turn; /* of posting */
  bool behind, queued;
};

struct Nic {
  double free = 0;
  std::vector<const void *> starting; /* at this instant */
};

bool in_order;
double nic_gap_s;
Model *network;
std::unordered_map<const void *, Flow> flows; /* by action */
std::unordered_map<Pair, std::deque<const void *>, PairHash> streams;
std::unordered_map<int, Nic> nics;

void resume_when_ready(const void *action) {
  auto found = flows.find(action);
  if (found == flows.end()) return;
  Flow &f = found->second;
  if (f.ready <= s4u::Engine::get_clock()) f.action->resume();
  else Timer::set(f.ready, [action]() { resume_when_ready(action); });
}

void let_go(const Flow &f) {
  if (not f.behind && not f.queued) resume_when_ready(f.action);
}

void serve(Nic &nic) {
  std::vector<const void *> starting;
  starting.swap(nic.starting);
  std::sort(starting.begin(), starting.end(), [](const void *a, const void *b) {
    const Flow &x = flows.at(a), &y = flows.at(b);
    return std::make_pair(x.sender, x.turn) < std::make_pair(y.sender, y.turn);
  });
  for (const void *action : starting) {
    Flow &f = flows.at(action);
    double begins = std::max(f.start, nic.free);
    nic.free = begins + nic_gap_s;
    f.ready += begins - f.start;
    f.queued = false;
    let_go(f);
  }
}

void flow_ends(const void *action) {
  auto found = flows.find(action);
  if (found == flows.end()) return;
  Pair pair = found->second.pair;
  Action *held = found->second.action;
  Timer::set(s4u::Engine::get_clock(), [held]() { held->unref(); }); /* not while it ends */
  flows.erase(found);
  if (not in_order) return;
  auto stream = streams.find(pair);
  std::deque<const void *> &waiting = stream->second;
  waiting.erase(std::find(waiting.begin(), waiting.end(), action));
  if (waiting.empty()) {
    streams.erase(stream);
    return;
  }
  Flow &next = flows.at(waiting.front());
  if (not next.behind) return;
  next.behind = false;
  let_go(next);
}

void hold_behind(const void *action) {
  Flow &f = flows.at(action);
  f.behind = true;
  f.action->set_suspend_state(Action::SuspendStates::SUSPENDED);
}

/* Of those that start at one instant, the one that was posted first comes first. None of them flows yet. */
void join(std::deque<const void *> &stream, const void *action) {
  const Flow &f = flows.at(action);
  auto place = stream.end();
  while (place != stream.begin()) {
    const Flow &before = flows.at(*(place - 1));
    if (before.start < f.start - AT_ONCE_S || before.turn < f.turn) break;
    --place;
  }
  bool first = place == stream.begin();
  if (first && not stream.empty()) hold_behind(stream.front());
  stream.insert(place, action);
  if (not first) hold_behind(action);
}

/* Ranks are started in order, and stay where they are. */
long first_rank(const s4u::Host *host) {
  static std::unordered_map<const s4u::Host *, long> known;
  auto found = known.find(host);
  if (found != known.end()) return found->second;
  long first = -1;
  for (const auto &actor : host->get_all_actors())
    if (first < 0 || actor->get_pid() < first) first = actor->get_pid();
  return known[host] = first;
}

}  // namespace

void hold_flows(const s4u::Engine &engine, bool ordered, double gap_s) {
  in_order = ordered;
  nic_gap_s = gap_s;
  for (Model *model : engine.get_all_models())
    if (model->get_name().find("Network") == 0) network = model;
  if (network == nullptr) {
    std::cerr << "collscope: platform: SimGrid names no model of the network, so no flow can be held" << std::endl;
    std::exit(1);
  }
  s4u::Link::on_communication_state_change_cb(
      [](const simgrid::kernel::resource::NetworkAction &action, Action::State) { flow_ends(&action); });
}

void flow_starts(const s4u::Host *src, const s4u::Host *dst, double latency_s, int node, unsigned long turn) {
  bool by_nic = nic_gap_s > 0 && node >= 0;
  if (not in_order && not by_nic) return;
  double now = s4u::Engine::get_clock();
  Action *action = &network->get_started_action_set()->back();
  Pair pair(src, dst);
  Flow f = { action, pair, now, now + latency_s, by_nic ? first_rank(src) : 0, turn, false, by_nic };
  flows[action] = f;
  action->ref();
  if (by_nic) action->set_suspend_state(Action::SuspendStates::SUSPENDED);
  if (in_order) join(streams[pair], action);
  if (not by_nic) return;
  Nic &nic = nics[node];
  if (nic.starting.empty()) Timer::set(now + AT_ONCE_S, [node]() { serve(nics[node]); });
  nic.starting.push_back(action);
}

}  // namespace collscope
