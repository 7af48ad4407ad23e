#include "models/plant/host_groups.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {

double HostGroup::shared_with(double from, double to) const {
  const double shared = std::min(to, end()) - std::max(from, first);
  return shared > kHostRounding ? shared : 0.0;
}

// Whole areas without a border inside are one run; an area with borders, and the last one when it
// is not full, are runs of their own. What lies between two borders is cut evenly.
HostCut cut_hosts(const CutPlan& plan) {
  const auto inside = [&](double at) {
    return at > kHostRounding && at < plan.hosts - kHostRounding;
  };
  std::set<double> borders, runs{plan.hosts};
  for (const double cut : plan.cuts)
    if (inside(cut)) borders.insert(cut);
  const double quick = plan.hosts - plan.slow;
  if (inside(quick)) borders.insert(quick);
  if (plan.area < plan.hosts) {
    std::set<double> around{std::floor(plan.hosts / plan.area + kHostRounding) * plan.area};
    for (const double border : borders) {
      around.insert(std::floor(border / plan.area + kHostRounding) * plan.area);
      around.insert(std::ceil(border / plan.area - kHostRounding) * plan.area);
    }
    for (const double at : around)
      if (inside(at)) runs.insert(at);
  }
  borders.insert(runs.begin(), runs.end());
  HostCut out;
  double at = 0.0;
  auto border = borders.begin();
  for (const double end : runs) {
    AreaRun run{.areas = std::max(1.0, std::ceil((end - at) / plan.area - kHostRounding)),
                .hosts = end - at};
    for (; border != borders.end() && *border <= end; ++border) {
      const double hosts = *border - at;
      const double parts = std::max(1.0, std::round(plan.parts * hosts / plan.hosts));
      for (double p = 0.0; p < parts; ++p)
        out.groups.push_back({.first = at + hosts * p / parts,
                              .hosts = hosts / parts,
                              .slow = *border > quick + kHostRounding});
      run.groups += static_cast<std::size_t>(parts);
      at = *border;
    }
    out.areas.push_back(run);
  }
  return out;
}

}  // namespace stallcast::models
