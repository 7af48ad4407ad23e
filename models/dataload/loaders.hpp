#pragma once

#include <span>

#include "models/contract/loader.hpp"

/// Kinds of loaders. docs/models/dataloader.md.
namespace stallcast::models {

/// Work conserving: any free worker takes the next batch, any finished batch is delivered. The
/// reference for "what does the loader cost".
[[nodiscard]] LoaderPolicy ideal_policy(const Component& component);

[[nodiscard]] std::span<const base::FieldInfo> pytorch_fields();
[[nodiscard]] LoaderPolicy pytorch_policy(const Component& component);

[[nodiscard]] std::span<const base::FieldInfo> tensorflow_fields();
[[nodiscard]] LoaderPolicy tensorflow_policy(const Component& component);

[[nodiscard]] std::span<const base::FieldInfo> dali_fields();
[[nodiscard]] LoaderPolicy dali_policy(const Component& component);

}  // namespace stallcast::models
