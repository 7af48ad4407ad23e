#pragma once

#include <optional>
#include <string>

#include "stallcast/client.hpp"
#include "stallcast/diff.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/git_tree.hpp"

/// What `diff` compares: a scenario, a result or a sweep, in a file or in a revision of git.
namespace stallcast::cli {

struct Operand {
  client::DiffInput input;      ///< a result, or a scenario once it is read
  client::Source file;          ///< of a scenario
  std::string sweep;            ///< path of a sweep's file; "" when it is none
  std::optional<GitTree> tree;  ///< where it lies when it comes from git
  std::string folder, shown;    ///< files below `folder` are shown as `shown` and the rest
};

/// Tells what `word` names: a file, a folder with one sweep, "-", or "REV:path" when no such file
/// exists; behind a scenario, "#variant". A scenario is not read yet, a result is. All failures
/// have bad_input.
[[nodiscard]] Result<Operand> read_operand(const std::string& word, const CommonOptions& options);

/// `where` as the user knows the file: "main:designs/a.json:3:5".
[[nodiscard]] std::string shown(const Operand& operand, const std::string& where);

/// The same for every place in what was found.
void show_places(const Operand& base, const Operand& head, Diff& diff);
void show_places(const Operand& operand, Diagnostics& faults);

}  // namespace stallcast::cli
