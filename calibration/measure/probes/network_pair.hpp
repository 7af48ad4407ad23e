#pragma once

#include <endian.h>

#include <array>
#include <cstdint>
#include <optional>

#include "calibration/measure/probes/latency.hpp"
#include "calibration/measure/probes/sockets.hpp"

/// What the two ends of the network probe say to each other, and what each does.
namespace stallcast::calibration::probing {

enum class NetworkTask : std::uint32_t {
  session = 1,  ///< held open while the client measures; its end is the end of the server
  ping = 2,     ///< every message comes back
  stream = 3    ///< messages are read to the end, then the count of their bytes is sent as 64 bits
};

/// First on every connection; numbers are big-endian. The server answers with `kWelcome`.
struct Hello {
  std::array<char, 16> magic;
  std::uint64_t token;  ///< of the session that the connection belongs to
  std::uint32_t task;
  std::uint32_t size;  ///< of a message
};
inline constexpr std::array<char, 16> kMagic{"stallcast-net/1"};
inline constexpr std::array<char, 8> kWelcome{"welcome"};
inline constexpr std::uint32_t kLargestMessage = std::uint32_t{64} << 20U;
inline constexpr double kPatience = 10.0;  // s: longer silence is a fault

/// Serves one session and returns when it is over.
[[nodiscard]] std::optional<Failure> serve_session(const Socket& listener);

/// A connection for `task`, welcomed by the other end.
[[nodiscard]] Result<Socket> open_task(const Endpoint& peer, NetworkTask task, std::uint64_t token,
                                       std::uint32_t size);

/// What all streams of one run did. Lives in shared memory.
struct NetworkTally {
  double began_s, ended_s, cpu_s;
  std::uint64_t messages, bytes;
  Latencies latencies;  ///< of pings, half a round trip each
};

/// `streams` connections at a time, for `run_s` at least.
[[nodiscard]] std::optional<Failure> run_streams(const Endpoint& peer, NetworkTask task,
                                                 std::uint64_t token, std::uint32_t size,
                                                 int streams, double run_s, NetworkTally& tally);

}  // namespace stallcast::calibration::probing
