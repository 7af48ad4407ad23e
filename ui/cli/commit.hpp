#pragma once

#include <string_view>

namespace stallcast::cli {

/// What the program was built from: "e47e64be90ab", with "+" behind it where files were changed; ""
/// where nobody knows.
[[nodiscard]] std::string_view commit();

}  // namespace stallcast::cli
