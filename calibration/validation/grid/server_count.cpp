#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "calibration/validation/grid/store_fit.hpp"
#include "engine/base/random.hpp"

/// How many servers a remote store has: seen only in how readers hinder each other.
namespace stallcast::calibration::grid {
namespace {

using namespace literals;

constexpr Bytes kStripe = 1_MiB;
constexpr int kMostServers = 8;
constexpr std::array<int, 3> kReaders = {2, 4, 8};
constexpr std::uint64_t kSeeds = 16;
/// As long as the probes took.
constexpr Seconds kLength = Seconds::from(2.5, unit::s);
/// A format tells of the servers when 8 of them serve 8 readers this much faster than 3.
constexpr double kTells = 1.1;

/// One reader and the next thing it does.
struct Turn {
  Seconds at;
  int reader = 0;
  friend bool operator>(const Turn& a, const Turn& b) {
    return std::pair(a.at, a.reader) > std::pair(b.at, b.reader);
  }
};

struct Progress {
  int first = -1;  ///< server of the first stripe; -1 before an open
  Bytes left;      ///< of the file
};

/// Mean |ln(simulated / probed)| over readers; simulated rates by readers in `rates`.
double misfit_of(const RemoteStore& store, const StoreProbe& probe, const std::string& format,
                 const DataSet& data, std::array<double, 3>& rates) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kReaders.size(); ++i) {
    rates[i] = 0.0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
      rates[i] += simulate_readers(store, data.mean, store.cpu.at(format),
                                   static_cast<int>(data.files), kReaders[i], seed)
                      .in(unit::per_s) /
                  static_cast<double>(kSeeds);
    const FileRun* run = probe.find(format, kReaders[i]);
    sum += std::abs(std::log(rates[i] / run->files_per_s.in(unit::per_s)));
  }
  return sum / static_cast<double>(kReaders.size());
}

bool probed(const StoreProbe& probe, const std::string& format) {
  return std::all_of(kReaders.begin(), kReaders.end(),
                     [&](int n) { return probe.find(format, n) != nullptr; });
}

}  // namespace

OpRate simulate_readers(const RemoteStore& store, Bytes size, Seconds cpu, int files, int readers,
                        std::uint64_t seed) {
  base::RandomStream random(seed, "probe", "readers");
  // t (1 - J + J Exp(1))                                       [docs/calibration-grid.md, eq. 9]
  const double jitter = store.jitter.in(unit::ratio);
  const auto jittered = [&](Seconds t) {
    return t * (1.0 - jitter - jitter * std::log1p(-random.uniform()));
  };
  const bool one_request = size <= kRequest;
  const Rate rate = one_request ? store.rate : store.stream;
  std::vector<Seconds> free(static_cast<std::size_t>(store.servers));
  std::vector<Progress> state(static_cast<std::size_t>(readers));
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (int r = 0; r < readers; ++r) turns.push({Seconds{}, r});
  Seconds line, end;  // of opens; of the last read
  int begun = 0, done = 0;
  while (!turns.empty()) {
    Turn turn = turns.top();
    turns.pop();
    Progress& reader = state[static_cast<std::size_t>(turn.reader)];
    if (reader.first < 0) {
      if (begun >= files || turn.at >= kLength) continue;
      ++begun;
      line = std::max(line, turn.at) + jittered(store.open_serial);
      Seconds latency = jittered(store.latency);
      if (one_request) latency = std::max(latency - cpu, Seconds{});
      turn.at = line + jittered(store.open_private) + latency;
      reader = {static_cast<int>(random.below(static_cast<std::uint64_t>(store.servers))), size};
    } else {
      const auto stripe = static_cast<int>((size - reader.left) / kStripe) % store.stripe;
      Seconds& server = free[static_cast<std::size_t>((reader.first + stripe) % store.servers)];
      const Bytes piece = std::min(reader.left, kRequest);
      server = std::max(server, turn.at) + piece / rate;
      turn.at = server;
      reader.left -= piece;
      if (reader.left <= Bytes{}) {
        if (one_request) turn.at += cpu;
        reader.first = -1;
        ++done;
        end = std::max(end, turn.at);
      }
    }
    turns.push(turn);
  }
  return Ops::from(done, unit::ops) / end;
}

void fit_servers(const ProbeFiles& probes, const StoreProbe& probe, RemoteStore& store) {
  // Which formats tell: files of one request and whole samples before shards, where what a worker
  // reads ahead blurs it.
  std::vector<std::string> telling;
  for (const char* const format : {"raw128k", "npz4m"}) {
    if (!probed(probe, format)) continue;
    std::array<double, 3> few{}, many{};
    RemoteStore trial = store;
    trial.servers = 3;
    (void)misfit_of(trial, probe, format, probes.data.at(format), few);
    trial.servers = kMostServers;
    (void)misfit_of(trial, probe, format, probes.data.at(format), many);
    if (many[2] > kTells * few[2]) telling.emplace_back(format);
  }
  if (telling.empty() && probed(probe, "tar")) telling.emplace_back("tar");
  store.servers = 1;
  store.misfit = 0.0;
  bool first = true;
  for (int servers = 2; servers <= kMostServers && !telling.empty(); ++servers) {
    RemoteStore trial = store;
    trial.servers = servers;
    double misfit = 0.0;
    std::array<double, 3> rates{};
    for (const std::string& format : telling)
      misfit += misfit_of(trial, probe, format, probes.data.at(format), rates) /
                static_cast<double>(telling.size());
    if (!first && misfit >= store.misfit) continue;
    first = false;
    store.servers = servers;
    store.misfit = misfit;
  }
}

}  // namespace stallcast::calibration::grid
