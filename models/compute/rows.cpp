#include <array>

#include "models/compute/kinds.hpp"
#include "models/contract/rows.hpp"

/// Kinds of steps.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kSteps{
    StepRow{{"flops", "step time from model FLOPs, GPU peak and MFU", step_common_fields(),
             step_flops_fields()},
            flops_step,
            flops_step_rule},
    StepRow{{"given", "step time as measured", step_common_fields(), step_given_fields()},
            given_step,
            given_step_rule}};

}  // namespace

std::span<const StepRow> step_rows() { return kSteps; }

}  // namespace stallcast::models
