#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "engine/sim/task.hpp"

namespace stallcast::models {

/// What a stage of a pipeline brings, as far as it is there: others wait for a share of it.
class StageSupply {
 public:
  explicit StageSupply(sim::Context& context) : context_(context) {}

  /// From now on at least `share` of it (0..1) is there.
  void bring(double share) {
    share_ = std::max(share_, std::min(share, 1.0));
    if (share_ > 1.0 - kRounding) share_ = 1.0;
    std::erase_if(waiting_, [this](const auto& each) {
      if (each.first > share_) return false;
      each.second->set();
      return true;
    });
  }
  [[nodiscard]] double share() const { return share_; }
  /// Until `share` of it is there.
  [[nodiscard]] sim::Task<void> reach(double share) {
    if (share <= share_) co_return;
    const auto signal = std::make_shared<sim::Signal>(context_);  // outlives its row in the list
    waiting_.emplace_back(share, signal);
    co_await signal->wait();
  }

 private:
  /// Shares are sums of parts.
  static constexpr double kRounding = 1e-9;

  sim::Context& context_;
  double share_ = 0.0;
  std::vector<std::pair<double, std::shared_ptr<sim::Signal>>> waiting_;
};

/// What is there of all of `supplies`: the least of them.
[[nodiscard]] inline sim::Task<void> reach_all(std::vector<StageSupply*> supplies, double share) {
  for (StageSupply* supply : supplies) co_await supply->reach(share);
}

}  // namespace stallcast::models
