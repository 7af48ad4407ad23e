#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "stallcast/result.hpp"

/// TCP connections of the network probe.
namespace stallcast::calibration::probing {

/// An open descriptor, closed at the end.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  /// All bytes, or false: errno says why, 0 when the other end hung up.
  [[nodiscard]] bool send_all(const void* data, std::size_t bytes) const;
  [[nodiscard]] bool receive_all(void* data, std::size_t bytes) const;
  /// What has come, at most `bytes`; 0 when the other end hung up, negative on failure.
  [[nodiscard]] std::ptrdiff_t receive_some(void* data, std::size_t bytes) const;
  /// Nothing more will be sent; the other end reads to the end.
  void finish() const;
  /// No waiting for longer than `seconds` in a call; small messages go at once.
  void prepare(double seconds) const;

 private:
  int fd_ = -1;
};

struct Endpoint {
  std::string host;  ///< "" for all addresses of this machine, where one listens
  std::string port;
};
/// "host:port", "[::1]:port", or ":port" and "port" with an empty host.
[[nodiscard]] Result<Endpoint> parse_endpoint(const std::string& text);

/// Connects within `seconds`; each refusal is a failure that says what to do.
[[nodiscard]] Result<Socket> connect_to(const Endpoint& peer, double seconds);
/// Listens; port "0" takes a free one.
[[nodiscard]] Result<Socket> listen_at(const Endpoint& at);
/// The port that a listening socket has.
[[nodiscard]] std::uint16_t port_of(const Socket& socket);
/// Whether both ends are on this machine.
[[nodiscard]] bool is_loopback(const Socket& socket);
/// Network interface with the local address of the connection; "" when there is none.
[[nodiscard]] std::string interface_of(const Socket& socket);

}  // namespace stallcast::calibration::probing
