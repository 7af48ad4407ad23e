#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "calibration/validation/grid/draws.hpp"
#include "calibration/validation/grid/loader_fit.hpp"
#include "calibration/validation/grid/prediction.hpp"
#include "calibration/validation/grid/probe_files.hpp"
#include "calibration/validation/grid/row.hpp"
#include "calibration/validation/grid/scenario.hpp"
#include "calibration/validation/grid/store_fit.hpp"
#include "calibration/validation/sources/groundtruth_csv.hpp"
#include "engine/base/files.hpp"

/// The probes of tests/calibration/data/grid-probes are invented: figures that divide well.
namespace stallcast::calibration::grid {
namespace {

using namespace literals;

const std::string kData = std::string(STALLCAST_SOURCE_DIR) + "/tests/calibration/data/";
const std::string kProbes = kData + "grid-probes";

std::string table() { return base::read_file(kData + "grid.csv").value(); }

ProbeFiles probes() {
  Diagnostics faults;
  ProbeFiles out = read_probes(kProbes, {"disk", "far"}, faults);
  REQUIRE(faults.items().empty());
  return out;
}

template <class Tag>
void check(Quantity<Tag> found, Quantity<Tag> expected) {
  CHECK(found / expected == Approx(1.0).epsilon(1e-6));
}

/// "line:column message" of all faults.
std::vector<std::string> faults_of(const std::string& text, const std::string& folder = kProbes) {
  Diagnostics faults;
  SourceOptions options;
  options.probes = folder;
  const auto result = predict_groundtruth(text, "grid.csv", options, faults);
  CHECK(!result.ok());
  std::vector<std::string> out;
  for (const Diagnostic& d : faults.items())
    out.push_back(std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " +
                  d.message);
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("the limits of a block device are read from fio") {
  Diagnostics faults;
  const StoreFit fit = fit_store(probes(), "disk", faults);
  REQUIRE(fit.block);
  CHECK(!fit.remote);
  const BlockStore& disk = *fit.block;
  CHECK(disk.limited);
  check(disk.limit_operations, 1000_per_s);
  // 64 KiB blocks reach 992 requests a second and say nothing: 128 KiB, 4 and 8 jobs: 100 and 101.
  check(disk.limit, Rate::from(100.5, unit::MBps));
  // f = (5 - 0.1) / (100.1 - 0.1) = 0.049; 5 ms / 0.049 = 102 ms, nearer to 100 than to 20.
  check(disk.burst, 100_ms);
  // 1 MiB / 52.4288 MB/s = 20 ms, of which 4 in write(): 1 MiB in 16 ms.
  check(disk.write, 1_MiB / 16_ms);
  // Two runs of 16-KiB files: 1000/s x (3000 / 800 s + 0.1 s) - 3200 / 16 = 3650, over 3000 files.
  CHECK(disk.open_operations == Approx(3650.0 / 3000.0 - 1.0));
}

TEST_CASE("what a file costs behind the limits is read from medians") {
  Diagnostics faults;
  const StoreFit fit = fit_store(probes(), "disk", faults);
  const FileCost& cost = fit.block->files.at("raw128k");
  check(cost.cpu, 50_us);     // 0.0375 cores / 750 a second
  check(cost.queue, 100_us);  // (0.5 - 0.2) / 3
  check(cost.delay, 50_us);   // 0.2 - 0.05 - 0.1
  // Not probed, and longer than 1 MiB: as 128 KiB, by size.
  check(fit.block->files.at("npz4m").queue, 100_us * (4e6 / 131072.0));
}

TEST_CASE("a remote store is a line over sizes behind opens in two parts") {
  Diagnostics faults;
  const StoreFit fit = fit_store(probes(), "far", faults);
  REQUIRE(fit.remote);
  const RemoteStore& far = *fit.remote;
  check(far.open_serial, 4_ms);   // 250 files a second at most
  check(far.open_private, 2_ms);  // 6 - 4
  check(far.rate, Bytes::from(131072 - 16384, unit::B) / 2_ms);
  check(far.latency, 2_ms - 16384_B / far.rate);
  check(far.stream, Rate::from(12800000 / 0.256, unit::Bps));
  check(far.write, 25_ms);
  CHECK(far.jitter.in(unit::ratio) == Approx(0.2));
}

TEST_CASE("one reader of one request takes the sum of its parts") {
  const RemoteStore store{.open_serial = 1_ms,
                          .open_private = 2_ms,
                          .latency = 3_ms,
                          .rate = 128_KiB / 4_ms,
                          .stream = 128_KiB / 8_ms,
                          .write = {},
                          .jitter = {},
                          .servers = 3,
                          .cpu = {}};
  check(simulate_readers(store, 128_KiB, 1_ms, 10, 1, 7), 100_per_s);
  // 256 KiB are two requests of a stream: 1 + 2 + 3 + 16 ms.
  check(simulate_readers(store, 256_KiB, 1_ms, 10, 1, 7), OpRate::from(1.0 / 0.022, unit::per_s));
}

TEST_CASE("readers of one server get what it serves") {
  const RemoteStore store{.open_serial = {},
                          .open_private = {},
                          .latency = {},
                          .rate = 128_KiB / 4_ms,
                          .stream = 128_KiB / 4_ms,
                          .write = {},
                          .jitter = {},
                          .servers = 1,
                          .cpu = {}};
  check(simulate_readers(store, 128_KiB, {}, 100, 8, 1), 250_per_s);
}

TEST_CASE("costs of the loader come from cpu.json") {
  Diagnostics faults;
  const ProbeFiles files = probes();
  const LoaderFit fit = fit_loader(files.cpu, faults);
  // Batches of 0.524288 and 2.097152 MB: 1.2 and 1.5145728 ms, 0.2 ms per MB.
  check(fit.handover_per_MB, 200_us);
  check(fit.handover, Seconds::from(1.2 - 0.2 * 0.524288, unit::ms));
  CHECK(fit.handover_sigma == Approx(std::log(1.5) / 1.2815515655));
  check(fit.boot, Seconds::from(18.3, unit::ms));   // 31 - (101 - 31) / 7 - 1.5 - 1.2
  check(fit.snapshot, 8_GBps);                      // sqrt(16 x 4)
  check(collate(files.cpu, "raw128k", 32, faults),  // (1 - 16 x 0.02) x 32 / 16
        Seconds::from(1.36, unit::ms));
  check(overshoot(files.cpu, 8_ms, faults), 120_us);  // 0.1 + 0.1 x 3 / 15
  check(overshoot(files.cpu, 80_ms, faults), 200_us);
  CHECK(faults.items().empty());
}

TEST_CASE("draws take each part of a distribution once") {
  const DrawSpread spread{.handover = 0.1, .rate = 0.1};
  std::vector<double> handovers, rates;
  for (int i = 0; i < 5; ++i) {
    const Draw one = draw(spread, i, 5);
    handovers.push_back(std::log(one.handover) / 0.1);
    rates.push_back(std::log(one.rate) / 0.1);
    CHECK(one.boot == 1.0);
    CHECK(draw(spread, i, 5).handover == one.handover);
  }
  CHECK(handovers != rates);
  std::sort(handovers.begin(), handovers.end());
  // Quantiles of a normal at 10, 30, 50, 70 and 90 %.
  CHECK(handovers[0] == Approx(-1.2815515655));
  CHECK(handovers[1] == Approx(-0.5244005127));
  CHECK(handovers[2] == Approx(0.0).margin(1e-9));
  CHECK(draw(spread, 0, 1).handover == 1.0);
}

TEST_CASE("an interval adds the spread of runs to that of the draws") {
  // All draws alike: the runs alone, 1.645 x 2 %.
  const PredictedFigure alike = figure_of({10.0, 10.0, 10.0}, 0.02);
  CHECK(alike.value == 10.0);
  CHECK(alike.high == Approx(10.0 * std::exp(1.6448536 * 0.02)));
  const PredictedFigure wide = figure_of({5.0, 10.0, 20.0}, 0.0);
  CHECK(wide.low == Approx(5.0));  // the 5 % quantile of three is the first
  CHECK(figure_of({0.0, 0.0}, 0.02).high == 0.0);
}

TEST_CASE("every row of a grid makes a scenario without faults") {
  Diagnostics faults;
  const CsvTable csv(table(), "grid.csv", faults);
  const ProbeFiles files = probes();
  const LoaderFit loader = fit_loader(files.cpu, faults);
  for (const GridRow& row : read_rows(csv, faults)) {
    const StoreFit store = fit_store(files, row.store, faults);
    INFO(row.id);
    CHECK(scenario_of(row, {files, store, loader}, {}, 1).ok());
  }
  CHECK(faults.items().empty());
}

TEST_CASE("columns that are missing are named") {
  CHECK(faults_of(replaced(table(), ",workers,", ",worker,")) ==
        std::vector<std::string>{"1:1 there is no column \"workers\""});
}

TEST_CASE("cells that are not a number, a count or a known word are reported at their place") {
  std::string text =
      replaced(table(), "\na,A-disk,disk,raw128k,16,2,2,20", "\na,A-disk,disk,raw128k,16,2.5,x,20");
  text = replaced(text, "cold,True,1,sync", "cold,True,1,synch");
  CHECK(faults_of(text) ==
        std::vector<std::string>{"2:26 \"2.5\" in column \"workers\" is not a count",
                                 "2:30 \"x\" in column \"prefetch\" is not a number",
                                 "4:58 \"synch\" in column \"ckpt_mode\" is not known"});
}

TEST_CASE("a store and a format without probes are reported at their cells") {
  CHECK(faults_of(replaced(table(), ",far,", ",fat,")) ==
        std::vector<std::string>{"3:9 there is no probe of store \"fat\""});
  CHECK(faults_of(replaced(table(), ",raw16k,", ",raw1m,")) ==
        std::vector<std::string>{"3:13 there is no probe of format \"raw1m\""});
}

TEST_CASE("a folder without probe files is reported by the files that are missing") {
  const std::vector<std::string> found = faults_of(table(), "no-such-folder");
  REQUIRE(found.size() == 6);
  CHECK(found[0].find("there is no probe file \"cpu.json\"") != std::string::npos);
  CHECK(found[2].find("\"fio_disk.json\"") != std::string::npos);
}

}  // namespace
}  // namespace stallcast::calibration::grid
