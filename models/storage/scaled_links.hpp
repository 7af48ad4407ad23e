#pragma once

#include <algorithm>
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
  /// Every link of the resources `names`; none for those that do not limit.
  ScaledLinks(const sim::Context& context, const ResourceTable& resources,
              const std::vector<std::string>& names) {
    for (std::uint32_t l = 0; l < resources.of_link.size(); ++l)
      if (resources.of_link[l] != kNoResource &&
          std::find(names.begin(), names.end(), resources.name(resources.of_link[l])) !=
              names.end())
        links_.emplace_back(sim::LinkId{l}, context.use(sim::LinkId{l}).capacity);
  }
  [[nodiscard]] bool has(sim::LinkId link) const {
    return std::any_of(links_.begin(), links_.end(),
                       [&](const auto& one) { return one.first == link; });
  }
  /// From now on `factor` times the present rate. Rates that are back within rounding are exact.
  void scale(sim::Context& context, double factor) {
    factor_ *= factor;
    if (factor_ > 1.0 - 1e-9 && factor_ < 1.0 + 1e-9) factor_ = 1.0;
    for (const auto& [link, capacity] : links_) context.set_capacity(link, capacity * factor_);
  }

 private:
  std::vector<std::pair<sim::LinkId, Rate>> links_;
  double factor_ = 1.0;
};

}  // namespace stallcast::models
