/* How a message was posted, which SimGrid does not tell those who price it. */
#ifndef COLLSCOPE_PLATFORMS_PLUGIN_POSTED_H
#define COLLSCOPE_PLATFORMS_PLUGIN_POSTED_H

#include <simgrid/s4u.hpp>

namespace collscope {

/* What a send leaves when it is posted. A blocking send that waits for its receive leaves nothing: it is as this begins. */
struct Posted {
  bool nonblocking = false;
  bool eager = false;     /* it does not wait for its receive */
  bool charged = false;   /* the sender has spent the gap before it posted */
  unsigned long turn = 0; /* of all sends, in the order of posting */
};

/* SMPI asks what a send costs when it is posted, by its kind; a message is priced later, when it starts, by its hosts and size. So the
 * one leaves a note for the other. A message that need not wait starts when its sender has spent spends_s; the notes of those that wait
 * are taken in the order in which they were left, which is that of their messages. Two could change places: messages of one size
 * between the same ranks that start at one instant, one of each kind, or in two sub-groups. */
void leave_note(const simgrid::s4u::Host *src, const simgrid::s4u::Host *dst, double bytes, bool nonblocking,
                bool waits, double spends_s);
/* The note of the message that starts; of one that left none, a new one. */
Posted read_note(const simgrid::s4u::Host *src, const simgrid::s4u::Host *dst, double bytes);
Posted take_note(const simgrid::s4u::Host *src, const simgrid::s4u::Host *dst, double bytes);

}  // namespace collscope

#endif
