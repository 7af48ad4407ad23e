#include <array>

#include "calibration/validation/sources/groundtruth_csv.hpp"
#include "calibration/validation/sources/mlperf_csv.hpp"
#include "calibration/validation/sources/source.hpp"

namespace stallcast::calibration {
namespace {

/// Sorted by id; one row per layout.
constexpr std::array<RowLayout, 3> kSources{{
    {"groundtruth-csv", "runs of a data loader on real files, and probes of their machine", true,
     predict_groundtruth},
    {"mlperf-csv", "results of MLPerf Storage, a row each (v1.0; v3.0 on Lustre)", false,
     predict_mlperf},
    {"mlperf-v3-rows", "results of MLPerf Storage v3.0: training, saves and loads", false,
     predict_mlperf_v3_rows},
}};

}  // namespace

std::span<const RowLayout> sources() { return kSources; }

const RowLayout* find_source(std::string_view id) {
  for (const RowLayout& source : sources())
    if (source.id == id) return &source;
  return nullptr;
}

}  // namespace stallcast::calibration
