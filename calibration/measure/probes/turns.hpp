#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/measure/probes/probe.hpp"

/// In which order a probe measures, how often, and what is said meanwhile.
namespace stallcast::calibration::probing {

/// One run of one cell.
struct Turn {
  std::size_t cell = 0;
  std::size_t round = 0;
  std::size_t number = 0;  ///< in the order of time
};

/// Every cell once per round, each round shuffled anew: a drift of the machine becomes spread of
/// each cell, no trend over size or depth.
[[nodiscard]] std::vector<Turn> turns(std::size_t cells, std::size_t rounds, std::uint64_t seed);

/// "cell 3 run 1, number 17"
[[nodiscard]] std::string origin_of(const Turn& turn);

/// Runs of a cell that agree: no more are needed. Two within 2 % of each other, or three and more
/// whose mean is known within 5 % (95 %, by Student's t).
[[nodiscard]] bool tight(std::span<const double> rates);

/// Part of the progress.
struct Stretch {
  double from = 0.0, to = 1.0;
  [[nodiscard]] double at(double share) const { return from + (to - from) * share; }
};

/// Tells whoever wants to know how far the probe is, and what it does.
void tell(const ProbeOptions& options, double done, const std::string& what);

/// What one run of a cell adds to the set, or why it could not.
using RunCell = std::function<std::optional<Failure>(std::size_t cell)>;

/// All turns of `cells` cells. The records that `run` adds to `set` get the turn's origin, and what
/// else the machine did meanwhile (Bystanders). The first failure ends it.
/// With a budget: the first round in the order of the cells, then rounds of those whose runs do not
/// agree yet, while one more is likely to end within the budget, and what has to follow the turns
/// with it: `after` says how many seconds that takes, as far as it is known by now.
[[nodiscard]] std::optional<Failure> take_turns(
    const ProbeOptions& options, MeasurementSet& set, std::size_t cells, std::size_t rounds,
    Stretch progress, const std::function<std::string(std::size_t)>& label, const RunCell& run,
    const std::function<double()>& after = {});

}  // namespace stallcast::calibration::probing
