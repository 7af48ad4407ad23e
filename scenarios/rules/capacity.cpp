#include <algorithm>

#include "models/bounds/space.hpp"
#include "scenarios/rules/rules.hpp"
#include "scenarios/rules/support.hpp"
#include "stallcast/metric.hpp"

/// Whether data fit. docs/models/capacity.md.
namespace stallcast::scenarios {

// A plan finds what would hold them, so this stops no verb but `lint`: `run` misses its target.
void check_capacity(const Design& design, Diagnostics& report) {
  for (const models::Room& space : models::spaces(design)) {
    if (space.needed() <= space.usable) continue;
    const Component& storage = *design.find_storage(space.storage);
    const std::string hint = models::remedy(space);
    report.warn("capacity", pointer_of(storage, space.size), models::shortage(space),
                hint.empty() ? "raise \"" + space.size + "\", or store less" : hint);
  }
  for (const models::Room& space : models::spaces(design))
    if (const std::string wear = models::wear_out(space); !wear.empty())
      report.warn(
          "endurance", pointer_of(*design.find_storage(space.storage), "endurance.dwpd"), wear,
          std::to_string(static_cast<std::int64_t>(space.parts_that_last())) + " " + space.noun +
              " would last; or take drives of a higher rating, or save less often");
}

void expect_room(Design& design) {
  for (const models::Room& space : models::spaces(design)) {
    const std::string room = metric::of_storage(space.storage, "capacity.");
    const bool said = std::any_of(design.expect.begin(), design.expect.end(),
                                  [&](const auto& e) { return e.that.starts_with(room); });
    if (said) continue;
    Expectation e;
    e.id = "room on " + space.storage;
    e.that = room + "used <= 100 %";
    e.level = "error";
    e.why = "data sets, checkpoints and what tenants keep must fit";
    e.pointer = pointer_of(*design.find_storage(space.storage), space.size);
    design.expect.push_back(std::move(e));
  }
}

}  // namespace stallcast::scenarios
