#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// What of a design can be made twice as fast. docs/models/blame.md.
namespace stallcast::gain {

/// A value of a component, and what it is multiplied by: 2 for rates and for what is done at a
/// time, 1/2 for times.
struct Lever {
  std::string path;           ///< as `--set` takes it
  std::size_t component = 0;  ///< in the order of base::for_each_component
  std::string key;
  double factor = 2.0;
  /// Of what breaks there is no half: it is left out.
  [[nodiscard]] bool removes() const { return key.empty(); }
};

using Levers = std::vector<Lever>;

/// What is tried, by name.
using Items = std::vector<std::pair<std::string, Levers>>;
[[nodiscard]] Levers levers_of(const Items& items);
/// Of all but one of them, for each in turn.
[[nodiscard]] std::vector<Levers> without_each(const Items& items);

/// Whether `key` says how much is under way at a time, or on how many cores.
[[nodiscard]] bool counts_at_a_time(std::string_view key);

/// Whether none of `part` is pulled where all of `levers` are: counts (threads of a save) whose
/// speeds (what each of them does) are twice as fast there. That all of an owner gains nothing says
/// nothing of such a part.
[[nodiscard]] bool hidden_in(const Levers& part, const Levers& levers);

/// What is made faster together: all of "storage[scratch].ost".
struct DesignPart {
  std::string path;
  std::string owner;  ///< "storage[scratch]": parts of one owner are tried together first
  std::vector<Lever> levers;
  /// Whether it is an outage, failures of hosts, or lending: not made faster but left out.
  [[nodiscard]] bool breaks() const { return !levers.empty() && levers.front().removes(); }
};

/// Parts that could gain something, as far as a prediction tells: nothing gains more than the time
/// lost to what it takes part in. Named by path.
using Parts = std::map<std::string, DesignPart>;
[[nodiscard]] Parts parts_of(const Design& design, const Prediction& prediction);
/// All parts: also those that cost jobs no time, which a figure of its own may hang on.
[[nodiscard]] Parts all_parts_of(const Design& design, const Prediction& prediction);

/// The part that a resource is of ("storage.scratch.ost.read" -> "storage[scratch].ost"); "" where
/// no value of the design makes it faster.
[[nodiscard]] std::string part_of_resource(std::string_view resource, const Design& design,
                                           const Parts& parts);

/// "storage.scratch.client" from "storage[scratch].client": as resources are called.
[[nodiscard]] std::string resource_of(const std::string& part);

/// `design` with all of `levers` pulled, each `strength` as far (1: twice as fast), within the
/// limits of its field. Of a count and a speed that it multiplies, connections of so much each, the
/// speed alone.
[[nodiscard]] Design faster(const Design& design, const std::vector<Lever>& levers,
                            double strength = 1.0);

}  // namespace stallcast::gain
