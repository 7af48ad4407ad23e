#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "stallcast/measurement.hpp"

/// What else this machine did while a run was measured.
namespace stallcast::calibration::probing {

/// Core time of the whole machine, in seconds since it started; of what is measured since that did.
struct CoreTime {
  double all = 0.0;     ///< of all cores, idle or not
  double used = 0.0;    ///< by processes
  double stolen = 0.0;  ///< by the hypervisor, for others than this machine
  double own = 0.0;     ///< by this process and the children it has waited for
};

/// The first line of /proc/stat, in ticks of `tick_s`; nullopt when it is none. `own` stays 0.
[[nodiscard]] std::optional<CoreTime> parse_core_time(std::string_view line, double tick_s);

/// Shares of the machine's core time.
struct OtherLoad {
  double others = 0.0;  ///< processes that are none of the probe's
  double stolen = 0.0;
  /// Above 20 % or 5 %: a rule of thumb. What was measured is a lower bound then.
  [[nodiscard]] bool busy() const;
};
[[nodiscard]] OtherLoad other_load(const CoreTime& before, const CoreTime& after);

/// Watches from its construction on.
class Bystanders {
 public:
  Bystanders();
  /// nullopt where the kernel does not report it, or within 0.2 s: core time comes in ticks of 10
  /// ms.
  [[nodiscard]] std::optional<OtherLoad> seen() const;
  /// Into the options "others" and "steal" of each run; flag "busy".
  void note(std::span<Measurement> runs) const;

 private:
  std::optional<CoreTime> began_;
};

}  // namespace stallcast::calibration::probing
