#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/decide/gain/levers.hpp"
#include "stallcast/prediction.hpp"

/// Parts that gain little alone and much together. docs/models/blame.md.
namespace stallcast::gain {

/// Parts that gain so much more together than the best alone limit together.
inline constexpr double kTogether = 2.0;

/// What each of several gains, none for what cannot be built; nothing where there is no room for
/// so many simulations.
using TryEach = std::function<std::vector<std::optional<Gain>>(const std::vector<Levers>&)>;

/// Of several that gain `all` together and at most `alone` alone, those without which it is not
/// gained.
[[nodiscard]] Items needed_of(const Items& items, const Gain& all, double alone,
                              const TryEach& try_each);

/// Some that limit together, and what just they gain.
struct Together {
  Items items;
  Gain gain;  ///< of all of them: `part` and `parts` are theirs, as resources are called
};
/// What all of `items` gain together; none where that is below `noise`, or where one `alone` gains
/// half of it.
[[nodiscard]] std::optional<Together> tried_together(const Items& items, double alone, double noise,
                                                     const TryEach& try_each);
/// The same of those of `items` that are needed.
[[nodiscard]] std::optional<Together> limit_together(const Items& items, const Gain& all,
                                                     double alone, double noise,
                                                     const TryEach& try_each);

}  // namespace stallcast::gain
