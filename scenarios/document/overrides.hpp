#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/document/document.hpp"
#include "stallcast/change.hpp"
#include "stallcast/result.hpp"

namespace stallcast::scenarios {

/// Merges the variant `name` of `/scenarios` into the tree; "" does nothing. An unknown name is an
/// error.
void choose_variant(Tree& tree, const std::string& name, Reporter& report);

/// Applies "path=value" options in order. Keys that do not exist yet are made, so that the field
/// tables judge them; an element that does not exist is an error with the nearest. "[+]" is one
/// more at the end of a list.
void apply_sets(Tree& tree, const std::vector<std::string>& sets, Documents& documents,
                Reporter& report);
/// The same for changes that are values already.
void apply_changes(Tree& tree, std::span<const Change> changes, Documents& documents,
                   Reporter& report);

/// The JSON pointer that `path` means in `root`; bad_input, with the nearest, where there is
/// nothing.
[[nodiscard]] Result<std::string> pointer_of(const Json& root, const std::string& path);

}  // namespace stallcast::scenarios
