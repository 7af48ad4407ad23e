#pragma once

#include <string_view>

/// What DLIO itself costs, which no workload file says and which is the same for all systems.
/// Ranges that rows of MLPerf Storage gave, on systems of many makes. docs/reference/importers.md.
namespace stallcast::scenarios {

/// The middle, and the 5 % and 95 % quantiles; all 0 where there is none.
struct CostRange {
  double middle = 0.0, low = 0.0, high = 0.0;

  [[nodiscard]] bool given() const { return middle > 0.0; }
  [[nodiscard]] CostRange times(double factor) const {
    return {middle * factor, low * factor, high * factor};
  }
};

/// Of one sort of workload.
struct DlioCosts {
  std::string_view like;  ///< the workload of a round that it was seen with
  CostRange overhead;     ///< s a step of one rank
  CostRange sharing;      ///< of a step, where each core of a host has one rank
  CostRange barrier;      ///< s per root of a rank
  CostRange parse;        ///< B/s of one reader: of core time
  CostRange stream;       ///< B/s of one reader: waiting besides
  CostRange iterator;     ///< s until tf.data reads
  CostRange names;        ///< s for each file name that a rank lists and shuffles
};

/// REQUIRES: unet3d, resnet50, cosmoflow or retinanet.
[[nodiscard]] const DlioCosts& dlio_costs(std::string_view workload);
/// `sharing` of `costs`, which is more on CPUs of AMD's Zen 2.
[[nodiscard]] CostRange dlio_sharing(const DlioCosts& costs, bool zen2);
/// Hardware threads of the hosts that opens were seen on.
inline constexpr double kOpenThreads = 128.0;
/// Files a second that the TensorFlow readers of one host open, with the root of its threads: what
/// rows of three submitters that press on it reached, within a sixth.
[[nodiscard]] CostRange dlio_opens(double hardware_threads = kOpenThreads);

}  // namespace stallcast::scenarios
