#pragma once

#include <cstdint>

#include "stallcast/units.hpp"

/// What DLIO writes for a transformer, from its shape. docs/models/checkpoint.md.
namespace stallcast::scenarios {

/// Shape and layout, with DLIO's defaults.
struct DlioTransformer {
  double vocabulary = 32000, hidden = 2048, ffn_hidden = 8192;
  double heads = 32, kv_heads = 8;
  std::int64_t layers = 1;
  double model_bytes = 2, optimizer_bytes = 4;  ///< per element, by datatype
  std::int64_t tensor = 1, pipeline = 1, data = 1;
  std::int64_t zero_stage = 0;

  [[nodiscard]] std::int64_t ranks() const { return tensor * pipeline * data; }
};

/// Number of parameters.
[[nodiscard]] double parameters(const DlioTransformer& model);
/// All files of one checkpoint together.
[[nodiscard]] Bytes checkpoint_size(const DlioTransformer& model);
/// Ranks that write: without ZeRO only one replica does.
[[nodiscard]] std::int64_t checkpoint_writers(const DlioTransformer& model);
/// Files per writer, rounded to the nearest whole number, at least 1.
[[nodiscard]] std::int64_t files_per_writer(const DlioTransformer& model);

}  // namespace stallcast::scenarios
