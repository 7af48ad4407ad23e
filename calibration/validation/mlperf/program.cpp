#include "calibration/validation/mlperf/program.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace stallcast::calibration::mlperf {
namespace {

/// Medians on a grid, on the open rows of v1.0; each range is what rows of single systems asked
/// for. Sizes: DLIO draws both sides of a record alike. Ten bytes put readers of equal records out
/// of step.
constexpr std::array kPrograms = std::to_array<Program>({
    {"unet3d",
     {3.0, 0.5, 2.0},
     {},
     {1.6, 0.4, 1.6},
     {0.8, 0.75, 1.35},
     {1.3, 0.6, 1.6},
     {},
     {},
     1000,
     "48.97 MB"},
    {"resnet50",
     {1.1, 0.5, 2.0},
     {15.0, 0.6, 1.6},
     {0.5, 0.3, 2.5},
     {2.0, 0.4, 2.0},
     {},
     {150.0, 0.4, 3.0},
     {0.75, 0.5, 2.0},
     100,
     "0 B"},
    {"cosmoflow",
     {0.7, 0.7, 1.4},
     {1.6, 0.4, 2.0},
     {0.1, 0.4, 2.0},
     {2.0, 0.4, 2.0},
     {},
     {20.0, 0.4, 3.0},
     {0.75, 0.5, 2.0},
     600,
     "51.1 kB"},
    {"retinanet",
     {2.5, 0.4, 2.0},
     {1.6, 0.4, 2.0},
     {0.3, 0.4, 2.5},
     {0.4, 0.4, 2.0},
     {},
     {},
     {},
     600,
     "0 B"},
});

}  // namespace

const Program& program_of(std::string_view workload) {
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const Program& one) { return one.workload == workload; });
  assert(found != kPrograms.end());
  return *found;
}

}  // namespace stallcast::calibration::mlperf
