#pragma once

#include <array>
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
  /// The same to less of it and to more: of counts to one less and to one more.
  std::array<double, 2> ways = {};

  /// Part that the figure grows by with one less, or one `more`. REQUIRES: it is a count.
  [[nodiscard]] double with_one(bool more) const;
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
  /// From now on `of` only takes note of what is asked for, and all of it is found at once: what
  /// figures of two jobs answer to is changed together where no figure answers to both.
  void ask_first() { waits_ = true; }
  void find_asked();
  /// How often the closed forms were evaluated so far.
  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

 private:
  using Figures = std::map<std::string, double>;
  struct Input {
    std::string path;
    Value* value;           ///< in the copy
    const Value* original;  ///< in the design
  };
  /// Some inputs in a row.
  struct Part {
    std::size_t first, last;
    std::set<std::string> moves;  ///< figures that may answer to any of them
    /// Elasticities of those that answer to the only one of them: to less of it, and to more.
    std::map<std::string, std::array<double, 2>> answers = {};
  };
  /// Parts of which no two move the same figure: they can be changed at once.
  using Apart = std::vector<Part*>;
  [[nodiscard]] static std::vector<Apart> apart(std::vector<Part>& parts);

  void study(const std::set<std::string>& figures, bool capacity);
  /// Leaves of what `parts` may move what they do move.
  void find_moved(const Apart& parts, bool capacity);
  /// The answers of parts of one input each.
  void find_answers(const Apart& parts, bool capacity);

  [[nodiscard]] Figures evaluate(bool capacity);
  [[nodiscard]] const Figures& before(bool capacity);

  Design copy_;
  std::vector<Input> inputs_;
  std::array<Figures, 2> before_;  ///< derivations, capacities
  std::size_t evaluations_ = 0;
  std::map<std::string, std::vector<Influence>> by_figure_;
  std::set<std::string> asked_;  ///< and not found yet
  bool waits_ = false;
};

}  // namespace stallcast::explain
