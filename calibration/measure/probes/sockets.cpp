#include "calibration/measure/probes/sockets.hpp"

#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>

#include "calibration/measure/probes/processes.hpp"

namespace stallcast::calibration::probing {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<Addresses> look_up(const Endpoint& at, bool to_listen) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = to_listen ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(at.host.empty() ? nullptr : at.host.c_str(), at.port.c_str(), &wanted, &found);
  if (error != 0)
    return Failure{ExitCode::bad_input,
                   "cannot find \"" + at.host + "\": " + std::string(gai_strerror(error)),
                   "is the name right? an address such as 192.0.2.7:7000 does as well"};
  return Addresses(found, &freeaddrinfo);
}

/// 0, or the reason why there is no connection.
int connect_within(int fd, const addrinfo& address, double seconds) {
  const int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  if (connect(fd, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd ready{fd, POLLOUT, 0};
    if (poll(&ready, 1, static_cast<int>(1e3 * seconds)) == 0) return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return error;
  }
  fcntl(fd, F_SETFL, flags);
  return 0;
}

std::string hint_of(int error, const Endpoint& peer) {
  const std::string start = "`stallcast probe network --listen " + peer.port + "` on " + peer.host;
  if (error == ECONNREFUSED) return "nothing listens there: start " + start;
  if (error == ETIMEDOUT) return "is there a firewall between the hosts? on the other: " + start;
  return "can this host reach the other? see `ip route get " + peer.host + "`";
}

bool same_address(const sockaddr_storage& a, const sockaddr_storage& b) {
  if (a.ss_family != b.ss_family) return false;
  if (a.ss_family == AF_INET)
    return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b).sin_addr.s_addr;
  return a.ss_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6&>(a).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(b).sin6_addr, sizeof(in6_addr)) == 0;
}

sockaddr_storage local_of(const Socket& socket) {
  sockaddr_storage out{};
  socklen_t length = sizeof out;
  getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&out), &length);
  return out;
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

bool Socket::send_all(const void* data, std::size_t bytes) const {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = send(fd_, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

std::ptrdiff_t Socket::receive_some(void* data, std::size_t bytes) const {
  for (;;) {
    const ssize_t n = recv(fd_, data, bytes, 0);
    if (n >= 0 || errno != EINTR) return n;
  }
}

bool Socket::receive_all(void* data, std::size_t bytes) const {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const std::ptrdiff_t n = receive_some(at, bytes);
    if (n == 0) errno = 0;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

void Socket::finish() const { shutdown(fd_, SHUT_WR); }

void Socket::prepare(double seconds) const {
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  timeval limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

Result<Endpoint> parse_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Endpoint out;
  out.port = colon == std::string::npos ? text : text.substr(colon + 1);
  out.host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (out.host.size() > 1 && out.host.front() == '[' && out.host.back() == ']')
    out.host = out.host.substr(1, out.host.size() - 2);
  const bool digits = !out.port.empty() && out.port.size() <= 5 &&
                      out.port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(out.port) > 65535)
    return Failure{ExitCode::bad_input, "\"" + text + "\" names no port",
                   "write HOST:PORT, such as node7:7000; the port is 1 to 65535"};
  return out;
}

Result<Socket> connect_to(const Endpoint& peer, double seconds) {
  auto found = look_up(peer, false);
  if (!found.ok()) return found.failure();
  int error = 0;
  for (const addrinfo* at = found.value().get(); at != nullptr; at = at->ai_next) {
    Socket out(socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, at->ai_protocol));
    error = out.is_open() ? connect_within(out.fd(), *at, seconds) : errno;
    if (error == 0) return out;
  }
  return system_failure("connect to " + peer.host + ":" + peer.port, error, hint_of(error, peer));
}

Result<Socket> listen_at(const Endpoint& at) {
  auto found = look_up(at, true);
  if (!found.ok()) return found.failure();
  int error = 0;
  for (const addrinfo* address = found.value().get(); address != nullptr;
       address = address->ai_next) {
    Socket out(socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, address->ai_protocol));
    const int on = 1;
    if (out.is_open()) setsockopt(out.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (out.is_open() && bind(out.fd(), address->ai_addr, address->ai_addrlen) == 0 &&
        listen(out.fd(), 128) == 0)
      return out;
    error = errno;
  }
  return system_failure("listen at port " + at.port, error,
                        error == EACCES ? "ports below 1024 need privileges: take another"
                                        : "does another program have the port? take another");
}

std::uint16_t port_of(const Socket& socket) {
  const sockaddr_storage at = local_of(socket);
  return ntohs(at.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(at).sin6_port
                                        : reinterpret_cast<const sockaddr_in&>(at).sin_port);
}

bool is_loopback(const Socket& socket) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  if (getpeername(socket.fd(), reinterpret_cast<sockaddr*>(&peer), &length) != 0) return false;
  return same_address(peer, local_of(socket)) || interface_of(socket) == "lo";
}

std::string interface_of(const Socket& socket) {
  const sockaddr_storage local = local_of(socket);
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, &freeifaddrs);
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr) continue;
    sockaddr_storage address{};
    const int family = at->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    std::memcpy(&address, at->ifa_addr,
                family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    if (same_address(address, local)) return at->ifa_name;
  }
  return "";
}

}  // namespace stallcast::calibration::probing
