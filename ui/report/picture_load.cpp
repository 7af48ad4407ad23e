#include "ui/report/picture_load.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/covers.hpp"
#include "engine/base/design_values.hpp"
#include "stallcast/breakdown.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

/// In use it is told apart from the mean where it is this much more.
constexpr double kApart = 1.2;

/// "2.4 %", "64 %".
std::string rough(double share) {
  constexpr double kWhole = 0.0995;
  if (share < kWhole) return print_share(share);
  return std::to_string(std::lround(100.0 * share)) + " %";
}

/// Of several ways of a part the busiest counts; where one of them limits, that one: what is red is
/// what the figure is of.
PartLoad load_of(const Prediction& p, const std::vector<std::string>& names) {
  PartLoad out;
  const std::string limit = limit_of(p).name;
  const auto limits = [&](const std::string& name) { return base::covers(limit, name); };
  out.limit = std::any_of(names.begin(), names.end(), limits);
  for (const std::string& name : names) {
    const auto use = std::find_if(p.resources.begin(), p.resources.end(),
                                  [&](const ResourceUse& u) { return u.name == name; });
    if (use == p.resources.end()) continue;
    out.waited += use->blamed_share * waiting_share(p);
    const double busy = std::min(1.0, use->utilization());
    const bool counts = !out.limit || limits(name);
    if (counts && std::isfinite(use->capacity) && use->capacity > 0.0) {
      out.known = true;
      out.mean = std::max(out.mean, busy);
      out.in_use = std::max(out.in_use, std::min(1.0, use->load()));
    }
    if (use->unit.empty()) continue;
    out.tip += (out.tip.empty() ? "" : "; ") + name + ": " +
               print_value(use->throughput, use->unit) + " of " +
               print_value(use->capacity, use->unit);
  }
  return out;
}

/// Of figures of jobs, weighed by their GPUs.
double mean_of(const Prediction& p, const std::vector<std::string>& names, bool& known) {
  return mean_over_gpus(p, [&](const std::string& job) -> std::optional<double> {
    for (const std::string& name : names)
      if (const metric::Name parsed = metric::parse(name); parsed.id == job)
        if (const Metric* m = find(p, name)) {
          known = true;
          return m->value;
        }
    return std::nullopt;
  });
}

}  // namespace

PartLoad part_load(const Prediction& p, const PicturePart& part) {
  PartLoad out = load_of(p, part.resources);
  if (!part.metrics.empty()) out.mean = out.in_use = mean_of(p, part.metrics, out.known);
  if (!out.known) {
    if (out.waited > 0.0) out.text = print_share(out.waited) + " waited";
    return out;
  }
  // Of GPUs every tenth counts; a bar beside the figure shows the rest well enough.
  const bool exact = !part.metrics.empty();
  out.text = exact ? print_share(out.mean) : rough(out.mean);
  // A process computes on one core: it may wait for it while others idle.
  constexpr double kIdle = 0.5;
  if (out.limit && out.mean < kIdle && part.resources.size() == 1 &&
      part.resources.front().ends_with(".cpu"))
    out.text += ", 1 core each";
  else if (out.in_use > kApart * out.mean && out.in_use >= 0.01)
    out.text += ", in use " + rough(out.in_use);
  return out;
}

bool is_limit(const Prediction& p, const PictureBox& box) {
  const Limit limit = limit_of(p);
  const base::ResourceName name = base::resource_name(limit.name);
  if (name.part.empty() && base::component_path(name.role, name.id) == box.path) return true;
  return std::any_of(box.parts.begin(), box.parts.end(),
                     [&](const PicturePart& part) { return part_load(p, part).limit; });
}

PartLoad wire_load(const Prediction& p, const PictureWire& wire) {
  return load_of(p, wire.resources);
}

double wire_width(const PartLoad& load) {
  constexpr double kThin = 1.5, kThick = 9.0;
  return kThin + (kThick - kThin) * load.in_use;
}

}  // namespace stallcast::report
