#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "calibration/measure/flags.hpp"
#include "calibration/measure/measurement_json.hpp"
#include "calibration/measure/probes/buffers.hpp"
#include "calibration/measure/probes/data_file.hpp"
#include "calibration/measure/probes/processes.hpp"
#include "calibration/measure/probes/steady.hpp"
#include "calibration/probe_support.hpp"

namespace stallcast::calibration::probing {
namespace {

using Catch::Contains;

/// A file in `folder` that `make` filled; closed at the end.
struct OpenFile {
  explicit OpenFile(const std::filesystem::path& folder)
      : fd(open((folder / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~OpenFile() { close(fd); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd;
};

TEST_CASE("the probes are found by name") {
  REQUIRE(find_probe("gds") != nullptr);
  REQUIRE(find_probe("io") != nullptr);
  REQUIRE(find_probe("metadata") != nullptr);
  CHECK(find_probe("io")->needs_target);
  CHECK(find_probe("tape") == nullptr);
}

// 1, 2, ... 10000 us: p50 is 5000 us and p99 is 9900 us, with 100 samples above it; above p99.9
// there are 10, which is too few. Bins are 1/64 wide.
TEST_CASE("quantiles of latencies are right to a bin, and none is given that few exceed") {
  Latencies latencies{};
  for (std::uint64_t us = 1; us <= 10000; ++us) latencies.add(1000 * us);
  const auto quantiles = latencies.quantiles();
  REQUIRE(quantiles.size() == 3);
  CHECK(quantiles.at(0.5).in(unit::us) == Approx(5000.0).epsilon(1.0 / 64));
  CHECK(quantiles.at(0.99).in(unit::us) == Approx(9900.0).epsilon(1.0 / 64));
  CHECK(latencies.mean().in(unit::us) == Approx(5000.5));
  Latencies twice{};
  twice.merge(latencies);
  twice.merge(latencies);
  CHECK(twice.count() == 20000);
  CHECK(twice.quantiles().at(0.9).in(unit::us) == Approx(9000.0).epsilon(1.0 / 64));
}

// The rule looks at five rounds. 100 +- 10: excursion 20 % of the mean, slope 0. A line from 95 to
// 105 moves by 10 % of the mean; from 94 to 106 by 12 %.
TEST_CASE("steady means within 20 % and moving by at most 10 % over five rounds") {
  CHECK_FALSE(steady(std::vector{100.0, 100.0, 100.0, 100.0}));
  CHECK(steady(std::vector{300.0, 100.0, 100.0, 100.0, 100.0, 100.0}));
  CHECK(steady(std::vector{100.0, 90.0, 100.0, 110.0, 100.0}));
  CHECK_FALSE(steady(std::vector{100.0, 89.0, 100.0, 111.0, 100.0}));
  CHECK(steady(std::vector{95.0, 97.5, 100.0, 102.5, 105.0}));
  CHECK_FALSE(steady(std::vector{94.0, 97.0, 100.0, 103.0, 106.0}));
}

TEST_CASE("spent credits show as the first seconds over the last") {
  std::vector<double> series(40, 100.0);
  std::fill(series.begin(), series.begin() + 20, 300.0);
  CHECK(first_over_last(series, 10) == Approx(3.0));
  CHECK(first_over_last(std::vector{1.0, 2.0}, 10) == 1.0);
  CHECK(rounds_of(series, 20) == std::vector{300.0, 100.0});
  CHECK(rounds_of(series, 15) == std::vector{300.0, (5 * 300.0 + 10 * 100.0) / 15});
}

TEST_CASE("random offsets are whole blocks of the span, sequential ones go around") {
  IoLoad load{.size = 4096, .span = 16 * 4096};
  Walk random(load);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t at = random.offset();
    REQUIRE(at % 4096 == 0);
    REQUIRE(at < load.span);
    seen.insert(at);
  }
  CHECK(seen.size() == 16);
  load.random = false;
  Walk along(load);
  const std::uint64_t first = along.offset();
  for (int i = 1; i < 16; ++i) REQUIRE(along.offset() == (first + i * 4096U) % load.span);
  CHECK(along.offset() == first);
}

// 3000 of 10000 draws at 0.3; the standard deviation is sqrt(10000 0.3 0.7) = 46.
TEST_CASE("mixed requests keep their share of reads") {
  Walk walk(IoLoad{.size = 4096, .read_share = 0.3, .span = 1 << 20});
  int reads = 0;
  for (int i = 0; i < 10000; ++i) reads += walk.reading() ? 1 : 0;
  CHECK(reads == Approx(3000).margin(5 * 46));
}

TEST_CASE("no two blocks that are written are alike") {
  std::vector<std::byte> data(64 * 4096);
  fill_random(data, 7);
  std::set<std::string> blocks;
  for (const std::uint64_t serial : {1U, 2U, 3U}) {
    stamp(data, serial);
    for (std::size_t i = 0; i < data.size(); i += 4096)
      blocks.emplace(reinterpret_cast<const char*>(data.data() + i), 4096);
  }
  CHECK(blocks.size() == 3 * 64);
  const Buffers buffers(3 << 20);
  CHECK(reinterpret_cast<std::uintptr_t>(buffers.data()) % (2 << 20) == 0);
  CHECK_THAT(std::string(buffers.kind()),
             Catch::Equals("hugetlb") || Catch::Equals("thp") || Catch::Equals("pages"));
}

TEST_CASE("a file with a hole, or one that was only reserved, is not a file to read") {
  const TestFolder folder;
  const OpenFile file(folder.path());
  constexpr std::uint64_t kBytes = 1 << 20;
  REQUIRE(ftruncate(file.fd, kBytes) == 0);
  const auto sparse = check_extents(file.fd, kBytes);
  REQUIRE_FALSE(sparse.ok());
  CHECK_THAT(sparse.failure().message, Contains("a hole"));
  if (posix_fallocate(file.fd, 0, kBytes) == 0)
    if (const auto reserved = check_extents(file.fd, kBytes); !reserved.ok())
      CHECK_THAT(reserved.failure().message, Contains("never written"));
  const std::string data(kBytes, 'x');
  REQUIRE(pwrite(file.fd, data.data(), data.size(), 0) == static_cast<ssize_t>(kBytes));
  REQUIRE(fsync(file.fd) == 0);
  const auto written = check_extents(file.fd, kBytes);
  INFO((written.ok() ? "" : written.failure().message));
  CHECK(written.ok());
}

TEST_CASE("a process that crashes is told from one that fails, and all are waited for") {
  const auto crash = in_processes(3,
                                  [](std::size_t i) -> std::optional<Failure> {
                                    if (i == 1) raise(SIGKILL);
                                    return std::nullopt;
                                  },
                                  {});
  REQUIRE(crash);
  CHECK(crash->exit == ExitCode::internal);
  CHECK_THAT(crash->message, Contains("signal 9"));
  const auto failure =
      in_processes(2,
                   [](std::size_t) {
                     return std::optional(Failure{ExitCode::bad_input, "no", "why"});
                   },
                   {});
  REQUIRE(failure);
  CHECK(failure->message == "no");
  CHECK(failure->hint == "why");
  CHECK(waitpid(-1, nullptr, 0) == -1);
}

TEST_CASE("a file system that does not answer is not waited for without end") {
  Watch watch;
  watch.limit_s = 0.01;
  const auto hung = in_processes(
      1,
      [](std::size_t) -> std::optional<Failure> {
        for (;;) pause();
      },
      watch);
  REQUIRE(hung);
  CHECK(hung->exit == ExitCode::inconclusive);
}

// The parent looks 20 times a second; the work ends when it was looked at 30 times.
TEST_CASE("slow is not hung: what uses a core is waited for, to a limit of its own") {
  const Shared<std::atomic<bool>> stop;
  const auto work = [&](std::size_t) -> std::optional<Failure> {
    while (!*stop) sched_yield();
    return std::nullopt;
  };
  Watch watch;
  watch.limit_s = 1.0;
  int ticks = 0;
  watch.tick = [&] {
    if (++ticks == 30) *stop = true;
  };
  CHECK_FALSE(in_processes(1, work, watch));
  CHECK(ticks >= 30);
  *stop = false;
  watch.tick = nullptr;
  watch.longest_s = 0.1;
  CHECK(in_processes(1, work, watch)->exit == ExitCode::inconclusive);
}

TEST_CASE("the io probe measures every cell as often as asked and leaves nothing behind") {
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  double last = 0.0;
  ProbeOptions options = options_for(folder.path());
  options.progress = [&](double done, std::string_view what) {
    CHECK(done >= last);
    CHECK(done <= 1.0);
    CHECK_FALSE(what.empty());
    last = done;
  };
  const auto result = run_io(options, tiny_io());
  INFO((result.ok() ? "" : result.failure().message));
  REQUIRE(result.ok());
  CHECK(folder.left().empty());
  const MeasurementSet& set = result.value();
  std::map<std::string, int> runs;
  for (const Measurement& m : set.measurements) {
    ++runs[m.operation + " " + m.pattern + " " + m.path];
    CHECK(m.direct == true);
    CHECK(m.ops > OpRate{});
    CHECK(m.rate.in(unit::Bps) == Approx(m.ops.in(unit::per_s)*m.size.in(unit::B)));
    CHECK(m.options.count("buffers") == 1);
    // Little's law holds to 5 % in every record without the flag.
    const double little = m.ops.in(unit::per_s)*m.latency->in(unit::s) / m.depth;
    const bool flagged = std::count(m.flags.begin(), m.flags.end(), "inconsistent") > 0;
    CHECK((flagged || std::abs(little - 1.0) <= 0.05 + m.depth / static_cast<double>(m.count)));
  }
  // Two sizes at two depths, twice.
  CHECK(runs["read random "] == 8);
  CHECK(runs["write random "] == 8);
  CHECK(runs["read random psync"] == 4);
  CHECK(runs["write random zeros"] == 2);
  for (const char* fact : {"kernel", "cores", "file_system", "direct_io", "extents", "write_state"})
    CHECK(set.environment.count(fact) == 1);
  Diagnostics faults;
  const auto again = read_measurements(write_measurements(set), "set", faults);
  CHECK_FALSE(faults.has_errors());
  CHECK(again.measurements.size() == set.measurements.size());
}

TEST_CASE("buffers on small pages are asked for and recorded, and are not doubted then") {
  const Buffers small(3 << 20, BufferPages::small);
  CHECK(small.kind() == "pages");
  CHECK(small.size() == 3 << 20);
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  IoEffort effort = tiny_io();
  effort.repeats = 1;
  ProbeOptions options = options_for(folder.path());
  options.buffers = BufferPages::small;
  const auto result = run_io(options, effort);
  INFO((result.ok() ? "" : result.failure().message));
  REQUIRE(result.ok());
  CHECK(folder.left().empty());
  std::set<std::string> engines;
  for (const Measurement& m : result.value().measurements) {
    engines.insert(m.options.at("engine"));
    CHECK(m.options.at("buffers") == "pages");
    CHECK(m.options.at("buffers_asked") == "small");
    CHECK_FALSE(has_flag(m, "small-pages"));
    CHECK(buffer_pages_of(m) == BufferPages::small);
  }
  CHECK(engines.count("psync") == 1);
  // Huge ones were asked for, and the kernel had none: that is a doubt.
  IoCell cell{"read", "", {.size = 4096}};
  IoTally tally{};
  std::string_view("pages").copy(tally.buffers.data(), tally.buffers.size() - 1);
  CHECK(has_flag(io_measurement(cell, tally), "small-pages"));
}

// Runs of 0.05 s have no whole second, and five rounds of 10 s are needed: three tries of writes
// and one of reads, none of them steady.
TEST_CASE("writes that were not seen to settle carry a flag") {
  const TestFolder folder;
  if (!has_direct_io(folder.path())) return skipped("no direct I/O in the build tree");
  IoEffort effort = tiny_io();
  effort.repeats = 1;
  effort.watched_s = 0.05;
  const auto result = run_io(options_for(folder.path()), effort);
  INFO((result.ok() ? "" : result.failure().message));
  REQUIRE(result.ok());
  CHECK_THAT(result.value().environment.at("write_state"), Contains("not steady after"));
  int watched = 0;
  for (const Measurement& m : result.value().measurements) {
    watched += m.path == "watched" ? 1 : 0;
    const bool flagged = std::count(m.flags.begin(), m.flags.end(), "not-steady") > 0;
    CHECK(flagged == (m.operation != "read" || m.path == "watched"));
  }
  CHECK(watched == 4);
}

TEST_CASE("the metadata probe counts every operation for each number of clients") {
  const TestFolder folder;
  const auto result = run_metadata(options_for(folder.path()), tiny_metadata());
  INFO((result.ok() ? "" : result.failure().message));
  REQUIRE(result.ok());
  CHECK(folder.left().empty());
  std::map<std::string, std::set<double>> clients;
  for (const Measurement& m : result.value().measurements) {
    CHECK(m.subject == Subject::metadata);
    CHECK(m.ops > OpRate{});
    clients[m.operation + m.pattern].insert(m.depth);
  }
  for (const char* operation :
       {"create", "create_sync", "open", "stat", "readdir", "rename", "unlink"})
    for (const char* pattern : {"", "one-folder"})
      CHECK(clients[std::string(operation) + pattern] == std::set{1.0, 2.0});
}

TEST_CASE("the metadata probe makes no more files than it has room for, however long it may take") {
  const TestFolder folder;
  ProbeOptions options = options_for(folder.path());
  options.budget = budget_from_now(Seconds::from(20.0, unit::s));
  MetadataEffort effort = tiny_metadata();
  effort.repeats = 1;
  effort.phase_s = 0.01;
  const auto result = run_metadata(options, effort);
  REQUIRE(result.ok());
  std::size_t clients = 0;
  for (const int n : effort.clients) clients += static_cast<std::size_t>(n);
  double made = 0.0;
  for (const Measurement& m : result.value().measurements)
    if (m.path.empty() && m.operation.starts_with("create")) made += static_cast<double>(m.count);
  // Room is reckoned for two rounds: folders apart and one for all, both kinds of files.
  CHECK(made > 0.0);
  CHECK(made <= static_cast<double>(2 * 4 * clients * effort.most));
}

}  // namespace
}  // namespace stallcast::calibration::probing
