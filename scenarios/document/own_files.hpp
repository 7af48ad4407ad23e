#pragma once

#include <optional>
#include <string>

#include "engine/base/jsonc.hpp"

/// What this program writes that is no scenario, and may be given as one.
namespace stallcast::scenarios {

struct OwnFile {
  std::string what;  ///< "a result of \"stallcast run\""
  std::string hint;  ///< what to do with it; REQUIRES: one sentence
};

/// By the schema that `root` names, for messages on `file`; nullopt of all else.
[[nodiscard]] std::optional<OwnFile> own_file(const base::Json& root, const std::string& file);

}  // namespace stallcast::scenarios
