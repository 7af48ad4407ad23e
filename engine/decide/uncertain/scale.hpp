#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace stallcast::uncertain {

/// Figures are spread on a scale: utilizations by the odds of what is used, other shares as they
/// are, all else that is positive by factors. Times that are a part of a run by the clock are
/// shares of it.
struct ErrorScale {
  enum class Kind { linear, odds, factors };
  Kind kind = Kind::linear;
  double whole = 1.0;  ///< of odds: what all would be

  /// Of a metric whose draws lie between `least` and `most`; `zero` says that it may be nothing
  /// and is a factor all the same of what it is otherwise. `whole` of what it is a part of.
  [[nodiscard]] static ErrorScale of(std::string_view name, std::string_view unit, double least,
                                     double most, bool zero, std::optional<double> whole = {});
  [[nodiscard]] double to(double value) const;
  [[nodiscard]] double from(double value) const;
  /// How far a small step of the value goes on the scale, near `value`.
  [[nodiscard]] double slope(double value) const;
};

/// What a figure can be at all.
struct Possible {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// The part of the outcomes of a figure, from the least on, for which a target on it holds.
struct Held {
  double from = 0.0, to = 1.0;
  [[nodiscard]] double share() const { return std::max(0.0, to - from); }
  /// The same counted from the most on.
  [[nodiscard]] Held turned() const { return {1.0 - to, 1.0 - from}; }
  /// For which this target and that one hold.
  [[nodiscard]] Held both(const Held& other) const {
    return {std::max(from, other.from), std::min(to, other.to)};
  }
};

/// How likely a figure that a draw gave as `value` is in truth on one side of limits, blurred by a
/// normal of standard deviation `blur` on `scale`. What is nothing times any factor is nothing. For
/// each operator of targets; `upper` is of "in" alone. Nothing goes beyond what is `possible`.
/// [eq. 5]
[[nodiscard]] double chance(const std::string& op, double value, double limit, double upper,
                            ErrorScale scale, double blur, Possible possible = {});
/// For which of its outcomes that is.
[[nodiscard]] Held held(const std::string& op, double value, double limit, double upper,
                        ErrorScale scale, double blur, Possible possible = {});

}  // namespace stallcast::uncertain
