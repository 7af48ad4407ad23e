#include "calibration/measure/probes/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace stallcast::calibration::probing {
namespace {

/// Both ends of a pipe, closed at the end.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::bad_alloc();
  }
  ~Pipe() {
    close_writer();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  /// False at the end.
  bool read_into(std::string& text) const {
    std::array<char, 4096> part{};
    const ssize_t n = read(ends_[0], part.data(), part.size());
    if (n > 0) text.append(part.data(), static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && errno == EINTR);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

[[noreturn]] void become(const std::vector<std::string>& words, pid_t parent, const Pipe& out,
                         const Pipe& error) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setpgid(0, 0);  // what it starts ends with it
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(out.writer(), STDOUT_FILENO);
  dup2(error.writer(), STDERR_FILENO);
  std::vector<char*> args;
  for (const std::string& word : words) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  execvp(args[0], args.data());
  _exit(127);
}

/// A process group that is killed and waited for, whatever happens.
class Group {
 public:
  explicit Group(pid_t pid) : pid_(pid) {}
  ~Group() { (void)end(); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  /// Waits for a first process that has closed its output.
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-std::exchange(pid_, 0), SIGKILL);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  int end() {
    if (pid_ == 0) return 0;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    return wait();
  }
  pid_t pid_;
};

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

void tell_lines(std::string& text, const std::function<void(std::string_view)>& on_line) {
  for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
    if (on_line) on_line(std::string_view(text).substr(0, end));
}

}  // namespace

Result<ProgramEnd> run_program(const std::vector<std::string>& words,
                               const std::function<void(std::string_view)>& on_line,
                               const Watch& watch) {
  Pipe out, error;
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid < 0) return system_failure("start " + words.front(), errno);
  if (pid == 0) become(words, self, out, error);
  Group group(pid);
  out.close_writer();
  error.close_writer();
  std::string line, said;
  const double began = clock_s();
  for (bool more_out = true, more_error = true; more_out || more_error;) {
    if (watch.interrupted && watch.interrupted())
      return Failure{ExitCode::inconclusive, "the probe was interrupted", ""};
    if (clock_s() - began > watch.limit_s)
      return Failure{ExitCode::inconclusive, words.front() + " does not come to an end", ""};
    if (watch.tick) watch.tick();
    std::array<pollfd, 2> ready{
        {{more_out ? out.reader() : -1, POLLIN, 0}, {more_error ? error.reader() : -1, POLLIN, 0}}};
    poll(ready.data(), ready.size(), 50);
    if (ready[0].revents != 0) more_out = out.read_into(line);
    if (ready[1].revents != 0) more_error = error.read_into(said);
    tell_lines(line, on_line);
  }
  return ProgramEnd{group.wait(), last_line(said)};
}

}  // namespace stallcast::calibration::probing
