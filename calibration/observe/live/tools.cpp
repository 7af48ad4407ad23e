#include "calibration/observe/live/tools.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
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
}

}  // namespace stallcast::calibration::live
