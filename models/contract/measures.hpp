#pragma once

#include <string_view>

/// How inputs of a role are measured. Registry rows list these; reports name them.
namespace stallcast::models {

/// How fields are measured whose keys begin with `field`; "" is any. The first that fits counts.
struct MeasuredBy {
  std::string_view field;
  std::string_view with;  ///< a command, or what to do
};

}  // namespace stallcast::models
