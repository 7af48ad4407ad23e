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
#include "models/storage/request_queues.hpp"
#include "models/storage/throttle.hpp"

namespace stallcast::models {

/// How the files of a device are cut and placed, and how its latencies spread.
struct FileLayout {
  std::int64_t servers = 1, stripe = 1;
  Bytes stripe_size = Bytes::infinity();
  bool random_placement = true;  ///< of a file's first server; otherwise files go round
  double jitter = 0.0;           ///< exponential share of latencies
  double depth = 1.0;            ///< requests one process keeps in flight
  double groups = 0.0;           ///< of files whose inodes are read at one time; 0: all are known
};

/// What reads and writes of files differ in.
struct RequestPath {
  ResponseParams law;             ///< of one request at its server
  bool latency_per_file = false;  ///< per file, not per request
  Bytes request;                  ///< most that is asked for at one time
  bool goes_on = false;           ///< where the read before ended, in its file
  std::optional<Rate> copy{};     ///< bytes a core of the process takes in, after each request
  RequestQueues* queues = nullptr;
  Throttle* limiter = nullptr;
  const Mix* mix = nullptr;  ///< of what is in `queues`
};

/// A device that serves files request by request: latency, limiter, queue of the file's server,
/// copy by the process, one after the other; the law "fifo".    [docs/models/measured.md, eq. 4 to
/// 6]
class FileQueue {
 public:
  /// `devices` such devices act alike: the processes that act together are spread over them.
  /// `name` and `seed` decide the draws.
  FileQueue(sim::Context& context, FileLayout layout, std::string name, std::uint64_t seed,
            double devices);

  /// Opens or creates `files` files per member: a queue of one server, then a delay of their own.
  [[nodiscard]] sim::Task<void> metadata(const Client& client, ResponseParams law, double files);
  /// Reads or writes `bytes` per member in `files` files. Files that were read in part before are
  /// read on first. Returns how long requests waited for the limiter.
  [[nodiscard]] sim::Task<Seconds> transfer_files(const Client& client, const RequestPath& path,
                                                  bool writes, Bytes bytes, double files);
  /// Groups whose inodes are read for the first time when `files` more files are opened.
  [[nodiscard]] double first_seen_groups(const Client& client, double files);
  /// `latency` of one more operation.
  [[nodiscard]] Seconds jittered(const Client& client, Seconds latency);
  [[nodiscard]] const sim::ServerQueue& opens() const { return opens_; }

 private:
  /// The file a process is in the middle of.
  struct OpenFile {
    double remaining = 0.0;  ///< part of it that is still to be transferred
    std::uint64_t server = 0;
    Bytes offset;  ///< from its start
  };
  struct Process {
    base::RandomStream jitter, placement, inodes;
    OpenFile reading{}, writing{};
  };
  Process& process_of(const Client& client);
  std::uint64_t place(Process& process);
  sim::Task<Seconds> transfer_part(const Client& client, const RequestPath& path, bool writes,
                                   OpenFile& file, Bytes bytes, bool streams,
                                   double files_per_batch);

  sim::Context* context_;
  FileLayout layout_;
  std::string name_;
  std::uint64_t seed_, next_ = 0;
  double devices_;
  sim::ServerQueue opens_;
  std::set<std::uint64_t> seen_groups_;  ///< groups whose inodes are known
  std::map<std::pair<std::uint64_t, std::uint64_t>, Process> processes_;
};

}  // namespace stallcast::models
