#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stallcast/plan.hpp"

/// Numbers of things in words.
namespace stallcast::base {

/// "box" of "boxes", "OST" of "OSTs", "drive per host" of "drives per host"; what is not a plural
/// stays.
[[nodiscard]] std::string singular(std::string_view plural);

/// What metrics call things that reports call "OSTs" or "drives per host": "osts", "drives".
[[nodiscard]] std::string key_of(std::string_view noun);

/// "1 OST", "2 OSTs".
[[nodiscard]] std::string counted(std::int64_t n, std::string_view plural);

/// A value of what a plan searches: "24 OSTs", "3 boxes", "storage.scratch.ost.read = 4 GB/s".
[[nodiscard]] std::string counted(const PlanAxis& axis, const std::string& value);

/// All that a plan searches at a point of it: "18 OSTs, 2 MDTs".
[[nodiscard]] std::string counted(const PlanResult& plan, const PlanPoint& point);

/// `number` with the unit of things, "16 cores", "1 drive", and with what a rate counts: of
/// "samples/s" "70.7 ksamples/s" for "70.7 kops/s", wherever in a text. As it is for other units
/// with a dimension, which it has already.
[[nodiscard]] std::string with_noun(std::string number, std::string_view unit);

/// A figure of a metric for people: "95.1 %", "4.2 s", "3.1 USD/h", "16 cores", "512".
[[nodiscard]] std::string print_value(double value, std::string_view unit);

/// Whether values of `axis` are counted, by its noun.
[[nodiscard]] bool is_counted(const PlanAxis& axis, const std::string& value);

}  // namespace stallcast::base
