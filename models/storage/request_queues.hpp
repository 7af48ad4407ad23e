#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim/sync.hpp"
#include "engine/sim/task.hpp"
#include "models/storage/served_bytes.hpp"

namespace stallcast::models {

/// Servers that each serve a queue of requests of its own, first come, first served: files lie on
/// some of them. docs/models/measured.md, eq. 4.
class RequestQueues {
 public:
  RequestQueues() = default;
  RequestQueues(sim::Context& context, std::int64_t servers)
      : queues_(static_cast<std::size_t>(servers), sim::ServerQueue(context, 1)) {}

  /// `requests` of `service` each arrive now, the first at server `first` and the others, those of
  /// processes that act together, at its neighbours in turn. Returns when all are served.
  [[nodiscard]] Seconds admit(double requests, std::uint64_t first, Seconds service);
  [[nodiscard]] std::uint64_t servers() const { return queues_.size(); }
  /// Of all servers together: time served, and time requests waited besides.
  [[nodiscard]] Seconds worked() const;
  [[nodiscard]] Seconds waited() const;
  /// Requests of `bytes` together were admitted, that are `work` of the servers; and were served.
  void begin(bool writes, Bytes bytes, Seconds work) { served_bytes_.begin(writes, bytes, work); }
  void end(bool writes, Bytes bytes, Seconds work) { served_bytes_.end(writes, bytes, work); }
  /// Bytes of these so far.
  [[nodiscard]] Bytes moved(bool writes) const;

 private:
  ServedBytes served_bytes_;
  std::vector<sim::ServerQueue> queues_;
};

}  // namespace stallcast::models
