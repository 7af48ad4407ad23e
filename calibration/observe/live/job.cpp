#include "calibration/observe/live/job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "engine/base/text.hpp"

namespace stallcast::calibration::live {
namespace {

constexpr std::array kForwarded{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};

[[noreturn]] void become_command(std::vector<char*>& words,
                                 const std::vector<std::pair<std::string, std::string>>& variables,
                                 const sigset_t& mask, int tell) {
  // We ignore these; handlers are reset by exec, this is not.
  for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  execvp(words[0], words.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t n = write(tell, &error, sizeof error);
  _exit(kNotFound);
}

Failure not_run(const std::string& name, int error) {
  const bool absent = error == ENOENT || error == ENOTDIR;
  return Failure{static_cast<ExitCode>(absent ? kNotFound : kNotExecutable),
                 "cannot run \"" + name + "\": " + std::strerror(error),
                 absent ? "is it spelled right, and in PATH?" : ""};
}

}  // namespace

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kForwarded) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, &before_);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() {
  if (descriptor_ >= 0) close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<signalfd_siginfo> Signals::wait(Seconds limit) const {
  pollfd ready{descriptor_, POLLIN, 0};
  poll(&ready, 1, static_cast<int>(std::ceil(limit.in(unit::ms))));
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return {};
  return info;
}

int Ended::exit_code() const {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Result<pid_t> start_command(const std::vector<std::string>& words,
                            const std::vector<std::pair<std::string, std::string>>& variables,
                            const sigset_t& mask) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return Failure{ExitCode::internal, std::string("cannot make a pipe: ") + std::strerror(errno),
                   ""};
  std::vector<char*> args;
  for (const std::string& word : words) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) become_command(args, variables, mask, ends[1]);
  const int fork_error = errno;
  close(ends[1]);
  int error = 0;
  ssize_t n = 0;
  do n = pid < 0 ? 0 : read(ends[0], &error, sizeof error);
  while (n < 0 && errno == EINTR);
  close(ends[0]);
  if (pid < 0)
    return Failure{ExitCode::internal,
                   "cannot start a process: " + std::string(std::strerror(fork_error)), ""};
  if (n != static_cast<ssize_t>(sizeof error)) return pid;
  waitpid(pid, nullptr, 0);
  return not_run(words.front(), error);
}

std::optional<Failure> cannot_run(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? std::nullopt : std::optional(not_run(name, errno));
  const char* path = std::getenv("PATH");  // NOLINT: no other thread runs yet
  int error = ENOENT;
  for (const std::string& folder : base::split(path != nullptr ? path : "/bin:/usr/bin", ':')) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return std::nullopt;
    if (errno == EACCES) error = EACCES;
  }
  return not_run(name, error);
}

std::vector<Ended> reap(const std::function<void(pid_t)>& before) {
  std::vector<Ended> out;
  while (true) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return out;
    before(info.si_pid);
    Ended& ended = out.emplace_back();
    ended.pid = info.si_pid;
    if (wait4(info.si_pid, &ended.status, 0, &ended.usage) != info.si_pid) out.pop_back();
  }
}

bool sent_by_process(const signalfd_siginfo& signal) {
  return signal.ssi_code == SI_USER || signal.ssi_code == SI_QUEUE || signal.ssi_code == SI_TKILL;
}

}  // namespace stallcast::calibration::live
