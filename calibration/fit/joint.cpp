#include "calibration/fit/joint.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "calibration/fit/draws.hpp"
#include "calibration/measure/flags.hpp"
#include "calibration/measure/mixes.hpp"
#include "calibration/measure/statistics.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

constexpr double kRefused = 0.25;

double solo(const Fit& fit, const FitCell& cell) {
  std::vector<double> theta;
  for (const FittedParameter& p : fit.parameters) theta.push_back(p.value);
  return law(fit.law).response(theta, cell);
}

/// Runs of reads and writes at one time.
struct Mix {
  FitCell reads, writes;  ///< all that is in flight is the depth of both; runs are of the reads
  double share = 0.5;     ///< of the operations that are reads

  [[nodiscard]] std::string name() const {
    const auto size = [](const FitCell& cell) {
      return base::print_quantity(cell.size.in(unit::B), Dimension::bytes);
    };
    return size(reads) + (reads.size == writes.size ? "" : " and " + size(writes)) + ", " +
           base::print_quantity(share, Dimension::ratio) + " reads, depth " +
           base::print_quantity(reads.depth, Dimension::number);
  }
};

/// What each of a mix takes where all wait in one line.             [docs/calibration.md, eq. 8]
double in_one_line(const Fit& read, const Fit& write, const Mix& mix) {
  return mix.share * solo(read, mix.reads) + (1.0 - mix.share) * solo(write, mix.writes);
}

/// Whether `fit` was made of sizes and depths about `cell`.
bool inside(const Fit& fit, const FitCell& cell) {
  return std::all_of(fit.ranges.begin(), fit.ranges.end(), [&](const FittedRange& range) {
    const double value = range.quantity == "depth" ? cell.depth : cell.size.in(unit::B);
    return value >= 0.999 * range.low && value <= 1.001 * range.high;
  });
}

/// Doubts `fit` where mixes are of sizes or depths at which reads or writes alone are not known.
void doubt_outside(Fit& fit, const Fit& read, const Fit& write, std::span<const Mix> mixes) {
  const auto out = std::count_if(mixes.begin(), mixes.end(), [&](const Mix& mix) {
    return !inside(read, mix.reads) || !inside(write, mix.writes);
  });
  if (out > 0)
    doubt(fit,
          std::to_string(out) + " of " + std::to_string(mixes.size()) +
              " mixes are of sizes or depths at which reads or writes alone were not measured");
}

/// ln f(m), m = 0 to `most`: how much likelier m of a mix are in a line than none of them, where a
/// `share` of the requests comes to it: f(m) = product over j = 1 to m of share R(j) / j.
std::vector<double> line_weights(const Fit& fit, const FitCell& of, double share, int most) {
  FitCell cell{.size = of.size, .depth = 1.0, .processes = 1.0, .runs = {}, .core_runs = {}};
  std::vector<double> out{0.0};
  for (int j = 1; j <= most; ++j) {
    cell.depth = j;
    out.push_back(out.back() + std::log(share * solo(fit, cell) / j));
  }
  return out;
}

/// What mixes of a cell take where each way has a line of its own. Each of n requests in flight is
/// followed by a read with chance p, so that the lines are a closed network of product form: with
/// G(n) = sum over m of f_read(m) f_write(n - m), X(n) = G(n - 1) / G(n) and R(n) = n / X(n); in
/// proportion between whole n.                                        [docs/calibration.md, eq. 14]
double in_own_lines(const Fit& read, const Fit& write, const Mix& mix) {
  const double depth = std::max(1.0, mix.reads.depth);
  const auto whole = static_cast<int>(std::ceil(depth));
  const std::vector<double> reads = line_weights(read, mix.reads, mix.share, whole);
  const std::vector<double> writes = line_weights(write, mix.writes, 1.0 - mix.share, whole);
  const auto log_of_all = [&](int n) {
    std::vector<double> terms;
    for (int m = 0; m <= n; ++m)
      terms.push_back(reads[static_cast<std::size_t>(m)] + writes[static_cast<std::size_t>(n - m)]);
    const double most = *std::max_element(terms.begin(), terms.end());
    double sum = 0.0;
    for (const double term : terms) sum += std::exp(term - most);
    return most + std::log(sum);
  };
  const auto response = [&](int n) { return n * std::exp(log_of_all(n) - log_of_all(n - 1)); };
  const double above = whole - depth;
  return above > 0.0 ? (1.0 - above) * response(whole) + above * response(whole - 1)
                     : response(whole);
}

/// `draws` values of `statistic` over values drawn again from `values`.
template <class Statistic>
std::vector<double> bootstrap(const std::vector<double>& values, const FitOptions& options,
                              Statistic statistic) {
  Draws draws(options.seed);
  std::vector<double> out;
  for (int i = 0; i < options.draws; ++i) {
    std::vector<double> sample;
    for (std::size_t k = 0; k < values.size(); ++k)
      sample.push_back(values[draws.below(values.size())]);
    out.push_back(statistic(std::move(sample)));
  }
  return out;
}

double squares(const double* from, const double* to) {
  const std::vector<double> values(from, to);
  const double middle = mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum;
}

/// Whether record `i` begins a run of both at one time; `other`: its writes where they are another.
bool begins_mix(const std::vector<Measurement>& all, std::size_t i, const Measurement* other) {
  const Measurement& m = all[i];
  if (m.subject != Subject::io || !m.is_mix() || m.ops <= OpRate{} || m.depth <= 0.0) return false;
  if (!unfit_flag(m).empty()) return false;
  if (m.operation != "read" && m.operation != "write") return true;
  return m.operation == "read" && other != nullptr && unfit_flag(*other).empty();
}

/// All mixes of `sets`; `busy` counts runs on a busy machine. Repeats are not the same to the last
/// digit: shares are whole percents.
std::vector<Mix> mixes_of(std::span<const MeasurementSet> sets, std::size_t& busy) {
  std::map<std::tuple<Bytes, Bytes, double, double>, Mix> mixes;
  for (const MeasurementSet& set : sets)
    for (std::size_t i = 0; i < set.measurements.size(); ++i) {
      const Measurement& m = set.measurements[i];
      const Measurement* other = other_half(set.measurements, i);
      if (!begins_mix(set.measurements, i, other)) continue;
      const double share = std::clamp(std::round(100.0 * *m.read_share), 1.0, 99.0) / 100.0;
      const Bytes written = other == nullptr ? m.size : other->size;
      Mix& mix = mixes[{m.size, written, m.depth, share}];
      mix.share = share;
      mix.reads.size = m.size;
      mix.writes.size = written;
      mix.reads.depth = mix.writes.depth = m.depth;
      // What a tool tells apart is done at one time, by the same depth.
      const OpRate both = other == nullptr ? m.ops : m.ops + other->ops;
      mix.reads.runs.push_back(Ops::from(m.depth, unit::ops) / both);
      if (has_flag(m, "busy")) ++busy;
    }
  std::vector<Mix> out;
  for (auto& [key, mix] : mixes) out.push_back(std::move(mix));
  return out;
}

/// Takes lines of their own where these say what the mixes of `fit` took within 10 % in the median,
/// and better than one line, which is off by `shared`.
bool use_own_lines(Fit& fit, const std::vector<double>& apart, double shared) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < apart.size(); ++i)
    errors.push_back(std::abs(apart[i] / fit.residuals[i].measured - 1.0));
  if (apart.size() < 2 || median(errors) > kMedianBar || median(errors) >= shared) return false;
  fit.law = "own lines";
  fit.equation = "closed network of a line for reads and a line for writes";
  for (std::size_t i = 0; i < apart.size(); ++i) fit.residuals[i].fitted = apart[i];
  fit.median_error = median(errors);
  fit.p90_error = quantile(errors, 0.9);
  fit.verdict = FitVerdict::accepted;
  fit.reasons.emplace_back("reads and writes do not wait for each other");
  if (fit.p90_error > kP90Bar)
    doubt(fit, "one mix in ten is off by more than " +
                   base::print_quantity(fit.p90_error, Dimension::ratio));
  return true;
}

}  // namespace

std::optional<Fit> fit_mixes(std::span<const MeasurementSet> sets, const Fit& read,
                             const Fit& write, const FitOptions& options) {
  if (read.law.empty() || write.law.empty()) return std::nullopt;
  std::size_t busy = 0;
  const std::vector<Mix> mixes = mixes_of(sets, busy);
  if (mixes.empty()) return std::nullopt;
  Fit fit;
  fit.id = "io.mixed";
  fit.law = "shared line";
  fit.equation = "R = c (p R_read(n, b) + (1 - p) R_write(n, b))";
  fit.cells = mixes.size();
  std::vector<FitCell> all;
  std::vector<double> ratios, apart;
  for (const Mix& mix : mixes) {
    const double measured = mix.reads.response().in(unit::s);
    const double expected = in_one_line(read, write, mix);
    ratios.push_back(measured / expected);
    apart.push_back(in_own_lines(read, write, mix));
    all.push_back(mix.reads);
    fit.runs += mix.reads.runs.size();
    fit.residuals.push_back({mix.name(), measured, expected, mix.reads.runs.size()});
  }
  fit.noise = noise_of(all);
  const auto off = [&](double c) {
    std::vector<double> errors;
    for (const double ratio : ratios) errors.push_back(std::abs(c / ratio - 1.0));
    return errors;
  };
  // One line is at least what both wait for: c = 1 where it is enough, and where mixes are faster.
  const double measured = median(ratios);
  const bool undisturbed = median(off(1.0)) <= kMedianBar;
  const bool one = undisturbed || measured < 1.0;
  const double c = one ? 1.0 : measured;
  if (use_own_lines(fit, apart, median(off(c)))) {
    doubt_outside(fit, read, write, mixes);
    doubt_busy(fit, busy);
    return fit;
  }
  const std::vector<double> errors = off(c);
  fit.median_error = median(errors);
  fit.p90_error = quantile(errors, 0.9);
  std::vector<double> draws = bootstrap(ratios, options, median);
  for (double& draw : draws) {
    draw = one ? 1.0 : std::max(1.0, draw);
    fit.draws.push_back({draw});
  }
  fit.parameters.push_back(parameter_of("c", "ratio", c, draws));
  fit.verdict = undisturbed ? FitVerdict::accepted : FitVerdict::usable;
  const std::string times = base::print_quantity(measured, Dimension::number);
  if (undisturbed) {
    fit.reasons.push_back("one line for both is enough: c = 1 is used, " + times + " was measured");
  } else if (ratios.size() < 2 || fit.median_error > kRefused) {
    fit.verdict = FitVerdict::refused;
    fit.reasons.push_back("mixes do not follow from reads and writes alone: they take " + times +
                          " times as long");
  } else if (one) {
    fit.reasons.push_back("mixes are faster than one line for both (c = " + times +
                          "): c = 1 is used");
  } else {
    fit.reasons.push_back("mixes take " + times + " times as long as one line for both");
  }
  doubt_outside(fit, read, write, mixes);
  doubt_busy(fit, busy);
  return fit;
}

std::optional<Fit> fit_phases(std::span<const MeasurementSet> sets, const FitOptions& options) {
  const Measurement* longest = nullptr;
  for (const MeasurementSet& set : sets)
    for (const Measurement& m : set.measurements)
      if (m.subject == Subject::io && m.operation == "write" &&
          m.rate_series.size() >= 2 * kLeastPhase && unfit_flag(m).empty() &&
          (longest == nullptr || m.rate_series.size() > longest->rate_series.size()))
        longest = &m;
  if (longest == nullptr) return std::nullopt;
  const std::vector<double>& seconds = longest->rate_series;
  const double* begin = seconds.data();
  const double* end = begin + seconds.size();
  std::size_t split = kLeastPhase;
  double least = squares(begin, begin + split) + squares(begin + split, end);
  for (std::size_t k = kLeastPhase; k + kLeastPhase <= seconds.size(); ++k)
    if (const double error = squares(begin, begin + k) + squares(begin + k, end); error < least) {
      least = error;
      split = k;
    }
  const std::vector<double> before(begin, begin + split), after(begin + split, end);
  const double first = mean(before), second = mean(after), whole = squares(begin, end);
  Fit fit;
  fit.id = "io.write.sustained";
  fit.law = "two phases";
  fit.equation = "B1 until a buffer of C is full that drains at B2, then B2";
  fit.cells = 2;
  fit.runs = 1;
  const std::vector<double> firsts = bootstrap(before, options, mean);
  const std::vector<double> seconds_rate = bootstrap(after, options, mean);
  // The buffer drains at B2 while it fills: t = C / (B1 - B2)               [calibration.md, eq. 9]
  const auto span = static_cast<double>(split);
  std::vector<double> buffers;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    buffers.push_back((firsts[i] - seconds_rate[i]) * span);
    fit.draws.push_back({firsts[i], buffers[i], seconds_rate[i]});
  }
  fit.parameters = {parameter_of("B1", "B/s", first, firsts),
                    parameter_of("C", "B", (first - second) * span, buffers),
                    parameter_of("B2", "B/s", second, seconds_rate)};
  fit.median_error = std::sqrt(least / static_cast<double>(seconds.size())) / mean(seconds);
  fit.noise = fit.median_error;
  fit.ranges.push_back({"duration", "s", 0.0, static_cast<double>(seconds.size())});
  if (first < kLeastDrop * second || least > 0.5 * whole) {
    fit.verdict = FitVerdict::refused;
    fit.reasons.push_back("the rate does not fall within the " + std::to_string(seconds.size()) +
                          " s that were watched");
  } else if (after.size() < kPlateau) {
    fit.verdict = FitVerdict::usable;
    fit.reasons.push_back("the second rate was seen for " + std::to_string(after.size()) +
                          " s only, and may fall further");
  } else {
    fit.verdict = FitVerdict::accepted;
  }
  doubt_busy(fit, has_flag(*longest, "busy") ? 1 : 0);
  return fit;
}

}  // namespace stallcast::calibration::fit
