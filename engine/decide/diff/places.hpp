#pragma once

#include <string>
#include <vector>

#include "models/contract/registry.hpp"
#include "stallcast/design.hpp"

namespace stallcast::diff {

/// A component of either design.
struct PairedComponent {
  std::string path;
  const models::RoleInfo* role = nullptr;
  const Component* base = nullptr;
  const Component* head = nullptr;
};

/// The components of both designs in the order of the scenario. One that has another id and is the
/// same otherwise is one place, with the path it has in `base`.
[[nodiscard]] std::vector<PairedComponent> places(const Design& base, const Design& head);

/// Wherever they come from. None is equal to none.
[[nodiscard]] bool equal(const Value* a, const Value* b);

}  // namespace stallcast::diff
