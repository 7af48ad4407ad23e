#pragma once

#include <string>
#include <string_view>

namespace stallcast::calibration {

/// "all_reduce" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "nccl:all_reduce" and
/// "gloo:all_reduce"; "" when the name is not of a collective.
[[nodiscard]] std::string collective_of(std::string_view name);

}  // namespace stallcast::calibration
