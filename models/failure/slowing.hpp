#pragma once

#include <cstddef>
#include <cstdint>

#include "models/failure/renewal.hpp"

/// What a job's own thread takes from its steps while it flushes. docs/models/failures.md,
/// equation 19.
namespace stallcast::models {

/// From the start of save number `number` until it is in all tiers that it goes to, as long as
/// measured save `like` took.
[[nodiscard]] Seconds flushes(const JobPace& pace, std::size_t like, std::int64_t number);

/// Of `work`, what is done by steps that begin while a flush is under way that lasts `left` more.
[[nodiscard]] Seconds slowed_work(const JobPace& pace, Seconds work, Seconds left);

/// What the `steps` between two saves take longer by that, mean over undisturbed saves.
[[nodiscard]] Seconds slowed_between(const JobPace& pace, std::int64_t steps);

}  // namespace stallcast::models
