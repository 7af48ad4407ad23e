#include "fuzz/target.hpp"
#include "ui/server/framing.hpp"
#include "ui/server/load_http.hpp"
#include "ui/server/problem.hpp"
#include "ui/server/service.hpp"

namespace stallcast::fuzz {
namespace {

using server::Frame;

/// A server without sockets and without sessions: what it is asked to run waits for ever.
class Answering {
 public:
  Answering() : service_(settings()), session_(settings().session) {
    const Result<server::MakeHttp> make = server::load_http();
    require(make.ok(), "the HTTP library is loaded");
    http_ =
        (*make)([this](const server::Request& r) { return service_.handle(r, session_); },
                [](int status) { return server::problem(status, server::status_phrase(status)); });
  }
  std::string answer(const std::string& request) {
    std::string out = http_->answer(request, "127.0.0.1").first;
    // What was begun ends, so that inputs do not depend on each other.
    constexpr std::string_view kId = "\"id\":\"";
    if (const std::size_t at = out.find(kId); at != out.npos)
      (void)service_.runs.cancel(out.substr(at + kId.size(), 32));
    return out;
  }

 private:
  static const server::ServerSettings& settings() {
    static const server::ServerSettings out = [] {
      server::ServerSettings s;
      s.sessions = 0;
      s.queue = 8;
      s.per_client = 8;
      s.session.worker = "/nonexistent";
      s.log = [](const std::string& line) { require(false, "nothing is logged: " + line); };
      return s;
    }();
    return out;
  }
  server::Service service_;
  client::Session session_;
  std::unique_ptr<server::Http> http_;
};

}  // namespace

void fuzz_http_framing(std::string_view input) {
  const server::FrameLimits limits{.target = 64, .header = 512, .body = 1000};
  const Frame whole = server::frame_of(input, limits);
  require(whole.state != Frame::State::complete || whole.length <= input.size(),
          "a complete request is all there");
  require(whole.state != Frame::State::refused || (whole.status >= 400 && !whole.why.empty()),
          "a refusal says why");
  // However it arrives, a request ends where it ends.
  for (std::size_t size = 0; size < std::min<std::size_t>(input.size(), 700); ++size) {
    const Frame part = server::frame_of(input.substr(0, size), limits);
    if (part.state == Frame::State::complete)
      require(whole.state == Frame::State::complete && part.length == whole.length,
              "more bytes do not change a request");
    if (part.state == Frame::State::refused)
      require(whole.state == Frame::State::refused, "more bytes do not mend a request");
  }
}

void fuzz_http_routes(std::string_view input) {
  static Answering answering;
  const Frame frame = server::frame_of(input, {});
  if (frame.state != Frame::State::complete) return;
  const std::string answer = answering.answer(std::string(input.substr(0, frame.length)));
  require(answer.starts_with("HTTP/1.1 ") && answer.find("\r\n\r\n") != answer.npos,
          "an answer is one");
  require(!answer.starts_with("HTTP/1.1 500"), "no request is a bug");
}

}  // namespace stallcast::fuzz
