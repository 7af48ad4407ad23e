#include "engine/runtime/worker/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/base/read_buffer.hpp"
#include "engine/runtime/codec/protocol.hpp"

namespace stallcast::worker {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLogKept = 4096;  // of a child, for the message when it fails
constexpr int kTerminated = 128 + SIGTERM;
/// A process costs 0.9 ms of CPU time, and 8 ms where page faults are slow: what does not take much
/// longer gets one together with others.
constexpr double kQuick = 60e-3, kSlow = 120e-3;  // s
constexpr std::size_t kMostTogether = 16;

// Written by the handler of SIGTERM, which is blocked except while waiting for events.
volatile sig_atomic_t terminated = 0;

/// One message about a request.
std::string message(std::string_view type, std::uint64_t id, std::string_view rest) {
  std::string text = "{\"type\":\"";
  text.append(type).append("\",\"id\":").append(std::to_string(id));
  return text.append(",").append(rest).append("}");
}

/// `text` is JSON already.
std::string failure_json(std::string_view reason, int signal, const std::string& text) {
  return "\"reason\":\"" + std::string(reason) + "\",\"signal\":" + std::to_string(signal) +
         ",\"message\":" + text;
}

std::string failure(std::string_view reason, int signal, std::string_view text) {
  return failure_json(reason, signal, base::json_text(text));
}

/// Appends what can be read at once; false at the end of the stream.
bool read_into(int fd, std::string& text) {
  base::ReadBuffer buffer;
  ssize_t n;
  do {
    n = ::read(fd, buffer.data(), buffer.size());
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return false;
  text.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

}  // namespace

Supervisor::Supervisor(std::size_t jobs, std::size_t together, Limits limits, std::string fault)
    : jobs_(jobs),
      learns_(together == 0),
      together_(std::max<std::size_t>(1, together)),
      limits_(limits),
      fault_(std::move(fault)),
      self_(getpid()) {}

int Supervisor::run() {
  struct sigaction action {};
  action.sa_handler = [](int) { terminated = 1; };
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a reader that went away shows as EPIPE
  signal(SIGCHLD, SIG_DFL);  // ignored ones would reap themselves
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, nullptr);

  const std::string sandbox = enter_sandbox();
  put(base::one_line(Json{{"type", "hello"},
                          {"protocol", codec::kWorkerProtocol},
                          {"version", STALLCAST_VERSION},
                          {"sandbox", sandbox}}));
  while (!output_lost_ && terminated == 0) {
    start_children();
    if (!input_open_ && children_.empty() && waiting_.empty()) return EXIT_SUCCESS;
    wait_for_events();
  }
  kill_children();
  return terminated != 0 ? kTerminated : EXIT_FAILURE;
}

void Supervisor::wait_for_events() {
  std::vector<pollfd> watched;
  // Requests are read only as they can be served: a list of thousands stays with its sender.
  watched.push_back(
      {input_open_ && waiting_.size() < jobs_ * together_ ? STDIN_FILENO : -1, POLLIN, 0});
  for (const Child& child : children_) {
    watched.push_back({child.say_fd, POLLIN, 0});
    watched.push_back({child.log_fd, POLLIN, 0});
  }
  sigset_t none;
  sigemptyset(&none);
  if (ppoll(watched.data(), watched.size(), nullptr, &none) <= 0) return;

  if (watched[0].revents != 0) read_requests();
  std::size_t at = 1;
  for (auto child = children_.begin(); child != children_.end(); at += 2) {
    if (watched[at + 1].revents != 0) read_log(*child);
    if (watched[at].revents != 0) hear(*child);
    if (child->say_fd < 0) {
      finish(*child);
      child = children_.erase(child);
    } else {
      ++child;
    }
  }
}

void Supervisor::read_requests() {
  if (!read_into(STDIN_FILENO, incoming_)) {
    input_open_ = false;
    if (!incoming_.empty()) incoming_.push_back('\n');  // the last line may lack its end
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = incoming_.find('\n', begin)) != std::string::npos; begin = end + 1)
    take_request(std::string_view(incoming_).substr(begin, end - begin));
  incoming_.erase(0, begin);
}

void Supervisor::take_request(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  if (const std::optional<std::uint64_t> id = codec::request_id(line)) {
    waiting_.push_back({*id, std::string(line), fault_for(*id)});
    return;
  }
  put("{\"type\":\"failed\",\"id\":null," +
      failure("bad-request", 0, codec::read_request(line).design.failure().message) + "}");
}

void Supervisor::start_children() {
  while (children_.size() < jobs_ && !waiting_.empty()) start(next_for_a_child());
}

/// As many as a child gets, and no more than its share of those that wait.
std::deque<Assignment> Supervisor::next_for_a_child() {
  const std::size_t share = (waiting_.size() + jobs_ - 1) / jobs_;
  std::deque<Assignment> out;
  while (!waiting_.empty() && out.size() < std::min(together_, share)) {
    if (waiting_.front().alone && !out.empty()) break;
    out.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (out.back().alone) break;
  }
  return out;
}

void Supervisor::start(std::deque<Assignment> todo) {
  std::array<int, 2> says{-1, -1}, logs{-1, -1};
  pid_t pid = -1;
  if (pipe2(says.data(), O_CLOEXEC) == 0 && pipe2(logs.data(), O_CLOEXEC) == 0) pid = fork();
  if (pid == 0) simulate_and_exit(todo, {says[1], logs[1]}, self_, limits_);
  const int reason = errno;
  for (const int theirs : {says[1], logs[1]})
    if (theirs >= 0) close(theirs);
  if (pid > 0) {
    Child& child = children_.emplace_back();
    child.pid = pid;
    child.todo = std::move(todo);
    child.say_fd = says[0];
    child.log_fd = logs[0];
    return;
  }
  for (const int ours : {says[0], logs[0]})
    if (ours >= 0) close(ours);
  // Too many at a time for the limits of this process: those that run are enough.
  if (!children_.empty()) {
    jobs_ = children_.size();
    waiting_.insert(waiting_.begin(), std::make_move_iterator(todo.begin()),
                    std::make_move_iterator(todo.end()));
    return;
  }
  for (const Assignment& assignment : todo)
    put(message("failed", assignment.id,
                failure("exception", 0,
                        std::string("cannot start a simulation: ") + std::strerror(reason))));
}

void Supervisor::hear(Child& child) {
  if (!read_into(child.say_fd, child.said)) {
    close(std::exchange(child.say_fd, -1));
    return;
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = child.said.find('\n', begin)) != std::string::npos; begin = end + 1)
    hear_line(child, std::string_view(child.said).substr(begin, end - begin));
  child.said.erase(0, begin);
}

void Supervisor::hear_line(Child& child, std::string_view line) {
  const std::string json(line.substr(1));
  const auto said = static_cast<Said>(line.front());
  if (said == Said::enough) child.enough = true;
  if (child.todo.empty()) return;
  const std::uint64_t id = child.todo.front().id;
  switch (said) {
    case Said::progress:
      return put(message("progress", id, "\"fraction\":" + json));
    case Said::result:
      return settle(child, message("result", id, "\"result\":" + json));
    case Said::timeline:
      return settle(child, message("timeline", id, "\"timeline\":" + json));
    case Said::exception:
      return settle(child, message("failed", id, failure_json("exception", 0, json)));
    case Said::unreadable:
      return settle(child, message("failed", id, failure_json("bad-request", 0, json)));
    case Said::alone:
      child.todo.front().alone = true;
      return give_back(child);
    case Said::enough:
      return;
  }
}

void Supervisor::give_back(Child& child) {
  waiting_.push_front(std::move(child.todo.front()));
  child.todo.pop_front();
}

void Supervisor::settle(Child& child, const std::string& message) {
  put(message);
  child.todo.pop_front();
  ++child.done;
}

/// What a child prints is passed on as log, and its end kept: the last words of an assertion.
void Supervisor::read_log(Child& child) {
  std::string text;
  if (!read_into(child.log_fd, text)) {
    close(std::exchange(child.log_fd, -1));
    return;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t n = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  child.log += text;
  if (child.log.size() > kLogKept) child.log.erase(0, child.log.size() - kLogKept);
}

/// The child has ended, or is about to: it keeps its outlets open as long as it lives.
void Supervisor::finish(Child& child) {
  while (child.log_fd >= 0) read_log(child);
  int status = 0;
  rusage used{};
  while (wait4(child.pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
  if (!child.todo.empty() && !(child.enough && well)) {
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == 0)
      child.log +=
          "\nended with status " + std::to_string(WEXITSTATUS(status)) + ", without result";
    settle(child, message("failed", child.todo.front().id,
                          failure(signal == SIGKILL ? "killed" : "crashed", signal, child.log)));
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  learn(child, seconds(used.ru_utime) + seconds(used.ru_stime));
  waiting_.insert(waiting_.begin(), std::make_move_iterator(child.todo.begin()),
                  std::make_move_iterator(child.todo.end()));
}

void Supervisor::learn(const Child& child, double cpu_s) {
  if (!learns_ || child.done == 0) return;
  const double each = cpu_s / static_cast<double>(child.done);
  if (each < kQuick) together_ = std::min(2 * together_, kMostTogether);
  if (each > kSlow) together_ = std::max<std::size_t>(1, together_ / 2);
}

void Supervisor::kill_children() {
  for (const Child& child : children_) kill(child.pid, SIGKILL);
  for (const Child& child : children_)
    while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  children_.clear();
}

std::string Supervisor::fault_for(std::uint64_t id) const {
  const std::size_t at = fault_.find('@');
  if (at != std::string::npos && fault_.substr(at + 1) != std::to_string(id)) return {};
  return fault_.substr(0, at);
}

void Supervisor::put(std::string_view line) {
  std::string text(line);
  text.push_back('\n');
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t n = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) {
      output_lost_ = true;
      return;
    }
  }
}

}  // namespace stallcast::worker
