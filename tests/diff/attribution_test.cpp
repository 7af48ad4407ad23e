#include "engine/decide/diff/attribution.hpp"

#include <bit>
#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

namespace attribution_test {

using namespace stallcast;
using namespace stallcast::diff;
using Catch::Matchers::Contains;
using models::Role;

namespace {

/// The small design and one with the first `n` of eight values changed.
std::pair<Design, Design> designs(std::size_t n) {
  const Design base = testing::small_design();
  Design head = base;
  const std::vector<std::pair<const char*, const char*>> edits = {
      {"ost.count", "6"},      {"ost.read", "3 GB/s"},  {"ost.write", "3 GB/s"},
      {"oss.count", "3"},      {"mdt.count", "3"},      {"oss.nic", "100 Gb/s"},
      {"ost.service", "9 ms"}, {"mdt.open", "7 kops/s"}};
  for (std::size_t i = 0; i < n; ++i)
    testing::set(head.storage[0], Role::storage, edits[i].first, edits[i].second);
  return {base, head};
}

std::string no_fault(const Design&) { return ""; }

Experiment arranged(std::size_t n, Attribution wanted, const FaultOf& fault = no_fault) {
  const auto [base, head] = designs(n);
  const auto out = arrange(base, head, changes(base, head), wanted, fault);
  REQUIRE(out.ok());
  return *out;
}

/// The attribution of metric "m", whose value for a set of changes is `value`.
template <class ValueOf>
Attributed shared(const Experiment& experiment, const ValueOf& value) {
  std::vector<std::map<std::string, Metric>> metrics;
  for (const std::uint64_t mask : experiment.masks)
    metrics.push_back({{"m", {value(mask), "s", std::nullopt}}});
  std::vector<Figures> figures;
  for (const auto& m : metrics) figures.push_back(&m);
  return attribute(experiment, figures);
}

}  // namespace

TEST_CASE("changes that add up get what they add, and there is no interaction") {
  const Experiment experiment = arranged(3, Attribution::automatic);
  CHECK(experiment.method == Attribution::shapley);
  CHECK(experiment.masks.size() == 8);
  // Change i adds 2^i.
  const Attributed out =
      shared(experiment, [](std::uint64_t mask) { return 10.0 + static_cast<double>(mask); });
  const MetricShares& m = out.metrics.at("m");
  CHECK(m.shares[0] == Approx(1.0));
  CHECK(m.shares[1] == Approx(2.0));
  CHECK(m.shares[2] == Approx(4.0));
  CHECK(m.interaction == Approx(0.0).margin(1e-12));
}

TEST_CASE("what two changes do only together is shared evenly between them") {
  // The glove game: 6 when changes 0 and 1 are both there; change 2 does nothing. Each order in
  // which the later of the two comes gives it all 6: half of the orders each.
  const auto value = [](std::uint64_t mask) { return (mask & 3U) == 3U ? 6.0 : 0.0; };
  const Attributed out = shared(arranged(3, Attribution::shapley), value);
  const MetricShares& m = out.metrics.at("m");
  CHECK(m.shares[0] == Approx(3.0));
  CHECK(m.shares[1] == Approx(3.0));
  CHECK(m.shares[2] == Approx(0.0).margin(1e-12));
  CHECK(m.alone[0] == 0.0);
  CHECK(m.interaction == 6.0);

  const Attributed oat = shared(arranged(3, Attribution::one_at_a_time), value);
  CHECK(oat.designs == 5);
  CHECK(oat.metrics.at("m").shares == std::vector<double>{0.0, 0.0, 0.0});
  CHECK(oat.metrics.at("m").interaction == 6.0);
}

TEST_CASE("shares of six changes sum to the difference whatever the values are") {
  const Experiment experiment = arranged(6, Attribution::automatic);
  CHECK(experiment.masks.size() == 64);
  const auto value = [](std::uint64_t mask) {
    return static_cast<double>((mask * 2654435761U) % 1000U);
  };
  const Attributed out = shared(experiment, value);
  double sum = 0.0;
  for (const double share : out.metrics.at("m").shares) sum += share;
  CHECK(sum == Approx(value(63) - value(0)));
}

TEST_CASE("seven changes are tried one at a time, and Shapley is refused") {
  const Experiment experiment = arranged(7, Attribution::automatic);
  CHECK(experiment.method == Attribution::one_at_a_time);
  CHECK(experiment.masks.size() == 9);
  const auto [base, head] = designs(7);
  const auto refused = arrange(base, head, changes(base, head), Attribution::shapley, no_fault);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.failure().exit == ExitCode::bad_input);
}

TEST_CASE("two changes that are valid only together become one, with the reason") {
  // As a job that writes to a new store needs that store: 6 OSTs need the slower reads.
  const FaultOf fault = [](const Design& d) -> std::string {
    const bool few = d.storage[0].find("ost.count")->number == 6.0;
    const bool slow = d.storage[0].find("ost.read")->number == 3e9;
    return few && !slow ? "too few" : "";
  };
  const Experiment experiment = arranged(3, Attribution::automatic, fault);
  REQUIRE(experiment.changes.size() == 2);
  CHECK(experiment.masks.size() == 4);
  CHECK(experiment.changes[0].said.name ==
        "storage[scratch].ost.count and storage[scratch].ost.read");
  CHECK(experiment.changes[0].said.together == "storage[scratch].ost.count alone: too few");
  CHECK(experiment.changes[0].said.moves.size() == 2);
}

TEST_CASE("three changes that are valid only together become one, too") {
  // Any two without the third are refused, each alone is fine.
  const FaultOf fault = [](const Design& d) -> std::string {
    const int n = (d.storage[0].find("ost.count")->number == 6.0 ? 1 : 0) +
                  (d.storage[0].find("ost.read")->number == 3e9 ? 1 : 0) +
                  (d.storage[0].find("ost.write")->number == 3e9 ? 1 : 0);
    return n == 2 ? "odd" : "";
  };
  const Experiment experiment = arranged(4, Attribution::automatic, fault);
  CHECK(experiment.changes.size() == 2);
  CHECK_THAT(experiment.changes[1].said.together, Contains(" alone: odd"));
}

TEST_CASE("one at a time names what cannot be built alone, and its part is in the interaction") {
  // With seven changes, one needs two others.
  const FaultOf fault = [](const Design& d) -> std::string {
    const Component& s = d.storage[0];
    const bool few = s.find("ost.count")->number == 6.0;
    const bool rest = s.find("ost.read")->number == 3e9 && s.find("ost.write")->number == 3e9;
    return few && !rest ? "too few" : "";
  };
  const Experiment experiment = arranged(7, Attribution::automatic, fault);
  REQUIRE(experiment.notes.size() == 1);
  CHECK(experiment.notes[0] == "storage[scratch].ost.count cannot be built alone: too few");
  const Attributed out = shared(
      experiment, [](std::uint64_t mask) { return static_cast<double>(std::popcount(mask)); });
  CHECK(out.metrics.at("m").interaction == Approx(1.0));
}

TEST_CASE("a design that was not simulated to its end blames nobody with Shapley, and says which") {
  const Experiment experiment = arranged(2, Attribution::shapley);
  const std::map<std::string, Metric> metrics = {{"m", {1.0, "s", std::nullopt}}};
  const std::vector<Figures> figures = {&metrics, &metrics, nullptr, &metrics};
  const Attributed out = attribute(experiment, figures);
  CHECK(out.method == Attribution::none);
  CHECK(out.metrics.empty());
  REQUIRE(out.notes.size() == 1);
  CHECK_THAT(out.notes[0], Contains("was not simulated to its end"));
}

TEST_CASE("a metric that some design lacks is not shared") {
  const Experiment experiment = arranged(2, Attribution::shapley);
  const std::map<std::string, Metric> with = {{"m", {1.0, "s", std::nullopt}}}, without;
  const std::vector<Figures> figures = {&with, &with, &without, &with};
  CHECK(attribute(experiment, figures).metrics.empty());
}

}  // namespace attribution_test
