#pragma once

#include <span>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Data loaders: who reads ahead, how far, and in which order batches arrive.
/// docs/models/dataloader.md.
namespace stallcast::models {

struct LoaderParams {
  std::int64_t batch = 1, workers = 4, prefetch = 2;
  bool persistent = false;
  Seconds start, handover;
  std::string copy;
};

/// What differs between kinds of loaders.
struct LoaderPolicy {
  bool in_order = true;          ///< batches are delivered in the order they were asked for
  bool fixed_assignment = true;  ///< batch i is loaded by worker i mod W, idle or not
  bool split_batch = false;      ///< all workers load one batch together; prefetch counts batches
};

[[nodiscard]] LoaderParams loader_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> loader_common_fields();
[[nodiscard]] LoaderPolicy pytorch_policy();
[[nodiscard]] LoaderPolicy ideal_policy();
[[nodiscard]] LoaderPolicy tensorflow_policy();

}  // namespace stallcast::models
