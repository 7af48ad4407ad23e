#include <array>

#include "models/contract/rows.hpp"
#include "models/stage/stage.hpp"

/// Kinds of stages.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kStages{copy_stage(), scan_stage(), train_stage(), transform_stage(),
                         verify_stage()};

}  // namespace

std::span<const StageRow> stage_rows() { return kStages; }

}  // namespace stallcast::models
