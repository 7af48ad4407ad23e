#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/measure/importers/tool_json.hpp"
#include "stallcast/units.hpp"

/// Entries of fio's JSON as jobs, and what their options mean. [fio HOWTO]
namespace stallcast::calibration::fio {

using Options = std::map<std::string, std::string>;

struct Job {
  ToolNode node;
  std::string name;
  Options options;   ///< of [global], overridden by the job's
  std::string host;  ///< and port, of client and server mode; "" else
  double group = 0.0;
  bool of_fio_2 = false;  ///< bytes are KiB there, and times microseconds

  /// Bytes of a direction.
  [[nodiscard]] double moved(const ToolNode& side) const {
    return side.number("io_bytes").value_or(0.0) * (of_fio_2 ? 1024.0 : 1.0);
  }
  /// "lat" or "clat" of a direction, and the unit of its times.
  [[nodiscard]] ToolNode times(const ToolNode& side, const std::string& name) const {
    return side.at(of_fio_2 ? name : name + "_ns");
  }
  [[nodiscard]] Seconds tick() const { return Seconds::from(1.0, of_fio_2 ? unit::us : unit::ns); }
};

[[nodiscard]] std::string option(const Options& options, std::initializer_list<const char*> names,
                                 const char* otherwise);
/// "16", "1k": 1024.
[[nodiscard]] double number_option(const Options& options, const char* name, double otherwise);
/// Whether a flag is set; one that is named without a value is.
[[nodiscard]] bool is_set(const Options& options, std::initializer_list<const char*> names);
[[nodiscard]] std::string engine_of(const Options& options);
/// Does each process hold one operation, whatever iodepth says?
[[nodiscard]] bool is_synchronous(const std::string& engine);
/// What an engine that moves no data does with each file: "create"; "" of all others.
[[nodiscard]] std::string file_operation(const std::string& engine);
/// Does the job move its data from or to no storage (ioengine null, a file of /dev/shm)?
[[nodiscard]] bool is_without_storage(const Options& options);
/// Is there an option that keeps the queue from being full?
[[nodiscard]] bool is_paced(const Options& options);
/// Block size of a direction (0 read, 1 write, 2 trim); nothing where it varies.
[[nodiscard]] std::optional<Bytes> block_size(const Options& options, std::size_t direction);
/// "read", "randrw": what the job does.
[[nodiscard]] std::string kind_of(const Options& options);
[[nodiscard]] std::string pattern_of(const Options& options);
/// Does the job both read and write (rw=randrw)?
[[nodiscard]] bool reads_and_writes(const Options& options);
/// Of the operations, by the options.
[[nodiscard]] double share_of_reads(const Options& options);
/// How many times as long the longest of processes ran as the shortest.
[[nodiscard]] double unevenness(const std::vector<Job>& entries);
/// Does the job read back what it has written (verify)?
[[nodiscard]] bool reads_back(const Options& options);
/// Processes on each host.
[[nodiscard]] double asked_of(const Job& job);

/// Is the job the only one at its time? One for each of `jobs`, in their order.
[[nodiscard]] std::vector<bool> alone(const std::vector<std::vector<Job>>& jobs);

/// Is `later` another state of the run that `earlier` is of (--status-interval)?
[[nodiscard]] bool goes_on(const ToolNode& earlier, const ToolNode& later);

}  // namespace stallcast::calibration::fio
