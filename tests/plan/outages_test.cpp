#include "engine/decide/plan/outages.hpp"

#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// What a plan may let be down: docs/guide/plan.md.
namespace outages_test {

using namespace stallcast;
using testing::component;
using testing::Settings;

namespace {

/// What is said of `name` down on a storage system of this kind; "" where it may be.
std::string said(const std::string& name, const char* kind, const Settings& settings) {
  Design design = testing::small_design();
  design.storage = {component(models::Role::storage, kind, "store", settings)};
  const auto same = [&](const auto&) -> Result<Design> { return design; };
  const auto outages = plan::make_outages({name}, design, {}, same);
  return outages.ok() ? "" : outages.failure().hint;
}

}  // namespace

TEST_CASE("what cannot be down is told what can, of each kind of storage") {
  const auto hint = [](const char* kind, const Settings& settings) {
    return said("rack", kind, settings);
  };
  CHECK(hint("hdfs", {{"datanode.count", "4"}}) == "one of datanode, metadata");
  CHECK(hint("cxl", {{"device.count", "4"}}) == "one of device");
  CHECK(hint("san", {{"port.count", "4"}}) == "one of port, metadata");
  CHECK(hint("lustre", {{"ost.count", "4"}}) == "one of ost, mdt");
  CHECK(hint("lustre", {{"ost.count", "4"}, {"oss.count", "2"}}) == "one of ost, oss, mdt");
  CHECK(said("datanode", "hdfs", {{"datanode.count", "4"}}).empty());
  CHECK(said("device", "cxl", {{"device.count", "4"}}).empty());
  CHECK(said("datanodes", "hdfs", {{"datanode.count", "4"}}).empty());  // as it is counted
  CHECK(said("port", "san", {{"port.count", "4"}}).empty());
}

TEST_CASE("what is refused says of which it is, and what may have been meant") {
  Design design = testing::small_design();
  design.storage = {
      component(models::Role::storage, "lustre", "hot", {{"ost.count", "4"}, {"oss.count", "2"}}),
      component(models::Role::storage, "hdfs", "home", {{"datanode.count", "4"}})};
  const auto same = [&](const auto&) -> Result<Design> { return design; };
  const auto refused = [&](const char* text) {
    const auto outages = plan::make_outages({"ost:hot", text}, design, {}, same);
    REQUIRE_FALSE(outages.ok());
    return outages.failure().message + " - " + outages.failure().hint;
  };
  CHECK(refused("ost:hit") ==
        "survive ost:hit: no storage is named \"hit\" - did you mean \"hot\"? storage: hot, "
        "home; how its load is taken over: partner, spread");
  CHECK_THAT(refused("oss:sprad"), Catch::Contains("did you mean \"spread\"? storage: hot"));
  CHECK(refused("osss:hot") ==
        "survive osss:hot: \"osss\" cannot be down - did you mean \"oss\"? one of ost, oss, mdt");
  CHECK_THAT(refused("ost:rack"), Catch::EndsWith("- storage: hot, home; how its load is taken "
                                                  "over: partner, spread"));
}

TEST_CASE("what several systems have is not guessed") {
  Design design = testing::small_design();
  design.storage = {component(models::Role::storage, "hdfs", "home", {{"datanode.count", "4"}}),
                    component(models::Role::storage, "lustre", "hot", {{"ost.count", "4"}}),
                    component(models::Role::storage, "lustre", "cold", {{"ost.count", "4"}})};
  const auto same = [&](const auto&) -> Result<Design> { return design; };
  const auto refused = plan::make_outages({"ost"}, design, {}, same);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.failure().message == "survive \"ost\" could be any of several");
  CHECK(refused.failure().hint == "write one of ost:hot, ost:cold");
  CHECK(plan::make_outages({"ost:cold"}, design, {}, same)->front().label == "ost of cold");
  // A word that says what it is means that of all.
  CHECK_THAT(plan::make_outages({"target"}, design, {}, same).failure().hint,
             Catch::Contains("target:hot, target:cold"));
  design.storage.pop_back();  // the one that has some, wherever it stands
  CHECK(plan::make_outages({"ost"}, design, {}, same)->front().label == "ost of hot");
}

TEST_CASE("what is down has an id of its own, and so has the only failure of a scenario") {
  Design design = testing::small_design();
  design.storage = {component(models::Role::storage, "lustre", "hot", {{"ost.count", "4"}})};
  const auto same = [&](const auto&) -> Result<Design> { return design; };
  const auto changes = [&] {
    std::string out;
    const auto outages = plan::make_outages({"ost"}, design, {}, same);
    for (const Change& change : outages->front().changes) out += text_of(change) + "; ";
    return out;
  };
  CHECK_THAT(changes(), Catch::StartsWith("failures[+]={\"id\": \"plan-outage\""));
  design.failures.emplace_back();
  design.failures.back().id = "failure";
  CHECK_THAT(changes(), Catch::StartsWith("failures[0].id=failure; failures[+]="));
  design.failures.back().id = "plan-outage";
  CHECK_THAT(changes(), Catch::Contains("\"id\": \"plan-outage-2\""));
}

}  // namespace outages_test
