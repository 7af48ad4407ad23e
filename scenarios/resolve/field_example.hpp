#pragma once

#include <string>

#include "engine/base/fields.hpp"

namespace stallcast::scenarios {

/// "read": { "latency": "100 us" }: how a field that is missing could be written.
[[nodiscard]] std::string example_of(const base::FieldInfo& field);

}  // namespace stallcast::scenarios
