#include "ui/app/overview_window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::client {
namespace {

constexpr double kMostSteps = 2000.0, kSaves = 2.2;
constexpr std::size_t kSpansOfJob = 10'000, kFewestSpans = 20'000;  // 5 of a rank in a step

/// When the first save of `job` is due; infinite without one.
double first_save_s(const JobDesign& job, double step_s) {
  if (!job.checkpoint) return std::numeric_limits<double>::infinity();
  if (const Value* every = job.checkpoint->find("every")) return every->number;
  if (const Value* steps = job.checkpoint->find("every_steps")) return steps->number * step_s;
  return std::numeric_limits<double>::infinity();
}

}  // namespace

TimelineRequest overview_window(const Design& design, const Prediction& prediction) {
  TimelineRequest out;
  out.worst = 1, out.median = out.best = 0;
  out.most_spans =
      std::clamp<std::uint64_t>(kSpansOfJob * design.jobs.size(), kFewestSpans, out.most_spans);
  out.ranks_first = true;
  out.bins = 200;
  double step = 0.0, save = std::numeric_limits<double>::infinity();
  for (const JobDesign& job : design.jobs) {
    const auto value = [&](const char* metric) {
      return figure_or_zero(prediction, metric::of_job(job.job.id, metric));
    };
    step = std::max(step, value("step.time"));
    if (const double saves = value("checkpoint.count"); saves > 0.0) {
      out.end_s = std::max(out.end_s, kSaves * prediction.simulated_s / saves);
      save = std::min(save, first_save_s(job, value("step.time")));
    }
  }
  const double longest = step > 0.0 ? kMostSteps * step : out.end_s;
  constexpr double kWhole = 0.9;  // a save lasts
  if (longest < out.end_s && kWhole * longest < save && std::isfinite(save))
    out.begin_s = std::max(0.0, std::min(save, prediction.simulated_s) - longest / 2.0);
  out.end_s = std::min({out.end_s, out.begin_s + longest, prediction.simulated_s});
  return out;
}

void end_with_lanes(Timeline& timeline) {
  if (!(timeline.spans_end_s < timeline.end_s)) return;
  timeline.end_s = timeline.spans_end_s;
  timeline.run_ended = false;
  if (!(timeline.bin_s > 0.0)) return;
  const auto bins = static_cast<std::size_t>(
      std::ceil((timeline.end_s - timeline.begin_s) / timeline.bin_s - 1e-9));
  for (Timeline::Counter& counter : timeline.counters)
    counter.values.resize(std::min(counter.values.size(), bins));
}

}  // namespace stallcast::client
