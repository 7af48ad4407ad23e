#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stallcast/prediction.hpp"

/// What limits a design: decided once, for every verb.
namespace stallcast {

/// Less of the time than this is nothing to act on.
inline constexpr double kNegligible = 0.0005;

/// What a missed target waits for, of the target that is missed by most; without one, what costs
/// most of the time, all jobs together.
struct Limit {
  enum class Kind {
    failures,
    shifts,
    gain,
    together,
    nothing,
    barrier,
    compute,
    resource,
    waited,  ///< most, of all that was not tried: what gains is not known
    unnamed
  };
  Kind kind = Kind::unnamed;
  std::string name;      ///< "storage.scratch.ost"; words where it is not a resource
  std::string label;     ///< "OSTs of scratch", "GPU compute"
  double share = 0.0;    ///< of the time: what it costs, or what it would save at twice the speed
  std::string target{};  ///< id of the missed one; "" without
  std::string job{};     ///< of several jobs or tenants, whose time `share` is of; "": of all
  /// Of a gain that is of the metric of `target` and not of time: its change, relative.
  std::optional<double> change{};
};
[[nodiscard]] Limit limit_of(const Prediction& prediction);

/// What most of the time is spent waiting for, whatever would help: a resource or the slowest rank.
/// Unnamed where nothing is waited for.
[[nodiscard]] Limit most_waited_for(const Prediction& prediction);

/// Of what ranks wait for each other: half of it is no speed of anything.
[[nodiscard]] bool is_barrier(std::string_view resource);

/// Of GPUs that are lent: somebody decided to, so that it limits the whole run, and no figure that
/// is of the time the job has.
[[nodiscard]] bool is_lending(std::string_view resource);

}  // namespace stallcast
