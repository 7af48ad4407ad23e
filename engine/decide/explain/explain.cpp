#include "engine/decide/explain/explain.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/counted.hpp"
#include "engine/base/covers.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/explain/printed.hpp"
#include "engine/decide/explain/targets.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::explain {
namespace {

bool has(const Prediction& prediction, const std::string& name) {
  return prediction.metrics.contains(name);
}

/// The load of a resource, where there is one and what it is of is derived.
void add_load(const std::string& resource, const Prediction& prediction, const Forms& forms,
              std::vector<std::string>& out) {
  const std::string name = metric::of_resource(resource, "utilization");
  if (has(prediction, name) && forms.known(metric::of_resource(resource, "capacity")))
    out.push_back(name);
}

/// Numbers of the closed forms that stand for themselves.
void headline_forms(const Design& design, Forms& forms, bool all, std::vector<std::string>& out) {
  const auto add = [&](const std::string& name) {
    if (forms.find(name) != nullptr) out.push_back(name);
  };
  for (const JobDesign& job : design.jobs) {
    const std::string name = metric::of_job(job.job.id);
    if (all)
      for (const char* key : {"gpu.utilization.bound", "read.demand", "loader.ceiling",
                              "checkpoint.size", "checkpoint.save.bound"})
        add(name + key);
    for (const char* key : {"failures.mtbf", "checkpoint.interval.young", "elastic.shift"})
      add(name + key);
  }
  if (!forms.bounds().storage.empty())
    add("storage." + forms.bounds().storage + "." + base::key_of(forms.bounds().noun) + ".bound");
}

std::vector<std::string> headlines(const Design& design, const Prediction& prediction,
                                   const Forms& forms) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (has(prediction, name)) out.push_back(name);
  };
  const auto add_if_any = [&](const std::string& name) {
    if (has(prediction, name) && prediction.metrics.at(name).value > 0.0) out.push_back(name);
  };
  for (const JobDesign& job : design.jobs) {
    const std::string name = metric::of_job(job.job.id);
    add(name + "gpu.utilization");
    if (job.recovery) add(name + "goodput");
    add(name + "step.time");
    add(name + "first_batch");
    for (const char* key : {"stall.data", "stall.metadata", "stall.cpu"}) add_if_any(name + key);
    add(name + "throughput.samples");
    for (const char* key : {"stall", "duration", "bandwidth", "size", "overhead"})
      add(name + "checkpoint." + key);
  }
  if (of_tenants_alone(prediction))
    for (const Component& tenant : design.tenants)
      for (const std::string_view key :
           {"makespan", "ttft", "query", "latency", "chunk", "operations"})
        add(metric::of_tenant(tenant.id, key));
  if (of_pipeline(prediction)) add(metric::kPipelineTime);
  for (const Component& stage : design.stages) add_if_any(metric::of_stage(stage.id, "time"));
  for (std::size_t i = 0; i < std::min<std::size_t>(2, prediction.bottlenecks.size()); ++i)
    for (const ResourceUse& use : prediction.resources)
      if (base::covers(prediction.bottlenecks[i].resource, use.name))
        add_load(use.name, prediction, forms, out);
  for (const auto& [name, metric] : prediction.metrics)
    if (const metric::Domain domain = metric::parse(name).domain; domain == metric::Domain::cost ||
                                                                  domain == metric::Domain::power ||
                                                                  domain == metric::Domain::space)
      out.push_back(name);
  return out;
}

/// The replica that is taken apart: the median by GPU utilization, the first of equals. One for all
/// numbers, so that what is in several sums is the same in all.
std::size_t typical(std::span<const RunResult> runs) {
  std::vector<double> useful;
  for (const RunResult& run : runs) {
    double sum = 0.0;
    for (const auto& [name, metric] : run.metrics)
      if (const metric::Name parsed = metric::parse(name);
          parsed.domain == metric::Domain::job && parsed.figure == metric::kGpuUtilization)
        sum += metric.value;
    useful.push_back(sum);
  }
  std::vector<double> sorted = useful;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[(sorted.size() - 1) / 2];
  return static_cast<std::size_t>(std::find(useful.begin(), useful.end(), median) - useful.begin());
}

/// The mean (or the largest) of all replicas; one of them is taken apart.
ExplainNode over_replicas(const std::string& metric, const Metric& combined,
                          std::span<const RunResult> runs, Forms& forms) {
  std::vector<const RunResult*> with;
  for (const RunResult& run : runs)
    if (run.metrics.contains(metric)) with.push_back(&run);
  if (with.empty())
    return simulated(metric, combined.value, combined.unit,
                     metric::parse(metric).domain == metric::Domain::resource
                         ? "a limit of each process by itself: there is nothing that is shared"
                         : "computed from the prediction; its parts are not kept");
  if (with.size() == 1) return account(metric, *with.front(), forms);
  const RunResult* apart = &runs[typical(runs)];
  if (!apart->metrics.contains(metric)) apart = with.front();
  constexpr double kEqual = 1e-9;
  if (std::all_of(with.begin(), with.end(), [&](const RunResult* run) {
        return std::abs(run->metrics.at(metric).value - combined.value) <=
               kEqual * std::abs(combined.value);
      })) {
    ExplainNode node = account(metric, *apart, forms);
    node.note = "the same in all " + std::to_string(with.size()) + " replicas" +
                (node.note.empty() ? "" : "; ") + node.note;
    return node;
  }
  ExplainNode node = simulated(metric, combined.value, combined.unit);
  const bool most = metric.ends_with(".max");
  node.note = most ? "largest of " : "mean of ";
  node.note += std::to_string(with.size()) + " replicas";
  for (std::size_t i = 0; i < with.size(); ++i) {
    ExplainNode one = with[i] == apart
                          ? account(metric, *with[i], forms)
                          : simulated(metric, with[i]->metrics.at(metric).value, combined.unit);
    if (with[i] == apart)
      one.note = "the median by GPU utilization" + (one.note.empty() ? "" : "; " + one.note);
    one.symbol = "seed" + std::to_string(with[i]->seed);
    one.name += ", seed " + std::to_string(with[i]->seed);
    node.equation += (i == 0 ? "" : most ? ", " : " + ") + one.symbol;
    node.children.push_back(std::move(one));
  }
  node.equation = most ? "max(" + node.equation + ")"
                       : "(" + node.equation + ") / " + std::to_string(with.size());
  return node;
}

/// What `asked` means: a metric, a closed form, or all headline numbers below it; where there are
/// none, all metrics.
std::vector<std::string> meant(const std::string& asked, const Prediction* prediction,
                               const std::vector<std::string>& usual, Forms& forms) {
  if (prediction != nullptr && has(*prediction, asked)) return {asked};
  if (forms.known(asked)) return {asked};
  std::vector<std::string> out;
  for (const std::string& name : usual)
    if (name.starts_with(asked + ".")) out.push_back(name);
  if (out.empty() && prediction != nullptr)
    for (const auto& [name, metric] : prediction->metrics)
      if (name.starts_with(asked + ".")) out.push_back(name);
  if (!out.empty()) return out;
  constexpr std::string_view kRequired = ".required";
  if (asked.ends_with(kRequired)) {
    const std::string bound = asked.substr(0, asked.size() - kRequired.size()) + ".bound";
    if (forms.known(bound)) return {bound};
  }
  return {};
}

}  // namespace

namespace {

/// Why a metric is not among `known` ones, and what to do about it.
Failure unknown(const std::string& asked, const std::vector<std::string>& known,
                const Design& design, const Prediction* prediction) {
  const metric::Name name = metric::parse(asked);
  const auto none = [](const std::string& message, const std::string& hint) {
    return Failure{ExitCode::bad_input, message, hint};
  };
  if (design.jobs.empty() && name.domain == metric::Domain::job)
    return none("the scenario has no job, so there is no \"" + asked + "\"",
                "tenants have \"tenant.T.latency\", \".read\", \".write\", \".operations\"");
  const std::string near = base::nearest(asked, known);
  const bool figure = metric::is_reported(asked);
  if (figure && name.domain == metric::Domain::cost && prediction != nullptr)
    return none("nothing in the scenario has a price, so there is no \"" + asked + "\"",
                "give \"price\" or \"rent\" to hosts, storage and fabric: docs/models/cost.md");
  const bool of_it = std::ranges::any_of(known, [&](const std::string& other) {
    const metric::Name of = metric::parse(other);
    return of.domain == name.domain && of.id == name.id;
  });
  if (figure && prediction == nullptr && (of_it || name.domain == metric::Domain::cost))
    return none("\"" + asked + "\" is not known without a simulation", "leave out --no-simulation");
  return none("no metric is named \"" + asked + "\"",
              near.empty() && prediction != nullptr ? predict::metric_hint(asked, *prediction)
              : near.empty()                        ? "\"stallcast run --format csv\" lists them"
                                                    : "did you mean \"" + near + "\"?");
}

}  // namespace

Result<Explanation> explain(const Design& design, const Prediction* prediction,
                            std::span<const RunResult> runs,
                            const std::vector<std::string>& metrics) {
  Forms forms(design);
  forms.influences().ask_first();
  Explanation out;
  out.scenario_id = design.id;
  out.asked = metrics;
  out.bound_by = forms.bounds().binding;
  out.bound = forms.bounds().utilization;
  if (design.jobs.size() > 1) out.bound_of = forms.bounds().job;
  if (prediction != nullptr) out.prediction = *prediction;
  if (!runs.empty()) forms.given(runs[typical(runs)]);

  std::vector<std::string> usual;
  if (prediction != nullptr) usual = headlines(design, *prediction, forms);
  headline_forms(design, forms, prediction == nullptr, usual);
  std::vector<std::string> names, targets;
  std::vector<Printed> limits;
  for (const Expectation& expectation : design.expect)
    if (const auto tree = target_tree(expectation, forms)) targets.push_back(tree->name);
  for (const std::string& asked : metrics) {
    const std::vector<std::string> found = meant(asked, prediction, usual, forms);
    if (std::find(targets.begin(), targets.end(), asked) != targets.end()) continue;
    if (found.empty() && prediction != nullptr)
      if (std::optional<Printed> limit = printed_as(asked, *prediction)) {
        for (const std::string& part : limit->parts) add_load(part, *prediction, forms, names);
        limits.push_back(*std::move(limit));
        continue;
      }
    if (found.empty()) {
      std::vector<std::string> known = usual;
      if (prediction != nullptr)
        for (const auto& [name, metric] : prediction->metrics) known.push_back(name);
      for (const models::Derivation& d : forms.bounds().derivations) known.push_back(d.name);
      return unknown(asked, known, design, prediction);
    }
    names.insert(names.end(), found.begin(), found.end());
  }
  if (metrics.empty()) names = usual;
  const auto trees = [&] {
    std::vector<ExplainNode> made;
    std::set<std::string> said;
    for (const Printed& limit : limits)
      if (said.insert(limit.name).second) made.push_back(waited_for(limit, *prediction));
    for (const std::string& name : names) {
      if (!said.insert(name).second) continue;
      forms.prefer(name.find(".checkpoint.") != std::string::npos ? "write" : "");
      const bool measured = prediction != nullptr && has(*prediction, name);
      made.push_back(measured ? over_replicas(name, prediction->metrics.at(name), runs, forms)
                              : forms.tree(name));
    }
    for (const Expectation& expectation : design.expect)
      if (std::optional<ExplainNode> tree = target_tree(expectation, forms))
        if (metrics.empty() ||
            std::find(metrics.begin(), metrics.end(), tree->name) != metrics.end())
          made.push_back(*std::move(tree));
    return made;
  };
  static_cast<void>(trees());
  forms.influences().find_asked();
  out.trees = trees();
  return out;
}

}  // namespace stallcast::explain
