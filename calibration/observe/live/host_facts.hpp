#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stallcast/observation.hpp"

namespace stallcast::calibration::live {

/// Cores, memory, NICs and GPUs of this machine, as /proc and /sys have them.
[[nodiscard]] ObservedHost host_facts();

/// What `nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits` printed.
void take_gpus(std::string_view text, ObservedHost& host);

/// Layouts that `lfs getstripe -y` printed of some files.
[[nodiscard]] ObservedLustre lustre_layouts(std::string_view yaml);

}  // namespace stallcast::calibration::live
