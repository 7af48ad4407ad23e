#pragma once

#include <span>

#include "engine/base/fields.hpp"
#include "models/contract/derivation.hpp"
#include "models/contract/host.hpp"
#include "models/contract/training.hpp"
#include "stallcast/design.hpp"

/// Kinds of steps. docs/models/compute.md.
namespace stallcast::models {

/// Mean GPU time as given, or from FLOPs and MFU.
[[nodiscard]] Seconds given_step(const Component& step, const ModelParams& model,
                                 const HostParams& host);
[[nodiscard]] Seconds flops_step(const Component& step, const ModelParams& model,
                                 const HostParams& host);
/// How they come about; inputs are "step.K", "model.K" and "host.K".
[[nodiscard]] Rule given_step_rule(const ModelParams& model);
[[nodiscard]] Rule flops_step_rule(const ModelParams& model);
[[nodiscard]] std::span<const base::FieldInfo> step_given_fields();
[[nodiscard]] std::span<const base::FieldInfo> step_flops_fields();

}  // namespace stallcast::models
