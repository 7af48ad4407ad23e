#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/resolve/component_reader.hpp"

namespace stallcast::scenarios {

/// Components of a tree that was read before. Of two trees that differ in little, as the points of
/// a sweep do, most components are alike, and reading one takes ten times what a copy does.
class KnownComponents {
 public:
  /// Of a tree whose first `documents` documents others have, too, as the same numbers.
  explicit KnownComponents(std::size_t documents) : documents_(documents) {}

  /// Keeps what was read of `spec` in `tree`, unless some of it is from another document. REQUIRES:
  /// nothing was reported of it, and no parameter asked for.
  void add(const ComponentSpec& spec, const Component& component, const Tree& tree);
  /// What was read of `spec` in the tree `before`; nullptr where `now` differs in what it says of
  /// it, or in where that was written.
  [[nodiscard]] const Component* find(const ComponentSpec& spec, const Tree& before,
                                      const Tree& now) const;

 private:
  struct Known {
    models::Role role;
    Component component;
  };
  std::size_t documents_;
  std::vector<Known> known_;
};

}  // namespace stallcast::scenarios
