#include "models/bounds/whole_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/accelerators.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/bounds/parts.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/rows.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace detail;

constexpr const char* kSteps = "docs/models/whole-run.md, eq. 1";

double parameters_of(const JobDesign& job) {
  return model_params(job.model).parameters.value_or(0.0);
}

/// Tokens of a step of all ranks; 0 where nothing says it.
double tokens_of_step(const Design& design, const JobDesign& job, const JobParams& p) {
  if (p.run_tokens_per_step) return *p.run_tokens_per_step;
  return base::number_of(job.step, "tokens") * base::accelerators(design, job);
}

/// What its data set has for all ranks; 0 where nothing says it.
double steps_of_its_data(const Design& design, const JobDesign& job) {
  if (!job.dataset || !job.loader) return 0.0;
  const JobParams p = job_params(job.job);
  const Value* batch = job.loader->find("batch");
  const double copies = static_cast<double>(p.tensor * p.pipeline);
  if (batch == nullptr) return 0.0;
  const double steps =
      detail::steps_of_data(job, batch->number, base::accelerators(design, job) / copies);
  return std::isfinite(steps) ? steps : 0.0;
}

/// Steps after which it begins another epoch: `steps` that only end what is simulated are none.
double steps_between_epochs(const Design& design, const JobDesign& job) {
  const JobParams p = job_params(job.job);
  const bool window = p.steps && !p.epochs && !p.run_epochs && !run_params(design.run).duration;
  return window ? steps_of_its_data(design, job) : steps_of_epoch(design, job);
}

double epochs_in(double steps, double each) {
  constexpr double kExact = 1e-9;
  return each > 0.0 ? std::max(1.0, std::ceil(steps / each - kExact)) : 1.0;
}

// n = D / (tokens of a step), E times the steps of an epoch, or as given    [whole-run.md, eq. 1]
WholeRun run_of(const Design& design, const JobDesign& job) {
  const JobParams p = job_params(job.job);
  const std::string input = "jobs[" + job.job.id + "].";
  WholeRun out{.job = job.job.id, .formula = {}};
  out.compute = compute_of(design, job);
  if (p.run_steps) {
    out.steps = *p.run_steps;
    out.formula = "given";
    out.rule = {"steps", kSteps, {{"steps", input + "run.steps"}}};
  } else if (p.run_epochs) {
    const double each = steps_of_epoch(design, job);
    out.steps = *p.run_epochs * each;
    out.formula = count(*p.run_epochs) + " epochs x " + count(each) + " steps";
    out.rule = {"epochs * each",
                kSteps,
                {{"epochs", input + "run.epochs"},
                 figure("each", each, Dimension::number, "steps of an epoch")}};
  } else {
    const double tokens =
        p.run_tokens.value_or(p.run_tokens_per_parameter.value_or(0.0) * parameters_of(job));
    const double each = tokens_of_step(design, job, p);
    out.steps = tokens / each;
    out.formula = count(tokens) + " tokens / " + count(each) + " a step";
    out.rule = {"tokens / each",
                kSteps,
                {figure("tokens", tokens, Dimension::number, "to train on"),
                 figure("each", each, Dimension::number, "tokens of a step, all ranks together")}};
  }
  out.epochs = epochs_in(out.steps, steps_between_epochs(design, job));
  return out;
}

}  // namespace

std::optional<double> steps_to_end(const Design& design, const JobDesign& job) {
  const bool by_histories = job.elastic || fails_at_random(design, job);
  if (by_histories || job_params(job.job).whole_runs() != 1 || fault_of_whole_run(design, job))
    return std::nullopt;
  constexpr double kExact = 1e-9;
  return std::max(1.0, std::ceil(run_of(design, job).steps * (1.0 - kExact)));
}

double steps_of_epoch(const Design& design, const JobDesign& job) {
  const JobParams p = job_params(job.job);
  return p.steps ? static_cast<double>(*p.steps) : steps_of_its_data(design, job);
}

Seconds compute_of(const Design& design, const JobDesign& job) {
  const Component* host = design.find_host(job_params(job.job).hosts);
  return step_row(job.step.kind).mean(job.step, model_params(job.model), host_params(*host));
}

std::optional<RunFault> fault_of_whole_run(const Design& design, const JobDesign& job) {
  const JobParams p = job_params(job.job);
  if (p.whole_runs() > 1)
    return RunFault{
        "gives more than one of \"run.tokens\", \"run.tokens_per_parameter\", "
        "\"run.epochs\" and \"run.steps\"",
        "keep the one that says when it ends"};
  if (p.run_tokens_per_parameter && parameters_of(job) <= 0.0)
    return RunFault{
        "has \"run.tokens_per_parameter\", and nothing says the \"parameters\" of its model",
        "add \"model\": { \"use\": \"model/llama3-70b\" } or \"parameters\": \"70B\""};
  if ((p.run_tokens || p.run_tokens_per_parameter) && tokens_of_step(design, job, p) <= 0.0)
    return RunFault{"is to train on tokens, and nothing says the \"run.tokens_per_step\"",
                    "write \"run\": { \"tokens\": \"15.6T\", \"tokens_per_step\": \"16M\" }"};
  if (p.run_epochs && steps_of_epoch(design, job) <= 0.0)
    return RunFault{"is to train for epochs, and nothing says how many steps one has",
                    "give it a \"dataset\" with \"samples\", or write \"run\": { \"steps\": ... }"};
  return std::nullopt;
}

std::vector<WholeRun> whole_runs(const Design& design) {
  std::vector<WholeRun> out;
  for (const JobDesign& job : design.jobs)
    if (job_params(job.job).whole_runs() == 1 && !fault_of_whole_run(design, job))
      out.push_back(run_of(design, job));
  return out;
}

// T = n t / ((1 - w) G') + r + s, G' = G W / (W - r - s)          [whole-run.md, eq. 2]
namespace {

/// What comes once in a run, however long it is, as `metrics` tell of a part of it.
struct Once {
  Once(const WholeRun& run, const std::map<std::string, Metric>& metrics)
      : Once(run, metrics, metrics.contains(metric::of_job(run.job, "goodput.p5"))) {}
  Once(const WholeRun& run, const std::map<std::string, Metric>& metrics, bool of_months)
      : months(of_months) {
    const auto of = [&](const char* figure) {
      return figure_or_zero(metrics, metric::of_job(run.job, figure));
    };
    // A failure with a date comes once, and so do epochs that fill caches; what is owed of saves is
    // missing once. Months leave the start out of their goodput.
    const double owed = months ? 0.0 : of("checkpoint.owed");  // of months all are counted
    const double r = of("time.restart") + of("epoch.cold") - owed, start = of("start.once"),
                 wall = of("time.wall");
    slowed = Seconds::from(of("run.slowed") + of("run.outages"), unit::s);
    // Outages at random that came count with all of them, in run.outages.
    const double seen = of("time.outages");
    any = r != 0.0 || start != 0.0 || seen != 0.0;
    if (!(r + seen + start < wall)) return;
    goes_on = Seconds::from(wall - start - r - seen, unit::s);
    // Loaders begin with each epoch, of which so many were simulated.    [whole-run.md, eq. 8]
    const double epochs = run.epochs - of("epoch.begun");
    time = Seconds::from(r + start + epochs * of("epoch.begin"), unit::s);
    others = (months ? wall - start : wall) / (wall - start - r - seen);
  }
  Seconds time;
  Seconds goes_on{};  ///< the other time
  Seconds slowed{};   ///< of the whole run, by outages, and once credits are gone
  bool any = false;
  bool months;
  double others = 1.0;  ///< shares of the other time, over those of all that was simulated
};

}  // namespace

std::optional<Seconds> time_of(const WholeRun& run, const std::map<std::string, Metric>& metrics) {
  const auto useful = metrics.find(metric::goodput(run.job));
  if (useful == metrics.end() || !(useful->second.value > 0.0)) return std::nullopt;
  const double lent = figure_or_zero(metrics, metric::of_job(run.job, "elastic.lent.share"));
  const Once once(run, metrics);
  return run.time((1.0 - lent) * useful->second.value * once.others) + once.time + once.slowed;
}

Seconds work_of(const WholeRun& run, const std::map<std::string, Metric>& metrics, double busy) {
  return run.time(busy * Once(run, metrics, true).others);
}

// (T - r - s) / (W - r - s)    [whole-run.md, eq. 5]
std::optional<double> times_of(const WholeRun& run, const std::map<std::string, Metric>& metrics) {
  const Once once(run, metrics);
  const std::optional<Seconds> time = time_of(run, metrics);
  if (!time || once.goes_on <= Seconds{}) return std::nullopt;
  return std::max(0.0, (*time - once.time - once.slowed) / once.goes_on);
}

std::optional<Seconds> pace_of(const WholeRun& run, const std::map<std::string, Metric>& metrics) {
  const Once once(run, metrics);
  const std::optional<Seconds> time = time_of(run, metrics);
  if (!time || !(run.steps > 0.0)) return std::nullopt;
  return (*time - once.time - once.slowed) / run.steps;
}

Seconds begin_of(const Design& design, const std::string& job,
                 const std::map<std::string, Metric>& metrics) {
  for (const StageNode& node : stage_graph(design))
    if (node.job != nullptr && node.job->job.id == job)
      return Seconds::from(figure_or_zero(metrics, metric::of_stage(node.id, "start")), unit::s);
  return {};
}

bool follows_credits(const Design& design) {
  return whole_runs(design).size() == 1 && run_params(design.run).backend != "comm";
}

bool comes_once(const WholeRun& run, const std::map<std::string, Metric>& metrics) {
  return Once(run, metrics).any;
}

// G' = o G (T - r) / T, o what other time has of all that was simulated, r what comes once; work
// that is lost once is lost once: U' = G' + (U - G) W / T. Months lose it again and again.
double over_whole_run(const Design& design, const std::string& job, std::string_view figure,
                      const std::map<std::string, Metric>& metrics) {
  const auto of = [&](std::string_view name) {
    return figure_or_zero(metrics, metric::of_job(job, name));
  };
  const double useful = of(metric::kGoodput), busy = of(metric::kGpuUtilization);
  for (const WholeRun& run : whole_runs(design)) {
    if (run.job != job) continue;
    const Once once(run, metrics);
    const auto time = time_of(run, metrics);
    if (once.time == Seconds{} && once.slowed == Seconds{} && once.others == 1.0) return 1.0;
    if (!time || *time <= once.time + once.slowed) continue;
    const double k = once.others * ((*time - once.time - once.slowed) / *time);
    if (figure != metric::kGpuUtilization || once.months || !(busy > 0.0)) return k;
    const double again = (busy - useful) * (Seconds::from(of("time.wall"), unit::s) / *time);
    return (k * useful + again) / busy;
  }
  return 1.0;
}

// (W / n) / ((W - s + o) / n + (s + (e - b) f) / N): steps that go on with their saves, and starts
// as often as they come    [whole-run.md, eq. 9]
namespace {

double over_sample(const Design& design, const JobDesign& job,
                   const std::map<std::string, Metric>& metrics) {
  const auto of = [&](std::string_view name) {
    return figure_or_zero(metrics, metric::of_job(job.job.id, name));
  };
  const double once = of("start.once") + of("epoch.cold"), wall = of("time.wall"),
               made = of("steps"), owed = of("checkpoint.owed");
  const bool months = metrics.contains(metric::of_job(job.job.id, "goodput.p5"));
  const bool starts = metrics.contains(metric::of_job(job.job.id, "start.once"));
  if (months || !(starts || owed > 0.0) || !(made > 0.0) || !(once < wall)) return 1.0;
  const double each = steps_between_epochs(design, job), begin = of("epoch.begin");
  const auto epochs = job_params(job.job).epochs;
  double step = (wall - once + owed) / made;
  if (epochs && each > 0.0)
    step += (once + (static_cast<double>(*epochs) - of("epoch.begun")) * begin) /
            (each * static_cast<double>(*epochs));
  else if (each > 0.0)
    step += begin / each;
  return wall / made / step;
}

}  // namespace

void add_lasting(const Design& design, std::map<std::string, Metric>& metrics) {
  constexpr double kAlike = 1e-9;
  for (const JobDesign& job : design.jobs) {
    const std::string& id = job.job.id;
    const bool whole = job_params(job.job).whole_runs() > 0;
    for (const auto& [figure, lasting] : {std::pair{metric::kGoodput, metric::kLastingGoodput},
                                          {metric::kGpuUtilization, metric::kLastingUtilization}}) {
      const auto found = metrics.find(metric::of_job(id, figure));
      if (found == metrics.end()) continue;
      const double times =
          whole ? over_whole_run(design, id, figure, metrics) : over_sample(design, job, metrics);
      if (std::abs(times - 1.0) > kAlike)
        metrics[metric::of_job(id, lasting)] = {
            std::min(1.0, times * found->second.value), "ratio", {}};
    }
  }
}

// cost = T times all that the design costs by the hour    [whole-run.md, eq. 3]
void add_whole_runs(const Design& design, const Costs& costs,
                    std::map<std::string, Metric>& metrics) {
  const MoneyRate requests =
      MoneyRate::from(figure_or_zero(metrics, metric::of_cost("requests")), unit::USD_per_h);
  for (const WholeRun& run : whole_runs(design)) {
    metrics[metric::of_job(run.job, "run.steps")] = {run.steps, "count", {}};
    const std::optional<Seconds> time = time_of(run, metrics);
    if (!time) continue;
    metrics[metric::of_job(run.job, "run.time")] = {time->in(unit::s), "s", {}};
    metrics[metric::of_job(run.job, "run.days")] = {time->in(unit::d), "d", {}};
    if (costs.known())
      metrics[metric::of_job(run.job, "run.cost")] = {
          (costs.per_time() + requests).in(unit::USD_per_s)*time->in(unit::s), "USD", {}};
  }
}

std::vector<Derivation> derive_whole_runs(const Design& design) {
  std::vector<Derivation> out;
  for (const WholeRun& run : whole_runs(design)) {
    const std::string name = metric::of_job(run.job);
    out.push_back({name + "run.steps", run.steps, Dimension::number,
                   run.formula + " = " + count(run.steps), run.rule});
    out.push_back(derived(name + "run.time.least", run.time(1.0),
                          count(run.steps) + " steps x " + text(run.compute),
                          {"steps * compute",
                           "docs/models/whole-run.md, eq. 2",
                           {{"steps", name + "run.steps"}, {"compute", name + "step.compute"}}},
                          " without a stall or a failure"));
  }
  return out;
}

}  // namespace stallcast::models
