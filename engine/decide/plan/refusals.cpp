#include "engine/decide/plan/refusals.hpp"

#include <algorithm>

#include "engine/base/assertion.hpp"
#include "engine/decide/plan/axes.hpp"
#include "engine/decide/plan/objective.hpp"
#include "engine/decide/plan/outages.hpp"
#include "engine/decide/predict/predict.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {

std::string objective_pointer(const PlanSpec& spec) {
  return spec.maximize.empty() ? "/plan/minimize" : "/plan/maximize";
}

std::optional<Failure> refused_targets(const Design& design) {
  const bool any =
      std::any_of(design.expect.begin(), design.expect.end(), [](const Expectation& e) {
        const auto parsed = base::parse_assertion(e.that);
        return e.level != "warn" && parsed.ok() && parsed->relative.empty() &&
               !predict::is_plan_metric(parsed->metric);
      });
  if (any) return std::nullopt;
  const std::string that =
      design.jobs.empty()
          ? design.tenants.empty()
                ? "cost.hourly <= 100 USD/h"
                : metric::of_tenant(design.tenants.front().id, "latency") + " <= 1 s"
          : metric::gpu_utilization(design.jobs.front().job.id) + " >= 95 %";
  return Failure{ExitCode::bad_input, "the scenario has no targets to plan for",
                 "add \"expect\": [ { \"that\": \"" + that + "\" } ]"};
}

Refusals refusals(const PlanSpec& spec, const Design& design, const RedesignAll& redesign) {
  Refusals out;
  const models::Bounds bounds = models::bounds(design);
  for (const PlanDimension& dimension : spec.over) {
    PlanSpec alone = spec;
    alone.over = {dimension};
    std::optional<std::size_t> value;
    if (const auto made = make_axes(alone, design, bounds, redesign, &value); !made.ok()) {
      const SweepAxis& axis = dimension.axis;
      if (value && !axis.pointer.empty())
        out.all.push_back(
            {axis.values[*value].pointer, axis.values[*value].position, made.failure()});
      else
        out.all.push_back({axis.pointer, axis.position, made.failure()});
    }
  }
  const auto refuse = [&](const std::optional<Failure>& failure) {
    if (failure) out.all.push_back({objective_pointer(spec), {}, *failure});
    return failure.has_value();
  };
  bool refused = refuse(refused_metric(spec, design)) || refuse(refused_accelerators(spec, design));
  const auto axes = make_axes(spec, design, bounds, redesign);
  if (!axes.ok()) {  // said above, unless what is asked the most of is what is searched
    if (spec.over.empty() && !spec.maximize.empty() && !refused) refuse(axes.failure());
    return out;
  }
  refused = refused || refuse(refused_objective(spec, design, *axes));
  if (!refused) out.metric = metric_asked(spec, design, *axes);
  for (std::size_t i = 0; i < spec.survive.size(); ++i)
    if (const auto made = make_outages({spec.survive[i]}, design, *axes, redesign); !made.ok())
      out.all.push_back({"/plan/survive/" + std::to_string(i), {}, made.failure()});
  return out;
}

}  // namespace stallcast::plan
