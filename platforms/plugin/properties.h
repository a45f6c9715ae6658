/* What the properties of a platform file's outermost zone say, as numbers; a file that says something else ends the program. */
#ifndef COLLSCOPE_PLATFORMS_PLUGIN_PROPERTIES_H
#define COLLSCOPE_PLATFORMS_PLUGIN_PROPERTIES_H

#include <simgrid/s4u.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace collscope {

struct Piece {
  double from, latency_s, s_per_byte, traffic;
  double gap_s, gap_s_per_byte; /* contained in the time of a message whose sender has spent it */
  bool has_gap;                 /* else the sender spends the overhead, which the times here do not contain */
};
using Curve = std::vector<Piece>;

struct Spent {
  double from, seconds, s_per_byte;
};

[[noreturn]] void fail(const std::string &what);

/* "from latency s_per_byte traffic [gap gap_per_byte]; …" */
Curve read_curve(const char *text, const std::string &name);
/* The items of a property, a; b; …; none where it is absent. */
std::vector<std::istringstream> items_of(const simgrid::s4u::NetZone *root, const std::string &name);
/* "from seconds s_per_byte; …" */
std::vector<Spent> read_spent(const simgrid::s4u::NetZone *root, const std::string &name);
/* A number that the outermost zone says; 0: it does not. */
double amount(const simgrid::s4u::NetZone *root, const std::string &name);

}  // namespace collscope

#endif
