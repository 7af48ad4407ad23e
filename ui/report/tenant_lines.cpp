#include <algorithm>

#include "engine/base/text.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

/// What tenants do that are simulated alone, in a line of each.
namespace stallcast::report {

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
