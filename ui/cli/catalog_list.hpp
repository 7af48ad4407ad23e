#pragma once

#include <string>

namespace stallcast::cli {

/// All kinds, products and figures, as "catalog list --format json" prints them.
[[nodiscard]] std::string catalog_json();

}  // namespace stallcast::cli
