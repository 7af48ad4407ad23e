#pragma once

#include <string>
#include <string_view>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Design and RunResult as JSON text, one line, versioned. Numbers are written so that they read
/// back to the same bits; infinities are the texts "inf" and "-inf". Decoders fail with bad_input
/// on another schema version and on any text that an encoder did not write; they never throw.
namespace stallcast::codec {

/// Canonical JSON: sorted keys, no white space.
[[nodiscard]] std::string encode(const Design& design);
[[nodiscard]] Result<Design> decode_design(std::string_view json);

[[nodiscard]] std::string encode(const RunResult& result);
[[nodiscard]] Result<RunResult> decode_run_result(std::string_view json);

/// The canonical JSON without what serves messages only (file, pointers, products, value sources,
/// reasons). `decode_design` reads it too.
[[nodiscard]] std::string encode_identity(const Design& design);

/// One value as it stands there.
[[nodiscard]] std::string encode_identity(const Value& value);

/// Whether files decide what it does, too: programs of replays are read while they are simulated.
[[nodiscard]] bool reads_files(const Design& design);

/// SHA-256 of a design's, in hex: two designs with the same prediction and verdict have one hash.
[[nodiscard]] std::string design_hash(const Design& design);

}  // namespace stallcast::codec
