#pragma once

#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "engine/sim/task.hpp"

namespace stallcast::sim {

namespace detail {
inline Task<void> run_part(Task<void> part, std::size_t& left, Signal& done) {
  co_await part;
  if (--left == 0) done.set();
}
}  // namespace detail

/// Runs all `parts` at the same time and ends when the last of them has ended.
inline Task<void> join(Context& context, std::vector<Task<void>> parts) {
  if (parts.empty()) co_return;
  if (parts.size() == 1) {
    Task<void> only = std::move(parts.front());
    co_await only;
    co_return;
  }
  std::size_t left = parts.size();
  Signal done(context);
  for (Task<void>& part : parts) context.spawn(detail::run_part(std::move(part), left, done));
  co_await done.wait();
}

/// One transfer as a part of a `join`: how it went is in `outcome` once it has ended.
inline Task<void> transfer_into(Context& context, Flow flow, FlowOutcome& outcome) {
  outcome = co_await context.transfer(flow);
}

}  // namespace stallcast::sim
