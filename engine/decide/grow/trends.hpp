#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stallcast/change.hpp"
#include "stallcast/design.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

/// What a scenario is in a later month.
namespace stallcast::grow {

/// The design of the scenario with these values changed.
using Regrow = std::function<Result<Design>(std::span<const Change> changes)>;

/// Whether two paths mean the same value of `design`, however they are spelled.
[[nodiscard]] bool mean_the_same(const Design& design, const std::string& a, const std::string& b);

class Trends {
 public:
  /// No trend, a value that nobody has, two trends of one value (or of one and of the parameter
  /// that makes it), and an amount of another kind are failures (bad_input). `regrow` tells which
  /// parameters make what.
  [[nodiscard]] static Result<Trends> make(const GrowthSpec& spec, const Design& now,
                                           std::span<const Parameter> params, const Regrow& regrow);

  /// What is changed in month `month`; nothing of what is as it was.
  [[nodiscard]] std::vector<Change> at(int month) const;
  /// Each with its value now and in month `until`.
  [[nodiscard]] std::vector<GrownValue> described(int until) const;
  /// Months from which on something is bought or changed at once, in order.
  [[nodiscard]] std::vector<int> steps() const;
  /// Whether `path` is one of them.
  [[nodiscard]] bool moves(std::string_view path) const;

 private:
  /// A trend and what it starts from.
  struct Trend {
    GrowthTrend said;
    std::string path;    ///< in full
    double start = 0.0;  ///< base unit; of a parameter in its own unit
    double added = 0.0;  ///< a month, in the unit of `start`
    Dimension dimension = Dimension::number;
    std::string unit = {};  ///< of a parameter
    bool parameter = false;
    bool whole = false;  ///< whole numbers only: a count, or a parameter that makes one
  };
  /// What the steps of `trend` have come to; null before the first, and without any.
  [[nodiscard]] static const Setting* step_at(const Trend& trend, int month);
  /// [docs/models/growth.md, eq. 1, 2]
  [[nodiscard]] static double number_at(const Trend& trend, int month);
  [[nodiscard]] static Setting value_at(const Trend& trend, int month);
  [[nodiscard]] static std::string text_at(const Trend& trend, int month);

  std::vector<Trend> trends_;
};

}  // namespace stallcast::grow
