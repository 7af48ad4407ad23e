#include "models/bounds/cost.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "models/bounds/bounds.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/registry.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace cost_test {

using namespace stallcast;
using models::Role;
using testing::set;

namespace {

/// 4 hosts of 8 GPUs, 8 OSTs without OSS and 1 MDT, all but the network priced; written off in
/// 1000 h.
Design priced() {
  Design design = testing::small_design();
  set(design.hosts[0], Role::host, "price", "100 kUSD");
  set(design.hosts[0], Role::host, "rent", "5 USD/h");
  set(design.hosts[0], Role::host, "life", "1000 h");
  set(design.storage[0], Role::storage, "ost.price", "20 kUSD");
  set(design.storage[0], Role::storage, "mdt.price", "10 kUSD");
  set(design.storage[0], Role::storage, "life", "1000 h");
  return design;
}

std::map<std::string, Metric> figures(const Design& design, std::map<std::string, Metric> metrics) {
  models::add_costs(design, models::costs(design), metrics);
  return metrics;
}

Metric share(double value) { return {value, "ratio", {}}; }

}  // namespace

TEST_CASE("capex is the sum of counts times prices") {
  // 4 x 100 k + 8 x 20 k + 1 x 10 k = 570 k; network ports of the hosts come with them.
  const models::Costs costs = models::costs(priced());
  CHECK(costs.capex().in(unit::USD) == Approx(570e3));
  // Over 1000 h: 570 USD/h, and 4 hosts x 5 USD/h.
  CHECK(costs.per_time().in(unit::USD_per_h) == Approx(590.0));
  CHECK(costs.most_bought()->name == "host.gpu");
}

TEST_CASE("what has no price is named, and no figure is made of nothing") {
  CHECK(models::costs(priced()).unpriced == std::vector<std::string>{"fabric"});
  Design design = priced();
  design.storage[0].values.erase("mdt.price");
  CHECK(models::costs(design).unpriced ==
        std::vector<std::string>{"fabric", "storage.scratch.mdt"});
  // A price of the whole system is one of its parts.
  set(design.storage[0], Role::storage, "price", "5 kUSD");
  CHECK(models::costs(design).unpriced == std::vector<std::string>{"fabric"});
  // 4 x 100 k + 5 k + 8 x 20 k
  CHECK(models::costs(design).capex().in(unit::USD) == Approx(565e3));
  CHECK_FALSE(models::costs(testing::small_design()).known());
  CHECK(figures(testing::small_design(), {}).empty());
  CHECK(models::missing_prices(models::costs(testing::small_design())).empty());
}

TEST_CASE("idle GPUs cost what their hosts do, the rest of the design only the useful ones") {
  // Hosts: 400 USD/h written off and 20 USD/h. At 75 % a quarter of 420 USD/h is lost; all
  // 590 USD/h buy 32 x 70 % of kept GPU time.
  const auto metrics = figures(
      priced(), {{"job.train.gpu.utilization", share(0.75)}, {"job.train.goodput", share(0.7)}});
  CHECK(metrics.at("cost.gpu_idle").value == Approx(105.0));
  CHECK(metrics.at("cost.gpu_idle").unit == "USD/h");
  CHECK(metrics.at("cost.per_useful_gpu_hour").value == Approx(590.0 / 22.4));
}

TEST_CASE("spare hosts are bought, and their GPUs are idle") {
  Design design = priced();
  design.jobs[0].recovery = testing::component(Role::recovery, "restart", "recovery", {});
  set(*design.jobs[0].recovery, Role::recovery, "spares", "2");
  // 6 hosts, of which 4 work at 75 %: half of what they cost is lost.
  CHECK(models::costs(design).capex().in(unit::USD) == Approx(770e3));
  const std::map<std::string, Metric> run{{"job.train.gpu.utilization", share(0.75)},
                                          {"job.train.goodput", share(0.7)}};
  CHECK(figures(design, run).at("cost.gpu_idle").value == Approx(6 * 105.0 * 0.5));
  CHECK(figures(design, run).at("cost.per_useful_gpu_hour").value == Approx(800.0 / 22.4));
  const std::vector<models::Derivation> all = models::derive_costs(design);
  const auto hour = std::ranges::find(all, "cost.host.gpu.gpu_hour", &models::Derivation::name);
  REQUIRE(hour != all.end());
  CHECK(hour->value == Approx(6 * 105.0 / 48.0));

  // Jobs that follow each other have the same spares, jobs beside each other their own.
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "tune";
  CHECK(models::costs(design).capex().in(unit::USD) == Approx(970e3));
  set(*design.jobs[1].recovery, Role::recovery, "spares", "3");
  set(design.jobs[1].job, Role::job, "after", "train");
  CHECK(models::costs(design).capex().in(unit::USD) == Approx(870e3));
}

TEST_CASE("of jobs that follow each other on the same hosts each counts for its own time") {
  // 300 s at 80 %, 100 s at 40 %: busy for 70 %. Without dates both count as much.
  Design design = priced();
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "tune";
  set(design.jobs[1].job, Role::job, "after", "train");
  std::map<std::string, Metric> run{{"job.train.gpu.utilization", share(0.8)},
                                    {"job.tune.gpu.utilization", share(0.4)},
                                    {"job.train.goodput", share(0.8)},
                                    {"job.tune.goodput", share(0.4)}};
  CHECK(figures(design, run).at("cost.gpu_idle").value == Approx(420.0 * 0.4));
  run.insert({{"job.train.time.wall", {300.0, "s", {}}},
              {"job.tune.time.wall", {100.0, "s", {}}},
              {"stage.train.start", {10.0, "s", {}}},
              {"stage.train.end", {310.0, "s", {}}},
              {"stage.tune.start", {310.0, "s", {}}},
              {"stage.tune.end", {410.0, "s", {}}}});
  CHECK(figures(design, run).at("cost.gpu_idle").value == Approx(420.0 * 0.3));
  CHECK(figures(design, run).at("cost.per_useful_gpu_hour").value == Approx(590.0 / (32 * 0.7)));
  // The last save of the first takes 100 s more: busy (300 x 0.8 + 100 x 0.4) / 500.
  run["stage.train.end"].value = run["stage.tune.start"].value = 410.0;
  run["stage.tune.end"].value = 510.0;
  CHECK(figures(design, run).at("cost.gpu_idle").value == Approx(420.0 * (1.0 - 0.56)));
  // A whole run is longer than what of it was simulated.
  const double steps = 400.0 * 0.8 / models::compute_of(design, design.jobs[0]).in(unit::s);
  set(design.jobs[0].job, Role::job, "run.steps", std::to_string(steps).c_str());
  CHECK(figures(design, run).at("cost.gpu_idle").value == Approx(420.0 * (1.0 - 0.72)));
}

TEST_CASE("GPUs that no job uses are idle, GPUs that are lent are not") {
  // 8 of 32 GPUs at 50 %: 28 idle ones of 32.
  Design design = priced();
  set(design.jobs[0].job, Role::job, "accelerators", "8");
  auto metrics = figures(
      design, {{"job.train.gpu.utilization", share(0.5)}, {"job.train.goodput", share(0.5)}});
  CHECK(metrics.at("cost.gpu_idle").value == Approx(420.0 * 28.0 / 32.0));
  // A quarter of all 32 is lent, the others compute for 80 % and keep 60 %: 8 + 19.2 busy, 8 + 14.4
  // useful.
  metrics = figures(priced(), {{"job.train.gpu.utilization", share(0.8)},
                               {"job.train.goodput", share(0.6)},
                               {"job.train.elastic.lent.share", share(0.25)}});
  CHECK(metrics.at("cost.gpu_idle").value == Approx(420.0 * 4.8 / 32.0));
  CHECK(metrics.at("cost.per_useful_gpu_hour").value == Approx(590.0 / 22.4));
}

TEST_CASE("rented GPUs and TB cost by the hour, and nothing is bought") {
  // 32 GPUs x 3 USD/h = 96 USD/h, 100 TB x 7.3 USD/month = 1 USD/h.
  Design design = testing::small_design();
  set(design.hosts[0], Role::host, "gpu.rent", "3 USD/h");
  set(design.storage[0], Role::storage, "capacity.size", "100 TB");
  set(design.storage[0], Role::storage, "capacity.rent", "7.3 USD/month");
  const models::Costs costs = models::costs(design);
  CHECK(costs.capex() == Money{});
  CHECK(costs.most_bought() == nullptr);
  CHECK(costs.most_per_time()->name == "host.gpu.gpu");
  CHECK(costs.per_time().in(unit::USD_per_h) == Approx(97.0));
  const auto metrics = figures(
      design, {{"job.train.gpu.utilization", share(0.9)}, {"job.train.goodput", share(0.9)}});
  CHECK(metrics.at("cost.gpu_idle").value == Approx(9.6));
  CHECK_FALSE(metrics.contains("cost.capex"));
  CHECK(metrics.at("cost.hourly").value == Approx(97.0));
}

TEST_CASE("capacity inside hosts is paid for in each of them") {
  // 4 hosts of 10 TB at 100 USD
  Design design = testing::small_design();
  design.storage = {testing::component(Role::storage, "local", "scratch", {{"drive.count", "4"}})};
  set(design.storage[0], Role::storage, "capacity.size", "10 TB");
  set(design.storage[0], Role::storage, "capacity.price", "100 USD");
  CHECK(models::costs(design).capex().in(unit::USD) == Approx(4000.0));
}

TEST_CASE("costs of GPUs need prices of all hosts, and utilizations of all jobs") {
  Design design = priced();
  CHECK(figures(design, {}).size() == 2);  // capex and the cost by the hour need no run
  for (const char* key : {"price", "rent"}) design.hosts[0].values.erase(key);
  const auto metrics = figures(
      design, {{"job.train.gpu.utilization", share(0.5)}, {"job.train.goodput", share(0.5)}});
  CHECK(metrics.contains("cost.capex"));
  CHECK_FALSE(metrics.contains("cost.gpu_idle"));
  CHECK_FALSE(metrics.contains("cost.per_useful_gpu_hour"));
}

TEST_CASE("drives inside hosts are counted in all hosts, drives of targets in all targets") {
  Design design = testing::small_design();
  design.storage[0] = testing::component(Role::storage, "local", "nvme",
                                         {{"drive.count", "6"},
                                          {"drive.read", "7 GB/s"},
                                          {"drive.write", "4 GB/s"},
                                          {"drive.price", "1 kUSD"}});
  // 4 hosts x 6 drives
  CHECK(models::costs(design).capex().in(unit::USD) == Approx(24e3));
  design.storage[0] = testing::component(Role::storage, "nvmeof", "box",
                                         {{"target.count", "3"},
                                          {"drive.count", "10"},
                                          {"drive.read", "7 GB/s"},
                                          {"drive.write", "4 GB/s"},
                                          {"drive.price", "1 kUSD"},
                                          {"target.price", "2 kUSD"}});
  // 3 targets x 2 k and 3 x 10 drives x 1 k
  CHECK(models::costs(design).capex().in(unit::USD) == Approx(36e3));
}

namespace {

/// GETs cost 4 USD per million, PUTs 50.
Design paying_requests() {
  Design design = testing::design_with_storage("s3", {{"first_byte_spread", "1"}});
  set(design.storage[0], Role::storage, "request.get.price", "0.004 USD");
  set(design.storage[0], Role::storage, "request.put.price", "0.05 USD");
  return design;
}

constexpr const char *kGets = "resource.storage.scratch.prefixes.get.throughput",
                     *kPuts = "resource.storage.scratch.prefixes.put.throughput";

}  // namespace

TEST_CASE("requests cost what a thousand of them do, as often as they were counted") {
  // 1,000 GET/s x 3600 s x 0.004 USD / 1000 = 14.4 USD/h; 20 PUT/s: 3.6 USD/h.
  const std::map<std::string, Metric> counted = {{kGets, {1000.0, "1/s", {}}},
                                                 {kPuts, {20.0, "1/s", {}}}};
  const auto metrics = figures(paying_requests(), counted);
  CHECK(metrics.at("cost.requests").value == Approx(18.0));
  CHECK(metrics.at("cost.requests").unit == "USD/h");
  // Nothing else has a price, and nothing is bought.
  CHECK_FALSE(metrics.contains("cost.capex"));
  CHECK_FALSE(figures(paying_requests(), {}).contains("cost.requests"));
  CHECK_FALSE(figures(testing::design_with_storage("s3", {}), counted).contains("cost.requests"));
}

TEST_CASE("a useful GPU-hour pays for its requests, and a price of one sort alone is said") {
  Design design = paying_requests();
  set(design.hosts[0], Role::host, "gpu.rent", "3 USD/h");
  const std::map<std::string, Metric> counted = {{"job.train.gpu.utilization", share(0.8)},
                                                 {"job.train.goodput", share(0.5)},
                                                 {kGets, {1000.0, "1/s", {}}},
                                                 {kPuts, {20.0, "1/s", {}}}};
  // 32 GPUs x 3 USD/h and 18 USD/h over 16 useful GPUs.
  CHECK(figures(design, counted).at("cost.per_useful_gpu_hour").value ==
        Approx((96.0 + 18.0) / 16.0));
  CHECK(models::costs(design).unpriced == std::vector<std::string>{"fabric", "storage.scratch"});
  design.storage[0].values.erase("request.put.price");
  const auto unpriced = models::costs(design).unpriced;
  CHECK(unpriced.back() == "storage.scratch.request.put.price");
}

TEST_CASE("requests of saves that end after the last step are paid for by the steps") {
  // A save of 4 GB is begun 30 s into the minute and takes 40 s at 100 MB/s: it ends 10 s after the
  // last step. Its parts are paid for within the minute, not within 70 s.
  Design design = paying_requests();
  design.jobs[0].dataset.reset();
  design.jobs[0].loader.reset();
  design.jobs[0].checkpoint = testing::component(
      Role::checkpoint, "async", "checkpoint",
      {{"to", "scratch"}, {"size", "4 GB"}, {"every", "30 s"}, {"flush_rate", "100 MB/s"}});
  set(design.run, Role::run, "duration", "1 min");
  const RunResult result = testing::run(design, 1);
  const double puts = result.metrics.at(kPuts).value * result.simulated_s,
               steps = result.metrics.at("job.train.time.wall").value;
  REQUIRE(result.simulated_s > 1.05 * steps);
  CHECK(result.metrics.at("cost.requests").value > 0.999 * puts / steps * 0.05 / 1000.0 * 3600.0);
}

TEST_CASE("every part of every kind is counted by a field the kind has") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& row : models::kinds(role.role))
      for (const models::PartInfo* part : models::parts_of(row))
        for (const std::string_view key : {part->count, part->of}) {
          INFO(row.id << ": " << part->id << " by " << key);
          const auto fields = models::fields_of(row);
          CHECK((key.empty() || std::any_of(fields.begin(), fields.end(),
                                            [&](const auto* f) { return f->key == key; })));
        }
}

TEST_CASE("a simulation of a priced design reports its costs, the same with every seed") {
  const RunResult one = testing::run(priced(), 1), other = testing::run(priced(), 2);
  CHECK(one.metrics.at("cost.capex").value == other.metrics.at("cost.capex").value);
  const double goodput = one.metrics.at("job.train.goodput").value;
  CHECK(one.metrics.at("cost.per_useful_gpu_hour").value == Approx(590.0 / (32.0 * goodput)));
  CHECK(one.limited_by.at("cost.capex") == "host.gpu");
  CHECK(one.warnings.back().find("no price for fabric") == 0);
}

TEST_CASE("how the costs add up is derived without a simulation") {
  const models::Bounds bounds = models::bounds(priced());
  const auto line = [&](const std::string& name) {
    for (const models::Derivation& d : bounds.derivations)
      if (d.name == name) return d;
    return models::Derivation{};
  };
  CHECK(line("cost.storage.scratch.ost").formula ==
        "8 OSTs x 20 kUSD = 160 kUSD, written off in 41 d 16 h");
  CHECK(line("cost.capex").value == Approx(570e3));
  CHECK(line("cost.capex").formula.find("no price for fabric") != std::string::npos);
  CHECK(line("cost.hourly").value == Approx(590.0 / 3600.0));
  CHECK(line("cost.host.gpu.gpu_hour").value > 0.0);
}

}  // namespace cost_test
