#include "calibration/observe/step_facts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "calibration/observe/slowest_of.hpp"
#include "calibration/observe/tally.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration {
namespace {

constexpr double kStandardNine = 1.6448536269514722;  ///< standard deviations to the 95 % quantile
constexpr double kWarmUp = 1.0;                      ///< a first step that takes so many times more
constexpr std::size_t kParts = 8, kLeastOfPart = 4;  ///< of the steps of a job, in order

Seconds time_of(double value) { return Seconds::from(value, unit::s); }

/// Half of the 90 % interval of the mean of `seen`.
double mean_error(const Seen& seen) {
  return seen.count < 2
             ? 0.0
             : kStandardNine * seen.deviation / std::sqrt(static_cast<double>(seen.count));
}

/// Saves that lie within the steps they follow make these long: then their time is taken out.
bool saves_in_steps(const Observation& o, const Seen& compute, const Distribution<Seconds>& all,
                    double saved) {
  return saved > 0.0 && compute.mean - compute.middle > 0.5 * saved &&
         all.maximum.in(unit::s)-compute.middle > 0.5 * o.saves->duration->minimum.in(unit::s);
}

/// `all` without the first step of each of `ranks`, of which each took `first`.
Distribution<Seconds> without_first(Distribution<Seconds> all, double first, double ranks) {
  const double count = static_cast<double>(all.count);
  all.mean = time_of((all.mean.in(unit::s)*count - first * ranks) / (count - ranks));
  all.count -= static_cast<std::uint64_t>(ranks);
  // An even choice of many values may have left them out.
  std::vector<Seconds> sorted = all.sample;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  for (std::size_t i = 0; i < sorted.size() && static_cast<double>(i) < ranks; ++i)
    if (sorted[i].in(unit::s) > 0.5 * first)
      all.sample.erase(std::find(all.sample.begin(), all.sample.end(), sorted[i]));
  if (!all.sample.empty()) {
    std::vector<Seconds> left = all.sample;
    std::sort(left.begin(), left.end());
    all.maximum = left.back();
    const auto at = [&](double share) {
      return left[static_cast<std::size_t>(share * static_cast<double>(left.size() - 1) + 0.5)];
    };
    for (auto& [share, value] : all.quantiles) value = at(share);
  }
  return all;
}

/// Takes the first steps out of `work` where these are far longer than others: kernels were loaded
/// and chosen in them. What they took more.
double take_warm_up(const Observation& o, double ranks, Distribution<Seconds>& work) {
  const std::optional<double> first = figure(o, "first_step_compute_s");
  const double count = static_cast<double>(work.count), mean = work.mean.in(unit::s);
  if (!first || count < ranks + 2.0 || *first * ranks >= mean * count) return 0.0;
  Distribution<Seconds> rest = without_first(work, *first, ranks);
  const double more = *first - rest.mean.in(unit::s);
  if (more < kWarmUp * rest.mean.in(unit::s)) return 0.0;
  work = std::move(rest);
  return more;
}

/// What the GPU takes beyond what Python does, which hands it its work and goes on: at most what
/// Python waited for data meanwhile.    [docs/models/observed-job.md, eq. 9]
Seconds hidden_work(const ObservedSteps& steps, const Distribution<Seconds>& compute) {
  if (!steps.gpu || !steps.compute || !steps.wait) return {};
  return std::clamp(steps.gpu->mean - compute.mean, Seconds{}, steps.wait->mean);
}

/// How far the means of the eighths of a job lie from each other beyond what chance does to steps
/// that have nothing to do with each other, as a share: machines that others use are slower for
/// minutes.
///    [docs/models/observed-job.md, eq. 8]
double drift_of(const std::vector<Seconds>& in_order) {
  const std::size_t length = in_order.size() / kParts;
  if (length < kLeastOfPart) return 0.0;
  const double n = static_cast<double>(kParts), each = static_cast<double>(length);
  double sum = 0.0, squares = 0.0, within = 0.0;
  for (std::size_t part = 0; part < kParts; ++part) {
    double mean = 0.0, of_part = 0.0;
    for (std::size_t i = 0; i < length; ++i) {
      const double value = in_order[part * length + i].in(unit::s);
      mean += value / each;
      of_part += value * value / each;
    }
    sum += mean;
    squares += mean * mean;
    within += (of_part - mean * mean) * each / (each - 1.0) / n;
  }
  const double middle = sum / n, between = (squares / n - middle * middle) * n / (n - 1.0);
  return middle > 0.0 ? std::sqrt(std::max(between - within / each, 0.0)) / middle : 0.0;
}

/// Standard deviation of `all` without the `number` largest of its values.
double deviation_without_largest(const Distribution<Seconds>& all, double number) {
  Distribution<Seconds> left = all;
  std::sort(left.sample.begin(), left.sample.end());
  const double kept = static_cast<double>(left.sample.size());
  const double dropped = std::ceil(number * kept / static_cast<double>(all.count) - 1e-9);
  left.sample.resize(static_cast<std::size_t>(std::max(kept - dropped, 0.0)));
  return seen_of(left).deviation;
}

/// Tells first batches of the run from those of later epochs: of each rank the values lie in the
/// order of its epochs, and all that were kept in that of ranks.
void tell_apart(const Distribution<Seconds>& first, JobFacts& out) {
  const std::uint64_t count = static_cast<std::uint64_t>(out.seen) * out.epochs;
  if (out.epochs < 2 || first.count != count || count > kReservoir) return;
  SecondsTally of_run, of_later;
  for (std::size_t i = 0; i < first.sample.size(); ++i)
    (i * count / first.sample.size() % out.epochs == 0 ? of_run : of_later).add(first.sample[i]);
  if (of_run.count() == 0 || of_later.count() == 0) return;
  out.first_of_run = seen_of(*of_run.distribution());
  out.first_of_later = seen_of(*of_later.distribution());
}

}  // namespace

void time_steps(const Observation& o, JobFacts& out) {
  const ObservedSteps& steps = *o.steps;
  Distribution<Seconds> told = steps.compute ? *steps.compute : *steps.duration;
  if (steps.compute) out.warm_up = time_of(take_warm_up(o, static_cast<double>(out.seen), told));
  const double hidden = hidden_work(steps, told).in(unit::s);
  if (hidden > 0.0) {
    const Seconds mean = told.mean + time_of(hidden);
    told = *steps.gpu;  // without the first step
    told.mean = mean;
  }
  out.waits_known = steps.compute && steps.wait;
  Seen compute = seen_of(told);
  const double count = static_cast<double>(std::max<std::uint64_t>(told.count, 1));
  const bool sync = o.saves && o.saves->duration && !o.saves->asynchronous.value_or(false);
  const double saves =
      sync ? static_cast<double>(o.saves->duration->count) * o.saves->duration->mean.in(unit::s)
           : 0.0;
  const bool with_saves = saves_in_steps(o, compute, told, saves / count);
  if (with_saves) {
    compute.mean = std::max(compute.mean - saves / count, 0.5 * compute.middle);
    const double kept = compute.high - compute.low;
    compute.deviation = std::min(compute.deviation, kept / (2.0 * kStandardNine));
    out.remarks.push_back("saves lie within the steps: their time is taken out of compute");
  }
  out.saving = time_of(saves / count);
  double wait = 0.0, between = 0.0;
  if (out.waits_known) {
    const Seen waits = seen_of(*steps.wait);
    const auto exposed = [&](double seen) { return std::max(seen - hidden, 0.0); };
    wait = between = waits.mean;
    // The wait for the first batch of the run is one of the waits, where it is as long.
    if (steps.first_batch) {
      const Distribution<Seconds>& first = *steps.first_batch;
      tell_apart(first, out);
      const double runs = static_cast<double>(out.seen);
      double of_run = first.mean.in(unit::s);
      if (out.first_of_run)
        of_run = out.first_of_run->mean;
      else if (first.count > static_cast<std::uint64_t>(out.seen) && !first.sample.empty())
        of_run = first.sample.front().in(unit::s);
      const double waited = static_cast<double>(waits.count);
      const auto without = [&](double mean, double number) {
        return std::max(0.0, (waits.mean * waited - mean * number) / (waited - number));
      };
      const bool among = steps.wait->maximum >= first.maximum * 0.99 && waited > runs;
      if (among) wait = between = without(of_run, runs);
      if (const double all = static_cast<double>(first.count);
          among && out.first_of_run && waited > all)
        between = without(first.mean.in(unit::s), all);
    }
    const double firsts = steps.first_batch ? static_cast<double>(steps.first_batch->count) : 0.0;
    out.between_error =
        time_of(kStandardNine * deviation_without_largest(*steps.wait, firsts) /
                std::sqrt(std::max(static_cast<double>(waits.count) - firsts, 1.0)));
    wait = exposed(wait);
    between = exposed(between);
    if (waits.middle > 0.0 && waits.high > waits.middle) {
      const double sigma = std::log(waits.high / waits.middle) / kStandardNine;
      out.wait_variation = std::min(std::sqrt(std::expm1(sigma * sigma)), 2.0);
    }
    out.least_wait = time_of(exposed(waits.low));
    out.usual_wait = time_of(exposed(waits.middle));
    const double trimmed = std::min(waits.deviation, (waits.high - waits.low) / 2.0 + 1e-9);
    out.wait_error = kStandardNine * trimmed / std::sqrt(count);
  }
  out.wait = time_of(wait);
  out.between = time_of(between);
  if (const auto others = figure(o, "step_others_s")) out.others = time_of(*others);
  out.step = time_of(compute.mean + wait + saves / count) + out.others.value_or(Seconds{});
  // Values of several hosts, or with saves in them, do not lie in the order of one run.
  const double drift = with_saves || out.hosts > 1 ? 0.0 : drift_of(told.sample);
  out.step_error =
      std::hypot(std::hypot(mean_error(compute), out.wait_error) / out.step.in(unit::s),
                 kStandardNine * drift);
  out.wait_error /= out.step.in(unit::s);
  if (steps.first_batch) out.first_batch = seen_of(*steps.first_batch);
  out.compute = compute;
  if (out.others) {
    // Steps of all ranks are of one length: they count once.
    const Seen whole = seen_of(*steps.duration);
    const double trimmed = std::min(whole.deviation, (whole.high - whole.low) / 2.0 + 1e-9);
    out.step_error = std::hypot(
        kStandardNine * trimmed / whole.mean * std::sqrt(static_cast<double>(out.seen) / count),
        kStandardNine * drift);
  } else if (out.ranks > 1 && compute.mean > 0.0) {
    // Ranks end a step together, so that what was seen is the slowest of them.
    const OneOfMany one =
        one_of_slowest(compute.mean, compute.variation(), static_cast<double>(out.ranks));
    out.compute.mean = one.mean;
    out.compute.deviation = one.mean * one.variation;
    out.remarks.push_back("ranks end a step together: compute and jitter are those of one of " +
                          std::to_string(out.ranks) + " whose slowest takes " +
                          base::print_quantity(compute.mean, Dimension::time) + " on average");
  }
}

}  // namespace stallcast::calibration
