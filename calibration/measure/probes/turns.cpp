#include "calibration/measure/probes/turns.hpp"

#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "calibration/measure/probes/bystanders.hpp"

namespace stallcast::calibration::probing {

std::vector<Turn> turns(std::size_t cells, std::size_t rounds, std::uint64_t seed) {
  std::vector<std::size_t> order(cells);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  std::vector<Turn> out;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = cells; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::size_t cell : order) out.push_back({cell, round, out.size()});
  }
  return out;
}

std::string origin_of(const Turn& turn) {
  return "cell " + std::to_string(turn.cell) + " run " + std::to_string(turn.round) + ", number " +
         std::to_string(turn.number);
}

void tell(const ProbeOptions& options, double done, const std::string& what) {
  if (options.progress) options.progress(done, what);
}

std::optional<Failure> take_turns(const ProbeOptions& options, MeasurementSet& set,
                                  std::size_t cells, std::size_t rounds, Stretch progress,
                                  const std::function<std::string(std::size_t)>& label,
                                  const RunCell& run) {
  const std::vector<Turn> all = turns(cells, rounds, options.seed);
  for (const Turn& turn : all) {
    const double share = static_cast<double>(turn.number) / static_cast<double>(all.size());
    tell(options, progress.at(share), label(turn.cell));
    const std::size_t first = set.measurements.size();
    const Bystanders others;
    if (auto failure = run(turn.cell)) return failure;
    const auto added = std::span(set.measurements).subspan(first);
    for (Measurement& m : added) m.origin = origin_of(turn);
    others.note(added);
  }
  return std::nullopt;
}

}  // namespace stallcast::calibration::probing
