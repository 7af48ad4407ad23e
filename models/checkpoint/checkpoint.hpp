#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Saving the state of a job. docs/models/checkpoint.md.
namespace stallcast::models {

struct CheckpointParams {
  std::string to;
  std::optional<Seconds> every;
  std::optional<std::int64_t> every_steps;
  std::optional<Bytes> size;
  std::string writers;
  std::int64_t files = 1;
  std::string serializer;
  Rate serialize;
  Seconds quiesce;
  bool stream = false;
  bool direct = false;
  std::vector<std::string> tiers;  ///< async: through these, the last is where it is durable
  std::int64_t buffers = 1;        ///< async: snapshots held in host memory at one time
};

/// How the phases of a save relate to training: what differs between kinds.
struct CheckpointStyle {
  bool blocking = true;  ///< training waits for the write, not only for the snapshot
};

[[nodiscard]] CheckpointParams checkpoint_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> checkpoint_common_fields();
[[nodiscard]] std::span<const base::FieldInfo> checkpoint_async_fields();
[[nodiscard]] CheckpointStyle sync_style();
[[nodiscard]] CheckpointStyle async_style();

}  // namespace stallcast::models
