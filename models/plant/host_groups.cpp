#include "models/plant/host_groups.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {

double HostGroup::shared_with(double from, double to) const {
  const double shared = std::min(to, end()) - std::max(from, first);
  return shared > kHostRounding ? shared : 0.0;
}

namespace {

/// `hosts`, which are alike, cut where those with readers end: at least one has some. An area has
/// its share of them.
void add_alike(const HostGroup& hosts, const std::set<double>& reading,
               std::vector<HostGroup>& out) {
  const auto add = [&](double from, double to) {
    HostGroup group = hosts;
    group.alike = hosts.hosts;
    group.from = from;
    group.to = to;
    group.first = hosts.first + hosts.hosts * from;
    group.hosts = hosts.hosts * (to - from);
    out.push_back(group);
  };
  double at = 0.0;
  for (const double share : reading) {
    const double border = std::max(share, 1.0 / hosts.hosts);
    if (border > 1.0 - kHostRounding || border < at + kHostRounding) continue;
    add(at, border);
    at = border;
  }
  add(at, 1.0);
}

}  // namespace

// Whole areas without a border inside are one run; an area with borders, and the last one when it
// is not full, are runs of their own. What lies between two borders is cut evenly, areas before
// their hosts: what an area carries is what its hosts have.
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
      const double apart = std::min(run.areas, parts);
      run.groups.resize(static_cast<std::size_t>(apart));
      for (double a = 0.0; a < apart; ++a) {
        const double its = std::floor(parts * (a + 1.0) / apart) - std::floor(parts * a / apart);
        const std::size_t before = out.groups.size();
        for (double p = 0.0; p < its; ++p)
          add_alike({.first = at + hosts * a / apart + hosts * p / (apart * its),
                     .hosts = hosts / (apart * its),
                     .slow = *border > quick + kHostRounding},
                    plan.reading, out.groups);
        run.groups[static_cast<std::size_t>(a)] += out.groups.size() - before;
      }
      at = *border;
    }
    out.areas.push_back(std::move(run));
  }
  return out;
}

}  // namespace stallcast::models
