#include "scenarios/importers/dlio_costs.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

namespace stallcast::scenarios {
namespace {

constexpr CostRange kOpens{4850.0, 4100.0, 5700.0};
/// Of rows of v1.0 on hosts of 20 to 96 cores with 1 to 144 ranks, in steps of 3.5 to 435 ms; and
/// of those with CPUs of AMD's Zen 2. docs/models/training.md, eq. 6.
constexpr CostRange kTensorFlowSharing{0.07, 0.05, 0.095}, kZen2Sharing{0.095, 0.068, 0.129};

/// Medians on a grid, on the open rows of v1.0; ranges by judgement with these in view. Those of
/// unet3d's readers: where nothing else limits, the first steps of epochs 2 to 5 give 0.35 to 0.46
/// GB/s a process, the slowest of a rank included, on six makes of hosts. retinanet: by hand, on
/// three rows of v3.0.
constexpr DlioCosts kCosts[] = {
    {
        .like = "unet3d",
        .overhead = {3e-3, 1.5e-3, 6e-3},
        .sharing = {},
        .barrier = {1.6e-3, 0.64e-3, 2.56e-3},
        .parse = {0.8e9, 0.64e9, 1e9},
        .stream = {1.3e9, 0.91e9, 1.82e9},
        .iterator = {},
        .names = {},
    },
    {
        .like = "resnet50",
        .overhead = {1.1e-3, 0.55e-3, 2.2e-3},
        .sharing = kTensorFlowSharing,
        .barrier = {},
        .parse = {2e9, 0.8e9, 4e9},
        .stream = {},
        .iterator = {150e-3, 60e-3, 450e-3},
        .names = {0.75e-6, 0.375e-6, 1.5e-6},
    },
    {
        .like = "cosmoflow",
        .overhead = {0.7e-3, 0.56e-3, 0.87e-3},
        .sharing = kTensorFlowSharing,
        .barrier = {0.1e-3, 0.08e-3, 0.14e-3},
        .parse = {2e9, 0.8e9, 4e9},
        .stream = {},
        .iterator = {20e-3, 8e-3, 60e-3},
        .names = {0.75e-6, 0.375e-6, 1.5e-6},
    },
    {
        .like = "retinanet",
        .overhead = {2.5e-3, 1e-3, 5e-3},
        .sharing = {},
        .barrier = {0.3e-3, 0.12e-3, 0.75e-3},
        .parse = {0.4e9, 0.16e9, 0.8e9},
        .stream = {},
        .iterator = {},
        .names = {},
    },
};

}  // namespace

const DlioCosts& dlio_costs(std::string_view workload) {
  const auto found = std::find_if(std::begin(kCosts), std::end(kCosts),
                                  [&](const DlioCosts& one) { return one.like == workload; });
  assert(found != std::end(kCosts));
  return *found;
}

CostRange dlio_sharing(const DlioCosts& costs, bool zen2) {
  return zen2 && costs.sharing.given() ? kZen2Sharing : costs.sharing;
}

CostRange dlio_opens(double hardware_threads) {
  return kOpens.times(std::sqrt(hardware_threads / kOpenThreads));
}

}  // namespace stallcast::scenarios
