#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/base/random.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/resources.hpp"
#include "models/contract/storage.hpp"
#include "models/storage/fitted_station.hpp"
#include "models/storage/request_lines.hpp"
#include "models/storage/throttle.hpp"

namespace stallcast::models {

/// How the files of a device are cut and placed, and how its latencies spread.
struct FileLayout {
  std::int64_t servers = 1, stripe = 1;
  Bytes stripe_size = Bytes::infinity();
  bool drawn = true;    ///< a file's first server is drawn; otherwise files take turns
  double jitter = 0.0;  ///< exponential share of latencies
  double depth = 1.0;   ///< requests one process keeps in flight
  double groups = 0.0;  ///< of files whose inodes are read at one time; 0: all are known
};

/// What reads and writes of files differ in.
struct FileWay {
  ResponseParams law;          ///< of one request at its server
  bool latency_once = false;   ///< per file, not per request
  Bytes request;               ///< most that is asked for at one time
  std::optional<Rate> copy{};  ///< bytes a core of the process takes in, after each request
  RequestLines* lines = nullptr;
  Throttle* limit = nullptr;
  const Mix* mix = nullptr;  ///< of what is in `lines`
};

/// A device that serves files request by request: latency, limiter, line of the file's server, copy
/// by the process, one after the other; the law "fifo".    [docs/models/measured.md, eq. 4 to 6]
class FileQueue {
 public:
  /// `devices` such devices act alike: the processes that act together are spread over them.
  /// `name` and `seed` decide the draws.
  FileQueue(sim::Context& context, FileLayout layout, std::string name, std::uint64_t seed,
            double devices);

  /// Opens or creates `files` files per member: a line of one server, then a delay of their own.
  [[nodiscard]] sim::Task<void> metadata(const Client& client, ResponseParams law, double files);
  /// Reads or writes `bytes` per member in `files` files. Files that were read in part before are
  /// read on first. Returns how long requests waited for the limiter.
  [[nodiscard]] sim::Task<Seconds> move(const Client& client, const FileWay& way, bool writes,
                                        Bytes bytes, double files);
  /// Groups whose inodes are read for the first time when `files` more files are opened.
  [[nodiscard]] double newly_met(const Client& client, double files);
  /// `latency` of one more operation.
  [[nodiscard]] Seconds drawn(const Client& client, Seconds latency);
  [[nodiscard]] const sim::ServerQueue& opens() const { return opens_; }

 private:
  /// The file a process is in the middle of.
  struct OpenFile {
    double left = 0.0;  ///< part of it
    std::uint64_t server = 0;
    Bytes at;
  };
  struct Process {
    base::RandomStream jitter, placement, inodes;
    OpenFile reading{}, writing{};
  };
  Process& process_of(const Client& client);
  std::uint64_t place(Process& process);
  sim::Task<Seconds> part_of(const Client& client, const FileWay& way, OpenFile& file, Bytes bytes,
                             bool streams, double times);

  sim::Context* context_;
  FileLayout layout_;
  std::string name_;
  std::uint64_t seed_, next_ = 0;
  double devices_;
  sim::ServerQueue opens_;
  std::set<std::uint64_t> met_;  ///< groups whose inodes are known
  std::map<std::pair<std::uint64_t, std::uint64_t>, Process> processes_;
};

}  // namespace stallcast::models
