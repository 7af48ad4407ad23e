#pragma once

#include <algorithm>
#include <cmath>

/// Which ranks a host has. docs/models/training.md, eq. 8.
namespace stallcast::models {

/// Ranks, or those of them that read, dealt to hosts in their order: evenly, one more to each of
/// the first where they do not divide, one to each of the first where hosts are more.
struct RankSpread {
  double ranks = 1.0, hosts = 1.0;

  /// Hosts that have some.
  [[nodiscard]] double used() const { return std::min(hosts, ranks); }
  /// On each host, but for one more on the first `more()`.
  [[nodiscard]] double each() const { return std::floor(ranks / used() + 1e-9); }
  [[nodiscard]] double more() const { return std::max(0.0, ranks - each() * used()); }
  [[nodiscard]] double most() const { return std::ceil(ranks / used() - 1e-9); }
  /// On the first `of` hosts.
  [[nodiscard]] double on_first(double of) const {
    return each() * std::min(of, used()) + std::min(of, more());
  }
  /// Hosts that have the first `count`.
  [[nodiscard]] double hosts_of(double count) const {
    const double rest = count - more() * (each() + 1.0);
    return rest <= 0.0 ? count / (each() + 1.0) : more() + rest / each();
  }
};

}  // namespace stallcast::models
