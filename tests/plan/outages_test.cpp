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
  CHECK(said("port", "san", {{"port.count", "4"}}).empty());
}

}  // namespace outages_test
