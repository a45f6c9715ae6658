/* Flows that wait for others before they use any bandwidth: messages of a pair in order, and a NIC's time for each message. */
#ifndef COLLSCOPE_PLATFORMS_PLUGIN_FLOWS_H
#define COLLSCOPE_PLATFORMS_PLUGIN_FLOWS_H

#include <simgrid/s4u.hpp>

namespace collscope {

/* in_order: what flows from one host to another does so one after the other, in the order of starting, and of one instant in the order of
 * posting. nic_gap_s: a NIC begins a
 * message so long after the one before it, at the earliest; those that start at one instant go by the sender's rank, and of one
 * sender in the order of posting. */
void hold_flows(const simgrid::s4u::Engine &, bool in_order, double nic_gap_s);

/* A flow that starts now, from within the callback for its latency, which is this long. node: the sender's, where it leaves by its NIC;
 * less than 0: it stays inside. turn: see Posted. */
void flow_starts(const simgrid::s4u::Host *src, const simgrid::s4u::Host *dst, double latency_s, int node,
                 unsigned long turn);

}  // namespace collscope

#endif
