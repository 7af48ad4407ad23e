#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/measure/csv.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/units.hpp"

/// One configuration of a ground-truth grid, as the columns of its table give it.
namespace stallcast::calibration::grid {

struct GridRow {
  std::string id, group;
  std::string store;             ///< of the probe files file_STORE.json, fio_STORE.json
  std::string format;            ///< of dataset.json
  Position store_at, format_at;  ///< of their cells
  int batch = 1, workers = 0, prefetch = 2, ranks = 1;
  int steps = 1, epochs = 1;  ///< steps of an epoch
  Seconds compute;            ///< mean
  double compute_cv = 0.0;
  Seconds augment;     ///< CPU time of a sample besides decode
  double files = 0.0;  ///< used of the data set; 0: all
  Bytes memory;        ///< limit that includes the page cache; 0: none
  bool warm = false;   ///< all is cached before the first step
  bool persistent = true;
  std::string save = "none";  ///< none, sync, async, sync-torch, async-torch
  Bytes save_size;
  int save_every = 1;  ///< steps

  /// What was measured, where the cells are filled in. Never read for a prediction.
  std::optional<double> au, step_ms, first_batch_ms, ckpt_stall_s;

  [[nodiscard]] bool saves() const { return save != "none"; }
  [[nodiscard]] bool async() const { return save.starts_with("async"); }
  [[nodiscard]] bool torch() const { return save.ends_with("torch"); }
};

/// All rows. Columns that are missing, cells that are empty or no number, and choices that are
/// unknown are errors at their line and column; only measured columns may be empty or absent.
[[nodiscard]] std::vector<GridRow> read_rows(const CsvTable& table, Diagnostics& diagnostics);

}  // namespace stallcast::calibration::grid
