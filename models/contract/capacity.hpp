#pragma once

#include <span>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// What a storage system may be filled with. docs/models/capacity.md.
namespace stallcast::models {

/// Fields that count where something says how much a storage system holds.
struct CapacityParams {
  Fraction fill;      ///< most of its space that is to be used
  Fraction overhead;  ///< of its parts, taken by the file system itself
  Bytes other;        ///< that lies on it besides what the scenario names
};
/// REQUIRES: models::says_capacity.
[[nodiscard]] CapacityParams capacity_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> capacity_fields();

}  // namespace stallcast::models
