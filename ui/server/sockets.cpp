#include "ui/server/sockets.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace stallcast::server {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const std::string& host, const std::string& port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

}  // namespace

Result<BoundSocket> bind_socket(const std::string& host, int port) {
  const std::string number = std::to_string(port);
  const Addresses found = addresses_of(host, number);
  if (!found)
    return Failure{ExitCode::bad_input, "\"" + host + "\" is not an address of this machine", ""};
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 1024) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const std::string why = std::strerror(errno);
    if (fd >= 0) ::close(fd);
    return Failure{ExitCode::bad_input, "cannot listen on " + host + ":" + number + ": " + why,
                   "choose another with --port; 0 takes one that is free"};
  }
  const auto taken = address.ss_family == AF_INET
                         ? reinterpret_cast<const sockaddr_in&>(address).sin_port
                         : reinterpret_cast<const sockaddr_in6&>(address).sin6_port;
  return BoundSocket{fd, static_cast<int>(ntohs(taken))};
}

bool is_loopback(const std::string& host) {
  const Addresses found = addresses_of(host, "0");
  if (!found) return false;
  for (const addrinfo* a = found.get(); a != nullptr; a = a->ai_next) {
    const bool here =
        a->ai_family == AF_INET
            ? (ntohl(reinterpret_cast<const sockaddr_in*>(a->ai_addr)->sin_addr.s_addr) >> 24) ==
                  127
            : a->ai_family == AF_INET6 &&
                  IN6_IS_ADDR_LOOPBACK(
                      &reinterpret_cast<const sockaddr_in6*>(a->ai_addr)->sin6_addr) != 0;
    if (!here) return false;
  }
  return true;
}

std::string text_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  else
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text,
              sizeof text);
  return text;
}

std::size_t descriptors_for(std::size_t wanted) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, std::max<rlim_t>(files.rlim_cur, 2 * wanted));
  (void)setrlimit(RLIMIT_NOFILE, &files);
  (void)getrlimit(RLIMIT_NOFILE, &files);
  return std::min<std::size_t>(wanted, files.rlim_cur / 2);
}

}  // namespace stallcast::server
