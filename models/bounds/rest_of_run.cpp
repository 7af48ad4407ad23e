#include "models/bounds/rest_of_run.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/bounds/space.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/training.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

// A share of the time, or of run.time, that is another by less is the same.
constexpr double kAlike = 0.01;

std::string spell(Seconds time) { return base::print_quantity(time.in(unit::s), Dimension::time); }

/// A job with a whole run, and the part of it that was simulated.
struct Part {
  const JobDesign* job;
  Seconds begins, simulated, whole;

  /// Of so long a part of the job the share that lies between two dates.
  [[nodiscard]] double share(Seconds from, Seconds until, Seconds of) const {
    const Seconds first = std::max(from, begins), last = std::min(until, begins + of);
    return std::max(Seconds{}, last - first) / of;
  }
  /// Whether what goes on between two dates, of which that until `shown` was simulated, has another
  /// share of it than of the whole.
  [[nodiscard]] bool unlike(Seconds from, Seconds until, Seconds shown) const {
    return std::abs(share(from, shown, simulated) - share(from, until, whole)) > kAlike;
  }
  [[nodiscard]] bool unlike(Seconds from, Seconds until) const {
    return unlike(from, until, until);
  }
  [[nodiscard]] std::string said() const {
    return ", and run.time of \"" + job->job.id + "\" (" + spell(whole) + ") goes on as the " +
           spell(simulated) + " that were simulated";
  }
};

std::vector<Part> parts_of(const Design& design, const std::map<std::string, Metric>& metrics) {
  std::vector<Part> out;
  for (const WholeRun& run : whole_runs(design)) {
    const auto seconds = [&](const std::string& name) {
      return Seconds::from(figure_or_zero(metrics, name), unit::s);
    };
    const JobDesign& job =
        *std::find_if(design.jobs.begin(), design.jobs.end(),
                      [&](const JobDesign& each) { return each.job.id == run.job; });
    Part part{&job,
              {},
              seconds(metric::of_job(run.job, "time.wall")),
              seconds(metric::of_job(run.job, "run.time"))};
    part.begins = begin_of(design, run.job, metrics);
    if (part.simulated > Seconds{} && part.whole > part.simulated) out.push_back(part);
  }
  return out;
}

// With credits its mean use is u / b; T u / b - C / b, C = (u - b) t, is what base alone takes.
//    [docs/models/burst-credits.md, eq. 3]
void check_credits(const Design& design, const Part& part,
                   const std::map<std::string, Metric>& metrics, std::vector<std::string>& out) {
  if (follows_credits(design)) return;
  for (const Component& storage : design.storage) {
    const std::string name = metric::of_storage(storage.id, "credits");
    const double use = figure_or_zero(metrics, name + ".use");
    const auto lasts = metrics.find(name + ".lasts");
    if (!reads_from(*part.job, storage.id) || !(use > 1.0) || lasts == metrics.end()) continue;
    const Seconds last = Seconds::from(lasts->second.value, unit::s);
    const Seconds least = part.whole * use - std::max(last, part.simulated) * (use - 1.0);
    if (last >= part.whole || least < part.whole * (1.0 + kAlike)) continue;
    const bool known = design.jobs.size() == 1 && design.tenants.empty() && design.stages.empty() &&
                       !metrics.contains(metric::of_job(part.job->job.id, "epoch.cold"));
    out.push_back(name + ": they last " + spell(last) + part.said() +
                  (known ? ": of its base alone it takes " + spell(least) + " at least" : "") +
                  "; simulate with \"credits.start\": \"0 %\"");
  }
}

void check_dates(const Design& design, const Part& part, std::vector<std::string>& out) {
  if (const Component* host = design.find_host(job_params(part.job->job).hosts)) {
    const HostParams p = host_params(*host);
    const Seconds until = p.slow_until.value_or(Seconds::infinity());
    if (p.slow_count > 0 && part.unlike(p.slow_from, until))
      out.push_back("host." + host->id + ".slow: slow from " + spell(p.slow_from) +
                    (until.finite() ? " until " + spell(until) : "") + part.said() +
                    "; simulate without it, or for longer");
  }
  for (const Component& tenant : design.tenants) {
    const Seconds from = Seconds::from(base::number_of(tenant, "start"), unit::s);
    const Value* stop = tenant.find("stop");
    const Seconds until =
        stop != nullptr ? Seconds::from(stop->number, unit::s) : Seconds::infinity();
    if (part.unlike(from, until))
      out.push_back("tenant." + tenant.id + ": at work from " + spell(from) +
                    (until.finite() ? " until " + spell(until) : "") + part.said() +
                    "; simulate without it, or for longer");
  }
}

bool works_with(const JobDesign& job, const std::string& storage) {
  if (reads_from(job, storage)) return true;
  if (!job.checkpoint) return false;
  const CheckpointParams p = checkpoint_params(*job.checkpoint);
  return p.to == storage || std::ranges::find(p.tiers, storage) != p.tiers.end();
}

// Another job that works with the same storage, of which a part was simulated, too.
void check_beside(const Design& design, const Part& part, const JobDesign& other,
                  const std::map<std::string, Metric>& metrics, std::vector<std::string>& out) {
  if (&other == part.job || std::ranges::none_of(design.storage, [&](const Component& storage) {
        return works_with(*part.job, storage.id) && works_with(other, storage.id);
      }))
    return;
  const auto lasts = [&](const char* figure) {
    return Seconds::from(figure_or_zero(metrics, metric::of_job(other.job.id, figure)), unit::s);
  };
  const Seconds begins = begin_of(design, other.job.id, metrics), shown = lasts("time.wall"),
                whole = std::max(shown, lasts("run.time"));
  if (part.unlike(begins, begins + whole, begins + shown))
    out.push_back("job." + other.job.id + ": beside it from " + spell(begins) + " until " +
                  spell(begins + whole) + part.said() + "; simulate for longer");
}

// What is never deleted fills it before the run has ended. Who asks when it is full knows of it.
//    [docs/models/capacity.md, eq. 4]
void check_room(const Design& design, const Part& part, std::vector<std::string>& out) {
  for (const Room& room : spaces(design)) {
    const std::string name = metric::of_storage(room.storage, "capacity"),
                      full = full_within(room, part.whole);
    if (full.empty() || std::ranges::any_of(design.expect, [&](const Expectation& e) {
          return e.that.starts_with(name + ".full_after");
        }))
      continue;
    const Coming* most = room.comes_most();
    out.push_back(name + ": " + full + ", and the whole run of \"" + part.job->job.id +
                  "\" takes " + spell(part.whole) +
                  (most == nullptr || most->less.empty() ? "" : "; " + most->less));
  }
}

}  // namespace

std::vector<std::string> unlike_the_rest(const Design& design,
                                         const std::map<std::string, Metric>& metrics) {
  std::vector<std::string> out;
  for (const Part& part : parts_of(design, metrics)) {
    check_credits(design, part, metrics, out);
    check_dates(design, part, out);
    for (const JobDesign& other : design.jobs) check_beside(design, part, other, metrics, out);
    check_room(design, part, out);
  }
  return out;
}

}  // namespace stallcast::models
