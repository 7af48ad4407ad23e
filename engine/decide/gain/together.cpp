#include "engine/decide/gain/together.hpp"

#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"

namespace stallcast::gain {

Items needed_of(const Items& items, const Gain& all, double alone, const TryEach& try_each) {
  Items needed;
  if (items.size() < 2) return needed;
  const std::vector<std::optional<Gain>> rest = try_each(without_each(items));
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i] && all.time - rest[i]->time > (all.time - alone) / 2.0) needed.push_back(items[i]);
  return needed;
}

std::optional<Together> limit_together(const Items& items, const Gain& all, double alone,
                                       double noise, const TryEach& try_each) {
  return tried_together(needed_of(items, all, alone, try_each), alone, noise, try_each);
}

std::optional<Together> tried_together(const Items& items, double alone, double noise,
                                       const TryEach& try_each) {
  Together out{items, {}};
  if (items.size() < 2) return std::nullopt;
  const std::vector<std::optional<Gain>> found = try_each({levers_of(out.items)});
  if (found.empty() || !found.front() || found.front()->time < kTogether * alone ||
      !is_gain(*found.front(), noise))
    return std::nullopt;
  out.gain = *found.front();
  for (const auto& [path, levers] : out.items) out.gain.parts.push_back(resource_of(path));
  out.gain.part = label::several(out.gain.parts);
  return out;
}

}  // namespace stallcast::gain
