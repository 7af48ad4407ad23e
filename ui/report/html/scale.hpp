#pragma once

#include <vector>

namespace stallcast::report::html {

/// From figures to places in a drawing; by ratios where they span many.
class Scale {
 public:
  Scale(double low, double high, double from, double to);
  [[nodiscard]] double at(double value) const;
  /// Round figures inside, about so many.
  [[nodiscard]] std::vector<double> ticks(int about = 6) const;

 private:
  double from_, to_, low_ = 0.0, high_ = 1.0;
  bool log_ = false;
};

}  // namespace stallcast::report::html
