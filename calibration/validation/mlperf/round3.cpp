#include "calibration/validation/mlperf/round3.hpp"

#include <array>

namespace stallcast::calibration::mlperf {
namespace {

struct Model {
  std::string_view id;
  double world;              // ranks that save a whole one
  double largest_rank, all;  // GiB
};
/// DLIO's formulas of the benchmark's branch mlperf_storage_v2.0: layers sharded by tensor and
/// pipeline parallelism, optimizer in fp32; ZeRO 3 for the two small models, 1 for the others.
constexpr std::array<Model, 4> kModels{{
    {"llama3-8b", 8, 13.09, 104.70},
    {"llama3-70b", 64, 14.24, 911.21},
    {"llama3-405b", 512, 12.32, 5292.25},
    {"llama3-1t", 1024, 17.97, 15426.59},
}};

}  // namespace

std::optional<CheckpointSize> checkpoint_size(std::string_view model, double ranks) {
  for (const Model& known : kModels) {
    if (known.id != model) continue;
    const bool subset = ranks < known.world;
    const double all = subset ? ranks * known.largest_rank : known.all;
    return CheckpointSize{Bytes::from(known.largest_rank, unit::GiB), Bytes::from(all, unit::GiB),
                          subset};
  }
  return std::nullopt;
}

}  // namespace stallcast::calibration::mlperf
