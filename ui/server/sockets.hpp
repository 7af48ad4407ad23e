#pragma once

#include <cstddef>
#include <string>

#include "stallcast/result.hpp"

struct sockaddr_storage;

namespace stallcast::server {

struct BoundSocket {
  int fd = -1;
  int port = 0;
};

/// Listens on `host`, an address or a name; port 0 takes one that is free. Fails with bad_input.
[[nodiscard]] Result<BoundSocket> bind_socket(const std::string& host, int port);

/// Whether `host` names this machine only, whatever its names resolve to elsewhere.
[[nodiscard]] bool is_loopback(const std::string& host);

/// "127.0.0.1", "::1".
[[nodiscard]] std::string text_of(const sockaddr_storage& address);

/// As many of the `wanted` connections as there can be descriptors for; asks the system for twice
/// as many, since workers need some, too.
[[nodiscard]] std::size_t descriptors_for(std::size_t wanted);

}  // namespace stallcast::server
