#include "models/run/after_credits.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "models/bounds/whole_run.hpp"
#include "models/contract/credits.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// How steps of a job go on as they did in one window.
struct Pace {
  Seconds step{};      ///< mean time of one
  double made = 0.0;   ///< of those that go on
  const Window* from;  ///< what they take credits of is counted there
  std::string job;

  /// Credits of `level` that each step takes beyond what comes back meanwhile.
  [[nodiscard]] double drains(const CreditLevel& level) const {
    const RequestPhases& requests = from->requests;
    const auto counted = requests.counts.find(level.counter);
    if (counted == requests.counts.end()) return 0.0;
    double own = 0.0, others = counted->second.of(Asker::others);
    for (const auto& [id, by_counter] : requests.jobs) {
      const TrainingJob::Requests& asked = by_counter.at(level.counter);
      (id == job ? own : others) += asked.steps + asked.saves;
    }
    const double beside = others / requests.wall.in(unit::s)-level.base;
    return own / made + beside * step.in(unit::s);
  }
};

std::optional<Pace> pace_in(const WholeRun& run, const Window& window) {
  const std::optional<double> times = times_of(run, window.result.metrics);
  const std::optional<Seconds> step = pace_of(run, window.result.metrics);
  if (!times || !step || !(*times > 0.0)) return std::nullopt;
  return Pace{*step, run.steps / *times, &window, run.job};
}

/// Whose credits end first, and how many steps later.
struct Next {
  std::string storage{};
  double steps = kNever;
};

Next next_gone(const CreditLevels& left, const Pace& pace) {
  Next out;
  for (const auto& [storage, levels] : left)
    for (const CreditLevel& level : levels) {
      const double each = pace.drains(level);
      if (!(each > 0.0)) continue;
      const double steps = std::max(level.left, 0.0) / each;
      if (steps < out.steps) out = {storage, steps};
    }
  return out;
}

void pass(CreditLevels& left, const Pace& pace, double steps) {
  for (auto& [storage, levels] : left)
    for (CreditLevel& level : levels)
      level.left = std::min(level.size, level.left - pace.drains(level) * steps);
}

Component& storage_of(Design& design, const std::string& id) {
  return *std::find_if(design.storage.begin(), design.storage.end(),
                       [&](const Component& each) { return each.id == id; });
}

}  // namespace

void CreditsGone::add_to(std::map<std::string, Metric>& metrics) const {
  if (slowed > Seconds{})
    metrics[metric::of_job(job, "run.slowed")] = {slowed.in(unit::s), "s", {}};
  for (const auto& [storage, date] : dates)
    metrics[metric::of_storage(storage, "credits.lasts")] = {date.in(unit::s), "s", {}};
}

// From one bucket that ends to the next: m = C / (a + (v - b) t) steps, each of t; then as many
// windows begin without it.    [docs/models/burst-credits.md, eq. 3]
CreditsGone after_credits(const Design& design, const Window& first,
                          const std::function<Window(const Design&)>& simulate) {
  const WholeRun run = whole_runs(design).front();
  CreditsGone out{.job = run.job};
  CreditLevels left = first.credits;
  std::erase_if(left, [&](const auto& each) {
    return credit_params(*design.find_storage(each.first)).start <= Fraction{};
  });
  const std::optional<Pace> begun = pace_in(run, first);
  if (!begun || left.empty()) return out;
  const auto& metrics = first.result.metrics;
  const Seconds end =
      begin_of(design, run.job, metrics) +
      Seconds::from(figure_or_zero(metrics, metric::of_job(run.job, "time.wall")), unit::s);
  Seconds date = end;
  double steps = run.steps - begun->made;
  Design later = design;
  Window window;
  std::optional<Pace> pace = begun;
  while (steps > 0.0) {
    const Next next = next_gone(left, *pace);
    const double now = std::min(next.steps, steps);
    out.slowed += (pace->step - begun->step) * now;
    steps -= now;
    if (next.steps > now || steps <= 0.0) break;
    date += pace->step * now;
    pass(left, *pace, now);
    left.erase(next.storage);
    // Whoever waited for it in the window says when it was gone.
    const auto lasts = metrics.find(metric::of_storage(next.storage, "credits.lasts"));
    if (lasts == metrics.end() || Seconds::from(lasts->second.value, unit::s) > end)
      out.dates[next.storage] = date;
    set_empty(storage_of(later, next.storage));
    window = simulate(later);
    pace = pace_in(run, window);
    if (!pace) return out;
  }
  out.slowed = std::max(out.slowed, Seconds{});
  return out;
}

}  // namespace stallcast::models
