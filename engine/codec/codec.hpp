#pragma once

#include <string>
#include <string_view>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Design and RunResult as JSON text, one line, versioned. Numbers are written so that they read
/// back to the same bits.
namespace stallcast::codec {

/// Canonical JSON: sorted keys, no white space.
[[nodiscard]] std::string encode(const Design& design);
[[nodiscard]] Result<Design> decode_design(std::string_view json);

[[nodiscard]] std::string encode(const RunResult& result);
[[nodiscard]] Result<RunResult> decode_run_result(std::string_view json);

/// SHA-256, in hex, of the canonical JSON without the file name and without value sources: two
/// designs that simulate alike have one hash.
[[nodiscard]] std::string design_hash(const Design& design);

}  // namespace stallcast::codec
