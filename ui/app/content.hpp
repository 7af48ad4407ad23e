#pragma once

#include <string>

#include "stallcast/design.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// Hash of all that a design says, words and sources included, but not where in a text it says it.
/// What is predicted of two designs with the same one is the same, and may be told of either; texts
/// that differ in white space, comments, order of keys or the spelling of quantities give the same.
[[nodiscard]] std::string content_hash(Design design);

/// Hash of what advice asks a scenario besides its design: what it calls the counts of what is
/// bought, and in which steps.
[[nodiscard]] std::string counted_hash(const Scenario& scenario);

/// Hash of all that is read for a scenario, files that it extends included, and where it stands.
/// REQUIRES: ok().
[[nodiscard]] std::string read_hash(const Scenario& scenario);

/// Hash of any text: what has the same one is the same text.
[[nodiscard]] std::string text_hash(const std::string& text);

}  // namespace stallcast::client
