#pragma once

#include <functional>
#include <span>

#include "calibration/measure/probes/probe.hpp"

/// `stallcast probe all`: what one host can tell by itself, within a budget of time.
namespace stallcast::calibration {

/// A probe of `probe all`, and which part of the time is its own.
struct ProbeShare {
  std::string_view id;
  double share = 0.0;
};
/// In the order in which they run. What one leaves is for those after it.
[[nodiscard]] std::span<const ProbeShare> probe_shares();

/// Runs them one after the other with `options`, each with its part of `budget`, and tells `done`
/// what each measured, or why it could not: a host without PyTorch has no loader to measure. Ends
/// early where `options.interrupted` says so.
void probe_all(const ProbeOptions& options, Seconds budget,
               const std::function<void(const Probe&, const Result<MeasurementSet>&)>& done);

}  // namespace stallcast::calibration
