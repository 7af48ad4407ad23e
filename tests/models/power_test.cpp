#include "models/bounds/power.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"

/// Power by hand: docs/models/power.md.
namespace power_test {

using namespace stallcast;
using models::Role;
using testing::set;

namespace {

/// 4 hosts of 8 GPUs, 8 OSTs, 1 MDT.
Design powered() {
  Design design = testing::small_design();
  set(design.hosts[0], Role::host, "power", "2 kW");
  set(design.hosts[0], Role::host, "gpu.power", "700 W");
  set(design.hosts[0], Role::host, "gpu.power_idle", "100 W");
  set(design.hosts[0], Role::host, "space", "8");
  set(design.storage[0], Role::storage, "ost.power", "500 W");
  set(design.storage[0], Role::storage, "ost.space", "2");
  return design;
}

std::map<std::string, Metric> figures(const Design& design, std::map<std::string, Metric> metrics) {
  models::add_power(design, models::powers(design), metrics);
  return metrics;
}

Metric share(double value) { return {value, "ratio", {}}; }

}  // namespace

TEST_CASE("power at work is the sum of counts times powers") {
  const models::Powers all = models::powers(powered());
  CHECK(all.total().in(unit::W) == Approx(4 * 2000.0 + 32 * 700.0 + 8 * 500.0));
  CHECK(all.storage().in(unit::kW) == Approx(4.0));
  CHECK(all.rack_units() == Approx(4 * 8.0 + 8 * 2.0));
  CHECK(all.unsaid == std::vector<std::string>{"fabric"});
}

TEST_CASE("what is drawn, by storage too, and rack units are derived part by part") {
  const std::vector<models::Derivation> all = models::derive_powers(powered());
  const auto at = [&](const std::string& name) {
    return *std::ranges::find(all, name, &models::Derivation::name);
  };
  CHECK(at("power.total").value == Approx(4 * 2000.0 + 32 * 700.0 + 8 * 500.0));
  CHECK(at("power.storage").value == Approx(8 * 500.0));
  CHECK(at("power.storage").rule.terms.size() == 1);
  CHECK(at("space.rack_units").value == Approx(4 * 8.0 + 8 * 2.0));
  CHECK(at("space.rack_units").rule.terms.size() == 2);
}

TEST_CASE("GPUs that wait draw what they draw idle") {
  const Design design = powered();
  const std::string job = design.jobs[0].job.id;
  const auto out = figures(design, {{"job." + job + ".gpu.utilization", share(0.75)},
                                    {"job." + job + ".run.time", {7200.0, "s", {}}}});
  // Servers without an idle figure draw as much while their GPUs wait.
  const double waiting = 4 * 2000.0 * 0.25 + 32 * 100.0 * 0.25;
  CHECK(out.at("power.gpu_idle").value == Approx(waiting));
  CHECK(out.at("power.mean").value ==
        Approx(4 * 2000.0 + 32 * (0.75 * 700.0 + 0.25 * 100.0) + 8 * 500.0));
  CHECK(out.at("job." + job + ".run.energy").value ==
        Approx(out.at("power.mean").value * 2.0 / 1000.0));
}

TEST_CASE("spare hosts are fed, wait, and take room") {
  Design design = powered();
  design.jobs[0].recovery = testing::component(Role::recovery, "restart", "recovery", {});
  set(*design.jobs[0].recovery, Role::recovery, "spares", "1");
  CHECK(models::powers(design).total().in(unit::W) == Approx(5 * 2000.0 + 40 * 700.0 + 8 * 500.0));
  CHECK(models::powers(design).rack_units() == Approx(5 * 8.0 + 8 * 2.0));
  const auto run = figures(design, {{"job.train.gpu.utilization", share(0.75)}});
  // 24 of 40 GPUs are busy; servers have no figure of their own for waiting.
  CHECK(run.at("power.mean").value == Approx(5 * 2000.0 + 24 * 700.0 + 16 * 100.0 + 8 * 500.0));
  CHECK(run.at("power.gpu_idle").value == Approx(2 * 2000.0 + 16 * 100.0));
}

TEST_CASE("GPUs that serve a model are at work for as long as they compute") {
  // Replicas of 12 of 32 GPUs: two of them, and 8 GPUs that make none.
  Design design = powered();
  const std::string job = design.jobs[0].job.id;
  Component& tenant = design.tenants.emplace_back();
  tenant.id = "chat";
  tenant.kind = "kv_cache";
  tenant.values["hosts"].text = design.hosts[0].id;
  tenant.values["gpus"].number = 12.0;
  const auto half = figures(design, {{"job." + job + ".gpu.utilization", share(0.0)},
                                     {"tenant.chat.gpu.utilization", share(0.5)}});
  const double busy = 24.0 * 0.5 / 32.0;
  CHECK(half.at("power.gpu_idle").value == Approx((4 * 2000.0 + 32 * 100.0) * (1.0 - busy)));
  CHECK(half.at("power.mean").value ==
        Approx(4 * 2000.0 + 32 * (busy * 700.0 + (1.0 - busy) * 100.0) + 8 * 500.0));
  // Of what nobody simulated nothing is said.
  CHECK_FALSE(
      figures(design, {{"job." + job + ".gpu.utilization", share(0.5)}}).contains("power.mean"));
  design.jobs.clear();
  const auto alone = figures(design, {{"tenant.chat.gpu.utilization", share(0.5)}});
  CHECK(alone.at("power.mean").value == Approx(half.at("power.mean").value));
}

TEST_CASE("NICs are part of the servers that wait") {
  Design design = powered();
  set(design.hosts[0], Role::host, "nic.count", "2");
  set(design.hosts[0], Role::host, "nic.power", "25 W");
  const std::string job = design.jobs[0].job.id;
  const auto out = figures(design, {{"job." + job + ".gpu.utilization", share(0.75)}});
  const double nics = 4 * 2 * 25.0;
  CHECK(out.at("power.gpu_idle").value == Approx((4 * 2000.0 + nics + 32 * 100.0) * 0.25));
  CHECK(out.at("power.mean").value ==
        Approx(4 * 2000.0 + nics + 32 * (0.75 * 700.0 + 0.25 * 100.0) + 8 * 500.0));
}

TEST_CASE("without a power there is no metric of it") {
  CHECK(figures(testing::small_design(), {}).empty());
  Design design = testing::small_design();
  set(design.storage[0], Role::storage, "ost.space", "2");
  const auto out = figures(design, {});
  CHECK(out.size() == 1);
  CHECK(out.at("space.rack_units").value == Approx(16.0));
}

TEST_CASE("what has no power or no rack units is named where something has") {
  Design design = powered();
  const std::vector<std::string> missing = models::missing_powers(models::powers(design));
  REQUIRE(missing.size() == 2);
  CHECK(missing[0].find("no power for fabric: ") == 0);
  CHECK(missing[1].find("no rack units for fabric: ") == 0);
  for (const models::Derivation& d : models::derive_powers(design))
    if (d.name == "power.total" || d.name == "space.rack_units")
      CHECK(d.remark == "nothing is said of fabric");
  // Zero is said, too.
  set(design.fabric, Role::fabric, "power", "0 W");
  set(design.fabric, Role::fabric, "space", "0");
  CHECK(models::missing_powers(models::powers(design)).empty());
  CHECK(models::missing_powers(models::powers(testing::small_design())).empty());
}

TEST_CASE("what is derived adds up") {
  for (const models::Derivation& d : models::bounds(powered()).derivations)
    if (d.name == "power.total") {
      CHECK(d.value == Approx(34400.0));
      CHECK(d.formula.find("34.4 kW") != std::string::npos);
      CHECK(d.formula.find("nothing is said of fabric") != std::string::npos);
      return;
    }
  FAIL("no derivation");
}

}  // namespace power_test
