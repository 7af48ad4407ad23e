#include <nlohmann/json.hpp>

#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

/// null where there is nothing.
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json side_object(const DiffSide& side) {
  const Prediction& p = side.prediction;
  Json out = {{"name", side.name},
              {"id", p.scenario_id},
              {"sha256", p.design_sha256},
              {"model", text_or_null(side.model)},
              {"profile", text_or_null(p.profile_sha256)},
              {"recorded", side.recorded},
              {"seeds", p.seeds},
              {"verdict", verdict_name(p.verdict)},
              {"limit", limit_text(p)}};
  out["bottleneck"] = nullptr;
  if (!p.bottlenecks.empty())
    out["bottleneck"] = {{"resource", p.bottlenecks.front().resource},
                         {"utilization", p.bottlenecks.front().utilization},
                         {"blamed_share", p.bottlenecks.front().blamed_share}};
  out["assertions"] = Json::array();
  for (const AssertionOutcome& a : p.assertions)
    out["assertions"].push_back({{"id", a.id},
                                 {"that", a.that},
                                 {"value", a.value},
                                 {"unit", a.unit},
                                 {"status", a.status},
                                 {"level", a.level}});
  return out;
}

Json input_object(const InputChange& c) {
  Json out = {{"name", c.name},
              {"before", text_or_null(c.before)},
              {"after", text_or_null(c.after)},
              {"base_at", text_or_null(c.base_at)},
              {"head_at", text_or_null(c.head_at)},
              {"target", c.target}};
  if (!c.together.empty()) out["together"] = c.together;
  out["moves"] = Json::array();
  for (const InputMove& m : c.moves)
    out["moves"].push_back({{"path", m.path},
                            {"before", text_or_null(m.before)},
                            {"after", text_or_null(m.after)},
                            {"base_at", text_or_null(m.base_at)},
                            {"head_at", text_or_null(m.head_at)}});
  return out;
}

Json change_object(const MetricChange& m) {
  // A metric that was 0 has no relative change.
  const double relative = m.relative();
  return {{"metric", m.metric},
          {"unit", m.unit},
          {"before", m.before},
          {"after", m.after},
          {"delta", m.difference()},
          {"relative", std::isfinite(relative) ? Json(relative) : Json(nullptr)},
          {"effect", effect_name(m.effect)}};
}

Json shares_object(const Diff& diff, const MetricChange& m) {
  const MetricShares& found = diff.attributed.metrics.at(m.metric);
  Json out = {{"by_change", Json::array()}, {"interaction", found.interaction}};
  for (std::size_t i = 0; i < found.shares.size(); ++i) {
    const double delta = m.difference();
    out["by_change"].push_back({{"input", diff.attributed.changes[i]},
                                {"share", found.shares[i]},
                                {"fraction", delta == 0.0 ? 0.0 : found.shares[i] / delta},
                                {"alone", found.alone[i]}});
  }
  return out;
}

Json metrics_object(const std::map<std::string, Metric>& metrics) {
  Json out = Json::object();
  for (const auto& [name, m] : metrics) out[name] = {{"value", m.value}, {"unit", m.unit}};
  return out;
}

}  // namespace

std::string diff_json(const Diff& diff, const DiffContext& context) {
  Json out;
  out["schema"] = "stallcast.diff/1";
  out["tool"] = tool_object(context.tool, diff.head.prediction.profile_sha256);
  out["changed"] = diff.changed();
  std::string word(diff_word(diff));
  for (char& c : word) c = static_cast<char>(c - 'A' + 'a');
  out["headline"] = diff_headline(diff);
  out["verdict"] = word;
  out["counts"] = {{"worse", diff.count(Effect::worse)},
                   {"better", diff.count(Effect::better)},
                   {"changed", diff.count(Effect::changed)},
                   {"same", diff.count(Effect::none)}};
  out["base"] = side_object(diff.base);
  out["head"] = side_object(diff.head);
  out["inputs_known"] = diff.inputs_known;
  out["inputs"] = Json::array();
  for (const InputChange& c : diff.inputs) out["inputs"].push_back(input_object(c));
  out["patch"] = diff.patch.empty() ? Json(nullptr) : Json::parse(diff.patch);
  out["metrics"] = Json::array();
  for (const MetricChange* m : moved_metrics(diff)) {
    Json one = change_object(*m);
    if (diff.attributed.metrics.contains(m->metric)) one["shares"] = shares_object(diff, *m);
    out["metrics"].push_back(std::move(one));
  }
  out["gone"] = metrics_object(diff.gone);
  out["come"] = metrics_object(diff.come);
  out["bottleneck"] = {{"base", limit_text(diff.base.prediction)},
                       {"head", limit_text(diff.head.prediction)}};
  out["attribution"] = {{"method", attribution_name(diff.attributed.method)},
                        {"designs", diff.attributed.designs},
                        {"notes", diff.attributed.notes}};
  out["warnings"] = diff.warnings;
  return dump(out);
}

}  // namespace stallcast::report
