#include "ui/server/listener.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ui/server/connection.hpp"
#include "ui/server/sockets.hpp"

namespace stallcast::server {
namespace {

using Clock = Connection::Clock;

constexpr double kDrainSeconds = 2.0;  ///< so that the client reads why it was refused
constexpr std::uint64_t kListening = 0, kWake = 1;

struct Work {
  std::uint64_t id = 0;
  std::string request, client;
};

}  // namespace

struct Listener::Impl {
  Impl(ListenerSettings s, std::function<Answer()> make,
       std::function<std::string(int, std::string_view)> no)
      : settings(std::move(s)), make_answer(std::move(make)), refuse(std::move(no)) {
    settings.connections = descriptors_for(settings.connections);
    poll = epoll_create1(EPOLL_CLOEXEC);
    wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    watch(EPOLL_CTL_ADD, wake, kWake, EPOLLIN);
  }
  ~Impl() {
    for (auto& [id, c] : connections) ::close(c.fd);
    for (const int fd : {listening, poll, wake})
      if (fd >= 0) ::close(fd);
  }

  void watch(int operation, int fd, std::uint64_t id, unsigned events) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id;
    (void)epoll_ctl(poll, operation, fd, &event);
  }

  // --- the polling thread ---

  void accept_all() {
    for (;;) {
      sockaddr_storage address{};
      socklen_t size = sizeof address;
      const int fd = accept4(listening, reinterpret_cast<sockaddr*>(&address), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) {
        if ((errno == EMFILE || errno == ENFILE) && close_idlest()) continue;
        return;
      }
      const int on = 1;
      (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (connections.size() >= settings.connections && !close_idlest()) {
        ::close(fd);
        continue;
      }
      const std::uint64_t id = next_id++;
      Connection& c = connections[id];
      c.fd = fd;
      c.client = text_of(address);
      watch(EPOLL_CTL_ADD, fd, id, EPOLLIN);
      c.await(settings.idle_s);
      ++figures.accepted;
      figures.open = connections.size();
    }
  }

  /// Of those whose answer is held back; else of those that have sent nothing; else of those whose
  /// request is unfinished.
  bool close_idlest() {
    auto idlest = connections.end();
    const auto before = [](const Connection& a, const Connection& b) {
      if (a.state != b.state) return a.state == Connection::State::holding;
      return a.in.empty() != b.in.empty() ? a.in.empty() : a.since < b.since;
    };
    for (auto it = connections.begin(); it != connections.end(); ++it)
      if ((it->second.state == Connection::State::reading ||
           it->second.state == Connection::State::holding) &&
          (idlest == connections.end() || before(it->second, idlest->second)))
        idlest = it;
    if (idlest == connections.end()) return false;
    drop(idlest->first);
    return true;
  }

  void drop(std::uint64_t id) {
    const auto it = connections.find(id);
    if (it == connections.end()) return;
    buffered -= it->second.in.size() + it->second.out.size();
    ::close(it->second.fd);
    connections.erase(it);
    figures.open = connections.size();
  }

  void read_from(std::uint64_t id, Connection& c) {
    std::vector<char> bytes(64 * 1024);  // stacks may be small
    const ssize_t n = recv(c.fd, bytes.data(), bytes.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return drop(id);
    if (c.state == Connection::State::draining) return;
    if (c.in.empty()) c.await(settings.request_s);
    c.in.append(bytes.data(), static_cast<std::size_t>(n));
    buffered += static_cast<std::size_t>(n);
    if (buffered > settings.buffered) return send_refusal(id, c, 503, "too many requests at once");
    look_at(id, c);
  }

  /// Hands on the request that is complete, if there is one.
  void look_at(std::uint64_t id, Connection& c) {
    if (c.in.empty() || c.in.size() < c.need) return;
    const Frame frame = frame_of(c.in, settings.limits);
    if (frame.state == Frame::State::refused) return send_refusal(id, c, frame.status, frame.why);
    if (frame.state == Frame::State::incomplete) {
      if (frame.headers_complete) c.need = frame.length;
      if (!frame.wants_continue || c.continued) return;
      c.continued = true;
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      (void)::send(c.fd, kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
      return;
    }
    {
      const std::lock_guard lock(mutex);
      if (work.size() < settings.waiting) {
        work.push_back({id, c.in.substr(0, frame.length), c.client});
        c.state = Connection::State::answering;
      }
    }
    if (c.state != Connection::State::answering)
      return send_refusal(id, c, 503, "too many requests are waiting");
    ready.notify_one();
    c.await(settings.answer_s);
    ++answering;
    c.in.erase(0, frame.length);
    buffered -= frame.length;
    c.need = 0;
    c.continued = false;
    watch(EPOLL_CTL_DEL, c.fd, id, 0);
  }

  void send_refusal(std::uint64_t id, Connection& c, int status, std::string_view why) {
    ++figures.refused;
    watch(EPOLL_CTL_DEL, c.fd, id, 0);
    buffered -= c.in.size();
    c.in.clear();
    send_reply(id, c, {refuse(status, why), true});
  }

  /// REQUIRES: the connection is not watched.
  void send_reply(std::uint64_t id, Connection& c, Reply reply) {
    buffered += reply.bytes.size();
    c.out = std::move(reply.bytes);
    c.sent = 0;
    c.close = reply.close || stopping;
    if (reply.late && !stopping) {
      c.state = Connection::State::holding;
      return c.await(settings.late_s);
    }
    begin_reply(id, c);
  }

  void begin_reply(std::uint64_t id, Connection& c) {
    c.state = Connection::State::writing;
    c.await(settings.reply_s);
    watch(EPOLL_CTL_ADD, c.fd, id, EPOLLOUT);
    write_to(id, c);
  }

  void write_to(std::uint64_t id, Connection& c) {
    const ssize_t n = ::send(c.fd, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) return drop(id);
    c.sent += static_cast<std::size_t>(n);
    if (c.sent < c.out.size()) return;
    buffered -= c.out.size();
    c.out = {};
    watch(EPOLL_CTL_MOD, c.fd, id, EPOLLIN);
    if (c.close) {
      ::shutdown(c.fd, SHUT_WR);
      c.state = Connection::State::draining;
      return c.await(kDrainSeconds);
    }
    c.state = Connection::State::reading;
    c.await(c.in.empty() ? settings.idle_s : settings.request_s);
    look_at(id, c);
  }

  void take_replies() {
    std::vector<std::pair<std::uint64_t, Reply>> some;
    {
      const std::lock_guard lock(mutex);
      some.swap(done);
    }
    for (auto& [id, reply] : some) {
      --answering;
      // Too late for one who was told so.
      if (const auto c = connections.find(id);
          c != connections.end() && c->second.state == Connection::State::answering)
        send_reply(id, c->second, std::move(reply));
    }
  }

  void close_late() {
    const auto now = Clock::now();
    std::vector<std::uint64_t> late;
    for (const auto& [id, c] : connections)
      if (c.until <= now) late.push_back(id);
    for (const std::uint64_t id : late) {
      Connection& c = connections.at(id);
      if (c.state == Connection::State::holding) {
        begin_reply(id, c);
      } else if (c.state == Connection::State::answering) {
        ++figures.timed_out;
        if (is_unbegun(id))
          send_refusal(id, c, 503, "no thread was free to answer in time");
        else
          send_refusal(id, c, 504, "the answer took too long");
      } else if (c.state == Connection::State::reading && !c.in.empty()) {
        ++figures.timed_out;
        send_refusal(id, c, 408, "the request did not arrive in time");
      } else {
        drop(id);
      }
    }
  }

  /// Takes the request back from those that wait for a thread, if it is there.
  bool is_unbegun(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    if (std::erase_if(work, [id](const Work& w) { return w.id == id; }) == 0) return false;
    --answering;
    return true;
  }

  void begin_stop(double grace_s) {
    stopping = true;
    last = Connection::in_seconds(grace_s);
    ::close(listening);
    listening = -1;
    std::vector<std::uint64_t> idle;
    for (const auto& [id, c] : connections)
      if ((c.state == Connection::State::reading && c.in.empty()) ||
          c.state == Connection::State::holding)
        idle.push_back(id);
    for (const std::uint64_t id : idle) drop(id);
  }

  [[nodiscard]] bool busy() const {
    return answering > 0 || std::any_of(connections.begin(), connections.end(), [](const auto& c) {
             return c.second.state == Connection::State::writing;
           });
  }

  void poll_once() {
    std::array<epoll_event, 256> events;
    const int n = epoll_wait(poll, events.data(), static_cast<int>(events.size()), 250);
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const std::uint64_t id = event.data.u64;
      if (id == kListening) {
        accept_all();
      } else if (id == kWake) {
        std::uint64_t count = 0;
        (void)!::read(wake, &count, sizeof count);
      } else if (const auto it = connections.find(id); it != connections.end()) {
        if (it->second.state == Connection::State::writing)
          write_to(id, it->second);
        else if (it->second.state != Connection::State::answering)
          read_from(id, it->second);
      }
    }
    take_replies();
    if (const auto now = Clock::now(); now >= next_look) {
      next_look = now + std::chrono::milliseconds(250);
      close_late();
    }
  }

  // --- the answering threads ---

  void answer_all() {
    Answer answer = make_answer();
    for (;;) {
      Work item;
      {
        std::unique_lock lock(mutex);
        ready.wait(lock, [this] { return !work.empty() || ended; });
        if (work.empty()) return;
        item = std::move(work.front());
        work.pop_front();
      }
      Reply reply = answer(std::move(item.request), item.client);
      const std::lock_guard lock(mutex);
      done.emplace_back(item.id, std::move(reply));
      wake_up();
    }
  }

  void wake_up() const noexcept {
    const std::uint64_t one = 1;
    (void)!::write(wake, &one, sizeof one);
  }

  ListenerSettings settings;
  std::function<Answer()> make_answer;
  std::function<std::string(int, std::string_view)> refuse;
  ListenerFigures figures;
  int poll = -1, wake = -1, listening = -1;
  std::map<std::uint64_t, Connection> connections;
  std::uint64_t next_id = 2;
  std::size_t buffered = 0, answering = 0;
  bool stopping = false;
  Clock::time_point last, next_look;
  std::atomic<bool> stop_wanted = false;

  std::mutex mutex;  ///< of what follows
  std::condition_variable ready;
  std::deque<Work> work;
  std::vector<std::pair<std::uint64_t, Reply>> done;
  bool ended = false;
};

Listener::Listener(ListenerSettings settings, std::function<Answer()> make_answer,
                   std::function<std::string(int, std::string_view)> refuse)
    : impl_(
          std::make_unique<Impl>(std::move(settings), std::move(make_answer), std::move(refuse))) {}
Listener::~Listener() = default;

Result<int> Listener::open() {
  const Result<BoundSocket> bound = bind_socket(impl_->settings.host, impl_->settings.port);
  if (!bound.ok()) return bound.failure();
  impl_->listening = bound->fd;
  impl_->watch(EPOLL_CTL_ADD, bound->fd, kListening, EPOLLIN);
  return bound->port;
}

void Listener::run(double grace_s, const std::function<void()>& on_stop) {
  Impl& impl = *impl_;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < impl.settings.threads; ++i)
    threads.emplace_back([&impl] { impl.answer_all(); });
  while (!impl.stopping || (impl.busy() && Clock::now() < impl.last)) {
    impl.poll_once();
    if (!impl.stop_wanted || impl.stopping) continue;
    impl.begin_stop(grace_s);
    on_stop();
  }
  {
    const std::lock_guard lock(impl.mutex);
    impl.work.clear();
    impl.ended = true;
  }
  impl.ready.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void Listener::stop() noexcept {
  impl_->stop_wanted = true;
  impl_->wake_up();
}

const ListenerFigures& Listener::figures() const { return impl_->figures; }

}  // namespace stallcast::server
