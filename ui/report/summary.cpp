#include "ui/report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/report.hpp"
#include "ui/report/stages.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

using metric::Group;

/// "4.2 s, p50 4.1 s, p99 5 s, max 5.1 s"; quantiles that equal the mean are left out.
std::string distribution(const Prediction& p, const std::string& name) {
  const Metric& mean = *find(p, name);
  std::string out = print_metric(mean);
  std::string quantiles;
  bool differ = false;
  for (const char* stat : {"p50", "p99", "max"})
    if (const Metric* m = find(p, name + "." + stat)) {
      const std::string text = print_value(m->value, m->unit);
      quantiles += ", " + std::string(stat) + " " + text;
      differ = differ || text != print_value(mean.value, mean.unit);
    }
  if (differ) out += quantiles;
  return as_counted(name, out);
}

/// What follows from bounds of how busy GPUs are is a bound, too: the other way, of what they idle.
std::string bound_remark(const Prediction& p, const std::string& name) {
  if (!is_estimate(p)) return "";
  if (name == metric::kGpuIdleCost || name == metric::kIdlePower) return ", at least";
  return name == metric::kMeanPower ? ", at most" : "";
}

/// Of less goodput than this no interval is better than another.
constexpr double kHardlyAny = 0.001;

/// What there is to say of a save interval that was searched.
std::string remark(const Prediction& p, const std::string& name) {
  // Saves are counted as if training never waited.
  if (name.ends_with(".capacity.full_after")) return ", at the earliest";
  if (!name.ends_with(".checkpoint.best_interval")) return "";
  const double present = figure_or_zero(p, metric::goodput(metric::parse(name).id));
  if (std::max(figure_or_zero(p, name + ".goodput"), present) < kHardlyAny)
    return ", of no use: hardly any step is kept at any interval";
  if (figure_or_zero(p, name + ".goodput") <= present * (1.0 + 1e-9))
    return ", so keep the present one";
  const bool longer = p.metrics.at(name).value > p.simulated_s;
  return longer ? ", longer than the run: to try it, let \"run.duration\" hold some" : "";
}

/// The figures of `group`; their names begin with `owner`: "job.train.", "tenant.kv.".
void add_block(const Prediction& p, const std::string& title, const std::string& owner,
               metric::Group group, std::vector<FigureBlock>& out) {
  FigureBlock block{title, {}};
  for (const metric::Figure& figure : metric::figures()) {
    if (figure.group != group) continue;
    const std::string name = owner + std::string(figure.key);
    const Metric* metric = find(p, name);
    const bool idle = group == Group::tenant && metric != nullptr && metric->value == 0.0;
    if (metric != nullptr && !idle)
      block.rows.push_back({std::string(figure.label), name,
                            distribution(p, name) + remark(p, name) + bound_remark(p, name)});
  }
  // A tenant or a failure is named even when it has done nothing.
  const bool named = group == Group::tenant || group == Group::fault;
  if (!block.rows.empty() || named) out.push_back(std::move(block));
}

/// One block for each thing of `domain`.
void add_blocks(const Prediction& p, metric::Domain domain, const std::string& title,
                metric::Group group, std::vector<FigureBlock>& out) {
  std::string_view last;
  for (const auto& [name, value] : p.metrics) {
    const metric::Name parsed = metric::parse(name);
    if (parsed.domain != domain || parsed.id == last) continue;
    last = parsed.id;
    const std::size_t end = static_cast<std::size_t>(last.data() - name.data()) + last.size() + 1;
    add_block(p, title + std::string(last), name.substr(0, end), group, out);
  }
}

/// What all is bought or rented for, and what storage systems were billed in the run.
void add_costs(const Prediction& p, std::vector<FigureBlock>& out) {
  FigureBlock block{std::string(kCostTitle), {}};
  for (const auto& [name, value] : p.metrics) {
    const metric::Figure* figure = metric::find(name);
    const metric::Name parsed = metric::parse(name);
    if (figure == nullptr || figure->group != Group::cost ||
        parsed.domain != metric::Domain::storage || !parsed.statistic.empty())
      continue;
    block.rows.push_back({std::string(figure->label) + " of " + std::string(parsed.id), name,
                          distribution(p, name) + " in the run"});
  }
  const std::size_t before = out.size();
  add_block(p, block.title, metric::of_cost(""), Group::cost, out);
  if (out.size() > before)
    out.back().rows.insert(out.back().rows.end(), block.rows.begin(), block.rows.end());
  else if (!block.rows.empty())
    out.push_back(std::move(block));
}

}  // namespace

const Metric* find(const Prediction& prediction, const std::string& name) {
  const auto it = prediction.metrics.find(name);
  return it == prediction.metrics.end() ? nullptr : &it->second;
}

std::pair<double, double> outcomes_like(const Metric& drawn, double value) {
  const auto [low, high] = *drawn.ci90;
  const bool is_share = drawn.unit == "ratio";
  const double most = is_share ? 1.0 : std::numeric_limits<double>::infinity();
  const auto inside = [&](double v) { return v > 0.0 && v < most; };
  if (!inside(low) || !inside(high) || !inside(drawn.value) || !inside(value)) {
    const double at_least = low >= 0.0 ? 0.0 : -std::numeric_limits<double>::infinity();
    return {std::max(value + low - drawn.value, at_least),
            std::min(value + high - drawn.value, std::max(most, value))};
  }
  const auto odds = [&](double v) { return is_share ? v / (1.0 - v) : v; };
  const auto moved = [&](double end) {
    const double to = odds(value) * odds(end) / odds(drawn.value);
    return is_share ? to / (1.0 + to) : to;
  };
  return {moved(low), moved(high)};
}

std::string count_of(std::size_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

namespace {

/// What is rather not so of targets that hold; "" where draws say nothing of it.
std::string doubt(const Prediction& p) {
  constexpr double kSure = 0.9;
  const AssertionOutcome* least = nullptr;
  for (const AssertionOutcome& a : p.assertions)
    if (a.probability && !a.confidence && *a.probability < kSure &&
        (least == nullptr || *a.probability < *least->probability))
      least = &a;
  if (least == nullptr) return "";
  return p.assertions.size() == 1 ? ", but only in " + cases_phrase(*least)
                                  : ", but " + least->id + " only in " + cases_phrase(*least);
}

}  // namespace

bool is_estimate(const Prediction& p) { return p.method == "estimate"; }

std::string verdict_phrase(const Prediction& p) {
  std::size_t missed = 0, unsure = 0, undrawn = 0, unknown = 0, warned = 0;
  for (const AssertionOutcome& a : p.assertions) {
    if (a.level == "warn") {
      warned += a.status == "pass" ? 0U : 1U;
      continue;
    }
    missed += a.status == "fail" ? 1U : 0U;
    unsure += a.status == "inconclusive" ? 1U : 0U;
    undrawn += a.status == "inconclusive" && a.confidence ? 1U : 0U;
    unknown += a.is_known() ? 0U : 1U;
  }
  const std::string of = " of " + count_of(p.assertions.size(), "target");
  if (p.verdict == Verdict::fail) return std::to_string(missed) + of + " missed";
  if (p.verdict == Verdict::inconclusive && is_estimate(p))
    return std::to_string(unsure) + of + " not decided by bounds alone";
  if (p.verdict == Verdict::inconclusive)
    return unsure == 0   ? (p.left_range ? "it leaves the range its profile was fitted in"
                                         : "the simulation did not finish")
           : unknown > 0 ? std::to_string(unknown) + of + " on what did not come in the run"
           : undrawn > 0 ? std::to_string(undrawn) + of + " not judged: no draws"
                         : std::to_string(unsure) + of + " too close to call";
  if (p.verdict == Verdict::none) return "the scenario has no targets (\"expect\")";
  if (warned > 0) return "all targets hold but " + count_of(warned, "warning");
  return (p.assertions.size() == 1 ? "the target holds" : "all targets hold") + doubt(p);
}

std::vector<SummaryLine> summary_lines(const Prediction& p) {
  std::vector<SummaryLine> out;
  out.push_back(
      {p.scenario_id + ": " +
       (p.verdict == Verdict::none ? "predicted; " : upper(verdict_name(p.verdict)) + ", ") +
       verdict_phrase(p)});
  if (!p.system.empty()) out.push_back({p.system});
  for (const auto& [job, shares] : p.breakdown) {
    const std::string name = metric::gpu_utilization(job);
    const Metric* m = find(p, name);
    if (m == nullptr) continue;
    const std::string what = "GPU utilization of " + job + ": ";
    std::string parts = parts_phrase(p, name);
    Metric figure = *m;
    if (!parts.empty()) figure.median.reset();  // told with the parts
    out.push_back(
        {what + print_metric(figure) + goodput_remark(goodput_left(p, job)), what.size()});
    if (!parts.empty()) out.push_back({std::move(parts), std::string::npos, true});
  }
  if (is_estimate(p))
    for (const auto& [name, m] : p.metrics)
      if (metric::parse(name).figure == metric::kGpuUtilization)
        out.push_back({label::of_metric(name, m.unit, true) + ": at most " + print_metric(m) +
                       ", by bounds; nothing was simulated"});
  if (of_tenants_alone(p))
    out.push_back({"no job: tenants alone, over " + print_value(p.simulated_s, "s")});
  for (std::string& line : tenant_lines(p)) out.push_back({std::move(line)});
  if (const Metric* time = find(p, metric::kPipelineTime)) {
    const std::string limits = stage_limit(p);
    const std::string what = "all stages take ";
    out.push_back(
        {what + print_metric(*time) + (limits.empty() ? "" : "; ") + limits, what.size()});
  }
  for (std::string phrase : {limit_phrase(p), advice_phrase(p)})
    if (!phrase.empty()) out.push_back({std::move(phrase)});
  return out;
}

std::vector<FigureBlock> figure_blocks(const Prediction& p) {
  std::vector<FigureBlock> out;
  for (const auto& [job, shares] : p.breakdown) {
    const std::string owner = metric::of_job(job);
    add_block(p, "Job " + job, owner, Group::job, out);
    add_block(p, "Checkpoints of " + job, owner, Group::checkpoint, out);
    add_block(p, "Failures of " + job, owner, Group::failures, out);
    add_block(p, "Restarts of " + job, owner, Group::restart, out);
    add_block(p, "GPUs lent by " + job, owner, Group::elastic, out);
  }
  add_block(p, "Pipeline", "pipeline.", Group::pipeline, out);
  add_blocks(p, metric::Domain::tenant, "Tenant ", Group::tenant, out);
  add_blocks(p, metric::Domain::failure, "Storage failure ", Group::fault, out);
  add_blocks(p, metric::Domain::storage, "Storage ", Group::capacity, out);
  add_costs(p, out);
  add_block(p, "Power", "power.", Group::power, out);
  add_block(p, "Room in racks", "space.", Group::power, out);
  return out;
}

std::vector<const ResourceUse*> data_path(const Prediction& p) {
  // Storage first, then the fabric, then hosts: the way data comes.
  const auto order = [](const ResourceUse* use) {
    return use->name.starts_with("storage.") ? 0 : use->name.starts_with("fabric") ? 1 : 2;
  };
  std::vector<const ResourceUse*> out;
  for (const ResourceUse& use : p.resources)
    if (use.capacity > 0.0 && std::isfinite(use.capacity) && use.utilization() > 0.0)
      out.push_back(&use);
  std::stable_sort(out.begin(), out.end(),
                   [&](const ResourceUse* a, const ResourceUse* b) { return order(a) < order(b); });
  return out;
}

std::string use_line(const ResourceUse& use) {
  constexpr std::size_t kName = 38, kLeast = kName / 2;
  const std::string figures = right(print_value(use.throughput, use.unit), 12) + " of " +
                              left(print_value(use.capacity, use.unit), 12) +
                              right(print_share(use.utilization()), 9);
  const std::size_t taken = figures.size() + 2, page = std::min(page_columns(), kColumns);
  const std::size_t name = std::clamp(page - std::min(page, taken), kLeast, kName);
  return "  " + left(shortened(use.name, name - 2), name) + figures + "\n";
}

std::string asked_phrase(const AssertionOutcome& a) {
  const std::size_t range = a.that.find(" in ");
  const std::size_t asks = std::min(a.that.find_first_of("<>=!"), range);
  if (asks == std::string::npos) return a.that;
  std::string out = a.that.substr(asks == range ? asks + 1 : asks);
  // In the unit that the prediction beside it has: "230 kops/s" of samples are samples.
  return out.find("ops/s") == std::string::npos ? out : as_counted(a.metric, std::move(out));
}

std::string target_phrase(const AssertionOutcome& a, bool with_job) {
  const std::string asks = asked_phrase(a), words = label::of_metric(a.metric, a.unit, with_job);
  return asks == a.that || words == a.metric ? a.that : words + " " + asks;
}

std::string calibrated_phrase(const Prediction& p) {
  if (p.profile_sha256.empty()) return "";
  if (p.profile_id.empty()) return "Calibrated by profile " + p.profile_sha256.substr(0, 12) + ".";
  if (p.profile_values == 0) return "";
  return "Calibrated by profile " + p.profile_id + ": " + count_of(p.profile_values, "value") + ".";
}

std::string run_phrase(const Prediction& p, const ReportContext& context, const Style& style) {
  const std::string by = made_by(context) + ", design " + p.design_sha256.substr(0, 12);
  if (is_estimate(p)) return "bounds alone, nothing was simulated; " + by;
  std::string seeds = count_of(p.seeds.size(), "replica");
  if (!p.seeds.empty()) seeds += " from seed " + std::to_string(p.seeds.front());
  const std::string repeated =
      p.skipped_s > 0.0
          ? " (" + print_value(p.skipped_s / p.simulated_s, "ratio") + " repeats itself)"
          : "";
  return print_value(p.simulated_s, "s") + " simulated" + repeated + ", " + seeds + ", " +
         std::to_string(p.events) + " events" +
         (style.timing ? ", " + print_value(p.wall_s, "s") + " wall clock" : std::string()) + "; " +
         by;
}

}  // namespace stallcast::report
