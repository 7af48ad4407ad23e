#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stallcast::calibration::live {

/// What a value in a side file is of. Numbers as in hooks/*.py; seconds and bytes.
enum class SideKind : int {
  wait = 1,      ///< for a batch
  interval = 2,  ///< from asking for a batch to asking for the next
  first_batch = 3,
  batch_bytes = 4,
  step = 5,
  step_wait = 6,
  step_compute = 7,
  between = 8,  ///< the interval less the wait
  step_batches = 9,
  sample_wall = 10,
  sample_cpu = 11,
  sample_read = 12,  ///< bytes that its calls moved
  sample_files = 13,
  sample_delay = 14,    ///< ready to run, with no core to run on
  sample_fetched = 15,  ///< bytes that the kernel fetched for it
  collate = 16,
  collate_cpu = 17,
  step_gpu = 18,   ///< from when the GPU had a batch to when it had done what came with it
  batch_gpu = 19,  ///< the same, where batches are steps
  save = 20,
  save_bytes = 21,
  save_files = 22,
  save_period = 23,
  save_steps = 24,
  load = 25,
  load_bytes = 26,
  first_compute = 27,  ///< step_compute of the first step of the process
  first_between = 28   ///< the same, where batches are steps
};

/// Values of one kind of one loader (-1: of none) in one process.
struct SideTally {
  SideKind kind{};
  int loader = -1;
  double count = 0.0, sum = 0.0, least = 0.0, most = 0.0;
  double measured = 0.0;  ///< values; `count` is how many they stand for
  struct Value {
    double before = 0.0;  ///< how many there were before it
    double value = 0.0;
    double weight = 1.0;  ///< how many it stood for
  };
  std::vector<Value> kept;  ///< an even choice of those that were measured
};

/// What the hooks in one process have noted.
struct SideFile {
  pid_t pid = 0;
  bool worker = false;  ///< of a loader
  std::optional<std::int64_t> rank, world;
  double hook_time = 0.0;   ///< seconds that went into the hooks
  double hook_start = 0.0;  ///< and of these before the first sample
  double samples = 0.0, measured = 0.0, errors = 0.0, syncs = 0.0, sync_time = 0.0,
         saves_in_memory = 0.0;
  double optimizer_steps = 0.0;
  /// Of each loader, also of those that were not measured.
  std::array<double, 4> intervals_of{}, steps_of{}, samples_of{};
  bool asynchronous = false;  ///< saves were made by another thread than steps
  std::string facts;          ///< JSON: loaders by their number, version of torch
  std::vector<SideTally> tallies;
};

/// Reads what is there, also while it is written; nothing when it is no side file.
[[nodiscard]] std::optional<SideFile> read_side_file(const std::filesystem::path& path);

}  // namespace stallcast::calibration::live
