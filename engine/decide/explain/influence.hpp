#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "stallcast/design.hpp"

/// Which inputs a closed form answers to, found by changing each.
namespace stallcast::explain {

/// How a figure answers to an input.
struct Influence {
  std::string path;              ///< of the input
  const Value* value = nullptr;  ///< in the design that was studied
  double elasticity = 0.0;       ///< percent it grows by for each percent of the input
  bool tied = false;  ///< it answers to more of the input, or to less, not to both: another
                      ///< value is just as large
};

/// Every closed form of a design (derivations of the bounds by name, capacities as
/// "resource.R.capacity") with the inputs it answers to. An input that does not count now, since
/// something else limits, is not among them.
class Influences {
 public:
  /// `design` must outlive this.
  explicit Influences(const Design& design);
  Influences(const Influences&) = delete;
  Influences& operator=(const Influences&) = delete;
  /// Empty when no such figure is known. Halves of the inputs are changed together, and those of a
  /// half apart only where the figure moved: few evaluations of the closed forms for each input
  /// that it answers to.
  [[nodiscard]] const std::vector<Influence>& of(const std::string& figure);
  /// How often the closed forms were evaluated so far.
  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

 private:
  struct Input {
    std::string path;
    Value* value;           ///< in the copy
    const Value* original;  ///< in the design
  };
  /// Some inputs in a row; what is known of them is found when a figure is asked for.
  struct Range {
    std::size_t first = 0, last = 0;
    bool known = false;
    std::set<std::string> moved = {};               ///< of several: what any of them moves
    std::map<std::string, Influence> answers = {};  ///< of one
    std::vector<Range> halves = {};
  };
  void look(Range& range, const std::string& figure, std::vector<Influence>& out);
  [[nodiscard]] std::set<std::string> moved(const Range& range);
  [[nodiscard]] std::map<std::string, Influence> study(const Input& input);

  [[nodiscard]] std::map<std::string, double> evaluate();

  Design copy_;
  std::vector<Input> inputs_;
  Range all_;
  std::map<std::string, double> before_;
  std::size_t evaluations_ = 0;
  std::map<std::string, std::vector<Influence>> by_figure_;
};

/// The closed forms of a design, by name.
[[nodiscard]] std::map<std::string, double> closed_forms(const Design& design);

}  // namespace stallcast::explain
