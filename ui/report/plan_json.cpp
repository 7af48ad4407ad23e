#include "ui/report/layout.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/renderers.hpp"

/// A plan as JSON: the result of the design found, with the search next to it.
namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json reason_json(const std::optional<PlanReason>& reason) {
  if (!reason) return nullptr;
  return {{"by", reason->by},
          {"resource", reason->resource},
          {"target", reason->target.id},
          {"status", reason->target.status},
          {"value", reason->target.value},
          {"limit", reason->target.limit},
          {"unit", reason->target.unit},
          {"with", reason->values}};
}

void add_search(const PlanResult& plan, Json& out) {
  out["axes"] = Json::array();
  for (const PlanAxis& axis : plan.axes)
    out["axes"].push_back({{"path", axis.path},
                           {"name", axis.name},
                           {"noun", axis.noun},
                           {"owner", axis.owner},
                           {"metric", axis.metric},
                           {"from", axis.from},
                           {"to", axis.to},
                           {"candidates", axis.candidates},
                           {"ordered", axis.ordered},
                           {"falls", axis.falls}});
  out["objective"] = {{"name", plan.objective.name},
                      {"unit", plan.objective.unit},
                      {"goal", plan.objective.maximize ? "maximize" : "minimize"}};
  out["at_least"] = is_at_least(plan);
  out["answer"] = nullptr;
  if (const std::vector<std::string>* answer = asked_answer(plan)) {
    out["answer"] = Json::object();
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
      out["answer"][plan.axes[a].path] = (*answer)[a];
  }
  out["survived"] = plan.survived;
  out["search"] = {{"candidates", plan.candidates}, {"simulated", plan.points.size()},
                   {"proven", plan.proven},         {"invalid", plan.invalid},
                   {"better", plan.cheaper},        {"implied", plan.implied}};
  out["neighbours"] = Json::array();
  for (const PlanNeighbour& n : plan.neighbours)
    out["neighbours"].push_back({{"path", plan.axes[n.axis].path},
                                 {"direction", n.direction},
                                 {"value", plan.points[n.point].values[n.axis]},
                                 {"point", n.point},
                                 {"meets", plan.points[n.point].meets},
                                 {"misses", plan.points[n.point].missed()},
                                 {"units", n.units},
                                 {"utilization_per_unit", n.utilization},
                                 {"target_per_unit", n.target}});
  out["reason"] = reason_json(plan.reason);
  out["instead"] = nullptr;
  if (plan.instead)
    out["instead"] = {{"point", plan.instead->point},
                      {"change", plan.instead->change},
                      {"set", plan.instead->set}};
  out["further"] = plan.further;
  out["nearest"] = nullptr;
  if (plan.nearest)
    out["nearest"] = {{"point", plan.nearest->point},
                      {"misses", reason_json(plan.nearest->misses)},
                      {"beyond", reason_json(plan.nearest->beyond)},
                      {"looked", plan.nearest->looked},
                      {"cut_off", plan.nearest->cut_off}};
  if (plan.nearest)
    for (const PlanReason& also : plan.nearest->also)
      out["nearest"]["also"].push_back(reason_json(also));
  if (plan.until) {
    out["until"] = {{"months", *plan.until}, {"stages", Json::array()}};
    for (const PlanStage& stage : plan.stages)
      out["until"]["stages"].push_back({{"month", stage.month},
                                        {"status", status_name(stage.status)},
                                        {"amounts", stage.amounts},
                                        {"by", stage.by},
                                        {"enough", stage.enough}});
  }
  out["prices"] = Json::array();
  for (const PlanPrice& p : plan.prices)
    out["prices"].push_back({{"target", p.target},
                             {"limit", p.limit},
                             {"relaxed", p.relaxed},
                             {"unit", p.unit},
                             {"saved", p.saved},
                             {"values", p.values}});
  out["varied"] = plan.varied;
  out["tornado"] = Json::array();
  for (const PlanSwing& w : plan.tornado)
    out["tornado"].push_back({{"path", w.path},
                              {"base", w.base},
                              {"low", w.low},
                              {"high", w.high},
                              {"target", w.target},
                              {"margin_at_low", w.at_low},
                              {"margin_at_high", w.at_high},
                              {"low_needs", w.low_needs},
                              {"high_needs", w.high_needs}});
  out["intervals"] = Json::array();
  for (const PlanInterval& i : plan.intervals)
    out["intervals"].push_back({{"job", i.job},
                                {"point", i.point},
                                {"every", i.every},
                                {"best", i.best},
                                {"young", i.young},
                                {"daly", i.daly},
                                {"goodput", i.goodput},
                                {"best_goodput", i.best_goodput},
                                {"meets", i.meets},
                                {"run", i.run},
                                {"set", i.set}});
}

Json confident_object(const PlanResult& plan) {
  const ConfidentPlan& sure = *plan.confident;
  const auto values = [&](const DrawnPoint& point) {
    Json out = Json::object();
    for (std::size_t a = 0; a < point.values.size(); ++a) out[plan.axes[a].path] = point.values[a];
    return out;
  };
  const auto share = [&](const std::optional<std::size_t>& place) {
    return place ? Json(sure.points[*place].probability) : Json(nullptr);
  };
  Json out = {
      {"asked", sure.asked},
      {"draws", sure.draws},
      {"inputs", sure.inputs},
      {"status", status_name(sure.status)},
      {"required", sure.answer ? Json(sure.points[*sure.answer].count) : Json(nullptr)},
      {"answer", sure.answer ? values(sure.points[*sure.answer]) : Json(nullptr)},
      {"probability", share(sure.answer)},
      {"nominal_required", sure.nominal ? Json(sure.points[*sure.nominal].count) : Json(nullptr)},
      {"nominal_answer", sure.nominal ? values(sure.points[*sure.nominal]) : Json(nullptr)},
      {"nominal_probability", share(sure.nominal)},
      {"decides", sure.decides},
      {"points", Json::array()}};
  if (sure.fitted > 0) out["fitted"] = sure.fitted;
  for (const DrawnPoint& point : sure.points) {
    out["points"].push_back({{"count", point.count},
                             {"values", values(point)},
                             {"draws", point.draws},
                             {"probability", point.probability},
                             {"meets", point.meets}});
    if (!point.target.empty()) out["points"].back()["target"] = point.target;
    if (!point.least.empty())
      out["points"].back()["least"] = {{"target", point.least},
                                       {"probability", point.least_probability}};
  }
  return out;
}

}  // namespace

std::string plan_json(const PlanResult& plan, const ReportContext& context, const Style& style) {
  Json out;
  const PlanStatus status = asked_status(plan);
  const std::optional<std::int64_t> required = asked_count(plan);
  out["status"] = status_name(status);
  out["summary"] = headline_lines(plan);
  out["metric"] = plan.metric;
  out["required"] = required ? Json(*required) : Json(nullptr);
  out["lower_bound"] = plan.lower_bound;
  out["non_monotone"] = plan.non_monotone;
  out["points"] = Json::array();
  for (const PlanPoint& point : plan.points) {
    Json targets = Json::array();
    for (const TargetMargin& t : point.targets) {
      targets.push_back({{"id", t.id},
                         {"that", t.that},
                         {"value", t.value},
                         {"limit", t.limit},
                         {"unit", t.unit},
                         {"margin", t.margin},
                         {"status", t.status},
                         {"when", t.when}});
      if (t.interval) targets.back()["ci95"] = {t.interval->first, t.interval->second};
      if (t.confidence) targets.back()["confidence"] = *t.confidence;
      if (t.confidence && t.probability) targets.back()["probability"] = *t.probability;
    }
    Json values = Json::object();
    for (std::size_t a = 0; a < point.values.size(); ++a)
      values[plan.axes[a].path] = point.values[a];
    out["points"].push_back(
        {{"count", point.count},
         {"values", std::move(values)},
         {"objective", point.objective ? Json(*point.objective) : Json()},
         {"replicas", point.replicas},
         {"meets", point.meets},
         {"utilization", point.utilization},
         {"binding", point.binding},
         {"limited_by", point.binding.empty() || point.waited ? Json() : Json(point.binding)},
         {"binding_utilization", point.binding_utilization},
         {"binding_load", point.binding_load},
         {"targets", std::move(targets)}});
    if (point.waited) out["points"].back()["most_waited_for"] = point.binding;
  }
  out["notes"] = plan.notes;
  add_search(plan, out);
  if (plan.confident) out["confidence"] = confident_object(plan);
  // the result of the design found (or of the largest tried), with the search next to it
  Json result = result_object(plan.prediction, context, style);
  if (status == PlanStatus::infeasible) result["verdict"] = verdict_name(Verdict::fail);
  if (status == PlanStatus::inconclusive) result["verdict"] = verdict_name(Verdict::inconclusive);
  // What fewer of them lack, beside the number itself.
  if (plan.reason && plan.status == PlanStatus::found && result["metrics"].contains(plan.metric))
    result["metrics"][plan.metric]["binding"] = plan.reason->by;
  result["plan"] = std::move(out);
  return dump(result);
}

}  // namespace stallcast::report
