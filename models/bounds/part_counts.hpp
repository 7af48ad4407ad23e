#pragma once

#include "engine/base/design_values.hpp"
#include "models/contract/parts.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/storage.hpp"
#include "stallcast/design.hpp"

/// How many there are of what a design is bought as.
namespace stallcast::models::detail {

/// Whether every host has what `part` counts: `capacity.size` of a system inside hosts is of one.
[[nodiscard]] inline bool in_each_host(const Component& component, const PartInfo& part) {
  return part.per_host ||
         (part.in_tb() && component.find(part.count) != nullptr && own_of_host(component));
}

class PartCounts {
 public:
  explicit PartCounts(const Design& design) {
    for (const Component& host : design.hosts) hosts_ += base::number_of(host, "count");
  }

  /// In all; of capacity in TB.
  [[nodiscard]] double of(const Component& component, const PartInfo& part) const {
    double n = part.count.empty()
                   ? 1.0
                   : base::number_of(component, part.count) / (part.in_tb() ? kTb : 1.0);
    if (!part.of.empty()) n *= base::number_of(component, part.of);
    return in_each_host(component, part) ? n * hosts_ : n;
  }
  /// What each of which has as many: hosts, or what the part belongs to; 0: nothing.
  [[nodiscard]] double owners(const Component& component, const PartInfo& part) const {
    return in_each_host(component, part) ? hosts_ : base::number_of(component, part.of);
  }

 private:
  static constexpr double kTb = 1e12;
  double hosts_ = 0.0;
};

}  // namespace stallcast::models::detail
