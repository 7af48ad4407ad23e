#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/mlperf/workload.hpp"

/// A row of published results: what was run on what, apart from what came out of it.
namespace stallcast::calibration::mlperf {

/// Read rates that data sheets give; infinite where they say nothing.
struct DataSheet {
  Rate client_nic = Rate::infinity();   ///< all NICs of one client host
  Rate storage_nic = Rate::infinity();  ///< all NICs of the storage
  Rate drives = Rate::infinity();       ///< all drives
  Rate stated = Rate::infinity();       ///< the vendor's figure for the whole
};

/// What a search may know: no count of accelerators, and nothing that follows from one (steps,
/// files and bytes of the data set).
struct System {
  std::string key;  ///< "iei_amd"
  const Workload* workload = nullptr;
  Seconds compute;            ///< of a step
  double hosts = 1.0;         ///< clients
  double read_threads = 1.0;  ///< per rank
  double prefetch = 2.0;      ///< `prefetch_size`
  Bytes memory;               ///< of a client
  double cpu_threads = 1.0;   ///< hardware threads of a client
  bool barrier = true;        ///< ranks wait for each other after every step
  DataSheet sheet;

  /// Bytes of all accelerators' batches per second at full speed.
  [[nodiscard]] Rate demand(double accelerators) const {
    return workload->batch_bytes() / compute * accelerators;
  }
};

/// What came out; nullopt where the table is empty.
struct Results {
  std::optional<double> au;             ///< mean over runs and epochs
  std::optional<Seconds> first_step;    ///< mean over epochs
  std::optional<Seconds> first_step_1;  ///< of epoch 1
  std::optional<Rate> rate;             ///< delivered
};

struct Submission {
  std::string id;           ///< `case_id`
  std::string calibration;  ///< `calibration_case`
  std::string accelerator;  ///< "h100"
  System system;
  std::optional<double> accelerators;  ///< submitted
  std::optional<double> steps;         ///< of an epoch
  std::optional<bool> edge;            ///< the submitter stopped near the limit
  Results results;
  std::vector<std::string> notes;  ///< how odd cells were read
};

/// The columns without which nothing can be said. Where others lack, their cells count as empty.
[[nodiscard]] const std::vector<std::string>& required_columns();

/// Reads row `row` of a table in the layout of v1.0. Cells that must be numbers and are not are
/// errors; an unknown workload or accelerator is a warning and nullopt. Facts written by hand
/// ("32 (cgroup limit)") count by their leading number, with a note.
[[nodiscard]] std::optional<Submission> read_submission(const CsvTable& table, std::size_t row,
                                                        Diagnostics& diagnostics);

}  // namespace stallcast::calibration::mlperf
