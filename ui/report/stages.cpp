#include "ui/report/stages.hpp"

#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

/// Waiting for less of its time is nothing to tell.
constexpr double kWaits = 0.01;

StageLine row_of(const Prediction& p, const std::string& id) {
  const auto figure = [&](const char* key) {
    const Metric* m = find(p, metric::of_stage(id, key));
    return m == nullptr ? 0.0 : m->value;
  };
  StageLine row{.id = id, .start = figure("start"), .end = figure("end")};
  row.dates = "from " + print_value(row.start, "s") + ", takes ";
  if (const Metric* time = find(p, metric::of_stage(id, "time"))) row.dates += print_metric(*time);
  if (const Metric* rate = find(p, metric::of_stage(id, "rate")))
    row.rate = "reads " + print_value(rate->value, rate->unit);
  if (const double waited = figure("waited"); waited > kWaits * figure("time"))
    row.waited = "waits " + print_value(waited, "s") + " for its input";
  row.limit = limit_named(p, "stage." + id);
  return row;
}

}  // namespace

std::string limit_named(const Prediction& p, const std::string& name) {
  const auto found = p.limited_by.find(name);
  return found == p.limited_by.end() ? std::string() : found->second;
}

std::vector<StageLine> stage_lines(const Prediction& p) {
  std::vector<StageLine> out;
  for (const auto& [name, value] : p.metrics)
    if (const metric::Name parsed = metric::parse(name);
        parsed.domain == metric::Domain::stage && parsed.figure == "start")
      out.push_back(row_of(p, std::string(parsed.id)));
  std::stable_sort(out.begin(), out.end(), [](const StageLine& a, const StageLine& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  double last = 0.0;
  for (const StageLine& row : out) last = std::max(last, row.end);
  const double first = out.empty() ? 0.0 : out.front().start, all = last - first;
  for (StageLine& row : out) {
    row.begins = all > 0.0 ? (row.start - first) / all : 0.0;
    row.lasts = all > 0.0 ? (row.end - row.start) / all : 0.0;
  }
  return out;
}

std::string stage_limit(const Prediction& p) {
  const std::string stage = limit_named(p, metric::kPipelineLimit);
  const Metric* share = find(p, metric::kPipelineLimit);
  if (stage.empty() || share == nullptr) return "";
  const std::string by = limit_named(p, "pipeline");
  std::string out = stage.substr(stage.find('.') + 1) + " limits: " + print_share(share->value) +
                    " of the time of all stages";
  if (const Metric* rate = find(p, stage + ".rate"))
    out += ", at " + print_value(rate->value, rate->unit);
  if (!by.empty() && by != stage) out += ", above all by the " + label::of_resource(by);
  return out;
}

// Of tenants alone, as of stages, there is no job to speak of.
std::vector<std::string> tenant_lines(const Prediction& p) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> out;
  if (!of_tenants_alone(p)) return out;
  const std::vector<std::string> tenants = tenants_of(p);
  for (const std::string& tenant : tenants) {
    if (out.size() == kMost) break;
    std::vector<std::string> said;
    for (const metric::Figure& figure : metric::figures()) {
      const bool first = figure.tile != metric::TileOn::none ||
                         std::ranges::find(kTenantTimes, figure.key) != kTenantTimes.end();
      if (figure.domain != metric::Domain::tenant || !first) continue;
      const std::string name = metric::of_tenant(tenant, figure.key);
      if (const Metric* m = find(p, name); m != nullptr && m->value != 0.0)
        said.push_back(std::string(figure.label) + " " + as_counted(name, print_metric(*m)));
    }
    out.push_back(tenant + ": " + (said.empty() ? "did nothing" : base::join(said, ", ")));
  }
  if (out.size() < tenants.size())
    out.push_back(count_of(tenants.size() - out.size(), "more tenant"));
  return out;
}

}  // namespace stallcast::report
