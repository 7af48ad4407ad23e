#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/diff.hpp"
#include "stallcast/scenario.hpp"

/// What changed between two designs, as edits somebody made, and the designs with some of them.
namespace stallcast::diff {

/// What the text of a scenario says beyond its design; empty for designs without a text.
struct Origins : Written {
  std::map<std::string, Parameter> params;  ///< by name
};

/// What a change does to a design: takes over one value of the other design, a product, or a whole
/// component.
struct Edit {
  std::string component;  ///< path as base::for_each_component gives it
  std::string key;        ///< of a value; "use"; or "" for the component with all it has
  /// Values of it that stay as they are, as edits of their own move them.
  std::vector<std::string> apart = {};
  [[nodiscard]] bool operator==(const Edit&) const = default;
};

struct InputStep {
  InputChange said;
  std::vector<Edit> edits;  ///< none for a target
};

/// The changes from `base` to `head`, in the order of the scenario, targets last. Values count as
/// they are resolved: what was only written differently has not changed. Values are one change when
/// one edit moves them: a parameter both scenarios have, another product, another file to extend.
[[nodiscard]] std::vector<InputStep> changes(const Design& base, const Design& head,
                                             const Origins& base_origins = {},
                                             const Origins& head_origins = {});

/// `base` with those of `all` whose bit is set in `mask`; with all of them, `head` itself. Its
/// expectations are those of `base`.
[[nodiscard]] Design apply(const Design& base, const Design& head,
                           const std::vector<InputStep>& all, std::uint64_t mask);

}  // namespace stallcast::diff
