#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "calibration/measure/probes/latency.hpp"
#include "calibration/measure/probes/metadata.hpp"
#include "calibration/measure/probes/probe.hpp"
#include "calibration/measure/probes/probe_target.hpp"
#include "calibration/measure/probes/rows.hpp"
#include "calibration/measure/probes/scratch.hpp"
#include "calibration/measure/probes/turns.hpp"

/// Rates of creates, opens, stats, listings, renames and unlinks over clients:
/// docs/guide/probes.md.
namespace stallcast::calibration {
namespace {

using namespace probing;

/// In the order in which a client does them.
enum Phase : std::size_t {
  create,
  create_sync,
  open_close,
  stat_file,
  readdir_all,
  rename_file,
  kKept,
  unlink_file = kKept,
  kPhases
};
constexpr std::array<std::string_view, kPhases> kOperations{
    "create", "create_sync", "open", "stat", "readdir", "rename", "unlink"};

/// What one client did in one phase. Lives in shared memory.
struct PhaseTally {
  double began_s, ended_s;
  std::uint64_t operations;
  Latencies latencies;
};

/// Clients wait for each other here before every phase.
struct Gate {
  pthread_barrier_t barrier;
};

/// One process that does the phases on files of its own, in a folder of its own or of all.
class Client {
 public:
  Client(std::string folder, std::size_t id, const MetadataEffort& effort)
      : folder_(std::move(folder)), id_(id), effort_(effort) {}

  std::optional<Failure> run(Phase phase, PhaseTally& tally) {
    const std::size_t files = names_;
    tally.began_s = clock_s();
    for (std::size_t i = 0;; ++i) {
      const bool makes = phase == create || phase == create_sync;
      if (makes ? i >= effort_.most : (phase >= kKept && i >= files)) break;
      if (!makes && files == 0) break;
      const double before = clock_s();
      if (phase < kKept && long_enough(phase, i, before - tally.began_s)) break;
      const std::size_t done = one(phase, makes ? names_ : i % files);
      if (done == 0)
        return system_failure(std::string(kOperations[phase]) + " a file of the probe", errno,
                              errno == ENOSPC || errno == EDQUOT
                                  ? "is the file system full, out of inodes, or over the quota?"
                                  : "");
      if (makes) ++names_;
      tally.latencies.add(static_cast<std::uint64_t>(1e9 * (clock_s() - before)));
      tally.operations += done;
    }
    tally.ended_s = clock_s();
    return std::nullopt;
  }

 private:
  /// Unlinks end when nothing is left; all else after its time and enough operations.
  [[nodiscard]] bool long_enough(Phase phase, std::size_t done, double seconds) const {
    constexpr double kPatience = 10.0;  // times the length of a phase
    const std::size_t wanted = phase == readdir_all ? 3 : 200;
    return (seconds >= effort_.phase_s && done >= wanted) || seconds >= kPatience * effort_.phase_s;
  }

  /// "f<client>.<number>.<generation>": no name is ever used again.
  [[nodiscard]] std::string path(std::size_t i) const {
    const std::size_t generation = i < generations_.size() ? generations_[i] : 0;
    return folder_ + "/f" + std::to_string(id_) + "." + std::to_string(i) + "." +
           std::to_string(generation);
  }

  /// Operations done, 0 when it failed and errno says why.
  std::size_t one(Phase phase, std::size_t i) {
    const std::string name = path(i);
    switch (phase) {
      case create:
        return close_of(open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
      case create_sync:
        return synced(open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
      case open_close:
        return close_of(open(name.c_str(), O_RDONLY | O_CLOEXEC));
      case stat_file: {
        struct stat info {};
        return stat(name.c_str(), &info) == 0 ? 1 : 0;
      }
      case readdir_all:
        return entries();
      case rename_file: {
        generations_.resize(std::max(generations_.size(), i + 1));
        ++generations_[i];
        return std::rename(name.c_str(), path(i).c_str()) == 0 ? 1 : 0;
      }
      default:
        return unlink(name.c_str()) == 0 ? 1 : 0;
    }
  }

  static std::size_t close_of(int fd) { return fd >= 0 && close(fd) == 0 ? 1 : 0; }

  static std::size_t synced(int fd) {
    if (fd < 0) return 0;
    std::array<char, 4096> block{};
    const bool good = write(fd, block.data(), block.size()) == ssize_t{4096} && fsync(fd) == 0;
    const int reason = errno;
    close(fd);
    errno = reason;
    return good ? 1 : 0;
  }

  [[nodiscard]] std::size_t entries() const {
    DIR* all = opendir(folder_.c_str());
    if (all == nullptr) return 0;
    std::size_t count = 0;
    while (readdir(all) != nullptr) ++count;
    closedir(all);
    return count;
  }

  std::string folder_;
  std::size_t id_;
  const MetadataEffort& effort_;
  std::size_t names_ = 0;
  std::vector<std::size_t> generations_;
};

/// All phases once.
struct Run {
  int clients;
  bool shared;  ///< one folder for all of them
};

std::string label(const Run& run) {
  return "files of " + std::to_string(run.clients) + (run.clients == 1 ? " client" : " clients");
}

class MetadataProbe {
 public:
  MetadataProbe(const ProbeOptions& options, const MetadataEffort& effort)
      : options_(options), effort_(effort), set_(set_of(options, "metadata")) {}

  Result<MeasurementSet> run() {
    const Result<bool> device = is_allowed_device(options_);
    if (!device.ok()) return device.failure();
    auto scratch = scratch_of(options_, set_);
    if (!scratch.ok()) return scratch.failure();
    scratch_ = std::move(scratch).value();
    if (auto failure = check_room()) return *failure;
    // All of the first round happens before the first file is unlinked: creates after unlinks may
    // be slower for minutes (ext4 without a journal looks through inodes that were just freed).
    std::vector<Run> runs;
    for (const bool shared : {false, true})
      for (const int clients : effort_.clients) runs.push_back({clients, shared});
    for (const bool again : {false, true}) {
      if (again && !has_time()) break;
      if (auto failure = take_turns(
              options_, set_, runs.size(), again ? 1 : effort_.repeats,
              again ? Stretch{0.7, 1.0} : Stretch{0.0, 0.7},
              [&](std::size_t at) { return label(runs[at]); },
              [&](std::size_t at) { return measure(runs[at], again); },
              [&] { return again ? 0.0 : unlink_s(); }))
        return *failure;
      if (!again)
        if (auto failure = unlink_all()) return *failure;
    }
    judge_spread();
    finish(set_);
    return std::move(set_);
  }

 private:
  /// Whether the budget has time for one more run, as long as the longest yet.
  [[nodiscard]] bool has_time() const {
    return !options_.budget || options_.budget->ends.in(unit::s)-clock_s() > longest_s_;
  }

  /// What unlinking all that was made is likely to take: of 6,600 to 73,000 files on a disk of a
  /// virtual machine each took 0.3 to 0.5 of what one takes that is created and synced.
  [[nodiscard]] double unlink_s() const {
    constexpr double kOfSynced = 0.5;
    return synced_ > 0.0 ? kOfSynced * files_ * synced_s_ / synced_ : 0.0;
  }

  std::optional<Failure> check_room() {
    std::size_t clients = 0;
    for (const int n : effort_.clients) clients += static_cast<std::size_t>(n);
    // Two folders per count, two kinds of files, the repeats and the round after the unlinks. An
    // inode and a name are under 512 B; the half that is synced holds a block of 4 KiB too.
    room_ = static_cast<double>(4 * clients * (effort_.repeats + 1));
    const Bytes per_file = Bytes::from(2560.0 * room_, unit::B);
    if (options_.space > Bytes{})
      effort_.most = std::min(effort_.most, static_cast<std::size_t>(options_.space / per_file));
    if (effort_.most < 100)
      return Failure{ExitCode::bad_input, "the probe needs more space than --space gives it",
                     "100 files of every client are the least: say --space " +
                         std::to_string(1 + static_cast<int>((per_file * 100.0).in(unit::MiB))) +
                         "MiB"};
    room_ *= static_cast<double>(effort_.most);
    return check_space(space_at(scratch_->folder()), per_file * static_cast<double>(effort_.most));
  }

  std::optional<Failure> measure(const Run& run, bool again) {
    const auto [clients, shared] = run;
    const double began = clock_s();
    const auto n = static_cast<std::size_t>(clients);
    // A budget may have time for more rounds than there was room reckoned for.
    if (files_ + static_cast<double>(2 * n * effort_.most) > room_) return std::nullopt;
    const std::string top = scratch_->folder().string() + "/r" + std::to_string(runs_++);
    std::vector<std::string> folders;
    if (mkdir(top.c_str(), 0700) != 0) return system_failure("make a folder", errno);
    for (std::size_t i = 0; i < n; ++i) {
      folders.push_back(shared ? top : top + "/c" + std::to_string(i));
      if (!shared && mkdir(folders.back().c_str(), 0700) != 0)
        return system_failure("make a folder", errno);
    }
    const std::size_t last = again ? std::size_t{kPhases} : std::size_t{kKept};
    const Shared<PhaseTally> tallies(n * kPhases);
    const Shared<Gate> gate;
    start(*gate, clients);
    const auto work = [&](std::size_t id) -> std::optional<Failure> {
      Client client(folders[id], id, effort_);
      for (std::size_t phase = 0; phase < last; ++phase) {
        pthread_barrier_wait(&gate->barrier);
        if (auto failure = client.run(Phase(phase), tallies[id * kPhases + phase])) return failure;
      }
      return std::nullopt;
    };
    if (auto failure = in_processes(n, work, watch_of(options_))) return failure;
    for (std::size_t phase = 0; phase < last; ++phase) record(Phase(phase), run, again, tallies);
    longest_s_ = std::max(longest_s_, clock_s() - began);
    return std::nullopt;
  }

  static void start(Gate& gate, int clients) {
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&gate.barrier, &shared, static_cast<unsigned>(clients));
    pthread_barrierattr_destroy(&shared);
  }

  /// X = operations / (last end - first start), over all clients.
  void record(Phase phase, const Run& run, bool again, const Shared<PhaseTally>& tallies) {
    const auto [clients, shared] = run;
    double began = 0.0, ended = 0.0, operations = 0.0;
    Latencies latencies{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(clients); ++i) {
      const PhaseTally& tally = tallies[i * kPhases + phase];
      began = i == 0 ? tally.began_s : std::min(began, tally.began_s);
      ended = std::max(ended, tally.ended_s);
      operations += static_cast<double>(tally.operations);
      latencies.merge(tally.latencies);
    }
    if (operations <= 0.0 || ended <= began) return;
    if (phase == create || phase == create_sync) files_ += operations;
    if (phase == create_sync) {
      synced_ += operations;
      synced_s_ += operations * latencies.mean().in(unit::s);
    }
    Measurement m;
    m.subject = Subject::metadata;
    m.operation = kOperations[phase];
    m.pattern = shared ? "one-folder" : "";
    // Unlinks follow unlinks anyway; everything else is told apart from its first round.
    if (again && phase != unlink_file) m.path = "after-unlinks";
    if (phase == create_sync) m.size = Bytes::from(4.0, unit::KiB);
    m.processes = clients;
    m.depth = clients;
    m.ops = OpRate::from(operations / (ended - began), unit::per_s);
    m.duration = Seconds::from(ended - began, unit::s);
    m.count = static_cast<std::uint64_t>(operations);
    if (phase != readdir_all) {
      m.latency = latencies.mean();
      m.quantiles = latencies.quantiles();
    } else {
      m.figures["entries_per_listing"] =
          operations / static_cast<double>(std::max<std::uint64_t>(1, latencies.count()));
    }
    if (m.count < 200) m.flags.emplace_back("few-completions");
    if (phase == open_close || phase == stat_file) m.flags.emplace_back("client-cache-possible");
    if (clients > cores()) m.flags.emplace_back("more-clients-than-cores");
    m.origin = "after the rounds";  // take_turns() knows better of all but those unlinks
    m.options["folders"] = shared ? "one for all clients" : "one per client";
    m.options["names"] =
        again ? "never used before, after unlinks" : "never used before, nothing unlinked before";
    set_.measurements.push_back(std::move(m));
  }

  /// Removes what the first round made, one client per folder, and takes the time.
  std::optional<Failure> unlink_all() {
    std::vector<std::string> folders;
    std::error_code error;
    using Walk = std::filesystem::recursive_directory_iterator;
    for (const auto& entry : Walk(scratch_->folder(), error))
      if (entry.is_directory(error)) folders.push_back(entry.path().string());
    const Shared<PhaseTally> tallies(kPhases);
    const auto work = [&](std::size_t) -> std::optional<Failure> {
      PhaseTally& tally = tallies[unlink_file];
      tally.began_s = clock_s();
      for (const std::string& folder : folders) {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
          if (!entry.is_directory()) names.push_back(entry.path().string());
        for (const std::string& name : names) {
          const double before = clock_s();
          if (unlink(name.c_str()) != 0) return system_failure("unlink a file of the probe", errno);
          tally.latencies.add(static_cast<std::uint64_t>(1e9 * (clock_s() - before)));
          ++tally.operations;
        }
      }
      tally.ended_s = clock_s();
      return std::nullopt;
    };
    if (auto failure = in_processes(1, work, watch_of(options_))) return failure;
    record(unlink_file, {1, false}, true, tallies);
    files_ = 0.0;
    return std::nullopt;
  }

  // A rate that its own repeats put a factor of three apart is a range, not a value.
  void judge_spread() {
    constexpr double kRange = 3.0;
    std::map<std::string, std::vector<Measurement*>> cells;
    for (Measurement& m : set_.measurements)
      cells[m.operation + "," + m.pattern + "," + m.path + "," + std::to_string(m.processes)]
          .push_back(&m);
    for (auto& [key, runs] : cells) {
      const auto [low, high] = std::minmax_element(
          runs.begin(), runs.end(), [](auto* a, auto* b) { return a->ops < b->ops; });
      if ((*high)->ops > (*low)->ops * kRange)
        for (Measurement* m : runs) m->flags.emplace_back("range");
    }
  }

  const ProbeOptions& options_;
  MetadataEffort effort_;
  MeasurementSet set_;
  std::unique_ptr<Scratch> scratch_;
  std::size_t runs_ = 0;
  double longest_s_ = 0.0;                ///< of a run
  double files_ = 0.0, room_ = 0.0;       ///< made and still there, and how many may be
  double synced_ = 0.0, synced_s_ = 0.0;  ///< of them, synced; and what those took, one by one
};

}  // namespace

MetadataEffort probing::metadata_effort(ProbeDepth depth) {
  MetadataEffort effort;
  const int largest = depth == ProbeDepth::quick ? 2 * cores() : 4 * cores();
  for (int n = 1; n < largest; n *= 2) effort.clients.push_back(n);
  effort.clients.push_back(largest);
  if (effort.clients.size() < 4) effort.clients = {1, 2, 3, 4};
  if (depth == ProbeDepth::quick) effort.phase_s = 0.15, effort.most = 2000;
  if (depth == ProbeDepth::thorough) effort.repeats = 5, effort.phase_s = 2.0, effort.most = 20000;
  return effort;
}

Result<MeasurementSet> probing::run_metadata(const ProbeOptions& options,
                                             const MetadataEffort& effort) {
  return MetadataProbe(options, effort).run();
}

Result<MeasurementSet> run_metadata_probe(const ProbeOptions& options) {
  MetadataEffort effort = metadata_effort(options.budget ? ProbeDepth::quick : options.depth);
  // In little time so many files that they are gone in time, too.
  constexpr double kLeast = 200.0, kOfSecond = 25.0;
  if (options.budget)
    effort.most = static_cast<std::size_t>(std::clamp(
        kOfSecond * options.budget->length.in(unit::s), kLeast, static_cast<double>(effort.most)));
  return run_metadata(options, effort);
}

}  // namespace stallcast::calibration
