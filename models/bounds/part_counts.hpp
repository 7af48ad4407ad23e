#pragma once

#include <map>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "models/bounds/spare_hosts.hpp"
#include "models/contract/parts.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/storage.hpp"
#include "stallcast/design.hpp"

/// How many there are of what a design is bought as, spare hosts and their drives among them.
namespace stallcast::models::detail {

/// Whether every host has what `part` counts: `capacity.size` of a system inside hosts is of one.
[[nodiscard]] inline bool in_each_host(const Component& component, const PartInfo& part) {
  return part.per_host ||
         (part.in_tb() && component.find(part.count) != nullptr && own_of_host(component));
}

class PartCounts {
 public:
  explicit PartCounts(const Design& design) {
    for (const Component& host : design.hosts) {
      spares_[&host] = spare_hosts(design, host.id);
      hosts_ += base::number_of(host, "count") + spares_[&host];
    }
  }

  /// In all; of capacity in TB.
  [[nodiscard]] double of(const Component& component, const PartInfo& part) const {
    double n =
        part.count.empty() ? 1.0 : number(component, part.count) / (part.in_tb() ? kTb : 1.0);
    if (!part.of.empty()) n *= number(component, part.of);
    return in_each_host(component, part) ? n * hosts_ : n;
  }
  /// What each of which has as many: hosts, or what the part belongs to; 0: nothing.
  [[nodiscard]] double owners(const Component& component, const PartInfo& part) const {
    return in_each_host(component, part) ? hosts_ : number(component, part.of);
  }
  /// Hosts of a class that stand by, counted among the others.
  [[nodiscard]] double spares(const Component& component) const {
    const auto it = spares_.find(&component);
    return it == spares_.end() ? 0.0 : it->second;
  }

 private:
  [[nodiscard]] double number(const Component& component, std::string_view key) const {
    return base::number_of(component, key) + (key == "count" ? spares(component) : 0.0);
  }
  static constexpr double kTb = 1e12;
  double hosts_ = 0.0;
  std::map<const Component*, double> spares_;  ///< of host classes
};

}  // namespace stallcast::models::detail
