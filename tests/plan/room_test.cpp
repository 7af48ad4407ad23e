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

TEST_CASE("a quota is as large as the targets of the room ask for") {
  // 1 PB of 10 PB of OSTs, a quota of 1.5 PB, of which 85 % are to be used.
  Design d;
  d.storage.push_back(testing::component(Role::storage, "lustre", "store",
                                         {{"ost.count", "100"},
                                          {"ost.capacity", "100 TB"},
                                          {"capacity.other", "1 PB"},
                                          {"capacity.size", "1.5 PB"}}));
  d.tenants.push_back(testing::component(Role::tenant, "ingest", "feed",
                                         {{"on", "store"}, {"rate", "10 GB/s"}, {"file", "1 GB"}}));
  Prediction p;
  const auto set = [&](const char* figure, double limit, const char* unit) {
    AssertionOutcome missed;
    missed.id = "room";
    missed.unit = unit;
    missed.status = "fail";
    missed.level = "error";
    missed.limited_by = "storage.store.capacity";
    missed.limit = limit;
    missed.metric = std::string("storage.store.capacity.") + figure;
    p.assertions = {missed};
    const auto changes = plan::candidate_changes(d, p, 4);
    return changes.size() == 1 ? text_of(changes[0].change) : "";
  };
  const std::string path = "storage[store].capacity.size=";
  CHECK(set("used", 0.5, "ratio") == path + "2.36 PB");    // 1 PB / 50 % / 85 %
  CHECK(set("headroom", 1e15, "B") == path + "2.36 PB");   // (1 PB + 1 PB) / 85 %
  CHECK(set("full_after", 1e5, "s") == path + "2.36 PB");  // 10 GB/s x 100,000 s
  CHECK(set("full_after", 3e5, "s") == path + "4.71 PB");  // (1 PB + 3 PB) / 85 %
  p.metrics["storage.store.capacity.used"] = {1.0 / 1.275, "ratio", {}};
  p.metrics["storage.store.capacity.used"].ci90 = {0.75, 1.0 / 1.2};
  CHECK(set("used", 0.5, "ratio") == path + "2.36 PB");
  // With a confidence: 1.2 PB of the 1.275 may be there.
  const auto sure = [&] {
    p.assertions[0].confidence = 0.9;
    const auto changes = plan::candidate_changes(d, p, 4);
    return changes.size() == 1 ? text_of(changes[0].change) : "";
  };
  CHECK(sure() == path + "2.5 PB");  // 1 PB / 50 % / (85 % x 1.2 / 1.275)
  // More OSTs, where these say how much there is.
  d.storage[0].values.erase("capacity.size");
  testing::set(d.storage[0], Role::storage, "ost.count", "13");
  CHECK(set("used", 0.5, "ratio") == "storage[store].ost.count=25");  // 2 PB / 82.45 TB
}

}  // namespace room_test
