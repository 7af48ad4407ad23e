#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "calibration/measure/measurement_json.hpp"
#include "calibration/measure/probes/buffers.hpp"
#include "calibration/measure/probes/memory.hpp"
#include "calibration/measure/probes/network.hpp"
#include "calibration/measure/probes/network_pair.hpp"
#include "calibration/measure/probes/processes.hpp"
#include "calibration/probe_support.hpp"

/// The probes that need no folder: no time is asserted, only what was recorded and what is said.
namespace stallcast::calibration::probing {
namespace {

using Catch::Contains;

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;

MemoryEffort tiny_memory() {
  return {.threads = {1, 2}, .repeats = 2, .run_s = 0.001, .working = 16 * kMebi};
}
NetworkEffort tiny_network() {
  return {.sizes = {64, 65536}, .streams = {1, 2}, .repeats = 2, .run_s = 0.001};
}

/// "exit: message | hint", or "measured".
std::string told(const Result<MeasurementSet>& result) {
  if (result.ok()) return "measured";
  const Failure& failure = result.failure();
  return std::to_string(static_cast<int>(failure.exit)) + ": " + failure.message + " | " +
         failure.hint;
}

std::string to_peer(const std::string& peer) {
  ProbeOptions options;
  options.peer = peer;
  return told(run_network(options, tiny_network()));
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

bool has_flag(const Measurement& m, const std::string& flag) {
  return std::find(m.flags.begin(), m.flags.end(), flag) != m.flags.end();
}

/// What every record of a probe without a folder holds.
void check_record(const Measurement& m, Subject subject) {
  CHECK(m.subject == subject);
  CHECK(m.size > Bytes{});
  CHECK(m.processes >= 1);
  CHECK(m.depth == static_cast<double>(m.processes));
  CHECK(m.rate > Rate{});
  CHECK(m.ops > OpRate{});
  CHECK(m.count > 0);
  CHECK(m.duration.value_or(Seconds{}) > Seconds{});
  CHECK(m.cores.value_or(-1.0) >= 0.0);
  CHECK_FALSE(m.origin.empty());
}

// RFC 3720, appendix B.4: 32 zero bytes, 32 bytes of ones; "123456789" is the customary check.
TEST_CASE("CRC-32C gives the values of its standard, with and without the CPU's instruction") {
  const std::string zeros(32, '\0'), ones(32, '\xff');
  for (const auto way : {crc32c, crc32c_by_table}) {
    CHECK(way(bytes_of("123456789")) == 0xE3069283U);
    CHECK(way(bytes_of(zeros)) == 0x8A9136AAU);
    CHECK(way(bytes_of(ones)) == 0x62A8AB43U);
    CHECK(way({}) == 0U);
  }
  std::vector<std::byte> block(1003);
  fill_random(block, 7);
  CHECK(crc32c(block) == crc32c_by_table(block));
}

TEST_CASE("the memory probe records each operation at each size and number of threads") {
  const auto set = run_memory({}, tiny_memory());
  REQUIRE(set.ok());
  // 4 operations, 3 sizes, 2 numbers of threads, 2 repeats.
  CHECK(set.value().measurements.size() == 48);
  std::map<std::string, int> seen;
  for (const Measurement& m : set.value().measurements) {
    check_record(m, Subject::memory);
    CHECK((m.rate / (m.ops * m.size)) == Approx(1.0));
    ++seen[m.operation];
    if (m.operation == "page-cache-read") CHECK(m.path == "memfd");
  }
  CHECK(seen == std::map<std::string, int>{
                    {"crc32c", 12}, {"memcpy", 12}, {"page-cache-read", 12}, {"sha256", 12}});
  CHECK(set.value().environment.count("working_set") == 1);
  CHECK(set.value().environment.count("kernel") == 1);
}

TEST_CASE("the memory probe reads cached files of the folder it is given and leaves nothing") {
  const TestFolder folder;
  const auto set = run_memory(options_for(folder.path()), tiny_memory());
  REQUIRE(set.ok());
  for (const Measurement& m : set.value().measurements)
    if (m.operation == "page-cache-read") CHECK(m.path.empty());
  CHECK(folder.left().empty());
  CHECK_THAT(told(run_memory(options_for("/nowhere"), tiny_memory())), Contains("2: there is no"));
}

TEST_CASE("the memory probe writes no larger a file than it may") {
  const TestFolder folder;
  ProbeOptions options = options_for(folder.path());
  options.space = Bytes::from(12.0, unit::MiB);
  const MemoryEffort effort{.threads = {1, 2}, .repeats = 1, .run_s = 0.0, .working = 64 * kMebi};
  const auto set = run_memory(options, effort);
  REQUIRE(set.ok());
  for (const Measurement& m : set.value().measurements) {
    const bool file = m.operation == "page-cache-read";
    CHECK(m.options.at("walks_through") == (!file              ? "33.6 MB"
                                            : m.processes == 1 ? "12.6 MB"
                                                               : "8.39 MB"));
  }
  options.space = Bytes::from(4.0, unit::MiB);
  CHECK_THAT(told(run_memory(options, effort)),
             Contains("2: the probe needs more space") && Contains("8MiB"));
  CHECK(folder.left().empty());
}

TEST_CASE("what the memory probe measured is read back as it was written") {
  const auto set = run_memory({}, {.threads = {1}, .repeats = 1, .run_s = 0.0, .working = kMebi});
  REQUIRE(set.ok());
  const std::string json = write_measurements(set.value());
  CHECK_THAT(json, Contains("\"page-cache-read\"") && Contains("\"memory\""));
}

TEST_CASE("without a peer the network probe measures loopback and says that it is none") {
  const auto set = run_network({}, tiny_network());
  REQUIRE(set.ok());
  // 2 tasks, 2 sizes, 2 numbers of streams, 2 repeats.
  CHECK(set.value().measurements.size() == 16);
  for (const Measurement& m : set.value().measurements) {
    check_record(m, Subject::network);
    CHECK(has_flag(m, "loopback"));
    CHECK(m.latency.has_value() == (m.operation == "ping-pong"));
  }
  CHECK_THAT(set.value().environment.at("notes"), Contains("loopback: not a network calibration"));
}

TEST_CASE("a server of the network probe serves one client and ends") {
  auto listener = listen_at({"127.0.0.1", "0"});
  REQUIRE(listener.ok());
  const std::string peer = "127.0.0.1:" + std::to_string(port_of(listener.value()));
  const auto failure = in_processes(2,
                                    [&](std::size_t i) -> std::optional<Failure> {
                                      if (i == 0) return serve_session(listener.value());
                                      listener = Socket();
                                      const std::string said = to_peer(peer);
                                      if (said == "measured") return std::nullopt;
                                      return Failure{ExitCode::internal, said, ""};
                                    },
                                    {});
  CHECK(failure.value_or(Failure{}).message.empty());
}

TEST_CASE("a peer where nothing listens is bad input that says what to start there") {
  auto listener = listen_at({"127.0.0.1", "0"});
  REQUIRE(listener.ok());
  const std::string port = std::to_string(port_of(listener.value()));
  listener = Socket();
  CHECK_THAT(to_peer("127.0.0.1:" + port),
             Contains("2: cannot connect to 127.0.0.1:" + port + ": Connection refused") &&
                 Contains("stallcast probe network --listen " + port));
}

TEST_CASE("a peer that is another program is told from one of ours") {
  const auto listener = listen_at({"127.0.0.1", "0"});
  REQUIRE(listener.ok());
  std::jthread other([&] {
    const Socket client(accept(listener.value().fd(), nullptr, nullptr));
    (void)client.send_all("SSH-2.0-x", 9);
  });
  CHECK_THAT(to_peer("127.0.0.1:" + std::to_string(port_of(listener.value()))),
             Contains("2: ") && Contains("is not a stallcast probe"));
}

TEST_CASE("a peer that is not a host and port is bad input") {
  CHECK_THAT(to_peer("node7"), Contains("2: \"node7\" names no port"));
  CHECK_THAT(to_peer("node7:70000"), Contains("names no port"));
  CHECK_THAT(to_peer("7000"), Contains("names no host"));
  CHECK_THAT(to_peer("no such host:7000"), Contains("2: cannot find \"no such host\""));
}

TEST_CASE("a port that is taken cannot be listened at") {
  const auto taken = listen_at({"127.0.0.1", "0"});
  REQUIRE(taken.ok());
  ProbeOptions options;
  options.listen = "127.0.0.1:" + std::to_string(port_of(taken.value()));
  const auto failure = find_probe("network")->serve(options);
  REQUIRE(failure.has_value());
  CHECK(failure->exit == ExitCode::bad_input);
  CHECK_THAT(failure->message, Contains("cannot listen at port"));
}

TEST_CASE("an interrupted network probe ends early and is inconclusive") {
  ProbeOptions options;
  options.interrupted = [] { return true; };
  CHECK_THAT(told(run_network(options, network_effort(ProbeDepth::thorough))),
             Contains("3: the probe was interrupted"));
  options.listen = "127.0.0.1:0";
  CHECK(find_probe("network")->serve(options).value().exit == ExitCode::inconclusive);
}

}  // namespace
}  // namespace stallcast::calibration::probing
