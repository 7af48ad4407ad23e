#pragma once

#include "calibration/validation/mlperf/facts.hpp"
#include "engine/base/jsonc.hpp"

/// Rows as the scenarios that somebody writes who knows their facts.
namespace stallcast::calibration::mlperf {

/// A training run of `ranks` accelerators, in epochs of `steps` steps (at most those that matter
/// are simulated). The job is "train".
[[nodiscard]] base::Json training(const Facts& facts, double ranks, double steps);

/// A checkpoint of "llama3-70b" and its like, saved by `ranks` ranks and loaded again: the job
/// "save". `size` is given where the table says another one than the model has; a subset of the
/// ranks saves that, or its own of the whole one. REQUIRES: a model of the catalogue.
[[nodiscard]] base::Json checkpointing(const Facts& facts, const std::string& model, double ranks,
                                       std::optional<Bytes> size = std::nullopt);

}  // namespace stallcast::calibration::mlperf
