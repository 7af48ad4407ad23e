#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/units.hpp"

/// The probe files of a ground-truth grid: what was measured of a machine and its stores before any
/// training. One folder holds cpu.json and dataset.json, and per store fio_STORE.json and
/// file_STORE.json.                                                    [docs/calibration-grid.md]
namespace stallcast::calibration::grid {

/// One fio run of `jobs` processes, each with one request outstanding.
struct FioRun {
  std::string tag;    ///< "randread", "seqread-buffered", "write-fsync"
  std::string block;  ///< as fio writes it: "64k"
  int jobs = 0;
  Rate rate;
  OpRate operations;
  Seconds mean, deviation;                ///< of the latency
  std::map<double, Seconds> percentiles;  ///< of the latency; 50.0 is the median
  [[nodiscard]] Seconds at(double percentile) const;
};

/// `readers` processes that open and read whole cold files of one format.
struct FileRun {
  std::string format;
  int readers = 0;
  double files = 0.0;
  OpRate files_per_s;
  Seconds open, read;   ///< means of one open, of one read
  Seconds read_median;  ///< p50 of reads
  double cores = 0.0;   ///< CPU time of the readers over wall time
  /// CPU time of one file.
  [[nodiscard]] Seconds cpu() const;
};

/// A data set that formats name.
struct DataSet {
  double files = 0.0;
  Bytes mean;
  std::vector<Bytes> sizes;  ///< of files, in their order; one entry where all are alike
};

/// Probes of one store. `need_*` report what is missing, once each, and then return zeros.
class StoreProbe {
 public:
  std::string name;
  std::string fio_file, files_file;  ///< for messages
  std::vector<FioRun> fio;
  std::vector<FileRun> runs;

  [[nodiscard]] const FioRun& need_fio(std::string_view tag, std::string_view block, int jobs,
                                       Diagnostics& faults) const;
  [[nodiscard]] const FileRun* find(std::string_view format, int readers) const;
  [[nodiscard]] const FileRun& need(std::string_view format, int readers,
                                    Diagnostics& faults) const;
};

/// cpu.json: named costs, each a few named numbers.
class CpuProbe {
 public:
  std::string file;
  std::map<std::string, std::map<std::string, double, std::less<>>, std::less<>> costs;
  std::map<std::string, std::vector<double>> repeats;  ///< second number of each of "all"
  double cores = 0.0;                                  ///< of the machine

  /// Reports a cost that is missing and returns 0.
  [[nodiscard]] double need(std::string_view cost, std::string_view key, Diagnostics& faults) const;
};

/// All of a folder that a table needs.
struct ProbeFiles {
  CpuProbe cpu;
  std::map<std::string, DataSet> data;  ///< by format
  std::map<std::string, StoreProbe> stores;
  /// Kept apart from `data` for messages.
  std::string data_file;
};

/// Names of the stores that `folder` has probes of, sorted.
[[nodiscard]] std::vector<std::string> probed_stores(const std::string& folder);

/// Reads cpu.json, dataset.json and the files of `stores` in `folder`. A file that is missing or
/// wrong is an error that names it. Other stores in the folder are read too, where they can be:
/// what is the same everywhere is taken from all.
[[nodiscard]] ProbeFiles read_probes(const std::string& folder,
                                     const std::vector<std::string>& stores,
                                     Diagnostics& diagnostics);

}  // namespace stallcast::calibration::grid
