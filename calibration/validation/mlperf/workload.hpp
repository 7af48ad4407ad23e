#pragma once

#include <span>
#include <string_view>

#include "stallcast/units.hpp"

/// The workloads of the MLPerf Storage rounds: what the rules fix, and what the benchmark program
/// costs per step on any system.                                    [docs/validation-mlperf.md]
namespace stallcast::calibration::mlperf {

/// What the rules of the rounds fix. Sources: mlcommons/storage v1.0.1,
/// storage-conf/workload/{unet3d,resnet50,cosmoflow}_{a100,h100}.yaml; unet3d_b200.yaml of v3.0.
struct BenchmarkRules {
  std::string_view id;  ///< "unet3d"
  Bytes record;         ///< mean bytes of a sample
  double samples_per_file = 1.0;
  double batch = 1.0;  ///< samples of a step
  Fraction bar;        ///< least AU of a valid result
  double threads = 1;  ///< `read_threads` where a submission leaves it alone
  Seconds a100, h100;  ///< time of a step on an emulated accelerator
  Seconds b200;        ///< v3.0; 0 where the round has none
};

/// Constants of the step law, the same for every system. The 12 calibrated systems of v1.0 were
/// left out one by one: each comment says how a constant was found and over which range it went.
struct StepConstants {
  Seconds floor;      ///< of a rank alone, per step, besides `barrier`            [eq. 2]
  Seconds barrier;    ///< per square root of a rank                              [eq. 2]
  Seconds sharing;    ///< per rank of a host and hardware thread of it           [eq. 2]
  double knee = 1.0;  ///< exponent: how sharply the limits meet                   [eq. 1]
  /// Demand at which storage limits, over its rate: above 1 where the knee is soft.   [eq. 3]
  double efficiency = 1.0;
  /// True where reading processes fill `read_threads` batches before the clock of AU runs
  /// (PyTorch's loader): then the head start of eq. 3 and the limit of eq. 4 hold.
  bool prefetching_workers = false;
  /// What such a process takes in (np.load with its CRC and copies) where a system's own rate is
  /// not known.                                                                              [eq.
  /// 4]
  Rate worker;
  OpRate
      opens;  ///< files per second of a host with 128 hardware threads; infinite: no limit [eq. 5]
  /// First step besides its compute time, where no processes fill queues: per fourth root of a
  /// rank, and per file of the data set (every rank lists, shuffles and deals out all names).  [eq.
  /// 17]
  Seconds first_rank;
  Seconds first_file;
};

struct Workload {
  BenchmarkRules rules;
  StepConstants step;

  [[nodiscard]] Bytes batch_bytes() const { return rules.record * rules.batch; }
  /// Compute time of a step on `accelerator` ("a100", "h100", "b200"); 0 when the rules have none.
  [[nodiscard]] Seconds compute(std::string_view accelerator) const;
};

[[nodiscard]] std::span<const Workload> workloads();
/// nullptr when the rounds have no such workload.
[[nodiscard]] const Workload* find_workload(std::string_view id);

/// Reading processes of unet3d.                                                      [eq. 3, 4]
namespace readers {
/// Weight of the slowest rank: order statistics of N ranks. From a grid; 1.71-1.87 when fitted.
inline constexpr double kSlowest = 1.75;
/// Coefficient of variation of a batch: 7 files of 146.6 MB, standard deviation 48.97 MB (the rules
/// draw the two sides of a record independently): 0.334 / sqrt(7).
inline constexpr double kBatchSpread = 49.0 / 146.6 / 2.6457513110645907;
/// Least share of the batches that the head start leaves to be read under the clock.
inline constexpr double kLeastHead = 0.3;
}  // namespace readers

}  // namespace stallcast::calibration::mlperf
