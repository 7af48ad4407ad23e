#include "calibration/observe/live/tools.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <system_error>

namespace stallcast::calibration::live {
namespace {

constexpr std::size_t kMostToolText = std::size_t{1} << 20U;

[[noreturn]] void become_tool(std::vector<char*>& words, int out) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDERR_FILENO);
  dup2(out, STDOUT_FILENO);
  execvp(words[0], words.data());
  _exit(127);
}

/// Waits until the other end of `alive` is closed, and removes what is left.
[[noreturn]] void tidy_up(const std::string& folder, const std::string& pipe, int alive) {
  setsid();  // what is typed or sent to the group does not reach it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "stallcast-tidy");
  const int reader = pipe.empty() ? -1 : open(pipe.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, fd);
  const int kept = dup2(alive, std::max({alive, reader, nothing}) + 1);
  const int drained = reader < 0 ? -1 : dup2(reader, kept + 1);
  for (int fd = STDERR_FILENO + 1; fd < kept; ++fd) close(fd);
  closefrom(std::max(kept, drained) + 1);
  std::array<char, 4096> rest{};
  while (chdir("/") == 0 && read(kept, rest.data(), 1) != 0)
    if (errno != EINTR) break;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (drained >= 0) fcntl(drained, F_SETFL, 0);
  while (drained >= 0 && read(drained, rest.data(), rest.size()) > 0) {
  }
  _exit(0);
}

}  // namespace

ToolOutput output_of(const std::vector<std::string>& words, Seconds limit) {
  ToolOutput out;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return out;
  std::vector<char*> args;
  for (const std::string& word : words) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) become_tool(args, ends[1]);
  close(ends[1]);
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(limit.in(unit::s));
  bool late = false;
  while (pid > 0) {
    const double left = std::chrono::duration<double>(until - Clock::now()).count();
    late = left <= 0.0 || out.text.size() > kMostToolText;
    if (late) break;
    pollfd ready{ends[0], POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left * 1000.0) + 1) <= 0) continue;
    std::array<char, 4096> part{};
    const ssize_t n = read(ends[0], part.data(), part.size());
    if (n <= 0) break;
    out.text.append(part.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  if (pid < 0) return out;
  if (late) kill(pid, SIGKILL);
  int status = 0;
  out.done = waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return out;
}

PrivateFolder::PrivateFolder() {
  std::error_code error;
  std::string name =
      (std::filesystem::temp_directory_path(error) / "stallcast-observe-XXXXXX").string();
  if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  if (alive_ >= 0) close(alive_);
  if (tidier_ > 0) waitpid(tidier_, nullptr, 0);
}

void PrivateFolder::outlive(const std::string& pipe) {
  std::array<int, 2> ends{};
  if (path_.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) return;
  tidier_ = fork();
  if (tidier_ == 0) tidy_up(path_, pipe, ends[0]);
  close(ends[0]);
  alive_ = ends[1];
}

}  // namespace stallcast::calibration::live
