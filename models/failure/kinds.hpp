#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/storage.hpp"
#include "stallcast/design.hpp"

/// Kinds of failures. docs/models/failures.md.
namespace stallcast::models {

/// What kills jobs.
[[nodiscard]] FailureParams host_failure_params(const Component& component);
[[nodiscard]] FailureParams process_failure_params(const Component& component);
[[nodiscard]] FailureParams rack_failure_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> host_failure_fields();
[[nodiscard]] std::span<const base::FieldInfo> process_failure_fields();
[[nodiscard]] std::span<const base::FieldInfo> rack_failure_fields();

/// A part of a storage system that fails while the jobs run: nothing for the time of the failover,
/// then less than before until it is repaired.
struct StorageFaultParams {
  std::string on, part, takeover;
  std::optional<Seconds> at, mtbf;
  Seconds failover, repair;
  Fraction rebuild, left;
};
[[nodiscard]] StorageFaultParams storage_fault_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> storage_failure_fields();
[[nodiscard]] StoragePart storage_part(const StorageFaultParams& p);

}  // namespace stallcast::models
