#pragma once

#include <optional>
#include <string>

#include "stallcast/client.hpp"
#include "stallcast/diff.hpp"
#include "ui/app/git_tree.hpp"

/// What `diff` compares: a scenario, a result or a sweep, in a file or in a revision of git.
namespace stallcast::client {

struct DiffOperand {
  DiffInput input;              ///< a result, or a scenario once it is read
  ScenarioFile file;            ///< of a scenario
  std::string sweep;            ///< path of a sweep's file; "" when it is none
  std::optional<GitTree> tree;  ///< where it lies when it comes from git
  std::string folder, shown;    ///< files below `folder` are shown as `shown` and the rest
};

/// What `word` names: a file, a folder with one sweep, "REV:path" when no such file exists, or "-"
/// for the text of `given`; "#variant" may follow a scenario, which takes the rest from `given`.
/// One of git takes `profile` as it was there, if it was. A scenario is not read yet, a result is.
/// All failures have bad_input.
[[nodiscard]] Result<DiffOperand> read_diff_operand(const std::string& word, ScenarioFile given,
                                                    const std::string& profile = "");

/// `where` as the user knows the file: "main:designs/a.json:3:5".
[[nodiscard]] std::string shown(const DiffOperand& operand, const std::string& where);

/// The same for every place in what was found.
void show_places(const DiffOperand& base, const DiffOperand& head, Diff& diff);
void show_places(const DiffOperand& operand, Diagnostics& faults);

}  // namespace stallcast::client
