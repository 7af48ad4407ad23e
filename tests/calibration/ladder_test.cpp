#include "calibration/measure/probes/ladder.hpp"

#include <catch2/catch.hpp>

#include "calibration/fit/calibrate.hpp"
#include "calibration/measure/flags.hpp"
#include "calibration/measure/probes/machine.hpp"
#include "calibration/probe_support.hpp"

/// Working sets read through the page cache.
namespace stallcast::calibration::probing {
namespace {

using Catch::Contains;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

// Of 1 GiB: 256, 512, 1024, 2048 and 4096 MiB. 1500 MiB hold 93 blocks of 16 MiB, 1488 MiB.
TEST_CASE("working sets above what may be written become one as large as that") {
  const std::vector<double> shares{0.25, 0.5, 1.0, 2.0, 4.0};
  const double memory = 1024.0 * kMiB;
  CHECK(ladder_sizes(shares, memory, 8192 * kMiB) ==
        std::vector{256 * kMiB, 512 * kMiB, 1024 * kMiB, 2048 * kMiB, 4096 * kMiB});
  CHECK(ladder_sizes(shares, memory, 1500 * kMiB) ==
        std::vector{256 * kMiB, 512 * kMiB, 1024 * kMiB, 1488 * kMiB});
  CHECK(ladder_sizes(shares, memory, 100 * kMiB) == std::vector{96 * kMiB});
  CHECK(ladder_sizes(shares, memory, 15 * kMiB).empty());
}

TEST_CASE("the knee is the largest step down, if that is more than noise") {
  const std::vector<Rung> rungs{{1e9, 9e9}, {2e9, 8.8e9}, {4e9, 3e9}, {8e9, 1.6e9}};
  const auto knee = knee_of(rungs);
  REQUIRE(knee);
  CHECK(knee->fits == 2e9);
  CHECK(knee->slow == 4e9);
  CHECK(knee->factor == Approx(8.8 / 3.0));
  CHECK_FALSE(knee_of(std::vector<Rung>{{1e9, 9e9}, {2e9, 6.1e9}, {4e9, 8e9}}));
  CHECK_FALSE(knee_of(std::span(rungs).first(1)));
  CHECK_FALSE(knee_of({}));
}

// 16 and 32 MiB, whole blocks of what is asked for; the third would be four times the memory and is
// capped at --space.
TEST_CASE(
    "a ladder tells what of each working set the page cache held, and is not a fit's business") {
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  IoEffort effort = brief_io();
  effort.ladder = {17.0 * kMiB / memory_bytes(), 33.0 * kMiB / memory_bytes(), 4.0};
  const auto result = run_io(options_for(folder.path()), effort);
  INFO((result.ok() ? "" : result.failure().message));
  REQUIRE(result.ok());
  CHECK(folder.left().empty());
  std::vector<double> sets;
  const Measurement* knee = nullptr;
  for (const Measurement& m : result.value().measurements) {
    if (m.path != "ladder") continue;
    CHECK(has_flag(m, "cached"));
    CHECK(m.direct == false);
    CHECK_FALSE(m.origin.empty());
    if (m.operation == "cache") {
      knee = &m;
      continue;
    }
    sets.push_back(m.figures.at("working_set_bytes"));
    CHECK(m.figures.at("page_cache_bytes") > 0.0);
    CHECK(m.figures.at("page_cache_bytes") <= sets.back());
    CHECK(m.rate > Rate{});
  }
  CHECK(sets == std::vector{16.0 * kMiB, 32.0 * kMiB, 64.0 * kMiB});
  REQUIRE(knee != nullptr);
  CHECK(knee->figures.at("page_cache_bytes") > 0.0);
  CHECK_THAT(result.value().environment.at("notes"),
             Contains("the page cache held up to") && Contains("did not fit in --space"));
  const auto profile = calibrate({result.value()}, "p", {.draws = 20});
  for (const ProfileValue& value : profile.values) CHECK_THAT(value.fit, !Contains("ladder"));
  for (const Fit& fit : profile.fits)
    if (fit.id.find("ladder") != std::string::npos) CHECK(fit.verdict == FitVerdict::refused);
}

TEST_CASE("only thorough probes climb the ladder") {
  CHECK(io_effort(ProbeDepth::quick).ladder.empty());
  CHECK(io_effort(ProbeDepth::usual).ladder.empty());
  CHECK(io_effort(ProbeDepth::thorough).ladder.size() == 5);
}

}  // namespace
}  // namespace stallcast::calibration::probing
