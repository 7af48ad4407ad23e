#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/random.hpp"
#include "engine/sim/memory.hpp"
#include "models/storage/fair_blame.hpp"

namespace stallcast::models {

/// Random numbers of one class of clients of an object store, the `number`th, and what its waits
/// were blamed on.
struct S3Draws {
  S3Draws(std::uint64_t seed, std::string_view store, std::size_t number)
      : delay(seed, store, "first byte", number),
        jitter(seed, store, "back-off", number),
        others(seed, store, "other members", number) {}

  alignas(sim::kCacheLine) FairBlame blame;
  alignas(sim::kCacheLine) base::RandomStream delay;
  base::RandomStream jitter, others;
};

}  // namespace stallcast::models
