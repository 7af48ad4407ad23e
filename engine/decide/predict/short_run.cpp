#include "engine/decide/predict/short_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::predict {
namespace {

/// Of the time of a run: less is not worth a word; where no target says what matters; and what a
/// run that is long enough leaves.
constexpr double kLeast = 0.01, kMuch = 0.05, kLeft = 0.005;
constexpr double kMinute = 60.0;

std::string time_text(double s) { return base::print_quantity(s, Dimension::time); }
/// A duration of a run that is to be so long: in whole minutes.
std::string duration_text(double s) { return time_text(std::ceil(s / kMinute) * kMinute); }
/// What a longer run has more of, by the share of its time that it does not wait for its start.
constexpr std::array<std::string_view, 4> kScaled{"gpu.utilization", "goodput",
                                                  "throughput.samples", "throughput.bytes"};

/// It ends with its work, and its start is part of that.
bool ends_by_itself(const Design& design, const JobDesign& job) {
  return job.job.find("epochs") != nullptr ||
         (job.job.find("steps") != nullptr && design.run.find("duration") == nullptr);
}

/// The target of `job` that the start decides most clearly: the first that is missed for it, else
/// the first that is met with less to spare.
const AssertionOutcome* decided(const Prediction& prediction, const std::string& job,
                                double without, bool& judged) {
  const AssertionOutcome* out = nullptr;
  for (const AssertionOutcome& target : prediction.assertions) {
    const bool of_job = std::any_of(kScaled.begin(), kScaled.end(), [&](std::string_view figure) {
      return target.metric == metric::of_job(job, figure);
    });
    if (!of_job || !target.limit) continue;
    judged = true;
    const double longer = target.value * without;
    const bool missed = target.status == "fail" && target.value < *target.limit;
    const bool met = target.status == "pass" && target.value >= *target.limit;
    if (missed && longer >= *target.limit) return &target;
    if (met && out == nullptr && target.value / without < *target.limit) out = &target;
  }
  return out;
}

/// "3.1 % higher"; above some it is a multiple.
std::string times_higher(double times) {
  constexpr double kMultiple = 3.0;
  return times < kMultiple ? base::percent(times - 1.0, 1) + " higher"
                           : base::print_quantity(times, Dimension::number) + " times as high";
}

}  // namespace

std::vector<std::string> start_warnings(const Design& design, const Prediction& prediction) {
  std::vector<std::string> out;
  for (const JobDesign& job : design.jobs) {
    const std::string& id = job.job.id;
    const auto figure = [&](std::string_view name) {
      return figure_or_zero(prediction, metric::of_job(id, name));
    };
    const double wall = figure("time.wall"), first = figure("first_batch.waited");
    if (ends_by_itself(design, job) || first < kLeast * wall || first >= wall) continue;
    const double without = wall / (wall - first);
    bool judged = false;
    const AssertionOutcome* target = decided(prediction, id, without, judged);
    if (target == nullptr && (judged || first < kMuch * wall)) continue;
    const std::string name = target == nullptr ? metric::gpu_utilization(id) : target->metric;
    std::string text = "job." + id + ": the wait for its first batch is " +
                       base::percent(first / wall, 1) + " of the run, " + time_text(first) +
                       " of " + time_text(wall);
    if (target != nullptr)
      text += ", more than what the target \"" + target->id + "\" is " +
              (target->status == "pass" ? "met" : "missed") + " by";
    text += ": in a long run " + name + " is up to " + times_higher(without) +
            (target != nullptr && target->status == "pass" ? ", and less may do" : "") +
            "; let \"run\": { \"duration\": ... } be " + duration_text(first / kLeft) + ", or " +
            (target == nullptr ? "look at" : "set the target on") + " job." + id + ".steady.au";
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::string> interval_warnings(const Design& design, const Prediction& prediction) {
  std::vector<std::string> out;
  for (const JobDesign& job : design.jobs) {
    if (ends_by_itself(design, job) || !job.checkpoint) continue;
    const std::string& id = job.job.id;
    const auto figure = [&](std::string_view name) {
      return figure_or_zero(prediction, metric::of_job(id, name));
    };
    const Value* every = job.checkpoint->find("every_steps");
    const double owed = figure("checkpoint.owed"), wall = figure("time.wall");
    const double use = figure("gpu.utilization"), longer = use * wall / (wall + owed);
    if (every == nullptr || !(owed > 0.0) || !(use - longer > kLeast)) continue;
    const double since = figure("steps") - every->number * figure("checkpoint.count");
    const double save = figure("checkpoint.stall") + figure("checkpoint.slowed");
    const auto count = [](double steps) {
      return base::print_quantity(std::round(steps), Dimension::number);
    };
    out.push_back("job." + id + ": the run ends " + count(since) + " of " + count(every->number) +
                  " steps after its last save: in a long run " + metric::gpu_utilization(id) +
                  " is " + base::percent(longer, 1) + ", not " + base::percent(use, 1) +
                  "; let \"run\": { \"duration\": ... } be " + duration_text(use * save / kLeft));
  }
  return out;
}

}  // namespace stallcast::predict
