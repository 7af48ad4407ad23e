#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "calibration/measure/measurement_json.hpp"
#include "calibration/measure/probes/gds/cells.hpp"
#include "calibration/probe_support.hpp"

/// The gds probe on a CUDA driver and a cuFile of our own (fake_gds.cpp): what the real ones do is
/// not tested here.
namespace stallcast::calibration::gds {
namespace {

using namespace probing;
using Catch::Contains;

GdsEffort tiny_gds() {
  return {.sizes = {16384, 65536},
          .threads = {1, 2},
          .copies = {65536},
          .repeats = 1,
          .shortest_s = 0.002,
          .longest_s = 5.0,
          .file = std::uint64_t{64} << 20U};
}

/// Variables of the environment, as they were before at the end.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      const char* before = std::getenv(name.c_str());
      before_[name] = before == nullptr ? "" : before;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::string> before_;
};

Environment fakes(const std::string& cufile, const std::string& log = "") {
  return Environment({{"STALLCAST_LIBCUDA", STALLCAST_FAKE_GDS},
                      {"STALLCAST_LIBCUFILE", STALLCAST_FAKE_GDS},
                      {"FAKE_CUFILE", cufile},
                      {"FAKE_LOG", log}});
}

/// The probe with a fake cuFile of kind `cufile`. Nothing may be left behind.
Result<MeasurementSet> probe_with(const std::string& cufile, const std::string& log = "",
                                  const GdsEffort& effort = tiny_gds()) {
  const TestFolder folder;
  const Environment environment = fakes(cufile, log);
  ProbeOptions options = options_for(folder.path());
  options.space = Bytes::from(16.0, unit::MiB);
  auto out = run_gds_cells(options, effort);
  CHECK(folder.left().empty());
  return out;
}

/// Paths that the records of what was asked for took.
std::set<std::string> paths_of(const MeasurementSet& set, const std::string& asked) {
  std::set<std::string> out;
  for (const Measurement& m : set.measurements)
    if (m.options.count("asked") != 0 && m.options.at("asked") == asked) out.insert(m.path);
  return out;
}

bool has_flag(const Measurement& m, const std::string& flag) {
  return std::count(m.flags.begin(), m.flags.end(), flag) > 0;
}

bool can_run() {
  const TestFolder folder;
  if (has_direct_io(folder.path())) return true;
  skipped("no direct I/O in the build tree");
  return false;
}

using Paths = std::set<std::string>;

TEST_CASE("one kind of counted request names the path, several are mixed") {
  const auto path = [](PathCounts counts, CuFileSettings asked = {}) {
    const PathVerdict verdict = judge({counts, asked, 0});
    std::string out = verdict.path;
    for (const std::string& flag : verdict.flags) out += " " + flag;
    return out;
  };
  CHECK(path({.p2p = 10}) == "p2p");
  CHECK(path({.nvfs = 10}) == "nvidia-fs");
  CHECK(path({.posix = 10}) == "compat compat-fallback");
  CHECK(path({.posix = 10}, {.force_compat = true}) == "compat");
  CHECK(path({.p2p = 9, .posix = 1}) == "mixed mixed-path compat-fallback");
  CHECK(path({.p2p = 5, .nvfs = 5}) == "mixed mixed-path");
}

TEST_CASE("without counters the settings that data moved under name the path, or nothing does") {
  const auto path = [](CuFileSettings asked, unsigned nvfs) {
    const PathVerdict verdict = judge({std::nullopt, asked, nvfs});
    return verdict.path + " " + verdict.flags.at(0);
  };
  CHECK(path({}, 2) == "unknown path-unknown");
  CHECK(path({.force_compat = true}, 2) == "compat path-inferred");
  CHECK(path({.allow_compat = false}, 2) == "nvidia-fs path-inferred");
  CHECK(path({.allow_compat = false, .p2pdma = true}, 0) == "p2p path-inferred");
  CHECK(path({.allow_compat = false, .p2pdma = true}, 2) == "unknown path-unknown");
  // All counters at zero say as little as none.
  CHECK(judge({PathCounts{}, {}, 0}).path == "unknown");
}

TEST_CASE("counters of all GPUs are added, reads apart from writes") {
  CuFileCounters counters{};
  counters.gpus = 2;
  counters.gpu[0].p2p_reads = 3;
  counters.gpu[1].p2p_reads = 4;
  counters.gpu[1].posix_writes = 5;
  counters.gpu[2].p2p_reads = 100;  // of no GPU
  CHECK(counts_of(counters, true) == PathCounts{.p2p = 7});
  CHECK(counts_of(counters, false) == PathCounts{.posix = 5});
  counters.gpus = 1000;
  CHECK(counts_of(counters, true).p2p == 107);
}

TEST_CASE("what a transfer returns is told from what was wanted") {
  CHECK(transfer_trouble(65536, 65536, 0).empty());
  CHECK(transfer_trouble(5006, 5006, 0).empty());
  CHECK_THAT(transfer_trouble(-1, 65536, 5), Contains("Input/output error"));
  CHECK_THAT(transfer_trouble(-1, 65536, 5049), Contains("compat mode is off (5049)"));
  CHECK_THAT(transfer_trouble(-5027, 65536, 0), Contains("not registered (5027)"));
  CHECK(transfer_trouble(5006, 65536, 0) == "error 5006");
  CHECK(transfer_trouble(4096, 65536, 0) == "moved 4096 of 65536 bytes");
}

TEST_CASE("blocks are whole pages, and a quarter of the file at most is in flight") {
  GdsEffort effort = tiny_gds();
  effort.sizes = {4096, 6144, 65536, 1 << 20};
  effort.threads = {1, 8};
  std::set<std::pair<std::size_t, unsigned>> seen;
  for (const GdsCell& cell : gds_cells(effort, 16 << 20, 512)) {
    if (cell.copies_only()) continue;
    CHECK(cell.load.io.span % cell.load.io.size == 0);
    seen.insert({cell.load.io.size, cell.load.io.depth});
  }
  using Seen = std::set<std::pair<std::size_t, unsigned>>;
  CHECK(seen == Seen{{4096, 1}, {4096, 8}, {65536, 1}, {65536, 8}, {1 << 20, 1}});
  for (const GdsCell& cell : gds_cells(effort, 64 << 20, 65536))
    CHECK((cell.copies_only() || cell.load.io.size % 65536 == 0));
}

TEST_CASE("cuFile that falls back without a word is found out") {
  if (!can_run()) return;
  const auto result = probe_with("compat");
  INFO((result.ok() ? "" : result.failure().message));
  REQUIRE(result.ok());
  const MeasurementSet& set = result.value();
  CHECK(paths_of(set, "cufile") == Paths{"compat"});
  CHECK(paths_of(set, "cufile unregistered") == Paths{"compat-unregistered"});
  for (const Measurement& m : set.measurements)
    if (m.path.starts_with("compat"))
      CHECK(has_flag(m, "compat-fallback") == (m.options.at("asked") != "cufile forced-compat"));
  CHECK_THAT(set.environment.at("notes"), Contains("without a word"));
  CHECK_THAT(set.environment.at("gds cufile no-compat, read"),
             Contains("failed") && Contains("5049"));
  CHECK(set.environment.at("gds cufile, read") == "compat");
  CHECK(set.environment.at("accelerator") == "Fake GPU");
  CHECK(set.environment.at("cuda_driver") == "12.4");
}

TEST_CASE("each direct path is named by what cuFile counted") {
  if (!can_run()) return;
  const auto p2p = probe_with("p2p");
  REQUIRE(p2p.ok());
  CHECK(paths_of(p2p.value(), "cufile p2pdma no-compat") == Paths{"p2p"});
  CHECK(paths_of(p2p.value(), "cufile") == Paths{"compat"});
  const auto nvfs = probe_with("nvfs");
  REQUIRE(nvfs.ok());
  CHECK(paths_of(nvfs.value(), "cufile") == Paths{"nvidia-fs"});
  CHECK(paths_of(nvfs.value(), "cufile forced-compat") == Paths{"compat"});
  CHECK(nvfs.value().environment.at("nvidia_fs_version") == "2.17");
  CHECK_THAT(write_measurements(nvfs.value()), !Contains("without a word"));
}

TEST_CASE("mixed and unknown paths are flagged, so that no fit takes them") {
  if (!can_run()) return;
  const auto mixed = probe_with("mixed");
  REQUIRE(mixed.ok());
  CHECK(paths_of(mixed.value(), "cufile") == Paths{"mixed"});
  CHECK_THAT(mixed.value().environment.at("notes"), Contains("mixed-path"));
  const auto uncounted = probe_with("uncounted");
  REQUIRE(uncounted.ok());
  CHECK(paths_of(uncounted.value(), "cufile") == Paths{"unknown"});
  CHECK(paths_of(uncounted.value(), "cufile forced-compat") == Paths{"compat"});
}

TEST_CASE("every way is measured, and the file can be read back") {
  if (!can_run()) return;
  const auto result = probe_with("nvfs");
  REQUIRE(result.ok());
  std::map<std::string, int> runs;
  for (const Measurement& m : result.value().measurements) {
    ++runs[std::string(name_of(m.subject)) + " " + m.operation + " " + m.path];
    CHECK(m.ops > OpRate{});
    CHECK(m.latency.has_value() == (m.path != "direct-pinned"));
    CHECK(m.direct.has_value() == (m.subject == Subject::gds));
  }
  // Two sizes by two numbers of threads.
  for (const char* path : {"pageable", "pinned", "direct-pinned"})
    for (const char* operation : {"read ", "write "})
      CHECK(runs["gds " + std::string(operation) + path] == 4);
  // And with P2P DMA allowed, and two without compat mode.
  CHECK(runs["gds read nvidia-fs"] == 4 + 3);
  CHECK(runs["gds write nvidia-fs"] == 4);
  for (const char* copy : {"h2d pageable", "h2d pinned", "d2h pageable", "d2h pinned"})
    CHECK(runs["memory " + std::string(copy)] == 1);
  Diagnostics faults;
  const auto again = read_measurements(write_measurements(result.value()), "set", faults);
  CHECK_FALSE(faults.has_errors());
  CHECK(again.measurements.size() == result.value().measurements.size());
}

TEST_CASE("nothing of the accelerator is left allocated, registered or open") {
  if (!can_run()) return;
  const TestFolder logs;
  const std::string log = (logs.path() / "log").string();
  const std::string kind = GENERATE("nvfs", "errno", "closed");
  GdsEffort one = tiny_gds();
  one.sizes = {65536};
  REQUIRE(probe_with(kind, log, one).ok());
  std::ifstream in(log);
  int lines = 0;
  for (std::string line; std::getline(in, line); ++lines)
    CHECK(line ==
          "device=0 pinned=0 streams=0 contexts=0 files=0 registered=0 opened=0 misaligned=0");
  CHECK(lines > 10);
}

TEST_CASE("a cuFile that fails or crashes costs its own runs only, and the reason is kept") {
  if (!can_run()) return;
  const auto [kind, said] = GENERATE(table<std::string, std::string>({
      {"closed", "cuFileDriverOpen: the cuFile driver is not initialized (5001)"},
      {"errno", "cuFileRead: Input/output error"},
      {"negative", "not registered (5027)"},
      {"positive", "error 5006"},
      {"short", "moved "},
      {"corrupt", "other bytes than the file"},
      {"crash", "signal 11"},
  }));
  INFO(kind);
  GdsEffort one = tiny_gds();
  one.sizes = {65536};
  one.threads = {1};
  const auto result = probe_with(kind, "", one);
  REQUIRE(result.ok());
  const auto& facts = result.value().environment;
  const std::string text = facts.at("gds cufile, read");
  CHECK_THAT(text, Contains(said));
  CHECK(paths_of(result.value(), "cufile forced-compat").empty());
  std::set<std::string> measured;
  for (const Measurement& m : result.value().measurements)
    if (m.operation == "read") measured.insert(m.path);
  CHECK(measured == Paths{"pageable", "pinned", "direct-pinned"});
}

TEST_CASE("what is missing is said before anything is written") {
  const TestFolder folder;
  const auto said = [&](std::map<std::string, std::string> variables) {
    const Environment environment(variables);
    const auto result = run_gds_cells(options_for(folder.path()), tiny_gds());
    REQUIRE_FALSE(result.ok());
    CHECK(result.failure().exit == ExitCode::bad_input);
    CHECK(folder.left().empty());
    return result.failure().message + " | " + result.failure().hint;
  };
  const std::string fake = STALLCAST_FAKE_GDS;
  CHECK_THAT(said({{"STALLCAST_LIBCUDA", "libnot-there.so"}, {"STALLCAST_LIBCUFILE", fake}}),
             Contains("no accelerator") && Contains("tried libnot-there.so") &&
                 Contains("NVIDIA kernel driver") && Contains("nvidia-fs") &&
                 Contains("libcufile is there"));
  CHECK_THAT(
      said({{"STALLCAST_LIBCUDA", fake}, {"STALLCAST_LIBCUFILE", "libneither.so"}}),
      Contains("there is no libcufile: tried libneither.so") && Contains("STALLCAST_LIBCUFILE"));
  CHECK_THAT(
      said(
          {{"STALLCAST_LIBCUDA", fake}, {"STALLCAST_LIBCUFILE", fake}, {"FAKE_CUDA", "no-driver"}}),
      Contains("CUDA_ERROR_NO_DEVICE (100)"));
  CHECK_THAT(
      said(
          {{"STALLCAST_LIBCUDA", fake}, {"STALLCAST_LIBCUFILE", fake}, {"FAKE_CUDA", "no-device"}}),
      Contains("sees no device"));
  CHECK_THAT(said({{"STALLCAST_LIBCUDA", "libm.so.6"}, {"STALLCAST_LIBCUFILE", fake}}),
             Contains("has no cuInit"));
}

TEST_CASE("a probe that is interrupted ends so and leaves nothing") {
  if (!can_run()) return;
  const TestFolder folder;
  const Environment environment = fakes("nvfs");
  ProbeOptions options = options_for(folder.path());
  bool stop = false;
  options.progress = [&](double done, std::string_view) { stop = stop || done > 0.3; };
  options.interrupted = [&] { return stop; };
  const auto result = run_gds_cells(options, tiny_gds());
  REQUIRE_FALSE(result.ok());
  CHECK(result.failure().exit == ExitCode::inconclusive);
  CHECK(folder.left().empty());
}

TEST_CASE("the settings of cuFile are written where the probe works, and quoted") {
  const TestFolder folder;
  const auto inside = folder.path() / "a \"b\"";
  std::filesystem::create_directory(inside);
  const auto file = write_settings({.allow_compat = false, .p2pdma = true}, inside);
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  CHECK_THAT(text, Contains("\"allow_compat_mode\": false") &&
                       Contains("\"force_compat_mode\": false") &&
                       Contains("\"use_pci_p2pdma\": true") && Contains("a \\\"b\\\"\"") &&
                       Contains("\"cufile_stats\": 3"));
}

TEST_CASE("what the kernel has is read from proc and sys") {
  const TestFolder root;
  CHECK(kernel_text(root.path()) ==
        "NVIDIA kernel driver not loaded, nvidia-fs not loaded, no /run/udev, which cuFile needs");
  for (const char* path : {"proc/driver/nvidia/version", "sys/module/nvidia_fs", "run/udev"})
    std::filesystem::create_directories(root.path() / path);
  CHECK(kernel_text(root.path()) == "NVIDIA kernel driver loaded, nvidia-fs loaded");
}

}  // namespace
}  // namespace stallcast::calibration::gds
