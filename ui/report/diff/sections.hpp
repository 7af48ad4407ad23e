#pragma once

#include <string>
#include <vector>

#include "stallcast/diff.hpp"

/// A diff as headings, sentences and tables: what Markdown and HTML say alike.
namespace stallcast::report {

struct Section {
  std::string title;
  std::vector<std::string> heads;              ///< of the table; none: there is no table
  std::vector<std::vector<std::string>> rows;  ///< cells in the order of `heads`
  std::vector<std::string> lines;              ///< below the table
};

struct Sections {
  std::string word;      ///< "WORSE"
  std::string headline;  ///< without the word
  std::vector<std::string> sentences;
  std::vector<Section> sections;
};

[[nodiscard]] Sections sections_of(const Diff& diff);
[[nodiscard]] Sections sections_of(const SweepDiff& diff);

/// "WORSE", "BETTER", ... of all points together.
[[nodiscard]] std::string sweep_diff_word(const SweepDiff& diff);
/// "llm: 24 points in both, metrics moved in 12; ...".
[[nodiscard]] std::string sweep_diff_headline(const SweepDiff& diff);

}  // namespace stallcast::report
