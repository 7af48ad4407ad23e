#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "stallcast/result.hpp"
#include "ui/server/framing.hpp"

/// Sockets. One thread reads and writes all connections without ever waiting for one; whole
/// requests go to a few threads that answer them. An idle or slow client costs a descriptor and
/// what it sent.
namespace stallcast::server {

/// What goes back to the client.
struct Reply {
  std::string bytes;   ///< as sent
  bool close = false;  ///< afterwards
  bool late = false;   ///< to be held back for a while
};

/// Answers one whole request: its bytes and the client's address. Made by the thread it is called
/// from, so that it may keep what belongs to one thread.
using Answer = std::function<Reply(std::string request, const std::string& client)>;

struct ListenerSettings {
  std::string host = "127.0.0.1";
  int port = 8080;                          ///< 0: any that is free
  std::size_t threads = 4;                  ///< that answer
  std::size_t connections = 2000;           ///< when there are more, the one idle longest is closed
  std::size_t waiting = 256;                ///< whole requests without a thread; more are refused
  std::size_t buffered = 64 * 1024 * 1024;  ///< bytes of unfinished requests and unread answers
  double idle_s = 15.0;                     ///< between requests
  double request_s = 10.0;                  ///< from the first byte of a request to its last
  double answer_s = 10.0;                   ///< from the last byte to the answer; then 503 or 504
  double late_s = 1.0;                      ///< that a late answer is held back
  double reply_s = 20.0;                    ///< for the client to take an answer
  FrameLimits limits = {};
};

/// Counted since the start, or as it is now.
struct ListenerFigures {
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;    ///< requests answered without being looked at
  std::atomic<std::uint64_t> timed_out = 0;  ///< while they were sent, waited, or were answered
  std::atomic<std::size_t> open = 0;
};

class Listener {
 public:
  /// `make_answer` is called once in each answering thread; `refuse` gives the whole answer to a
  /// request that is not looked at, by its HTTP status.
  Listener(ListenerSettings settings, std::function<Answer()> make_answer,
           std::function<std::string(int status, std::string_view why)> refuse);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Binds. The port that was taken; bad_input when the address cannot be had.
  [[nodiscard]] Result<int> open();
  /// Serves until `stop`, then finishes what is being answered, for `grace_s` at most. With
  /// `on_stop` called as soon as no connection is accepted any more.
  void run(double grace_s, const std::function<void()>& on_stop);
  /// From any thread, and from signal handlers.
  void stop() noexcept;

  [[nodiscard]] const ListenerFigures& figures() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stallcast::server
