#pragma once

#include <optional>
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
  /// What its drives are rated for: drive writes a day, over so long, by a workload that wears them
  /// so much less than this one does.
  std::optional<double> drive_writes = {};
  Seconds warranty = {};
  double amplification = 1.0;
};
/// REQUIRES: models::says_capacity.
[[nodiscard]] CapacityParams capacity_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> capacity_fields();

/// So much more lies on it besides what the scenario names: "capacity.other".
void add_other(Component& storage, Bytes bytes);

}  // namespace stallcast::models
