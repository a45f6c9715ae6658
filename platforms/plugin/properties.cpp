#include "platforms/plugin/properties.h"

#include <cstdlib>
#include <iostream>

namespace collscope {

namespace s4u = simgrid::s4u;

void fail(const std::string &what) {
  std::cerr << "collscope: platform: " << what << std::endl;
  std::_Exit(1); /* at once: SimGrid's own end crashes while a platform is being made */
}

Curve read_curve(const char *text, const std::string &name) {
  Curve curve;
  std::istringstream pieces(text);
  for (std::string one; std::getline(pieces, one, ';');) {
    std::istringstream numbers(one);
    Piece p = {};
    bool whole = static_cast<bool>(numbers >> p.from >> p.latency_s >> p.s_per_byte >> p.traffic);
    if (whole && not(numbers >> std::ws).eof())
      whole = p.has_gap = static_cast<bool>(numbers >> p.gap_s >> p.gap_s_per_byte);
    if (not whole || not(numbers >> std::ws).eof())
      fail(name + ": expected 'from latency s_per_byte traffic [gap gap_per_byte]' in '" + one + "'");
    if (p.traffic <= 0 || p.latency_s < 0 || p.s_per_byte < 0 || p.from < 0 || p.gap_s < 0 || p.gap_s_per_byte < 0 ||
        (curve.empty() ? p.from != 0 : p.from <= curve.back().from))
      fail(name + ": pieces start at 0 and ascend, nothing is negative, traffic is more than 0: '" + one + "'");
    curve.push_back(p);
  }
  if (curve.empty()) fail(name + " is empty");
  return curve;
}

std::vector<std::istringstream> items_of(const s4u::NetZone *root, const std::string &name) {
  std::vector<std::istringstream> items;
  const char *text = root->get_property(name);
  std::istringstream all(text == nullptr ? "" : text);
  for (std::string one; std::getline(all, one, ';');) items.emplace_back(one);
  return items;
}

std::vector<Spent> read_spent(const s4u::NetZone *root, const std::string &name) {
  std::vector<Spent> pieces;
  for (std::istringstream &item : items_of(root, name)) {
    Spent r;
    if (not(item >> r.from >> r.seconds >> r.s_per_byte) || r.seconds < 0 || r.s_per_byte < 0 ||
        (pieces.empty() ? r.from != 0 : r.from <= pieces.back().from))
      fail(name + ": expected 'from seconds s_per_byte; …' from 0 bytes up, ascending, nothing negative");
    pieces.push_back(r);
  }
  return pieces;
}

double amount(const s4u::NetZone *root, const std::string &name) {
  const char *text = root->get_property("collscope." + name);
  if (text == nullptr) return 0;
  char *end;
  double number = std::strtod(text, &end);
  if (end == text || *end) fail("the property 'collscope." + name + "' is '" + text + "', not a number");
  return number;
}

}  // namespace collscope
