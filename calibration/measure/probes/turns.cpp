#include "calibration/measure/probes/turns.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "calibration/measure/probes/bystanders.hpp"
#include "calibration/measure/probes/processes.hpp"

namespace stallcast::calibration::probing {
namespace {

// In double: tables for long double would be computed at every start, and instrumented machines
// have none.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

/// Of the larger of two runs; of the mean of more.
constexpr double kAgree = 0.02, kKnown = 0.05;
/// More rounds than without a budget at most, by this factor.
constexpr std::size_t kMostRounds = 3;

/// Fisher and Yates; std::shuffle differs between libraries.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

}  // namespace

std::vector<Turn> turns(std::size_t cells, std::size_t rounds, std::uint64_t seed) {
  std::vector<std::size_t> order(cells);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  std::vector<Turn> out;
  for (std::size_t round = 0; round < rounds; ++round) {
    shuffle(order, random);
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

bool tight(std::span<const double> rates) {
  if (rates.size() < 2) return false;
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  if (*most <= 0.0) return false;
  if (rates.size() == 2) return *most - *least <= kAgree * *most;
  const double n = static_cast<double>(rates.size());
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / n;
  double squares = 0.0;
  for (const double rate : rates) squares += (rate - mean) * (rate - mean);
  const boost::math::students_t_distribution<double, InDouble> student(n - 1.0);
  const double t = boost::math::quantile(boost::math::complement(student, 0.025));
  return t * std::sqrt(squares / (n - 1.0) / n) <= kKnown * mean;
}

namespace {

/// One run after the other, and what they gave.
class Taker {
 public:
  Taker(const ProbeOptions& options, MeasurementSet& set, const RunCell& run)
      : options_(options), set_(set), run_(run) {}

  std::optional<Failure> take(const Turn& turn) {
    const std::size_t first = set_.measurements.size();
    const Bystanders others;
    if (auto failure = run_(turn.cell)) return failure;
    const auto added = std::span(set_.measurements).subspan(first);
    for (Measurement& m : added) m.origin = origin_of(turn);
    others.note(added);
    return std::nullopt;
  }

 protected:
  const ProbeOptions& options_;
  MeasurementSet& set_;
  const RunCell& run_;
};

/// Keeps to a budget.
class Budgeted : Taker {
 public:
  Budgeted(const ProbeOptions& options, MeasurementSet& set, const RunCell& run,
           const std::function<double()>& after)
      : Taker(options, set, run), after_(after) {}

  std::optional<Failure> all(std::size_t cells, std::size_t rounds, Stretch progress,
                             const std::function<std::string(std::size_t)>& label) {
    seen_.resize(cells);
    std::vector<std::size_t> order(cells);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(options_.seed);
    std::size_t number = 0;
    for (std::size_t round = 0; round < kMostRounds * rounds && !order.empty(); ++round) {
      for (const std::size_t cell : order) {
        if (left_s() <= takes_s(seen_[cell])) continue;
        const double done = 1.0 - left_s() / options_.budget->length.in(unit::s);
        tell(options_, progress.at(done), label(cell));
        if (auto failure = once({cell, round, number++})) return failure;
      }
      std::erase_if(order, [&](std::size_t cell) { return done(seen_[cell]); });
      shuffle(order, random);
    }
    return std::nullopt;
  }

 private:
  /// What the runs of a cell gave: rates by operation, in the order of the records of a run.
  struct Seen {
    std::vector<std::vector<double>> rates;
    double took_s = 0.0;  ///< with what it adds to what follows
  };

  [[nodiscard]] double left_s() const { return ends_ - clock_s() - (after_ ? after_() : 0.0); }
  /// One more run of a cell: of one that has not run as much as the longest yet.
  [[nodiscard]] double takes_s(const Seen& seen) const {
    return seen.rates.empty() ? longest_s_ : seen.took_s;
  }

  std::optional<Failure> once(const Turn& turn) {
    const std::size_t first = set_.measurements.size();
    const double before = left_s();
    if (auto failure = take(turn)) return failure;
    Seen& seen = seen_[turn.cell];
    seen.took_s = before - left_s();
    longest_s_ = std::max(longest_s_, seen.took_s);
    const auto added = std::span(set_.measurements).subspan(first);
    seen.rates.resize(std::max(seen.rates.size(), added.size()));
    for (std::size_t i = 0; i < added.size(); ++i)
      seen.rates[i].push_back(added[i].ops.in(unit::per_s));
    return std::nullopt;
  }

  bool done(const Seen& seen) const {
    if (left_s() <= takes_s(seen)) return true;
    return !seen.rates.empty() &&
           std::all_of(seen.rates.begin(), seen.rates.end(),
                       [](const std::vector<double>& rates) { return tight(rates); });
  }

  const std::function<double()>& after_;
  std::vector<Seen> seen_;
  double longest_s_ = 0.0;
  double ends_ = options_.budget->ends.in(unit::s);
};

}  // namespace

std::optional<Failure> take_turns(const ProbeOptions& options, MeasurementSet& set,
                                  std::size_t cells, std::size_t rounds, Stretch progress,
                                  const std::function<std::string(std::size_t)>& label,
                                  const RunCell& run, const std::function<double()>& after) {
  if (options.budget) return Budgeted(options, set, run, after).all(cells, rounds, progress, label);
  const std::vector<Turn> all = turns(cells, rounds, options.seed);
  Taker taker(options, set, run);
  for (const Turn& turn : all) {
    const double share = static_cast<double>(turn.number) / static_cast<double>(all.size());
    tell(options, progress.at(share), label(turn.cell));
    if (auto failure = taker.take(turn)) return failure;
  }
  return std::nullopt;
}

}  // namespace stallcast::calibration::probing
