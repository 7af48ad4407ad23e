#include "models/tenant/closed_loop.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {
namespace {

// Parts of a loop: with more of them its stations are used a little better, at their cost.
constexpr double kLoops = 16.0, kFewest = 4.0;
// Requests that follow each other are simulated together, as many as take this part of the time so
// far: what has not ended when the run does counts for nothing.
constexpr double kOfTime = 1.0 / 64.0;
constexpr double kWhole = 1e-9;

}  // namespace

// Around the mean by up to half of it, less where that is a sum of many members': parts that always
// took the same time would stay in step for good.
double ClosedLoop::next() {
  while (owed_ < least_ - kWhole)
    owed_ += *mean_ * (1.0 + (random_.uniform() - 0.5) / std::sqrt(members_));
  asked_ = std::floor(owed_ / least_ + kWhole) * least_;
  owed_ -= asked_;
  return asked_;
}

void ClosedLoop::took(Seconds round, Seconds so_far) {
  const double longer = std::min(*mean_ * 2.0, most_);
  train_.together = train_.moved > Seconds{} ? 1.0 - train_.gone / train_.moved : 1.0;
  train_.moved = train_.gone = {};
  if (round * (longer / asked_) < so_far * kOfTime) *mean_ = longer;
}

std::vector<double> loop_members(double in_flight, double share) {
  const double most = std::max(kFewest, std::ceil(kLoops * share));
  const double parts = std::clamp(std::floor(in_flight + kWhole), 1.0, most);
  if (parts <= 1.0) return {in_flight};
  std::vector<double> members;
  double left = in_flight;
  for (double part = parts; part > 0.0; --part) {
    members.push_back(part > 1.0 ? std::round(left / part) : left);
    left -= members.back();
  }
  return members;
}

}  // namespace stallcast::models
