#pragma once

#include <string>

#include "engine/base/jsonc.hpp"
#include "stallcast/design.hpp"

namespace stallcast::scenarios {

/// The resolved scenario as strict JSON a person can read and run again; with `provenance` each
/// value is followed by a comment that says who set it.
[[nodiscard]] std::string print_resolved(const Design& design, bool provenance);
/// Who set a value, as in these comments.
[[nodiscard]] std::string source_text(const Source& source);
/// The same as JSON, without the comments.
[[nodiscard]] base::Json resolved_json(const Design& design);

}  // namespace stallcast::scenarios
