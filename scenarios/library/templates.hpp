#pragma once

#include <span>
#include <string_view>

/// Commented scenarios to start from: the files of scenarios/library, built into the program.
namespace stallcast::scenarios {

struct Template {
  std::string_view name;     ///< "llm-async-ckpt"
  std::string_view summary;  ///< one line
  std::string_view text;     ///< JSON with comments; loads without an error
};

/// Sorted by name.
[[nodiscard]] std::span<const Template> templates();

}  // namespace stallcast::scenarios
