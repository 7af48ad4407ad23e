#pragma once

#include "stallcast/client.hpp"

namespace stallcast::client {

/// What is wrong with a scenario, and besides, unless a variant is asked for, with each of its
/// variants: their messages begin with its name. A pipe is read once, without its variants.
[[nodiscard]] Diagnostics lint(const Session& session, const ScenarioFile& source);

}  // namespace stallcast::client
