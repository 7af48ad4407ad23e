#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "calibration/measure/buffer_pages.hpp"
#include "stallcast/measurement.hpp"
#include "stallcast/result.hpp"

/// Measurements of this machine. A probe writes only files of its own below the named folder,
/// checks the space first, leaves nothing behind however it ends, and records with every sample
/// what a reader needs to judge it.
namespace stallcast::calibration {

/// How long and how closely to look.
enum class ProbeDepth {
  quick,    ///< a minute: fewer points, three runs each
  usual,    ///< five minutes
  thorough  ///< half an hour: all points, bursts and steady state watched
};

struct TimeBudget {
  Seconds length;
  Seconds ends;  ///< by CLOCK_MONOTONIC
};
[[nodiscard]] TimeBudget budget_from_now(Seconds length);

struct ProbeOptions {
  std::filesystem::path target;  ///< folder to measure; a device only with `allow_device`
  std::string peer;              ///< of the network probe: "host:port", or "" for a pair of our own
  std::string listen;            ///< of the other end: "port" or "host:port" to wait at
  ProbeDepth depth = ProbeDepth::usual;
  /// Time to be done, in place of a depth: what matters most comes first, and a cell whose runs
  /// agree is measured no more. The probe may end before, and ends late by a run at most.
  std::optional<TimeBudget> budget;
  Bytes space;  ///< most that may be written; zero: the probe's own choice
  BufferPages buffers = BufferPages::huge;  ///< of the io probe
  bool allow_device = false;                ///< reads of a raw device were allowed; never writes
  std::uint64_t seed = 1;                   ///< of the order of the points and the data written
  /// Told how far it is, 0..1, and what it does; may be called from one thread only.
  std::function<void(double, std::string_view)> progress;
  /// Asked now and then, from one thread only: true ends the probe early. It cleans up and fails
  /// with `inconclusive`.
  std::function<bool()> interrupted;
};

/// One row: to add a probe, its .cpp and its row in probes.cpp.
struct Probe {
  std::string_view id;       ///< KIND of `stallcast probe KIND`
  std::string_view summary;  ///< one line
  bool needs_target = true;  ///< takes --target
  Result<MeasurementSet> (*run)(const ProbeOptions& options);
  /// The other end of a probe between two hosts; waits for one client at `listen` and returns when
  /// it has gone. nullptr where one host is enough.
  std::optional<Failure> (*serve)(const ProbeOptions& options) = nullptr;
};

/// Sorted by id.
[[nodiscard]] std::span<const Probe> probes();
/// nullptr when there is no such probe.
[[nodiscard]] const Probe* find_probe(std::string_view id);

}  // namespace stallcast::calibration
