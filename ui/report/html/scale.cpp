#include "ui/report/html/scale.hpp"

#include <cmath>

#include "ui/report/layout.hpp"

namespace stallcast::report::html {

Scale::Scale(double low, double high, double from, double to) : from_(from), to_(to) {
  constexpr double kRatios = 50.0;
  log_ = low > 0.0 && high / low >= kRatios;
  low_ = log_ ? std::log10(low) : low;
  high_ = log_ ? std::log10(high) : high;
  if (!(high_ > low_)) {
    const double half = low_ == 0.0 ? 1.0 : std::abs(low_) / 10.0;
    low_ -= half, high_ += half;
  }
  const double air = (high_ - low_) / 25.0;
  low_ -= air, high_ += air;
}

double Scale::at(double value) const {
  return from_ + ((log_ ? std::log10(value) : value) - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<double> Scale::ticks(int about) const {
  std::vector<double> out;
  if (log_) {
    const bool few = high_ - low_ < 3.0;
    for (int e = static_cast<int>(std::floor(low_)); e <= static_cast<int>(std::ceil(high_)); ++e)
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * std::pow(10.0, e);
        if ((digit == 1.0 || few) && std::log10(value) >= low_ && std::log10(value) <= high_)
          out.push_back(value);
      }
    return out;
  }
  const double step = decimal_step((high_ - low_) / about);
  for (double k = std::ceil(low_ / step); k * step <= high_; k += 1.0) out.push_back(k * step);
  return out;
}

}  // namespace stallcast::report::html
