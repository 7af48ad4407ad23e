#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>

#include "ui/server/load_http.hpp"
#include "ui/server/problem.hpp"
#include "ui/server/service.hpp"

namespace stallcast::server {
namespace {

// What a signal handler can reach.
std::atomic<int> ended_by = 0;
std::atomic<Listener*> listening = nullptr;

void on_signal(int number) {
  ended_by = number;
  if (Listener* listener = listening.load()) listener->stop();
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends the program
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

/// Stops the listener when standard input ends; what comes on it is not looked at.
class InputWatch {
 public:
  explicit InputWatch(Listener& listener) : listener_(listener) {
    if (::pipe2(pipe_.data(), O_CLOEXEC) == 0) thread_ = std::thread([this] { watch(); });
  }
  ~InputWatch() {
    if (!thread_.joinable()) return;
    ::close(pipe_[1]);  // ends the wait
    thread_.join();
    ::close(pipe_[0]);
  }
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

 private:
  void watch() {
    std::array<pollfd, 2> wanted{{{STDIN_FILENO, POLLIN, 0}, {pipe_[0], POLLIN, 0}}};
    while (::poll(wanted.data(), wanted.size(), -1) >= 0 || errno == EINTR) {
      if (wanted[1].revents != 0) return;
      std::array<char, 4096> unused{};
      if (wanted[0].revents != 0 && ::read(STDIN_FILENO, unused.data(), unused.size()) <= 0) break;
    }
    listener_.stop();
  }

  Listener& listener_;
  std::array<int, 2> pipe_{-1, -1};
  std::thread thread_;
};

constexpr double kGraceSeconds = 5.0;  ///< for answers under way

}  // namespace

Result<int> serve(const ServerSettings& settings, const std::function<void(int port)>& ready) {
  const Result<MakeHttp> make_http = load_http();
  if (!make_http.ok()) return make_http.failure();
  Service service(settings);
  Listener listener(
      settings.listener,
      [&]() -> Answer {
        // Both belong to the thread that this is called in.
        const auto session = std::make_shared<client::Session>(settings.session);
        const auto late = std::make_shared<bool>();
        const std::shared_ptr<Http> http = (*make_http)(
            [&service, session, late](const Request& request) {
              Response out = service.handle(request, *session);
              *late = out.late;
              return out;
            },
            [](int status) { return problem(status, status_phrase(status)); });
        return [http, late](const std::string& request, const std::string& client) {
          *late = false;
          auto [bytes, close] = http->answer(request, client);
          return Reply{std::move(bytes), close, *late};
        };
      },
      [&service](int status, std::string_view why) {
        service.metrics.count("refused", status, 0.0);
        Response refusal = problem(status, why);
        return written(status == 503 ? retry_after(std::move(refusal), 1) : std::move(refusal));
      });
  const Result<int> port = listener.open();
  if (!port.ok()) return port.failure();
  service.listener = &listener.figures();
  ended_by = 0;
  listening = &listener;
  catch_signals();
  std::optional<InputWatch> input;
  if (settings.until_eof) input.emplace(listener);
  ready(*port);
  listener.run(kGraceSeconds, [&service] { service.close(); });
  listening = nullptr;
  return ended_by.load();
}

}  // namespace stallcast::server
