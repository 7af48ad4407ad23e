#include "ui/app/progress.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::client {
namespace {

/// A pace is known after so long, and so much; of less once it lasts.
constexpr double kSeconds = 2.0, kPart = 0.05, kLasts = 8.0, kLittle = 0.002;
/// What a pass again goes of the rest.
constexpr double kOfRest = 0.5;
constexpr double kMinute = 60.0, kHour = 3600.0;

}  // namespace

void ShownProgress::tell(double done, double seconds) {
  done = std::clamp(done, 0.0, 1.0);
  seconds_ = seconds;
  if (passes_ == Passes::one && done >= most_) {
    most_ = done;
    shown_ = std::max(shown_, done);
  } else {
    if (done < last_) from_ = done, before_ = shown_;
    shown_ = std::max(shown_, before_ + kOfRest * (1.0 - before_) * (done - from_) / (1.0 - from_));
  }
  last_ = done;
}

std::optional<double> ShownProgress::left() const {
  const double enough = seconds_ < kLasts ? kPart : kLittle;
  if (seconds_ < kSeconds || shown_ < enough || shown_ >= 1.0) return std::nullopt;
  return seconds_ * (1.0 - shown_) / shown_;
}

std::optional<double> LongAhead::ask(const ShownProgress& progress) {
  const std::optional<double> left = said_ ? std::nullopt : progress.left();
  if (!left || *left < kLeft || progress.seconds() + *left < kLong) return std::nullopt;
  said_ = true;
  return left;
}

std::string about_phrase(double seconds) {
  const auto whole = [](double x) { return std::to_string(std::max(1L, std::lround(x))); };
  if (seconds < kMinute - 0.5) return whole(seconds) + " s";
  if (seconds < kHour - kMinute / 2.0) return whole(seconds / kMinute) + " min";
  return whole(seconds / kHour) + " h";
}

std::string left_phrase(double seconds) { return about_phrase(seconds) + " left"; }

}  // namespace stallcast::client
