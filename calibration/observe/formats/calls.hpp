#pragma once

#include <optional>
#include <string_view>

#include "stallcast/operation_stream.hpp"

namespace stallcast::calibration {

/// What a call of libc or of the kernel does to a file, by its name: "pread64", "__xstat64",
/// "fopen". Nothing when it does not concern files.
[[nodiscard]] std::optional<OperationKind> kind_of_call(std::string_view name);

/// The call says itself where it reads or writes: pread and its kin.
[[nodiscard]] bool is_positioned(std::string_view name);

/// What a file is to a job: /proc, /sys and devices other than disks are no storage.
[[nodiscard]] bool is_pseudo_file(std::string_view path);

}  // namespace stallcast::calibration
