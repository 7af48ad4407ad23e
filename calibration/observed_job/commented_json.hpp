#pragma once

#include <map>
#include <string>

#include "engine/base/jsonc.hpp"

namespace stallcast::calibration {

/// What is said above the members of a document, by their pointer; "" is its head.
using Comments = std::map<std::string, std::string>;

/// `json` as a person writes a scenario: short objects on one line, `comments` in lines of their
/// own above what they are about.
[[nodiscard]] std::string commented_json(const base::Json& json, const Comments& comments);

}  // namespace stallcast::calibration
