#include "ui/server/listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace listener_test {

using namespace stallcast;
using namespace stallcast::server;

namespace {

/// A connection to this machine that has sent `text`.
int connection(int port, const std::string& text) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  return fd;
}

/// All that comes until the other side closes.
std::string rest_of(int fd) {
  std::string out;
  char bytes[512];
  for (ssize_t n = 0; (n = recv(fd, bytes, sizeof bytes, 0)) > 0;)
    out.append(bytes, static_cast<std::size_t>(n));
  ::close(fd);
  return out;
}

/// Runs in a thread of its own until it is destroyed.
class Running {
 public:
  explicit Running(Listener& listener)
      : listener_(listener), thread_([&listener] { listener.run(1.0, [] {}); }) {}
  ~Running() {
    listener_.stop();
    thread_.join();
  }

 private:
  Listener& listener_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("who waits too long is told so, for an answer by 504 and for a thread by 503") {
  ListenerSettings settings;
  settings.port = 0;
  settings.threads = 1;
  settings.answer_s = 0.1;
  std::promise<void> begun, wanted;
  std::shared_future<void> release = wanted.get_future().share();
  std::atomic<int> answers = 0;
  Listener listener(
      settings,
      [&]() -> Answer {
        return [&](const std::string&, const std::string&) {
          if (++answers == 1) {
            begun.set_value();
            release.wait();
          }
          return Reply{"late", true};
        };
      },
      [](int status, std::string_view) { return std::to_string(status); });
  const Result<int> port = listener.open();
  REQUIRE(port.ok());
  const Running running(listener);
  const std::string request = "GET / HTTP/1.1\r\n\r\n";
  // The only thread is held by the first request, so the second never begins.
  const int first = connection(*port, request);
  begun.get_future().wait();
  const int second = connection(*port, request);
  CHECK(rest_of(first) == "504");
  CHECK(rest_of(second) == "503");
  CHECK(listener.figures().timed_out == 2);
  // What comes too late goes nowhere, and the thread is there again.
  wanted.set_value();
  CHECK(rest_of(connection(*port, request)) == "late");
  CHECK(answers == 2);
}

TEST_CASE("a late answer comes later, and makes room for whoever needs the connection") {
  const auto late = [](ListenerSettings settings) {
    settings.port = 0;
    return std::make_unique<Listener>(
        settings,
        []() -> Answer {
          return [](const std::string& request, const std::string&) {
            return Reply{"answer", true, request.starts_with("GET /late")};
          };
        },
        [](int status, std::string_view) { return std::to_string(status); });
  };
  const std::string held = "GET /late HTTP/1.1\r\n\r\n", quick = "GET / HTTP/1.1\r\n\r\n";
  {
    const auto listener = late({.late_s = 0.1});
    const Result<int> port = listener->open();
    REQUIRE(port.ok());
    const Running running(*listener);
    CHECK(rest_of(connection(*port, held)) == "answer");
  }
  const auto listener = late({.connections = 1, .late_s = 1e6});
  const Result<int> port = listener->open();
  REQUIRE(port.ok());
  const Running running(*listener);
  const int waiting = connection(*port, held);
  // Until it is held back the one connection is in use.
  std::string answer;
  while (answer.empty()) answer = rest_of(connection(*port, quick));
  CHECK(answer == "answer");
  CHECK(rest_of(waiting).empty());
}

}  // namespace listener_test
