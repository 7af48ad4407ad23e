#include "calibration/fit/repeated.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration {
namespace {

/// The last digit with which a number was written.
double last_digit(double value) {
  constexpr int kDigits = 10;  // that conversions leave as they were
  if (value == 0.0) return 0.0;
  const double least = std::pow(10.0, std::floor(std::log10(std::abs(value))) - kDigits + 1);
  double digit = 1.0;
  while (digit > least && std::abs(std::round(value / digit) - value / digit) * digit > least)
    digit /= 10.0;
  return digit;
}

/// The same of a rate, which tools print in binary units, too.
double last_digit_of_rate(double value) {
  double most = 0.0;
  for (const double unit : {1.0, 1024.0, 1048576.0, 1073741824.0})
    most = std::max(most, unit * last_digit(value / unit));
  return most;
}

/// Whether two figures are one: nothing where one of both is not given.
template <class Digit>
std::optional<bool> same_figure(double a, double b, const Digit& digit) {
  if (a <= 0.0 || b <= 0.0) return std::nullopt;
  return std::abs(a - b) < std::max(digit(a), digit(b));
}

bool fits(const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; }
bool fits(double a, double b) { return a <= 0.0 || b <= 0.0 || a == b; }

bool same_setting(const Measurement& a, const Measurement& b) {
  if (a.subject != b.subject || a.operation != b.operation || a.path != b.path ||
      a.size != b.size || !fits(a.pattern, b.pattern) || !fits(a.depth, b.depth) ||
      !fits(static_cast<double>(a.processes), static_cast<double>(b.processes)))
    return false;
  if (a.is_mix() != b.is_mix()) return false;
  constexpr double kPoint = 0.01;
  return !a.is_mix() || std::abs(*a.read_share - *b.read_share) < kPoint;
}

bool same_run(const Measurement& a, const Measurement& b) {
  if (!same_setting(a, b)) return false;
  const auto seconds = [](const std::optional<Seconds>& t) {
    return t.value_or(Seconds{}).in(unit::s);
  };
  const std::optional<bool> ops =
      same_figure(a.ops.in(unit::per_s), b.ops.in(unit::per_s), last_digit);
  const std::array all{ops,
                       same_figure(a.rate.in(unit::Bps), b.rate.in(unit::Bps), last_digit_of_rate),
                       same_figure(seconds(a.latency), seconds(b.latency), last_digit),
                       same_figure(seconds(a.duration), seconds(b.duration), last_digit)};
  const auto says = [&](bool what) {
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one == what; });
  };
  return says(true) && !says(false);
}

/// Whether two files can be of one time: to the minute, where both say.
bool same_time(const MeasurementSet& a, const MeasurementSet& b) {
  constexpr std::size_t kMinute = 16;  // "2026-11-21T00:24"
  return fits(a.date.substr(0, kMinute), b.date.substr(0, kMinute));
}

/// Which of `later` are in `earlier`, each of which is one of them at most.
std::vector<bool> also_in(const std::vector<Measurement>& earlier,
                          const std::vector<Measurement>& later) {
  std::vector<bool> taken(earlier.size()), out(later.size());
  for (std::size_t i = 0; i < later.size(); ++i)
    for (std::size_t k = 0; k < earlier.size() && !out[i]; ++k)
      if (!taken[k] && same_run(earlier[k], later[i])) taken[k] = out[i] = true;
  return out;
}

}  // namespace

void count_once(std::vector<MeasurementSet>& sets, Diagnostics& faults) {
  for (std::size_t i = 1; i < sets.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      std::vector<Measurement>& later = sets[i].measurements;
      const std::vector<Measurement>& earlier = sets[k].measurements;
      if (later.empty() || earlier.empty() || !same_time(sets[i], sets[k])) continue;
      const std::vector<bool> known = also_in(earlier, later);
      const auto same = static_cast<std::size_t>(std::count(known.begin(), known.end(), true));
      if (same == 0 || 2 * same < std::min(later.size(), earlier.size())) continue;
      faults.add({Severity::warning,
                  "twice",
                  "",
                  {sets[i].file, 0, 0},
                  base::counted(same, "records") + " of " + std::to_string(later.size()) +
                      " are those of " + sets[k].file + ": they count once",
                  "a run in two formats is one run"});
      std::size_t at = 0;
      std::erase_if(later, [&](const Measurement&) { return known[at++]; });
    }
}

}  // namespace stallcast::calibration
