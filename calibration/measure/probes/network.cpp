#include "calibration/measure/probes/network.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <fstream>
#include <limits>
#include <random>

#include "calibration/measure/probes/bystanders.hpp"
#include "calibration/measure/probes/network_pair.hpp"
#include "calibration/measure/probes/probe_target.hpp"
#include "calibration/measure/probes/rows.hpp"
#include "calibration/measure/probes/turns.hpp"

/// Messages over TCP, between two hosts or over loopback: docs/guide/probes.md.
namespace stallcast::calibration {
namespace {

using namespace probing;

constexpr std::uint64_t kFew = 50;  // messages: too few for a rate

struct PairCell {
  NetworkTask task;
  std::uint32_t size;
  int streams;
};

std::string label(const PairCell& cell) {
  return std::string(cell.task == NetworkTask::ping ? "ping-pong" : "stream") + " over " +
         std::to_string(cell.streams) + (cell.streams == 1 ? " connection" : " connections");
}

/// What the measuring process reports of the connection. Lives in shared memory.
struct Link {
  bool loopback;
  int segment;                   ///< TCP's, in bytes
  std::array<char, 16> control;  ///< of congestion
  std::array<char, 16> interface_name;
  std::atomic<std::size_t> done;  ///< runs
};

template <std::size_t N>
void keep(std::array<char, N>& into, const std::string& text) {
  text.copy(into.data(), N - 1);
}

void describe(const Socket& socket, Link& link) {
  link.loopback = is_loopback(socket);
  keep(link.interface_name, interface_of(socket));
  socklen_t length = sizeof link.segment;
  getsockopt(socket.fd(), IPPROTO_TCP, TCP_MAXSEG, &link.segment, &length);
  length = static_cast<socklen_t>(link.control.size() - 1);
  getsockopt(socket.fd(), IPPROTO_TCP, TCP_CONGESTION, link.control.data(), &length);
}

class NetworkProbe {
 public:
  NetworkProbe(const ProbeOptions& options, const NetworkEffort& effort)
      : options_(options), effort_(effort), set_(set_of(options, "network")) {}

  Result<MeasurementSet> run() {
    auto peer = parse_endpoint(options_.peer.empty() ? "127.0.0.1:0" : options_.peer);
    if (!peer.ok()) return peer.failure();
    if (peer.value().host.empty())
      return Failure{ExitCode::bad_input, "--peer \"" + options_.peer + "\" names no host",
                     "write HOST:PORT, such as node7:7000"};
    peer_ = peer.value();
    Socket listener;
    if (options_.peer.empty()) {
      auto own = listen_at(peer_);
      if (!own.ok()) return own.failure();
      listener = std::move(own).value();
      peer_.port = std::to_string(port_of(listener));
    }
    plan();
    const Shared<NetworkTally> tallies(runs_.size());
    const Shared<Link> link;
    // The server is process 1, where there is one; all measuring is done in process 0.
    const auto work = [&](std::size_t i) {
      if (i == 1) return serve_session(listener);
      listener = Socket();
      return measure(tallies, *link);
    };
    Watch watch = watch_of(options_);
    watch.limit_s = std::numeric_limits<double>::infinity();  // sockets give up by themselves
    watch.tick = [&] { tell_of(link->done); };
    const Bystanders others;  // one process measures all runs: what they saw is recorded for all
    if (auto failure = in_processes(listener.is_open() ? 2 : 1, work, watch)) return *failure;
    describe_link(*link);
    for (std::size_t i = 0; i < runs_.size(); ++i) record(i, tallies[i], link->loopback);
    others.note(set_.measurements);
    finish(set_);
    return std::move(set_);
  }

 private:
  void plan() {
    std::vector<PairCell> cells;
    for (const NetworkTask task : {NetworkTask::ping, NetworkTask::stream})
      for (const std::uint32_t size : effort_.sizes)
        for (const int streams : effort_.streams) cells.push_back({task, size, streams});
    turns_ = turns(cells.size(), effort_.repeats, options_.seed);
    for (const Turn& turn : turns_) runs_.push_back(cells[turn.cell]);
  }

  void tell_of(std::size_t done) {
    if (done < runs_.size())
      tell(options_, static_cast<double>(done) / static_cast<double>(runs_.size()),
           label(runs_[done]));
  }

  std::optional<Failure> measure(const Shared<NetworkTally>& tallies, Link& link) {
    const std::uint64_t token = std::random_device()() + (std::uint64_t{1} << 32U);
    const auto session = open_task(peer_, NetworkTask::session, token, 0);
    if (!session.ok()) return session.failure();
    describe(session.value(), link);
    for (std::size_t i = 0; i < runs_.size(); ++i, ++link.done)
      if (auto failure = run_streams(peer_, runs_[i].task, token, runs_[i].size, runs_[i].streams,
                                     effort_.run_s, tallies[i]))
        return failure;
    return std::nullopt;
  }

  void describe_link(const Link& link) {
    auto& facts = set_.environment;
    facts["tcp_segment"] = std::to_string(link.segment) + " B";
    facts["tcp_congestion_control"] = link.control.data();
    const std::string name = link.interface_name.data();
    if (!name.empty()) {
      facts["interface"] = name;
      const auto fact = [&](const char* file) {
        std::string text;
        std::ifstream("/sys/class/net/" + name + "/" + file) >> text;
        return text;
      };
      facts["interface_mtu"] = fact("mtu") + " B";
      if (const std::string speed = fact("speed"); !speed.empty() && speed != "-1")
        facts["interface_speed"] = speed + " Mb/s";
    }
    if (link.loopback) add_note(set_, "loopback: not a network calibration");
  }

  /// X = messages / (last end - first start), over all streams.
  void record(std::size_t run, const NetworkTally& tally, bool loopback) {
    const PairCell& cell = runs_[run];
    const double seconds = tally.ended_s - tally.began_s;
    Measurement m;
    m.subject = Subject::network;
    m.operation = cell.task == NetworkTask::ping ? "ping-pong" : "stream";
    m.path = "tcp";
    m.size = Bytes::from(cell.size, unit::B);
    m.processes = cell.streams;
    m.depth = cell.streams;
    m.duration = Seconds::from(seconds, unit::s);
    m.ops = OpRate::from(static_cast<double>(tally.messages) / seconds, unit::per_s);
    m.rate = Rate::from(static_cast<double>(tally.bytes) / seconds, unit::Bps);
    m.count = tally.messages;
    m.cores = tally.cpu_s / seconds;
    if (cell.task == NetworkTask::ping) {
      m.latency = tally.latencies.mean();
      m.quantiles = tally.latencies.quantiles();
      m.options["latency"] = "half a round trip";
      m.options["rate"] = "of both directions, which take turns";
    } else {
      m.options["rate"] = "from this host to the other, until all was read there";
    }
    if (tally.messages < kFew) m.flags.emplace_back("few-completions");
    if (loopback) m.flags.emplace_back("loopback");
    if (cell.streams > cores()) m.flags.emplace_back("more-streams-than-cores");
    m.origin = origin_of(turns_[run]);
    set_.measurements.push_back(std::move(m));
  }

  const ProbeOptions& options_;
  const NetworkEffort& effort_;
  MeasurementSet set_;
  Endpoint peer_;
  std::vector<Turn> turns_;
  std::vector<PairCell> runs_;  ///< of each turn
};

}  // namespace

NetworkEffort probing::network_effort(ProbeDepth depth) {
  NetworkEffort effort{.sizes = {64, 4096, 65536, 1U << 20U, 4U << 20U}, .streams = {1, 2, 4, 8}};
  if (depth == ProbeDepth::quick) effort.run_s = 0.2;
  if (depth == ProbeDepth::thorough)
    effort.repeats = 5, effort.run_s = 2.0,
    effort.sizes = {64, 512, 4096, 16384, 65536, 1U << 18U, 1U << 20U, 4U << 20U};
  return effort;
}

Result<MeasurementSet> probing::run_network(const ProbeOptions& options,
                                            const NetworkEffort& effort) {
  return NetworkProbe(options, effort).run();
}

Result<MeasurementSet> run_network_probe(const ProbeOptions& options) {
  return run_network(options, network_effort(options.depth));
}

std::optional<Failure> serve_network_probe(const ProbeOptions& options) {
  const auto at = parse_endpoint(options.listen);
  if (!at.ok()) return at.failure();
  const auto listener = listen_at(at.value());
  if (!listener.ok()) return listener.failure();
  if (options.progress)
    options.progress(0.0, "waiting at port " + std::to_string(port_of(listener.value())));
  Watch watch = watch_of(options);
  watch.limit_s = std::numeric_limits<double>::infinity();
  return in_processes(
      1, [&](std::size_t) { return serve_session(listener.value()); }, watch);
}

}  // namespace stallcast::calibration
