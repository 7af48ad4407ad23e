#include "calibration/measure/probes/turns.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "calibration/measure/probes/bystanders.hpp"
#include "calibration/measure/probes/probe_target.hpp"

/// The order of runs, and what the machine did alongside them.
namespace stallcast::calibration::probing {
namespace {

using Catch::Contains;

TEST_CASE("each round has every cell once, in an order of its own that the seed decides") {
  const std::vector<Turn> all = turns(20, 3, 7);
  REQUIRE(all.size() == 60);
  std::vector<std::vector<std::size_t>> order(3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].number == i);
    CHECK(all[i].round == i / 20);
    order[all[i].round].push_back(all[i].cell);
  }
  for (const auto& cells : order) CHECK(std::set(cells.begin(), cells.end()).size() == 20);
  CHECK(order[0] != order[1]);
  CHECK(order[1] != order[2]);
  const auto cells_of = [](std::uint64_t seed) {
    std::vector<std::size_t> out;
    for (const Turn& turn : turns(20, 3, seed)) out.push_back(turn.cell);
    return out;
  };
  CHECK(cells_of(7) == cells_of(7));
  CHECK(cells_of(7) != cells_of(8));
  CHECK(turns(0, 3, 1).empty());
}

TEST_CASE("runs that agree are enough") {
  const auto of = [](std::vector<double> rates) { return tight(rates); };
  CHECK_FALSE(of({}));
  CHECK_FALSE(of({100.0}));
  CHECK(of({100.0, 98.1}));
  CHECK_FALSE(of({100.0, 97.9}));
  // mean 100, deviation 3: t(2) 4.303 x 3 / sqrt(3) = 7.45 %; of 2: 4.97 %
  CHECK_FALSE(of({97.0, 100.0, 103.0}));
  CHECK(of({98.0, 100.0, 102.0}));
  CHECK_FALSE(of({0.0, 0.0}));
}

TEST_CASE("what has to follow the turns is in the budget, too") {
  ProbeOptions options;
  options.budget = budget_from_now(Seconds::from(10.0, unit::s));
  MeasurementSet set;
  std::size_t runs = 0;
  // Each run adds 1.5 s of unlinks: six fit, however many cells have not run yet.
  const auto failure = take_turns(
      options, set, 20, 3, {}, [](std::size_t) { return std::string("cell"); },
      [&](std::size_t) -> std::optional<Failure> {
        ++runs;
        set.measurements.emplace_back();
        return std::nullopt;
      },
      [&] { return 1.5 * static_cast<double>(runs); });
  CHECK_FALSE(failure);
  CHECK(runs >= 1);
  CHECK(runs <= 6);
}

TEST_CASE("with a budget, cells come in their order, and those that agree are run no more") {
  ProbeOptions options;
  options.budget = budget_from_now(Seconds::from(60.0, unit::s));
  MeasurementSet set;
  std::vector<std::size_t> order;
  // Cell 1 never agrees with itself: 3 x 2 rounds at most.
  const auto failure = take_turns(
      options, set, 3, 2, {}, [](std::size_t) { return std::string("cell"); },
      [&](std::size_t at) -> std::optional<Failure> {
        order.push_back(at);
        const double rate = at == 1 ? 100.0 * static_cast<double>(order.size()) : 100.0;
        set.measurements.emplace_back().ops = OpRate::from(rate, unit::per_s);
        return std::nullopt;
      });
  CHECK_FALSE(failure);
  REQUIRE(order.size() == 2 + 2 + 6);
  CHECK(std::vector(order.begin(), order.begin() + 3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(std::count(order.begin(), order.end(), 1U) == 6);
  CHECK(set.measurements.back().origin == "cell 1 run 5, number 9");
}

TEST_CASE("a budget that is spent measures nothing") {
  ProbeOptions options;
  options.budget = budget_from_now(Seconds{});
  MeasurementSet set;
  CHECK_FALSE(take_turns(
      options, set, 3, 2, {}, [](std::size_t) { return std::string("cell"); },
      [](std::size_t) { return std::optional<Failure>(Failure{}); }));
  CHECK(set.measurements.empty());
}

// 3 cells, 2 rounds: run i of 6 begins at 0.2 + i/6 of 0.6.
TEST_CASE("records say when they were taken, and the progress stays in its stretch") {
  ProbeOptions options;
  std::vector<double> told;
  options.progress = [&](double done, std::string_view what) {
    told.push_back(done);
    CHECK_THAT(std::string(what), Contains("cell "));
  };
  MeasurementSet set;
  set.measurements.emplace_back();  // of another part of the probe: left as it is
  std::map<std::size_t, int> runs;
  const auto failure = take_turns(
      options, set, 3, 2, {0.2, 0.8}, [](std::size_t at) { return "cell " + std::to_string(at); },
      [&](std::size_t at) -> std::optional<Failure> {
        ++runs[at];
        set.measurements.resize(set.measurements.size() + 2);
        return std::nullopt;
      });
  CHECK_FALSE(failure);
  CHECK(runs == std::map<std::size_t, int>{{0, 2}, {1, 2}, {2, 2}});
  REQUIRE(told.size() == 6);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(told[i] == Approx(0.2 + 0.6 * static_cast<double>(i) / 6.0));
  REQUIRE(set.measurements.size() == 13);
  CHECK(set.measurements[0].origin.empty());
  for (std::size_t i = 1; i < 13; ++i)
    CHECK_THAT(set.measurements[i].origin, Contains("number " + std::to_string((i - 1) / 2)));
}

TEST_CASE("the first failure ends the turns") {
  MeasurementSet set;
  int runs = 0;
  const auto failure = take_turns(
      {}, set, 4, 3, {}, [](std::size_t) { return "cell"; },
      [&](std::size_t) -> std::optional<Failure> {
        if (++runs < 3) return std::nullopt;
        return Failure{ExitCode::bad_input, "no", ""};
      });
  REQUIRE(failure);
  CHECK(failure->message == "no");
  CHECK(runs == 3);
}

// Ticks of 10 ms: 500 idle, 30 of I/O wait and 8 of interrupts are nobody's; 100 + 20 + 50 used.
TEST_CASE("core time is read from the kernel's ticks") {
  const auto time = parse_core_time("cpu  100 20 50 500 30 2 6 12 0 0", 0.01);
  REQUIRE(time);
  CHECK(time->used == Approx(1.70));
  CHECK(time->stolen == Approx(0.12));
  CHECK(time->all == Approx(7.20));
  CHECK(time->own == 0.0);
  CHECK_FALSE(parse_core_time("cpu 1 2 3", 0.01));
  CHECK_FALSE(parse_core_time("cpu0 1 2 3 4 5 6 7 8", 0.01));
  CHECK_FALSE(parse_core_time("", 0.01));
}

// Two cores for 10 s: 20 s of core time. Processes used 9 s, 4 s of them the probe's.
TEST_CASE("others' share is what was used and is not the probe's") {
  const CoreTime before{100.0, 40.0, 1.0, 2.0};
  const OtherLoad half = other_load(before, {120.0, 49.0, 1.2, 6.0});
  CHECK(half.others == Approx(0.25));
  CHECK(half.stolen == Approx(0.01));
  CHECK(half.busy());
  CHECK_FALSE(other_load(before, {120.0, 47.9, 1.2, 6.0}).busy());  // 3.9 of 20 s
  CHECK(other_load(before, {120.0, 44.0, 2.1, 6.0}).busy());        // 1.1 of 20 s stolen
  // The probe's own time is exact, the kernel's comes in ticks: never below nothing.
  CHECK(other_load(before, {120.0, 43.9, 1.0, 6.0}).others == 0.0);
  CHECK_FALSE(other_load(before, before).busy());
}

TEST_CASE("the notes tell how many records were taken on a busy machine") {
  MeasurementSet set;
  set.measurements.resize(3);
  finish(set);
  CHECK(set.environment.count("notes") == 0);
  set.measurements[1].flags = {"busy"};
  finish(set);
  CHECK_THAT(set.environment.at("notes"), Contains("1 of 3 records were taken on a busy machine"));
}

}  // namespace
}  // namespace stallcast::calibration::probing
