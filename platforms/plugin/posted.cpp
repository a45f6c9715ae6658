#include "platforms/plugin/posted.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <unordered_map>

namespace collscope {

namespace s4u = simgrid::s4u;

namespace {

struct Key {
  const s4u::Host *src, *dst;
  double bytes;
  bool operator==(const Key &other) const { return src == other.src && dst == other.dst && bytes == other.bytes; }
};

struct Hash {
  std::size_t operator()(const Key &key) const {
    std::size_t h = std::hash<const void *>()(key.src);
    h = 31 * h + std::hash<const void *>()(key.dst);
    return 31 * h + std::hash<double>()(key.bytes);
  }
};

struct Note {
  Posted posted;
  bool waits;
  double starts; /* where it does not wait */
};

constexpr double AT_ONCE_S = 1e-12; /* SimGrid's events are no more exact: surf/precision */
std::unordered_map<Key, std::deque<Note>, Hash> notes;
unsigned long turns;

/* The note of a message that starts now: of one that does not wait for its receive, as such ones start on time. */
std::deque<Note>::iterator of_now(std::deque<Note> &all) {
  double now = s4u::Engine::get_clock();
  auto on_time = std::find_if(all.begin(), all.end(), [now](const Note &note) {
    return not note.waits && std::abs(note.starts - now) <= AT_ONCE_S;
  });
  return on_time != all.end() ? on_time : std::find_if(all.begin(), all.end(), [](const Note &n) { return n.waits; });
}

}  // namespace

void leave_note(const s4u::Host *src, const s4u::Host *dst, double bytes, bool nonblocking, bool waits,
                double spends_s) {
  Posted posted = { nonblocking, not waits, true, turns++ };
  notes[{ src, dst, bytes }].push_back({ posted, waits, s4u::Engine::get_clock() + spends_s });
}

Posted read_note(const s4u::Host *src, const s4u::Host *dst, double bytes) {
  auto found = notes.find({ src, dst, bytes });
  if (found == notes.end()) return Posted();
  auto note = of_now(found->second);
  return note == found->second.end() ? Posted() : note->posted;
}

Posted take_note(const s4u::Host *src, const s4u::Host *dst, double bytes) {
  Posted unsaid;
  auto found = notes.find({ src, dst, bytes });
  auto note = found == notes.end() ? std::deque<Note>::iterator() : of_now(found->second);
  if (found == notes.end() || note == found->second.end()) {
    unsaid.turn = turns++;
    return unsaid;
  }
  Posted one = note->posted;
  found->second.erase(note);
  if (found->second.empty()) notes.erase(found);
  return one;
}

}  // namespace collscope
