#include "calibration/fit/open_axes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "calibration/measure/statistics.hpp"
#include "tests/calibration/made_cells.hpp"

/// What cells of one depth, one size or no small depth leave open: docs/calibration.md.
namespace stallcast::calibration::fit {
namespace {

using namespace literals;

/// What the draws and values of `fit` say of `cell` lies within `off` of what was measured.
bool gives_back(const Fit& fit, const FitCell& cell, double off) {
  std::vector<std::vector<double>> all = fit.draws;
  std::vector<double>& values = all.emplace_back();
  for (const FittedParameter& p : fit.parameters) values.push_back(p.value);
  return std::all_of(all.begin(), all.end(), [&](const std::vector<double>& theta) {
    const double measured = cell.response().in(unit::s);
    return std::abs(law(fit.law).response(theta, cell) / measured - 1.0) < off;
  });
}

/// Whether nine tenths of the draws of `fit` hold what `of` under `theta` says of a cell.
bool holds(const Fit& fit, const Law& of, const std::vector<double>& theta, Bytes size,
           double depth) {
  const FitCell cell{size, depth, depth, {}, {}};
  std::vector<double> drawn;
  for (const std::vector<double>& draw : fit.draws)
    drawn.push_back(law(fit.law).response(draw, cell));
  const double truth = of.response(theta, cell);
  // To 3 %: the noise of what was measured comes on top.
  return quantile(drawn, 0.05) <= 1.03 * truth && truth <= 1.03 * quantile(drawn, 0.95);
}

TEST_CASE("a sweep of one depth gives back what it measured, and leaves other depths open") {
  const std::vector<double> truth{100e-6, 5e-6, 2e9};
  FitSeries series = follow(law("line"), truth, 0.005);
  std::erase_if(series.cells, [](const FitCell& cell) { return cell.depth != 32.0; });
  const Fit fit = fit_series(series, {});
  CHECK(fit.law == "lanes");
  CHECK(fit.verdict == FitVerdict::usable);
  REQUIRE(fit.reasons.size() == 1);
  CHECK_THAT(fit.reasons.front(), Catch::StartsWith("one depth only, 32 in flight"));
  CHECK(parameter(fit, "B").value == Approx(truth[2]).epsilon(0.01));
  for (const char* name : {"alpha", "s", "K"}) CHECK_FALSE(parameter(fit, name).identified);
  CHECK(parameter(fit, "alpha").low < truth[0]);
  CHECK(parameter(fit, "alpha").high > truth[0]);
  for (const FitCell& cell : series.cells) CHECK(gives_back(fit, cell, 0.03));
  CHECK(holds(fit, law("line"), truth, 4_KiB, 1.0));
  CHECK(holds(fit, law("lanes"), {100e-6, 5e-6, 2e9, 8.0}, 1_MiB, 1.0));
  // One operation at a time: its own time, and nothing of what others do to it. The device may have
  // one lane, or many.
  series = follow(law("line"), truth, 0.005);
  std::erase_if(series.cells, [](const FitCell& cell) { return cell.depth != 1.0; });
  const Fit alone = fit_series(series, {});
  CHECK(alone.law == "lanes");
  CHECK(alone.verdict == FitVerdict::usable);
  for (const FitCell& cell : series.cells) CHECK(gives_back(alone, cell, 0.03));
  CHECK(holds(alone, law("line"), truth, 1_MiB, 16.0));
  CHECK(holds(alone, law("lanes"), {100e-6, 5e-6 / 16, 2e9 * 16, 16.0}, 1_MiB, 16.0));
  // Elsewhere one at a time is all that is asked.
  series.subject = Subject::network;
  CHECK(fit_series(series, {}).verdict == FitVerdict::accepted);
}

TEST_CASE("a device that is full at one depth gives back what it measured there") {
  // 16 in flight of 200 us or 3 GB/s, whichever takes longer: no line.
  const std::vector<double> truth{200e-6, 3e9, 200e-6 / 16, 3e9};
  FitSeries series = follow(law("throttle"), truth, 0.005);
  std::erase_if(series.cells, [](const FitCell& cell) { return cell.depth != 16.0; });
  const Fit fit = fit_series(series, {});
  CHECK(fit.law == "throttle");
  CHECK(fit.verdict == FitVerdict::usable);
  CHECK(parameter(fit, "B").value == Approx(3e9).epsilon(0.01));
  // What 200 us are is open: latency of each, or what sixteen wait for each other.
  for (const FitCell& cell : series.cells) CHECK(gives_back(fit, cell, 0.08));
  CHECK(holds(fit, law("throttle"), {200e-6, 40e9, 1e-6, 3e9}, 4_KiB, 64.0));
  CHECK(holds(fit, law("throttle"), {40e-6, 40e9, 200e-6 / 16, 3e9}, 4_KiB, 1.0));
  CHECK(parameter(fit, "alpha").low < 50e-6);
  CHECK(parameter(fit, "s").low < 4e-6);
}

TEST_CASE("a sweep of no small depth leaves open how many lanes there are below it") {
  const std::vector<double> truth{100e-6, 5e-6, 2e9};
  FitSeries series = follow(law("line"), truth, 0.005);
  std::erase_if(series.cells, [](const FitCell& cell) { return cell.depth < 8.0; });
  const Fit fit = fit_series(series, {});
  CHECK(fit.law == "lanes");
  CHECK(fit.verdict == FitVerdict::accepted);
  CHECK(parameter(fit, "K").low == Approx(1.0));
  CHECK(parameter(fit, "K").high == Approx(8.0));
  for (const FitCell& cell : series.cells) CHECK(gives_back(fit, cell, 0.03));
  for (const double lanes : {1.0, 3.0, 8.0})
    CHECK(holds(fit, law("lanes"), {100e-6, 5e-6, 2e9, lanes}, 1_MiB, 1.0));
}

TEST_CASE("a parameter that no cell tells anything of is not decided, and its draws differ") {
  // Of 16 and more in flight each stream by itself is never what decides.
  FitSeries series = follow(law("throttle"), {40e-6, 1.5e9, 25e-6, 3e9}, 0.01);
  std::erase_if(series.cells, [](const FitCell& cell) { return cell.depth < 16.0; });
  const Fit fit = fit_series(series, {});
  CHECK(fit.law == "throttle");
  CHECK(fit.verdict == FitVerdict::usable);
  for (const char* name : {"s", "B"}) CHECK(parameter(fit, name).identified);
  const FittedParameter& stream = parameter(fit, "S");
  CHECK_FALSE(stream.identified);
  CHECK(stream.high > 10.0 * stream.low);
  // 16 of them take n max(s, b / B): one alone moves a sixteenth of 3 GB/s at least, and no more
  // than a drive does.
  CHECK(stream.low < 1.5e9);
  CHECK(stream.low > 0.1e9);
  CHECK(stream.high > 1.5e9);
  CHECK(stream.high <= 15e9);
}

TEST_CASE(
    "a limit that no cell reached is drawn from what the cells say of it to what storage has") {
  // 4 KiB take 2.05 us of 2 GB/s, more than the 1 us that an operation takes: nothing shows those.
  const std::vector<double> truth{100e-6, 1e9, 1e-6, 2e9};
  const FitSeries series = follow(law("throttle"), truth, 0.01);
  const Fit fit = fit_series(series, {});
  REQUIRE(fit.law == "throttle");
  const FittedParameter& operation = parameter(fit, "s");
  CHECK_FALSE(operation.identified);
  CHECK(operation.low < truth[2]);
  CHECK(operation.high > truth[2]);
  CHECK(operation.high < 2.3e-6);
  CHECK(operation.low > 0.2e-6);
  REQUIRE_FALSE(fit.reasons.empty());
  CHECK_THAT(fit.reasons.front(),
             Catch::Contains("no cell reached a limit of \"s\": it is at most 2."));
  for (const FitCell& cell : series.cells) CHECK(gives_back(fit, cell, 0.06));
  for (const char* name : {"alpha", "S", "B"}) CHECK(parameter(fit, name).identified);
}

TEST_CASE("one size of a device with lanes has their number") {
  FitSeries series = follow(law("lanes"), {100e-6, 4e-6, 3.2e9, 6.0}, 0.005);
  std::erase_if(series.cells, [](const FitCell& cell) { return cell.size != 64_KiB; });
  const Fit fit = fit_series(series, {});
  CHECK(fit.law == "lanes");
  CHECK(fit.verdict == FitVerdict::usable);
  CHECK(parameter(fit, "K").value == Approx(6.0).epsilon(0.05));
  for (const FitCell& cell : series.cells) CHECK(gives_back(fit, cell, 0.06));
  for (const Bytes size : {4_KiB, 1_MiB})
    CHECK(holds(fit, law("lanes"), {100e-6, 4e-6, 3.2e9, 6.0}, size, 16.0));
}

TEST_CASE("a sweep of one size gives back what it measured, and leaves other sizes open") {
  FitSeries series = follow(law("line"), {100e-6, 5e-6, 2e9}, 0.005);
  std::erase_if(series.cells, [](const FitCell& cell) { return cell.size != 4_KiB; });
  const Fit fit = fit_series(series, {});
  CHECK(fit.law == "lanes");
  CHECK(fit.verdict == FitVerdict::usable);
  REQUIRE(fit.reasons.size() == 1);
  CHECK_THAT(fit.reasons.front(), Catch::StartsWith("one size only, 4.1 kB"));
  CHECK(parameter(fit, "alpha").value == Approx(100e-6).epsilon(0.01));
  for (const FitCell& cell : series.cells) CHECK(gives_back(fit, cell, 0.03));
}

TEST_CASE("what is refused for want of sizes or depths says what to measure next") {
  FitSeries series = follow(law("lanes"), {100e-6, 4e-6, 3.2e9, 6.0}, 0.01);
  const auto why = [&](std::initializer_list<std::pair<double, double>> cells) {
    FitSeries some = series;
    some.cells.clear();
    for (const FitCell& cell : series.cells)
      for (const auto& [size, depth] : cells)
        if (cell.size.in(unit::B) == size && cell.depth == depth) some.cells.push_back(cell);
    const Fit fit = fit_series(some, {});
    CHECK(fit.verdict == FitVerdict::refused);
    return fit.reasons.front();
  };
  CHECK(why({{1048576, 32}}).starts_with("too few sizes and depths for any law: 1 cell; three "));
  CHECK(why({{4096, 1}, {4096, 32}}).find(": 2 cells; three sizes at one depth") !=
        std::string::npos);
  CHECK(why({{4096, 1}, {4096, 32}, {1048576, 1}, {1048576, 32}})
            .find("add a third size and a third depth") != std::string::npos);
}

}  // namespace
}  // namespace stallcast::calibration::fit
