#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/units.hpp"

/// What probes and other tools measured, in one form: base units whatever the tool printed, one
/// record per run of one cell. Written by probes, read from other tools' files by the importers of
/// calibration/measure/importers, fitted by calibration/fit.
namespace stallcast {

/// What a record is about; it decides which fits read it.
enum class Subject {
  io,          ///< reads and writes of files or block devices
  metadata,    ///< creates, opens, stats, renames, ...
  memory,      ///< copies in DRAM and between host and accelerator, checksums
  gds,         ///< reads into accelerator memory, by path
  network,     ///< messages between two hosts
  collective,  ///< NCCL operations
  loader,      ///< a loader's own costs per sample or batch
  training,    ///< a whole training run: utilization, samples/s
  checkpoint   ///< whole saves and restores
};

/// "io", "metadata", ...
[[nodiscard]] inline std::string_view name_of(Subject subject) {
  constexpr std::array<std::string_view, 9> kNames{"io",     "metadata", "memory",
                                                   "gds",    "network",  "collective",
                                                   "loader", "training", "checkpoint"};
  return kNames[static_cast<std::size_t>(subject)];
}

/// One run of one cell. What a tool does not say stays at its empty value: nothing is guessed.
struct Measurement {
  Subject subject = Subject::io;
  /// "read", "write", "create", "stat", "memcpy", "h2d", "allreduce", ...
  std::string operation;
  std::string pattern;  ///< "random", "sequential", "" where it has no meaning
  std::string path;     ///< way the data took: "p2p", "nvidia-fs", "compat", "pinned", ...
  Bytes size;           ///< of one operation; 0 when it carries no data
  std::optional<double> read_share;  ///< of the operations, where reads and writes are mixed
  std::int64_t processes = 0;        ///< or threads, or clients: who issues operations; 0: not said
  double depth = 0.0;                ///< operations outstanding, over all processes; 0: not said
  std::optional<bool> direct;        ///< past the page cache (O_DIRECT)

  Rate rate;                            ///< bytes moved per second; 0 when not said
  OpRate ops;                           ///< operations completed per second; 0 when not said
  std::optional<Seconds> latency;       ///< mean, from submitting to completion
  std::map<double, Seconds> quantiles;  ///< of the latency: 0.5, 0.99, ...
  std::uint64_t count = 0;              ///< operations completed in the run; 0 when not said
  std::vector<double> rate_series;      ///< B/s of each second of the run, where it was watched
  std::optional<Seconds> duration;      ///< of the run
  std::optional<double> cores;          ///< CPU cores kept busy on the measuring host
  /// Figures with no place above, named with their unit: "au_ratio", "decode_s".
  std::map<std::string, double> figures;

  /// What makes the record doubtful: "few-completions", "host-cache-possible", "cached".
  std::vector<std::string> flags;
  std::string origin;  ///< where in the file: "jobs[0].read", "line 12"
  /// Whatever else was recorded: buffer kind, io engine, stripe settings, mount options.
  std::map<std::string, std::string> options;

  /// Of reads and writes at one time.
  [[nodiscard]] bool is_mix() const { return read_share && *read_share > 0.0 && *read_share < 1.0; }
};

/// Everything that one file holds.
struct MeasurementSet {
  std::string tool;          ///< "stallcast probe io", "fio"
  std::string tool_version;  ///< "" when the file does not say
  std::string file;          ///< as it was opened
  std::string sha256;        ///< of the file's bytes
  std::string date;          ///< of the run, ISO 8601; "" when the file does not say
  /// Machine, kernel, mount, drive, options of the whole run.
  std::map<std::string, std::string> environment;
  std::vector<Measurement> measurements;
  std::vector<std::string> ignored;  ///< fields of the file that no one reads
};

}  // namespace stallcast
