#pragma once

#include <cstddef>
#include <functional>

namespace stallcast::base {

/// Calls `work(i)` for each i below `count`, up to `threads` (0: one per core) at a time, and
/// returns when all are done. `work` must bear being called from several threads; the first
/// exception it throws is thrown again here, and no call begins after it.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& work);

}  // namespace stallcast::base
