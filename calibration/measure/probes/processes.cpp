#include "calibration/measure/probes/processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

namespace stallcast::calibration::probing {
namespace {

/// What a process says of its end, in memory that the waiting one looks at meanwhile.
struct Report {
  std::atomic<bool> failed;  ///< said last: what lies beside it is whole then
  ExitCode exit;
  std::array<char, 600> message;
  std::array<char, 400> hint;
};

void fail(Report& report, const Failure& failure) {
  report.exit = failure.exit;
  keep(report.message, failure.message);
  keep(report.hint, failure.hint);
  report.failed = true;
}

[[noreturn]] void run_child(pid_t parent, const Work& work, std::size_t i, Report& report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  std::signal(SIGINT, SIG_IGN);  // the parent decides
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of write()
  try {
    if (const auto failure = work(i)) fail(report, *failure);
  } catch (const std::bad_alloc&) {
    fail(report, {ExitCode::bad_input, "there is not enough memory for the probe's buffers", ""});
  } catch (const std::exception& error) {
    fail(report, {ExitCode::internal, std::string("the probe failed: ") + error.what(), ""});
  }
  _exit(0);
}

/// Processes that are killed and waited for, whatever happens.
class Children {
 public:
  ~Children() {
    for (const pid_t pid : pids_) kill(pid, SIGKILL);
    for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
  }
  void add(pid_t pid) { pids_.push_back(pid); }
  [[nodiscard]] bool empty() const { return pids_.empty(); }

  /// That those which have not been collected have used so far.
  [[nodiscard]] double core_time_s() const {
    double sum = 0.0;
    for (const pid_t pid : pids_) {
      clockid_t clock{};
      timespec used{};
      if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) continue;
      sum += static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    }
    return sum;
  }

  /// Collects what has ended; false when one of them crashed, which `status` then reports.
  bool collect(int& status) {
    bool good = true;
    std::erase_if(pids_, [&](pid_t pid) {
      int one = 0;
      if (waitpid(pid, &one, WNOHANG) != pid) return false;
      if (!WIFEXITED(one) || WEXITSTATUS(one) != 0) good = false, status = one;
      return true;
    });
    return good;
  }

 private:
  std::vector<pid_t> pids_;
};

}  // namespace

std::optional<Failure> in_processes(std::size_t count, const Work& work, const Watch& watch) {
  const Shared<Report> reports(count);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("make a pipe", errno);
  const pid_t self = getpid();
  std::optional<Failure> failure;
  {
    Children children;
    for (std::size_t i = 0; i < count && !failure; ++i) {
      const pid_t pid = fork();
      if (pid == 0) run_child(self, work, i, reports[i]);
      if (pid < 0)
        failure = system_failure("start a process", errno);
      else
        children.add(pid);
    }
    close(ends[1]);
    const double began = clock_s();
    double alive = began, used = 0.0;
    while (!failure) {
      int status = 0;
      const bool good = children.collect(status);
      for (std::size_t i = 0; i < count && !failure; ++i)
        if (reports[i].failed)
          failure = Failure{reports[i].exit, reports[i].message.data(), reports[i].hint.data()};
      if (failure || (good && children.empty())) break;
      if (const double now = children.core_time_s(); now != used) {
        used = now;
        alive = clock_s();
      }
      if (watch.interrupted && watch.interrupted())
        failure = Failure{ExitCode::inconclusive, "the probe was interrupted", ""};
      else if (!good)
        failure = Failure{ExitCode::internal,
                          "a process of the probe ended by signal " +
                              std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0),
                          ""};
      else if (clock_s() - alive > watch.limit_s || clock_s() - began > watch.longest_s)
        failure = Failure{ExitCode::inconclusive, "the file system does not answer",
                          "is the device or the server in trouble? see dmesg"};
      if (watch.tick) watch.tick();
      pollfd end{ends[0], POLLIN, 0};  // hung up once the last process has ended
      poll(&end, 1, 50);
    }
  }
  close(ends[0]);
  return failure;
}

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double cpu_s(int who) {
  rusage used{};
  getrusage(who, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Failure system_failure(const std::string& what, int error, std::string hint) {
  return {ExitCode::bad_input, "cannot " + what + ": " + std::generic_category().message(error),
          std::move(hint)};
}

}  // namespace stallcast::calibration::probing
