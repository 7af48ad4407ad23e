#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "models/contract/resources.hpp"

namespace stallcast::models {

/// Links of one part of a storage system, whose rates a fault scales together.
class ScaledLinks {
 public:
  ScaledLinks() = default;
  /// Every link of the resources `names`; none for those that do not limit. Where others may bound
  /// the part on its link, `parts` says what it gives by itself; infinite: the link is of them
  /// alone.
  ScaledLinks(const sim::Context& context, const ResourceTable& resources,
              const std::vector<std::string>& names,
              const std::map<std::string, Rate>& parts = {}) {
    for (std::uint32_t l = 0; l < resources.of_link.size(); ++l) {
      if (resources.of_link[l] == kNoResource) continue;
      const std::string& name = resources.name(resources.of_link[l]);
      if (std::ranges::find(names, name) == names.end()) continue;
      const Rate capacity = context.use(sim::LinkId{l}).capacity;
      const auto part = parts.find(name);
      links_.push_back(
          {{l}, capacity, part == parts.end() ? capacity : std::max(capacity, part->second)});
    }
  }
  [[nodiscard]] bool has(sim::LinkId link) const {
    return std::any_of(links_.begin(), links_.end(),
                       [&](const Link& one) { return one.link == link; });
  }
  /// From now on `factor` times the present rate. Rates that are back within rounding are exact.
  void scale(sim::Context& context, double factor) { scale(context, all_, factor); }
  /// The same of the part alone: what bounds it by itself stays.
  void scale_part(sim::Context& context, double factor) { scale(context, part_, factor); }

 private:
  struct Link {
    sim::LinkId link;
    Rate capacity, part;
  };
  void scale(sim::Context& context, double& which, double factor) {
    which *= factor;
    if (which > 1.0 - 1e-9 && which < 1.0 + 1e-9) which = 1.0;
    for (const Link& one : links_)
      context.set_capacity(one.link, std::min(one.capacity, one.part * part_) * all_);
  }

  std::vector<Link> links_;
  double all_ = 1.0, part_ = 1.0;
};

}  // namespace stallcast::models
