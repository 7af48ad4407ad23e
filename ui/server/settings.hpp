#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/client.hpp"
#include "stallcast/units.hpp"
#include "ui/server/listener.hpp"

namespace stallcast::server {

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
  bool until_eof = false;          ///< ends with standard input, too: with who started it
  std::function<void(const std::string&)> log;  ///< takes a line for the operator
};

/// Serves until SIGINT or SIGTERM, whose number it returns, the end of standard input where that is
/// asked for, which is 0, or a failure to begin. `ready` is told
/// the port.
[[nodiscard]] Result<int> serve(const ServerSettings& settings,
                                const std::function<void(int port)>& ready);

}  // namespace stallcast::server
