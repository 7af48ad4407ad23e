#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "models/plant/fabric.hpp"

/// Which hosts of a class are simulated as one. docs/models/folding.md.
namespace stallcast::models {

/// Parts of a host that adding up leaves.
inline constexpr double kHostRounding = 1e-9;

/// Hosts of one class, side by side, that are alike.
struct HostGroup {
  double first = 0.0;  ///< hosts of the class before it
  double hosts = 1.0;
  bool slow = false;            ///< stragglers    [docs/models/folding.md, eq. 3]
  double alike = 0.0;           ///< hosts that do not differ but by who reads, of which it has
  double from = 0.0, to = 1.0;  ///< this share

  [[nodiscard]] double end() const { return first + hosts; }
  /// Whether it lies among the last `last` of the `all` hosts of the class. REQUIRES: a border
  /// there.
  [[nodiscard]] bool among_last(double last, double all) const {
    return first + hosts / 2.0 > all - last;
  }
  /// How many of the hosts from `from` to `to` are in it.
  [[nodiscard]] double shared_with(double from, double to) const;
  /// Where the hosts that are alike begin, and the share of their readers in it, where a share
  /// `reading` of them has some.    [docs/models/folding.md, eq. 1]
  [[nodiscard]] double alike_from() const { return first - alike * from; }
  [[nodiscard]] double reading_part(double reading) const {
    return std::max(0.0, std::min(to, reading) - from) / reading;
  }
};

/// The hosts of a class in the order of their ranks, cut where they differ.
struct HostCut {
  std::vector<HostGroup> groups;
  std::vector<AreaRun> areas;  ///< of the fabric; their groups in turn
};

/// Where and how finely a class is cut.
struct CutPlan {
  double hosts = 1.0;
  double slow = 0.0;           ///< of them, the last ones
  double area = 0.0;           ///< hosts that fill an area of the fabric; infinite: one area
  std::set<double> cuts{};     ///< numbers of hosts before a border, besides
  double parts = 1.0;          ///< groups wanted where hosts are alike, over all hosts
  std::set<double> reading{};  ///< shares of the hosts that have readers, where not all do
};
//    [docs/models/folding.md, eq. 2]
[[nodiscard]] HostCut cut_hosts(const CutPlan& plan);

}  // namespace stallcast::models
