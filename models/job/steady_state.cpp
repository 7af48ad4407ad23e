#include "models/job/steady_state.hpp"

namespace stallcast::models {

void SteadyState::add(const StepParts& parts, double weight) {
  if (steps_ == 0) return;  // the first pays for empty queues
  added_ += weight;
  sum_.wait += parts.wait * weight;
  sum_.compute += parts.compute * weight;
  sum_.barrier += parts.barrier * weight;
  sum_.rest += parts.rest * weight;
}

void SteadyState::save(Seconds stall) {
  if (steps_ > 1) saving_ += stall;
}

void SteadyState::describe(sim::Ledger& ledger) {
  ledger.count(steps_);
  ledger.count(added_);
  ledger.count(sum_.wait);
  ledger.count(sum_.compute);
  ledger.count(sum_.barrier);
  ledger.count(sum_.rest);
  ledger.count(saving_);
}

void SteadyState::report(const std::string& name, RunResult& out) const {
  if (added_ == 0.0) return;
  const double classes = added_ / static_cast<double>(steps_ - 1);
  const Seconds all = sum_.wait + sum_.compute + sum_.barrier + sum_.rest + saving_ * classes;
  const auto per_step = [&](const char* key, Seconds time) {
    out.metrics[name + key] = {(time / added_).in(unit::s), "s", {}};
  };
  per_step("steady.step.time", all);
  per_step("steady.wait", sum_.wait);
  per_step("steady.barrier", sum_.barrier);
  // All ranks take equally long between two barriers, so the mean of their shares is the share of
  // their sums.
  out.metrics[name + "steady.au"] = {sum_.compute / all, "ratio", {}};
}

}  // namespace stallcast::models
