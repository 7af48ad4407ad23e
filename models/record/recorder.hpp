#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/record/lane.hpp"
#include "stallcast/timeline.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

class Plant;

/// Records one simulation: what lanes say, and what resources carry, in a window. Ends the
/// simulation with the window. docs/guide/trace.md.
class Recorder {
 public:
  /// REQUIRES: the plant is attached to `context`; both outlive this.
  Recorder(const TimelineRequest& request, sim::Context& context, Plant& plant);

  /// A new lane, which lives as long as this.
  [[nodiscard]] Lane& lane(Timeline::Track track);
  /// A lane of `job` on which nothing is open: of those called "`name` 1", "`name` 2"...
  [[nodiscard]] Lane& free_lane(const std::string& kind, const std::string& job,
                                const std::string& name) {
    return *free_lane(kind, job, name, std::numeric_limits<std::size_t>::max());
  }
  /// The same of at most `most` lanes; nullptr when something is open on each.
  [[nodiscard]] Lane* free_lane(const std::string& kind, const std::string& job,
                                const std::string& name, std::size_t most);

  /// Date before which no time that repeats may be left out, and after which none is.
  [[nodiscard]] Seconds window() const { return window_; }
  /// Whether the window has begun.
  [[nodiscard]] bool recording() const { return recording_; }
  /// A step ended, or none is under way at the date of the window; `skipped` of the run was counted
  /// and not simulated so far.
  void step_done(Seconds skipped);

  /// What was recorded up to now: everything that is still open is cut off. Called once.
  [[nodiscard]] Timeline take(std::uint64_t seed);

 private:
  friend class Lane;
  [[nodiscard]] std::uint32_t text(std::string_view text);
  struct Dates {
    Seconds began, ended;
  };
  /// What of `waited` took longest: of sets of cores, or of all else.
  [[nodiscard]] ResourceIndex worst(const WaitSplit& waited, bool cores) const;
  /// A span of `lane` that is over.
  void add(const Lane& lane, std::uint32_t name, std::int64_t number, Dates dates, bool cut,
           ResourceIndex cause);
  void begin();
  sim::Task<void> sample();
  /// Ends a bin now.
  void end_bin();
  /// What every resource carried and how long requests waited, so far.
  struct Total {
    std::string unit;
    double capacity = 0.0;
    double sum = 0.0;
  };
  using Totals = std::map<std::pair<std::string, std::string>, Total>;
  [[nodiscard]] Totals totals() const;

  TimelineRequest request_;
  sim::Context& context_;
  Plant& plant_;
  Seconds window_, began_, skipped_;
  bool recording_ = false, over_ = false, full_ = false;
  std::deque<Lane> lanes_;                                           ///< by track
  std::map<std::array<std::string, 3>, std::vector<Lane*>> shared_;  ///< by kind, job and name
  Timeline out_;
  std::map<std::string, std::uint32_t, std::less<>> texts_;
  Totals before_;  ///< at the last end of a bin
  std::map<std::pair<std::string, std::string>, Timeline::Counter> counters_;
  std::size_t bins_ = 0;
  Seconds bin_began_;
};

}  // namespace stallcast::models
