#pragma once

#include <string_view>

namespace stallcast::models {

/// Of the models, in every report: raised when a design may be predicted differently than before
/// (CONTRIBUTING.md says when).
inline constexpr std::string_view kVersion = "2";

}  // namespace stallcast::models
