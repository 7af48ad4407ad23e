#include <catch2/catch.hpp>

#include "engine/decide/plan/advice.hpp"
#include "tests/support/designs.hpp"

/// What is proposed where data do not fit: docs/models/capacity.md.
namespace room_test {

using namespace stallcast;
using models::Role;

TEST_CASE("room that a quota holds has the least quota that holds the data") {
  Design d;
  d.storage.push_back(testing::component(Role::storage, "lustre", "store",
                                         {{"ost.count", "16"},
                                          {"ost.capacity", "100 TB"},
                                          {"capacity.other", "1 PB"},
                                          {"capacity.size", "1 PB"}}));
  Prediction p;
  p.bottlenecks.push_back({"storage.store.capacity", 0.9, 0.5, ""});
  p.breakdown["train"] = {{"data", 0.5}};
  const auto set = [&] {
    const auto changes = plan::candidate_changes(d, p, 4);
    return changes.size() == 1 ? text_of(changes[0].change) : "";
  };
  CHECK(set() == "storage[store].capacity.size=1.18 PB");  // 1 PB / 85 %
  testing::set(d.storage[0], Role::storage, "capacity.size", "1.2 PB");
  testing::set(d.storage[0], Role::storage, "capacity.other", "1.3 PB");
  CHECK(set() == "storage[store].capacity.size=1.53 PB");
  // More than the 16 OSTs hold: no quota does.
  testing::set(d.storage[0], Role::storage, "capacity.other", "1.4 PB");
  CHECK(set().empty());
}

}  // namespace room_test
