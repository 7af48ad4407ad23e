#pragma once

#include <string_view>

#include "engine/base/fields.hpp"
#include "models/contract/registry.hpp"

/// What the stated figures of products deliver. docs/models/priors.md.
namespace stallcast::models {

/// What a stated figure delivers when it is what limits: the share of it, nine times in ten.
struct Ceiling {
  Role role;
  std::string_view field;  ///< "" = any field of that dimension
  Dimension dimension;
  double low;   ///< over the stated figure
  double high;  ///< ... and more than 1 where products do better than they say
  std::string_view source;
};

/// nullptr where a figure is no ceiling.
[[nodiscard]] const Ceiling* ceiling_of(Role role, std::string_view kind,
                                        const base::FieldInfo& field);

}  // namespace stallcast::models
