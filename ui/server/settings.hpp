#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/check.hpp"
#include "stallcast/client.hpp"
#include "stallcast/sweep.hpp"
#include "stallcast/units.hpp"
#include "ui/report/report.hpp"
#include "ui/server/listener.hpp"

namespace stallcast::server {

struct SweepCall {
  client::Source source;
  std::vector<std::string> varied;   ///< "storage.ost.count=8,16"
  std::string mode;                  ///< "" is the scenario's
  std::vector<std::string> metrics;  ///< to show, "NAME", "NAME:min"
  client::Settings session;          ///< how to simulate
  double time_limit_s = 600.0;
  std::size_t most_points = 1000;
  std::function<void(double)> progress = {};
  const std::atomic<bool>* unwanted = nullptr;  ///< ends it early
  Diagnostics* faults = nullptr;                ///< of the scenario, with their places
};

struct CheckRequest {
  client::Source source;
  std::vector<std::string> asserts;     ///< besides those of the scenario
  std::string baseline;                 ///< what `check --update-baseline` wrote; "" none
  std::string path;                     ///< of the scenario in the baseline; "": the one of its id
  std::vector<std::string> tolerances;  ///< "METRIC=SHARE"
  bool new_only = false, allow_skew = false;
};

/// What the server offers beyond a session's calls. The program that starts it knows the rest of
/// the engine, the server does not (ADR 0002).
struct Tools {
  std::function<void(const std::string&)> log;  ///< a line for the operator
  std::function<std::string()> schema;          ///< JSON Schema of a scenario
  std::function<std::string()> catalog;         ///< all entries, a JSON array
  std::function<std::string(const Design&)> resolved;
  /// Judges what was predicted of a scenario; without a prediction, only whether the rest of the
  /// request can be judged. Faults of assertions go to `faults`.
  std::function<Result<CheckReport>(client::Session&, const CheckRequest&, const Prediction*,
                                    Diagnostics& faults)>
      check;
  std::function<Result<SweepReport>(const SweepCall&)> sweep;
};

struct ServerSettings {
  ListenerSettings listener;
  client::Settings session;                       ///< of every session; `jobs` are those of one
  std::size_t sessions = 2;                       ///< runs at a time
  std::size_t queue = 64;                         ///< runs that may wait
  std::size_t per_client = 32;                    ///< runs of one address that may wait or run
  std::size_t results = 500;                      ///< finished runs that are kept, ...
  std::size_t results_bytes = 128 * 1024 * 1024;  ///< ... and their size
  double keep_s = unit::h.scale;                  ///< for so long
  double time_limit_s = 60.0;                     ///< of one run; a client may ask for less
  std::int64_t replicas = 100;                    ///< that a client may ask for
  std::size_t points = 1000;                      ///< designs of one sweep
  std::string root;                ///< folder of what `extends` may name; "": catalogue only
  std::string token;               ///< that clients must send; "" only on loopback
  std::vector<std::string> hosts;  ///< further names in `Host` that are this server's
};

/// Serves until SIGINT or SIGTERM, whose number it returns, or a failure to begin. `ready` is told
/// the port.
[[nodiscard]] Result<int> serve(const ServerSettings& settings, const Tools& tools,
                                const std::function<void(int port)>& ready);

}  // namespace stallcast::server
