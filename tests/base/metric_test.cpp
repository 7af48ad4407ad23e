#include "stallcast/metric.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "engine/base/assertion.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"
#include "stallcast/design.hpp"

namespace metric_test {

using namespace stallcast;
using metric::Domain;

TEST_CASE("a metric's name is taken apart into domain, id, figure and statistic") {
  const metric::Name stall = metric::parse("job.train.checkpoint.stall.p99");
  CHECK(stall.domain == Domain::job);
  CHECK(stall.id == "train");
  CHECK(stall.figure == "checkpoint.stall");
  CHECK(stall.statistic == "p99");

  const metric::Name use = metric::parse("resource.storage.scratch.ost.utilization");
  CHECK(use.domain == Domain::resource);
  CHECK(use.id == "storage.scratch.ost");
  CHECK(use.figure == "utilization");
  CHECK(use.statistic.empty());

  CHECK(metric::parse("cost.capex").figure == "capex");
  CHECK(metric::parse("*.goodput").domain == Domain::any);
  CHECK(metric::parse("something.else").domain == Domain::other);
  CHECK(metric::parse("something.else").figure == "something.else");
  CHECK(metric::parse("job.train").figure.empty());
}

TEST_CASE("names that are put together are taken apart to the same") {
  CHECK(metric::gpu_utilization("train") == "job.train.gpu.utilization");
  CHECK(metric::checkpoint("train", "stall") == "job.train.checkpoint.stall");
  CHECK(metric::of_tenant("kv") == "tenant.kv.");
  CHECK(metric::of_resource("fabric", "queue") == "resource.fabric.queue");
  CHECK(metric::of_cost("capex") == metric::kCapex);
}

TEST_CASE("every figure is in the table once, under a label, and is found by its name") {
  std::set<std::pair<Domain, std::string_view>> known;
  for (const metric::Figure& figure : metric::figures()) {
    CHECK(known.emplace(figure.domain, figure.key).second);
    CHECK_FALSE(figure.label.empty());
    CHECK_FALSE(figure.unit.empty());
  }
  REQUIRE(metric::find("job.train.step.time.p50") != nullptr);
  CHECK(metric::find("job.train.step.time.p50")->name_alone() == "step time");
  CHECK(metric::find("job.train.steady.step.time") == nullptr);
}

TEST_CASE("a figure outside the table goes the way that its name says") {
  CHECK(metric::better("job.train.cache.hit") == metric::Better::higher);
  CHECK(metric::better("job.train.checkpoint.backpressure.max") == metric::Better::lower);
  CHECK(metric::better("*.gpu.utilization") == metric::Better::higher);
  CHECK(metric::better("job.train.steps") == metric::Better::neither);
}

TEST_CASE("names of figures that nothing reports are none") {
  for (const char* known :
       {"job.a.checkpoint.stall", "job.a.checkpoint.stall.p99", "job.a.checkpoint.stall.mean",
        "job.a.waited.storage.s.ost", "job.*.waited.*.ost", "job.a.checkpoint.*", "job.*",
        "power.mean", "*.anything", "resource.storage.s.ost.utilization", "host.a.nics.required",
        "storage.s.osts.required", "failure.f.down.share"}) {
    INFO(known);
    CHECK(metric::is_reported(known));
  }
  for (const char* unknown :
       {"job.a.checkpoint.nonsense", "job.a.checkpoint.settled.p99", "job.a.step.time.p90",
        "job.*.gooodput", "job.a", "storage.s.foo", "power.totl", "host.a.nics", "foo.bar"}) {
    INFO(unknown);
    CHECK_FALSE(metric::is_reported(unknown));
  }
}

TEST_CASE("metrics name the base unit of a dimension, and money per time by the hour") {
  CHECK(metric::unit_of(Dimension::number) == "count");
  CHECK(metric::unit_of(Dimension::money_rate) == "USD/s");
  CHECK(metric::unit_of(Dimension::flops) == "FLOP");
  CHECK(metric::unit_of(Dimension::text).empty());
  CHECK(metric::dimension_of("B/s") == Dimension::rate);
  CHECK(metric::dimension_of("USD/h") == Dimension::money_rate);
  CHECK_FALSE(metric::dimension_of("cores"));
  CHECK(metric::to_base(7200.0, "USD/h") == 2.0);
  CHECK(metric::from_base(2.0, "USD/h") == 7200.0);
  CHECK(metric::to_base(2.0, "s") == 2.0);
}

TEST_CASE("energy is told in kWh and whole runs in days, in numbers or with a unit") {
  CHECK(metric::dimension_of("kWh") == Dimension::energy);
  CHECK(metric::dimension_of("d") == Dimension::time);
  CHECK(metric::unit_of(Dimension::energy) == "J");
  CHECK(metric::to_base(2.0, "kWh") == 7.2e6);
  CHECK(metric::from_base(43200.0, "d") == 0.5);
  const auto limit = [](const char* that, const char* unit) {
    return base::limit_in(base::parse_assertion(that).value(), unit);
  };
  CHECK(limit("job.a.run.energy <= 50 MWh", "kWh").value() == 50000.0);
  CHECK(limit("job.a.run.energy <= 50000", "kWh").value() == 50000.0);
  CHECK(limit("job.a.run.energy <= 180 GJ", "kWh").value() == 50000.0);
  CHECK(limit("job.a.run.days <= 60", "d").value() == 60.0);
  CHECK(limit("job.a.run.days <= 60 d", "d").value() == 60.0);
  CHECK(limit("job.a.run.days <= 36 h", "d").value() == 1.5);
  CHECK(limit("job.a.run.energy <= 5 kW", "kWh").failure().message ==
        "the limit must be an energy");
  CHECK_FALSE(limit("job.a.run.time <= 60", "s").ok());
  CHECK(base::print_value(36.2e6, "kWh") == "36.2 GWh");
  CHECK(base::print_value(74.5, "d") == "74 d 12 h");
}

TEST_CASE("rates are shown in what they count, in units that targets take") {
  for (const auto& [name, unit] : {std::pair{"job.a.throughput.samples", "samples/s"},
                                   {"job.a.throughput.dlio", "samples/s"},
                                   {"tenant.chat.tokens", "tokens/s"},
                                   {"tenant.search.queries", "queries/s"},
                                   {"tenant.fio.operations", "1/s"},
                                   {"resource.storage.s.mdt.throughput", "1/s"}}) {
    INFO(name);
    const std::string_view shown = metric::shown_unit(name, "1/s");
    CHECK(shown == unit);
    CHECK(metric::dimension_of(shown) == Dimension::op_rate);
    CHECK(metric::shown_unit(name, "B/s") == "B/s");
    const auto read = base::parse_quantity(base::print_value(70700.0, shown), Dimension::op_rate);
    CHECK(read.value == 70700.0);
  }
  CHECK(base::print_value(70700.0, "samples/s") == "70.7 ksamples/s");
}

}  // namespace metric_test
