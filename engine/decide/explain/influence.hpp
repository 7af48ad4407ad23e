#pragma once

#include <map>
#include <string>
#include <vector>

#include "stallcast/design.hpp"

/// Which inputs a closed form answers to, found by changing each.
namespace stallcast::explain {

/// How a figure answers to an input.
struct Influence {
  std::string path;         ///< of the input
  const Value* value;       ///< in the design that was studied
  double elasticity = 0.0;  ///< percent it grows by for each percent of the input
  bool tied = false;        ///< it answers to more of the input, or to less, not to both: another
                            ///< value is just as large
};

/// Every closed form of a design (derivations of the bounds by name, capacities as
/// "resource.R.capacity") with the inputs it answers to. An input that does not count now, since
/// something else limits, is not among them.
class Influences {
 public:
  /// `design` must outlive this.
  explicit Influences(const Design& design) : design_(design) {}
  /// Empty when no such figure is known. The first call evaluates the closed forms twice an input.
  [[nodiscard]] const std::vector<Influence>& of(const std::string& figure);

 private:
  void study();

  const Design& design_;
  bool studied_ = false;
  std::map<std::string, std::vector<Influence>> by_figure_;
};

/// The closed forms of a design, by name.
[[nodiscard]] std::map<std::string, double> closed_forms(const Design& design);

}  // namespace stallcast::explain
