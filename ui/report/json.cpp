#include <nlohmann/json.hpp>

#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/stages.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json metrics_object(const Prediction& prediction) {
  Json out = Json::object();
  auto& members = out.get_ref<Json::object_t&>();  // names are unique: [] would look for each
  for (const auto& [name, metric] : prediction.metrics)
    members.emplace_back(name, metric_object(metric));
  return out;
}

Json breakdown_object(const Prediction& prediction) {
  Json out = Json::object();
  for (const auto& [job, shares] : prediction.breakdown) {
    Json causes = Json::object();
    for (const char* cause : kBreakdownCauses) {
      const auto it = shares.find(cause);
      causes[cause] = it == shares.end() ? 0.0 : it->second;
    }
    out[job] = std::move(causes);
  }
  return out;
}

Json assertions_array(const Prediction& prediction) {
  Json out = Json::array();
  for (const AssertionOutcome& a : prediction.assertions) {
    // An estimate does not know every metric: what has no value has no unit either.
    Json line = {
        {"id", a.id},
        {"that", a.that},
        {"text", target_phrase(a, jobs_of(prediction).size() > 1)},
        {"value", a.is_known() ? Json(a.value) : Json(nullptr)},
        {"unit", a.unit},
        {"status", a.status},
        {"level", a.level},
        {"limited_by", a.limited_by.empty() || a.waited ? Json(nullptr) : Json(a.limited_by)}};
    if (a.waited) line["most_waited_for"] = a.limited_by;
    if (a.change) line["change"] = *a.change;
    if (a.goodput) line["goodput"] = *a.goodput;
    if (!a.why.empty()) line["why"] = a.why;
    if (a.probability) line["probability"] = *a.probability;
    if (a.confidence) line["confidence"] = *a.confidence;
    out.push_back(std::move(line));
  }
  return out;
}

/// Inputs that cause the spread of a figure, most first, for each figure that was asked for.
Json uncertainty_array(const Uncertainty& uncertainty) {
  Json out = Json::array();
  for (const auto& [name, outcome] : uncertainty.metrics)
    for (const InputShare& share : outcome.shares) {
      const UncertainInput& input = uncertainty.inputs[share.input];
      out.push_back({{"metric", name},
                     {"input", input.path},
                     {"value", input.nominal},
                     {"ci90", Json::array({input.range.low, input.range.high})},
                     {"why", input.range.why},
                     {"share", share.first},
                     {"total_share", share.total},
                     {"remains", Json::array({share.rest.low, share.rest.high})},
                     {"measure_with",
                      input.measure_with.empty() ? Json(nullptr) : Json(input.measure_with)}});
    }
  return out;
}

Json gain_object(const Gain& gain) {
  Json out = {{"time", gain.time},
              {"utilization", gain.utilization},
              {"part", gain.part},
              {"by", gain.by.empty() ? Json(nullptr) : Json(gain.by)}};
  if (!gain.parts.empty()) out["parts"] = gain.parts;
  if (!gain.each.empty()) out["each"] = gain.each;
  if (gain.goodput) out["goodput"] = *gain.goodput;
  if (gain.noise > 0.0) out["noise"] = gain.noise;
  if (!gain.each_noise.empty()) out["each_noise"] = gain.each_noise;
  return out;
}

Json bottleneck_object(const Bottleneck& b) {
  Json out = {{"resource", b.resource},
              {"utilization", b.utilization},
              {"blamed_share", b.blamed_share},
              {"headroom", b.headroom}};
  if (b.gain) out["gain"] = gain_object(*b.gain);
  return out;
}

Json limit_object(const Prediction& prediction) {
  const Limit limit = limit_of(prediction);
  const bool known = limit.kind != Limit::Kind::waited;
  const bool resource = known && limit.name != limit.label;
  Json out = {{"kind", kind_name(limit.kind)},
              {"resource", resource ? Json(limit.name) : Json(nullptr)},
              {"label", known ? limit.label : ""},
              {"share", limit.share},
              {"target", limit.target.empty() ? Json(nullptr) : Json(limit.target)},
              {"phrase", limit_phrase(prediction)},
              {"advice", advice_phrase(prediction)}};
  if (limit.change) out["change"] = *limit.change;
  return out;
}

Json gains_object(const Gains& gains) {
  Json out = {{"simulated", gains.simulated},
              {"left_out", gains.left_out},
              {"noise", gains.noise},
              {"all", nullptr},
              {"together", nullptr}};
  const auto put = [](Json& in, const Gain& gain) {
    in["time"] = gain.time;
    in["utilization"] = gain.utilization;
    if (gain.noise > 0.0) in["noise"] = gain.noise;
  };
  if (gains.simulated > 0) put(out["all"], gains.all);
  if (gains.pair.empty()) return out;
  out["together"]["parts"] = gains.pair;
  put(out["together"], gains.together);
  return out;
}

Json draws_object(const Prediction& prediction) {
  const Uncertainty& uncertainty = *prediction.uncertainty;
  Json out = {{"count", uncertainty.draws},
              {"broken", uncertainty.broken},
              {"inputs", uncertainty.inputs.size()}};
  if (uncertainty.all_hold) out["all_hold"] = *uncertainty.all_hold;
  if (uncertainty.cut_off > 0) out["cut_off"] = uncertainty.cut_off;
  if (uncertainty.fitted > 0) out["fitted"] = uncertainty.fitted;
  if (const std::size_t more = draws_to_ask_for(prediction); more > 0) out["ask_for"] = more;
  return out;
}

/// What limits each stage, and all of them: figures are among the metrics.
Json pipeline_object(const Prediction& prediction, const std::vector<StageLine>& rows) {
  const auto named = [&](const std::string& name) {
    const std::string limit = limit_named(prediction, name);
    return limit.empty() ? Json(nullptr) : Json(limit);
  };
  Json out = {{"limit", named(metric::kPipelineLimit)}, {"limited_by", named("pipeline")}};
  out["stages"] = Json::array();
  for (const StageLine& row : rows)
    out["stages"].push_back({{"id", row.id},
                             {"start", row.start},
                             {"end", row.end},
                             {"limited_by", named("stage." + row.id)}});
  return out;
}

}  // namespace

std::string dump(const Json& json) { return json.dump(2) + "\n"; }

Json metric_object(const Metric& metric) {
  Json out = {{"value", metric.value}, {"unit", metric.unit}};
  if (metric.ci95.has_value()) out["ci95"] = Json::array({metric.ci95->first, metric.ci95->second});
  if (metric.median) out["median"] = *metric.median;
  if (metric.ci90) out["ci90"] = Json::array({metric.ci90->first, metric.ci90->second});
  return out;
}

Json tool_object(const ReportContext& context, const std::string& profile_sha256) {
  return {{"version", context.version},
          {"model", context.model_version},
          {"profile", profile_sha256.empty() ? Json(nullptr) : Json(profile_sha256)}};
}

void add_goodput(double goodput, double gain, Json& change) {
  if (!(goodput > 0.0)) return;
  change["goodput"] = goodput;
  change["goodput_gain"] = gain;
}

void add_slows(const Alternative& tried, Json& change) {
  for (const auto& [id, by] : tried.slows) change["slows"][id] = by;
}

Json result_object(const Prediction& prediction, const ReportContext& context, const Style& style) {
  Json out;
  out["schema"] = "stallcast.result/1";
  if (is_estimate(prediction)) out["method"] = prediction.method;
  out["tool"] = tool_object(context, prediction.profile_sha256);
  out["scenario"] = {{"id", prediction.scenario_id},
                     {"sha256", prediction.design_sha256},
                     {"file", prediction.scenario_file}};
  if (!prediction.system.empty()) out["system"] = prediction.system;
  out["verdict"] = verdict_name(prediction.verdict);
  if (!context.partial.empty()) out["partial"] = context.partial;
  out["summary"] = Json::array();
  for (const SummaryLine& line : summary_lines(prediction)) out["summary"].push_back(line.text);
  out["limit"] = limit_object(prediction);
  if (const Limit limit = limit_of(prediction); limit.kind == Limit::Kind::waited)
    out["most_waited_for"] = limit.name;
  out["assertions"] = assertions_array(prediction);
  out["metrics"] = metrics_object(prediction);
  out["breakdown"] = breakdown_object(prediction);
  if (prediction.gpus.size() > 1) out["gpus"] = prediction.gpus;
  if (const std::vector<StageLine> rows = stage_lines(prediction); !rows.empty())
    out["pipeline"] = pipeline_object(prediction, rows);
  out["bottlenecks"] = Json::array();
  for (const Bottleneck& b : prediction.bottlenecks)
    out["bottlenecks"].push_back(bottleneck_object(b));
  if (prediction.gains) out["gains"] = gains_object(*prediction.gains);
  out["alternatives"] = Json::array();
  for (const Alternative& a : prediction.alternatives) {
    out["alternatives"].push_back({{"change", a.change},
                                   {"utilization", a.utilization},
                                   {"gain", a.gain},
                                   {"meets_targets", a.verdict == Verdict::pass},
                                   {"verdict", verdict_name(a.verdict)},
                                   {"cost", a.cost ? Json(*a.cost) : Json(nullptr)}});
    add_goodput(a.goodput, a.goodput_gain, out["alternatives"].back());
    if (a.noise > 0.0) out["alternatives"].back()["noise"] = a.noise;
    add_slows(a, out["alternatives"].back());
  }
  if (tried_nominally(prediction))
    for (Json& alternative : out["alternatives"]) alternative["nominal"] = true;
  if (!context.prices.empty()) out["prices"] = Json::array();
  for (const InputLine& price : context.prices)
    out["prices"].push_back(
        {{"path", price.path}, {"value", price.value}, {"source", price.source}});
  if (prediction.uncertainty) {
    out["draws"] = draws_object(prediction);
    out["uncertainty"] = uncertainty_array(*prediction.uncertainty);
  }
  out["assumptions"] = Json::array();
  for (const Assumption& a : context.assumptions)
    out["assumptions"].push_back({{"path", a.path}, {"value", a.value}, {"why", a.why}});
  out["warnings"] = prediction.warnings;
  out["seeds"] = prediction.seeds;
  out["elapsed"] = {{"simulated_s", prediction.simulated_s}, {"skipped_s", prediction.skipped_s}};
  // Wall-clock time differs from run to run, so it is reported on request only.
  out["elapsed"]["wall_s"] = style.timing ? Json(prediction.wall_s) : Json(nullptr);
  out["elapsed"]["events"] = prediction.events;
  return out;
}

std::string prediction_json(const Prediction& prediction, const ReportContext& context,
                            const Style& style) {
  return dump(result_object(prediction, context, style));
}

}  // namespace stallcast::report
