#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "stallcast/diagnostic.hpp"

/// The JSON files a validation or an audit is given.
namespace stallcast::calibration {

/// Files, each read and parsed once.
struct InputFiles {
  std::vector<base::JsonDocument> documents;  ///< of those that could be parsed
  Diagnostics diagnostics;                    ///< "file" and the faults of `parse_jsonc`
};

/// Never throws on any input; all faults at once.
[[nodiscard]] InputFiles open_files(std::span<const std::string> paths);

/// True when every file says that it holds claims, and there is one.
[[nodiscard]] bool are_claims(const InputFiles& files);

}  // namespace stallcast::calibration
