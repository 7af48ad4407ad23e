#include "calibration/measure/probes/network_pair.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "calibration/measure/probes/buffers.hpp"
#include "calibration/measure/probes/processes.hpp"

namespace stallcast::calibration::probing {
namespace {

constexpr std::size_t kMostConnections = 256;

Failure broken(int error) {
  if (error == 0 || error == EPIPE || error == ECONNRESET)
    return {ExitCode::bad_input, "the other end of the network probe hung up",
            "did `stallcast probe network --listen` end there?"};
  if (error == EAGAIN || error == EWOULDBLOCK)
    return {ExitCode::inconclusive, "the other end of the network probe does not answer",
            "is the network down, or the other host?"};
  return system_failure("talk to the other end of the network probe", error);
}

/// The server's side of a session: one thread per connection.
class Server {
 public:
  explicit Server(const Socket& listener) : listener_(listener) {}
  ~Server() {
    for (const Connection& c : connections_) shutdown(c.socket.fd(), SHUT_RDWR);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::optional<Failure> run() {
    while (!over_) {
      pollfd ready{listener_.fd(), POLLIN, 0};
      if (poll(&ready, 1, 100) <= 0) continue;
      const int fd = accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      connections_.remove_if([](const Connection& c) { return c.done.load(); });
      Socket socket(fd);
      if (connections_.size() >= kMostConnections) continue;
      Connection& c = connections_.emplace_back();
      c.socket = std::move(socket);
      c.thread = std::jthread([this, &c] {
        try {
          serve(c.socket);
        } catch (const std::bad_alloc&) {
        }  // the client sees its connection closed
        shutdown(c.socket.fd(), SHUT_RDWR);
        c.done = true;
      });
    }
    return std::nullopt;
  }

 private:
  struct Connection {
    Socket socket;
    std::atomic<bool> done = false;
    std::jthread thread;  // ends before the socket is closed
  };

  /// One session at a time; the connections of a session carry its token.
  bool admit(NetworkTask task, std::uint64_t token, std::uint32_t size) {
    if (token == 0 || size > kLargestMessage) return false;
    if (task != NetworkTask::session) return token == token_ && size > 0;
    std::uint64_t none = 0;
    return token_.compare_exchange_strong(none, token);
  }

  void serve(const Socket& socket) {
    socket.prepare(kPatience);
    Hello hello{};
    if (!socket.receive_all(&hello, sizeof hello) || hello.magic != kMagic) return;
    const auto task = static_cast<NetworkTask>(be32toh(hello.task));
    const std::uint32_t size = be32toh(hello.size);
    if (!admit(task, be64toh(hello.token), size)) return;
    if (socket.send_all(kWelcome.data(), kWelcome.size())) {
      if (task == NetworkTask::session) hold(socket);
      if (task == NetworkTask::ping) echo(socket, size);
      if (task == NetworkTask::stream) swallow(socket);
    }
    if (task == NetworkTask::session) over_ = true;
  }

  static void hold(const Socket& socket) {
    char byte = 0;
    std::ptrdiff_t n = 0;
    do {
      n = socket.receive_some(&byte, 1);
    } while (n < 0 && errno == EAGAIN);  // it is silent while it lives; keep-alives find it dead
  }

  static void echo(const Socket& socket, std::uint32_t size) {
    std::vector<char> message(size);
    while (socket.receive_all(message.data(), size) && socket.send_all(message.data(), size)) {
    }
  }

  static void swallow(const Socket& socket) {
    std::vector<char> buffer(std::size_t{1} << 20U);
    std::uint64_t bytes = 0;
    for (std::ptrdiff_t n = 0; (n = socket.receive_some(buffer.data(), buffer.size())) != 0;) {
      if (n < 0) return;
      bytes += static_cast<std::uint64_t>(n);
    }
    const std::uint64_t told = htobe64(bytes);
    (void)socket.send_all(&told, sizeof told);
  }

  const Socket& listener_;
  std::atomic<std::uint64_t> token_ = 0;
  std::atomic<bool> over_ = false;
  std::list<Connection> connections_;
};

/// One message there and back, again and again. Empty, or what errno was.
std::optional<int> ping(const Socket& socket, std::span<std::byte> message, double run_s,
                        NetworkTally& tally) {
  constexpr std::uint64_t kAtLeast = 10;
  for (double now = tally.began_s; now - tally.began_s < run_s || tally.messages < 2 * kAtLeast;) {
    const double sent = now;
    if (!socket.send_all(message.data(), message.size()) ||
        !socket.receive_all(message.data(), message.size()))
      return errno;
    now = clock_s();
    tally.latencies.add(static_cast<std::uint64_t>(0.5e9 * (now - sent)));
    tally.messages += 2;
    tally.bytes += 2 * message.size();
  }
  return std::nullopt;
}

/// Messages without an answer, until the other end has read them all.
std::optional<int> stream(const Socket& socket, std::span<const std::byte> message, double run_s,
                          NetworkTally& tally) {
  for (std::uint64_t i = 0; (i % 16 != 0 && message.size() < 65536) ||
                            clock_s() - tally.began_s < run_s || tally.messages < 10;
       ++i) {
    if (!socket.send_all(message.data(), message.size())) return errno;
    ++tally.messages;
  }
  socket.finish();
  std::uint64_t told = 0;
  if (!socket.receive_all(&told, sizeof told)) return errno;
  tally.bytes = be64toh(told);
  if (tally.bytes != tally.messages * message.size()) return EPROTO;
  return std::nullopt;
}

}  // namespace

std::optional<Failure> serve_session(const Socket& listener) { return Server(listener).run(); }

Result<Socket> open_task(const Endpoint& peer, NetworkTask task, std::uint64_t token,
                         std::uint32_t size) {
  auto socket = connect_to(peer, kPatience);
  if (!socket.ok()) return socket.failure();
  socket.value().prepare(kPatience);
  const Hello hello{kMagic, htobe64(token), htobe32(static_cast<std::uint32_t>(task)),
                    htobe32(size)};
  std::array<char, 8> answer{};
  if (!socket.value().send_all(&hello, sizeof hello) ||
      !socket.value().receive_all(answer.data(), answer.size()) || answer != kWelcome)
    return Failure{ExitCode::bad_input,
                   "what listens at " + peer.host + ":" + peer.port +
                       " is not a stallcast probe, or one that is busy with another",
                   "start `stallcast probe network --listen " + peer.port + "` there"};
  return std::move(socket).value();
}

std::optional<Failure> run_streams(const Endpoint& peer, NetworkTask task, std::uint64_t token,
                                   std::uint32_t size, int streams, double run_s,
                                   NetworkTally& tally) {
  std::vector<Socket> sockets;
  for (int i = 0; i < streams; ++i) {
    auto socket = open_task(peer, task, token, size);
    if (!socket.ok()) return socket.failure();
    sockets.push_back(std::move(socket).value());
  }
  std::barrier together(streams);
  std::mutex mutex;  // of the tally and the failure
  std::optional<Failure> failure;
  const auto work = [&](std::size_t i) {
    std::vector<std::byte> message(size);
    fill_random(message, i + 1);
    NetworkTally mine{};
    together.arrive_and_wait();
    const double cpu = thread_cpu_s();
    mine.began_s = clock_s();
    const auto error = task == NetworkTask::ping ? ping(sockets[i], message, run_s, mine)
                                                 : stream(sockets[i], message, run_s, mine);
    mine.ended_s = clock_s();
    mine.cpu_s = thread_cpu_s() - cpu;
    const std::lock_guard lock(mutex);
    if (error && !failure) failure = broken(*error);
    tally.began_s = tally.messages == 0 ? mine.began_s : std::min(tally.began_s, mine.began_s);
    tally.ended_s = std::max(tally.ended_s, mine.ended_s);
    tally.cpu_s += mine.cpu_s;
    tally.messages += mine.messages;
    tally.bytes += mine.bytes;
    tally.latencies.merge(mine.latencies);
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < sockets.size(); ++i) threads.emplace_back(work, i);
  }
  return failure;
}

}  // namespace stallcast::calibration::probing
