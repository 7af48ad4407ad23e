#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "calibration/observe/meetings.hpp"
#include "calibration/observe/tally.hpp"
#include "stallcast/observation.hpp"
#include "stallcast/operation_stream.hpp"

namespace stallcast::calibration {

/// Makes names unreadable unless they were asked for: "fd2a84f4b8b65.npz", the end of the name (up
/// to eight letters and digits) stays. The same name gives the same word, in every observation.
class NameKeeper {
 public:
  explicit NameKeeper(bool keep) : keep_(keep) {}
  /// "" stays "".
  [[nodiscard]] std::string file(std::string_view name) const { return name_of(name, 'f', true); }
  [[nodiscard]] std::string host(std::string_view name) const { return name_of(name, 'h', false); }
  [[nodiscard]] std::string mount(std::string_view name) const { return name_of(name, 'm', false); }

 private:
  [[nodiscard]] std::string name_of(std::string_view name, char kind, bool ending) const;
  bool keep_;
};

/// A stable number other than 0 for the name of a file.
[[nodiscard]] std::uint64_t file_id(std::string_view name);

/// Counts what the readers of traces see into one observation, in bounded memory: distributions
/// keep kReservoir values, the tables of files, positions and processes stop at their bounds and
/// say so.
class ObservationBuilder {
 public:
  explicit ObservationBuilder(bool keep_names) : names(keep_names) {}

  /// What the next records are of begins at `began` (since 1970); nothing: not known.
  void begin(std::optional<Seconds> began);
  /// `file` may be nullptr.
  void operation(const Operation& op, const TracedFile* file);
  /// A record of `rank` that is no operation: its process was there from `start` to `end`.
  void seen(std::int64_t rank, std::int64_t thread, Seconds start, Seconds end);
  /// What is known of a process; makes its row.
  ObservedProcess& process(std::int64_t rank);
  void collective(std::string_view operation, std::optional<Seconds> time,
                  std::optional<Bytes> bytes);
  void note(std::string text) { notes_.insert(std::move(text)); }

  /// The observation, with all that is absent in `missing`. Once only.
  [[nodiscard]] Observation finish();

  NameKeeper names;
  /// Filled in by readers where a format says more than its records.
  Observation known;
  SecondsTally step, wait, compute, first_batch;
  Meetings meetings;  ///< of steps that are not in `step`
  SecondsTally sample_wall, sample_cpu;
  BytesTally sample_bytes, batch_bytes;
  SecondsTally save_time, load_time, save_period;
  OpsTally save_steps;

 private:
  struct FileRow {
    std::string name;
    std::string mount;
    double extent = 0.0, read = 0.0, written = 0.0;
    std::uint64_t operations = 0;
    bool was_read = false, was_written = false;
  };
  struct Transfers {
    std::uint64_t operations = 0, failed = 0, timed = 0, sequential = 0, random = 0, files = 0;
    SecondsTally latency;
    BytesTally size;
    double bytes = 0.0, time = 0.0;
    std::map<double, SizeBucket> sizes;
  };
  struct Metadata {
    std::uint64_t count = 0, failed = 0, timed = 0;
    double time = 0.0;
    SecondsTally latency;
  };
  struct Collective {
    std::uint64_t count = 0;
    SecondsTally latency;
    std::optional<double> bytes;
  };

  void transfer(const Operation& op);
  void metadata(const Operation& op);
  FileRow* file_row(const Operation& op, const TracedFile* file);
  void mount(const Operation& op, const TracedFile& file, bool fresh);
  void place(Transfers& to, const Operation& op);
  void finish_transfers(std::optional<ObservedTransfers>& out, Transfers& from) const;
  void finish_files(Observation& out);
  void finish_steps(Observation& out) const;
  void finish_times(Observation& out);

  std::optional<double> origin_;  ///< since 1970, of the first file
  double shift_ = 0.0;            ///< from times of this file to those of the first
  std::optional<double> first_, last_;
  bool dated_ = true;  ///< every file had a calendar

  Transfers reads_, writes_;
  std::map<OperationKind, Metadata> metadata_;
  std::map<std::string, Collective, std::less<>> collectives_;
  std::unordered_map<std::uint64_t, FileRow> files_;
  std::uint64_t untracked_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> positions_;
  std::map<std::string, ObservedMount, std::less<>> mounts_;
  std::unordered_map<std::int64_t, ObservedProcess> processes_;
  std::unordered_set<std::int64_t> folded_;
  ObservedProcess beyond_;  ///< stands for processes beyond the bound
  std::unordered_set<std::uint64_t> threads_;
  std::set<std::string> notes_;
  std::uint64_t operations_ = 0;
};

}  // namespace stallcast::calibration
