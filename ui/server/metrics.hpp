#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "ui/server/listener.hpp"
#include "ui/server/runs.hpp"

namespace stallcast::server {

/// What requests did, in the text format of Prometheus. Labels are names of routes, methods and
/// status codes: nothing that a client can choose. Thread-safe.
class Metrics {
 public:
  /// `route` is the name of one, or "none".
  void count(std::string_view route, int status, double seconds);

  [[nodiscard]] std::string text(const RunFigures& runs, const ListenerFigures* listener,
                                 const std::string& version,
                                 const std::string& model_version) const;

 private:
  static constexpr std::array kBuckets = {0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0};
  struct Histogram {
    std::array<std::uint64_t, kBuckets.size()> up_to{};  ///< cumulated when printed
    std::uint64_t count = 0;
    double sum = 0.0;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  ///< by route and status
  std::map<std::string, Histogram> durations_;                     ///< by route
};

}  // namespace stallcast::server
