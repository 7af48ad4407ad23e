#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "stallcast/explanation.hpp"

/// What a tree of an explanation says, node by node, without its layout.
namespace stallcast::report {

/// What is shown when no metric is named: levels that are open below each headline number, and how
/// many changes are tried. One that is named is taken apart to the end, and nothing is tried.
inline constexpr int kExplainLevels = 2;
inline constexpr std::int64_t kExplainWhatIfs = 8;

/// A line of a tree, and the small print below it.
struct TreeLine {
  int level = 0;
  std::string head;    ///< "compute = 300 s"
  std::string name;    ///< in full where the head has a symbol; else ""
  std::string sum;     ///< "= steps x compute = 6000 x 50 ms"; "" of leaves
  std::string page;    ///< where the equation stands
  std::string small;   ///< source and note
  bool above = false;  ///< it has been taken apart before
  int hidden = 0;      ///< parts that lie deeper than is shown
};

/// Hands out the lines of `root` from the top. A number that is taken apart a second time is only
/// named. `shown` are those that have been so far.
void walk_tree(const ExplainNode& root, int depth, std::set<std::string>& shown,
               const std::function<void(const TreeLine&)>& take);

/// "compute / wall = 300 s / 302.4 s"
[[nodiscard]] std::string print_equation(const ExplainNode& node);

/// A node's value: inputs as a scenario writes them.
[[nodiscard]] std::string print_node(const ExplainNode& node);

/// "scenario.json:12:5", "default, expert value (assumed)".
[[nodiscard]] std::string print_source(const Source& source);

/// What closed forms say without a simulation: "GPU utilization is at most 98 %, for ...".
[[nodiscard]] std::string bound_phrase(const Explanation& explanation);

/// By what time changes are told where that is not GPU utilization: stallcast::time_gained.
[[nodiscard]] std::string time_gained(const Explanation& explanation);

/// "simulated", "derived", "input", "figure", "rest".
[[nodiscard]] std::string kind_name(ExplainNode::Kind kind);

}  // namespace stallcast::report
