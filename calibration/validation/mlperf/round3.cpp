#include "calibration/validation/mlperf/round3.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stallcast::calibration::mlperf {
namespace {

/// What torch.save and torch.load of one rank move (pickling, one stream). From 2 and 3 rows of 8
/// and 64 ranks, which agree within 1 % and 10 %.
constexpr Rate kSave = Rate::from(1.78, unit::GBps);
constexpr Rate kLoad = Rate::from(1.97, unit::GBps);
/// HPE E2000, 64 drives, llama3-70b: 51.7 GB/s.
constexpr Rate kDriveWrite = Rate::from(0.81, unit::GBps);

struct Model {
  std::string_view id;
  double largest_rank, all;  // GiB
};
/// DLIO's formulas of the benchmark's branch mlperf_storage_v2.0: layers sharded by tensor and
/// pipeline parallelism, optimizer in fp32; ZeRO 3 for the two small models, 1 for the others.
constexpr std::array<Model, 4> kModels{{
    {"llama3-8b", 13.09, 104.70},
    {"llama3-70b", 14.24, 911.21},
    {"llama3-405b", 12.32, 5292.25},
    {"llama3-1t", 17.97, 15426.59},
}};

}  // namespace

double utilization_v3(const Workload& workload, Seconds compute, double ranks, Rate storage) {
  // T = ((ct + k sqrt(N))^q + (b L N / C)^q)^(1/q): eq. 1-3 without floor and head start. [eq. 20]
  const Seconds base = compute + workload.step.barrier * std::sqrt(ranks);
  const Seconds read = workload.batch_bytes() * ranks / storage;
  return compute / meet({base, read}, workload.step.knee);
}

std::optional<CheckpointSize> checkpoint_size(std::string_view model) {
  for (const Model& known : kModels)
    if (known.id == model)
      return CheckpointSize{Bytes::from(known.largest_rank, unit::GiB),
                            Bytes::from(known.all, unit::GiB)};
  return std::nullopt;
}

Seconds checkpoint_time(CheckpointPhase phase, const CheckpointSize& size, Rate storage) {
  // t = max(bytes of the rank / R, bytes of all / C)                                    [eq. 21]
  return std::max(size.rank / (phase == CheckpointPhase::save ? kSave : kLoad), size.all / storage);
}

Rate drive_writes(double drives) { return kDriveWrite * drives; }

}  // namespace stallcast::calibration::mlperf
