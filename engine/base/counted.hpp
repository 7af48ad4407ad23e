#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stallcast/plan.hpp"

/// Numbers of things in words.
namespace stallcast::base {

/// "box" of "boxes", "OST" of "OSTs"; what is not a plural stays.
[[nodiscard]] std::string singular(std::string_view plural);

/// What metrics call things that reports call "OSTs" or "drives per host": "osts", "drives".
[[nodiscard]] std::string key_of(std::string_view noun);

/// "1 OST", "2 OSTs".
[[nodiscard]] std::string counted(std::int64_t n, std::string_view plural);

/// A value of what a plan searches: "24 OSTs", "3 boxes", "storage.scratch.ost.read = 4 GB/s".
[[nodiscard]] std::string counted(const PlanAxis& axis, const std::string& value);

/// Whether values of `axis` are counted, by its noun.
[[nodiscard]] bool is_counted(const PlanAxis& axis, const std::string& value);

}  // namespace stallcast::base
