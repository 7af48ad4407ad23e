#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/units.hpp"

/// Where measurements end, and whether a run leaves it: docs/models/measured.md.
namespace stallcast::models {

/// Requests of one way that were measured.
struct MeasuredRange {
  std::optional<Bytes> smallest, largest;
  std::optional<double> shallowest, deepest;  ///< fewest and most in flight
};

/// Reads and writes in flight at one device, and for how long.
class InFlight {
 public:
  /// `one_line`: reads and writes wait for each other, so each counts all that are in flight.
  explicit InFlight(bool one_line) : one_line_(one_line) {}
  /// `more` of one way are in flight from `now` on; negative: fewer.
  void note(bool writes, double more, Seconds now);
  /// In flight now, as this way meets them.
  [[nodiscard]] double outstanding(bool writes) const;
  /// Time with any of this way in flight, up to the last note; and requests in flight x s of it.
  [[nodiscard]] Seconds busy(bool writes) const { return ways_[writes ? 1 : 0].busy; }
  [[nodiscard]] double waited(bool writes) const { return ways_[writes ? 1 : 0].waited; }

 private:
  struct Way {
    double outstanding = 0.0;
    Seconds busy;
    double waited = 0.0;
  };
  bool one_line_;
  Seconds changed_;
  std::array<Way, 2> ways_;  ///< reads, writes
};

/// What a run asked for of one way.
class AskedRange {
 public:
  void note(Bytes request, double in_flight);
  /// What of it was not measured, one sentence each; `in_flight`: the mean while there were any, 0
  /// where there were none.
  [[nodiscard]] std::vector<std::string> outside(const MeasuredRange& measured,
                                                 const std::string& way, double in_flight) const;

 private:
  Bytes least_ = Bytes::infinity(), most_;
  double deepest_ = 0.0;
};

}  // namespace stallcast::models
