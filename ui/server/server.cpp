#include <signal.h>

#include <atomic>

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
        const std::shared_ptr<Http> http =
            (*make_http)([&service, session](
                             const Request& request) { return service.handle(request, *session); },
                         [](int status) { return problem(status, status_phrase(status)); });
        return [http](const std::string& request, const std::string& client) {
          auto [bytes, close] = http->answer(request, client);
          return Reply{std::move(bytes), close};
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
  ready(*port);
  listener.run(kGraceSeconds, [&service] { service.close(); });
  listening = nullptr;
  return ended_by.load();
}

}  // namespace stallcast::server
