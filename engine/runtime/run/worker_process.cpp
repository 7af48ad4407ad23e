#include "engine/runtime/run/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/read_buffer.hpp"

namespace stallcast::run {
namespace {

constexpr std::size_t kLogKept = 4096;
constexpr std::chrono::milliseconds kTerminationPatience{1000};

/// Attributes of posix_spawn, and what to do with the descriptors; freed on every way out.
struct SpawnPlan {
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

/// `fd`, moved above the three standard ones, which the caller may have closed.
FileDescriptor above_standard(int fd) {
  FileDescriptor low(fd);
  return fd > STDERR_FILENO ? std::move(low) : FileDescriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

struct Channel {
  FileDescriptor ours;
  FileDescriptor theirs;
};

/// Which limit of the system it is.
std::string hint_of(int error) {
  if (error == EMFILE) return "this process may open too few files: raise the limit (ulimit -n)";
  if (error == EAGAIN) return "this user may run too few processes: raise the limit (ulimit -u)";
  return "";
}

Result<Channel> system_failure(const char* what) {
  const int why = errno;
  return Failure{ExitCode::internal, std::string(what) + ": " + std::strerror(why), hint_of(why)};
}

/// The worker writes, we read without waiting.
Result<Channel> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("cannot make a pipe");
  Channel channel{above_standard(ends[0]), above_standard(ends[1])};
  if (fcntl(channel.ours.get(), F_SETFL, O_NONBLOCK) != 0)
    return system_failure("cannot set a pipe");
  return channel;
}

/// We write, the worker reads. A socket, because only `send` can be told not to raise SIGPIPE.
Result<Channel> make_socket() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_failure("cannot make a socket");
  return Channel{above_standard(ends[0]), above_standard(ends[1])};
}

/// Our environment, and wishes for the worker's heap (glibc): huge pages (2.35 and later), as a
/// simulation fills some 20 MB, which is ten faults instead of five thousand, and its reads miss
/// the TLB less; and of each size as many freed pieces at hand as a design has values, not seven,
/// so that those of one design are taken by the next without a search. Kernels and C libraries that
/// cannot do it ignore a wish; a `GLIBC_TUNABLES` of the user that names it wins.
class WorkerEnvironment {
 public:
  WorkerEnvironment() {
    constexpr std::string_view kName = "GLIBC_TUNABLES=";
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (std::string_view(*entry).starts_with(kName))
        tunables_ = *entry;
      else
        entries_.push_back(*entry);
    for (const auto& [wish, value] :
         {std::pair<std::string_view, std::string_view>{"glibc.malloc.hugetlb", "=1"},
          {"glibc.malloc.tcache_count", "=1000"}}) {
      if (tunables_.find(wish) != std::string::npos) continue;
      tunables_ += tunables_.empty() ? kName : ":";
      tunables_.append(wish).append(value);
    }
    entries_.push_back(tunables_.data());
    entries_.push_back(nullptr);
  }
  WorkerEnvironment(const WorkerEnvironment&) = delete;
  WorkerEnvironment& operator=(const WorkerEnvironment&) = delete;

  char** data() { return entries_.data(); }

 private:
  std::string tunables_;
  std::vector<char*> entries_;
};

int spawn(const std::string& path, std::vector<std::string> words, const Channel& input,
          const Channel& output, const Channel& error, pid_t& pid) {
  SpawnPlan plan;
  posix_spawn_file_actions_adddup2(&plan.actions, input.theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, output.theirs.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, error.theirs.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, 3);

  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setpgroup(&plan.attributes, 0);
  posix_spawnattr_setflags(&plan.attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  words.insert(words.begin(), {path, "--parent", std::to_string(getpid())});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return posix_spawn(&pid, path.c_str(), &plan.actions, &plan.attributes, arguments.data(),
                     WorkerEnvironment().data());
}

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<WorkerProcess> WorkerProcess::start(const std::string& path,
                                           const std::vector<std::string>& words) {
  Result<Channel> input = make_socket();
  if (!input) return input.failure();
  Result<Channel> output = make_pipe();
  if (!output) return output.failure();
  Result<Channel> error = make_pipe();
  if (!error) return error.failure();

  WorkerProcess worker;
  if (const int code = spawn(path, words, *input, *output, *error, worker.pid_); code != 0) {
    worker.pid_ = -1;
    return Failure{ExitCode::internal, "cannot start \"" + path + "\": " + std::strerror(code),
                   hint_of(code)};
  }
  worker.input_ = std::move(input->ours);
  worker.output_ = std::move(output->ours);
  worker.error_ = std::move(error->ours);
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      ending_(other.ending_),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      error_(std::move(other.error_)),
      outgoing_(std::move(other.outgoing_)),
      sent_(std::exchange(other.sent_, 0)),
      incoming_(std::move(other.incoming_)),
      log_(std::move(other.log_)) {}

WorkerProcess::~WorkerProcess() { stop(std::chrono::milliseconds(0)); }

void WorkerProcess::send(std::string_view line) {
  outgoing_.erase(0, std::exchange(sent_, 0));
  outgoing_.append(line).push_back('\n');
}

void WorkerProcess::write_some() {
  while (input_.open() && unsent() > 0) {
    const ssize_t n =
        ::send(input_.get(), outgoing_.data() + sent_, unsent(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      input_.close();  // the worker no longer reads; its output or its end will tell why
    }
  }
}

/// False once nothing is left to read for now.
bool WorkerProcess::read_some(FileDescriptor& fd, std::string& into) {
  base::ReadBuffer buffer;
  const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
  if (n > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(n));
    return true;
  }
  if (n < 0 && errno == EINTR) return true;
  if (n == 0 || errno != EAGAIN) fd.close();
  return false;
}

std::vector<std::string> WorkerProcess::exchange(std::chrono::milliseconds limit) {
  write_some();
  // poll skips descriptors that are -1.
  std::array<pollfd, 3> watched{{{unsent() > 0 ? input_.get() : -1, POLLOUT, 0},
                                 {output_.get(), POLLIN, 0},
                                 {error_.get(), POLLIN, 0}}};
  if (poll(watched.data(), watched.size(), static_cast<int>(limit.count())) <= 0) return {};
  if (watched[0].revents != 0) write_some();
  while (error_.open() && read_some(error_, log_)) {
    if (log_.size() > 2 * kLogKept) log_.erase(0, log_.size() - kLogKept);
  }

  std::vector<std::string> lines;
  // One buffer full per call, so that a talkative worker cannot keep the caller from its clock.
  if (watched[1].revents != 0) read_some(output_, incoming_);
  std::size_t begin = 0;
  for (std::size_t end; (end = incoming_.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(incoming_.substr(begin, end - begin));
  incoming_.erase(0, begin);
  return lines;
}

/// Whether it has ended, without reaping it: until then its number is nobody else's.
bool WorkerProcess::has_ended() const {
  siginfo_t info{};
  const int code = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return code != 0 || info.si_pid == pid_;
}

void WorkerProcess::signal(int number, bool whole_group) const {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0)
    kill(whole_group ? -pid_ : pid_, number);
}

bool WorkerProcess::reap_within(std::chrono::milliseconds limit) {
  using std::chrono::milliseconds;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  // glibc 2.36 declares pidfd_open for C only.
  const FileDescriptor end(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  while (!has_ended()) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) return false;
    // A worker that waits for room in the pipe could not end.
    std::array<pollfd, 2> watched{{{end.get(), POLLIN, 0}, {output_.get(), POLLIN, 0}}};
    const auto ms = std::chrono::ceil<milliseconds>(left).count();
    poll(watched.data(), watched.size(), end.open() ? static_cast<int>(ms) : 1);
    while (output_.open() && read_some(output_, incoming_)) {
    }
  }
  signal(SIGKILL, true);  // what it may have left
  int status = 0;
  pid_t reaped;
  do {
    reaped = waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped != pid_) {
    ending_ = {0, -1};
  } else if (WIFSIGNALED(status)) {
    ending_ = {WTERMSIG(status), 0};
  } else {
    ending_ = {0, WEXITSTATUS(status)};
  }
  pid_ = -1;
  return true;
}

WorkerProcess::Ending WorkerProcess::stop(std::chrono::milliseconds patience) {
  input_.close();
  if (pid_ > 0 && !reap_within(patience)) {
    // The worker reaps its simulations when asked to end, which nobody else may do in a container
    // without an init process; killing it kills them too, but leaves that to whoever inherits them.
    signal(SIGTERM, false);
    if (!reap_within(kTerminationPatience)) {
      signal(SIGKILL, true);
      while (!reap_within(std::chrono::milliseconds(1000))) {
      }
    }
  }
  while (error_.open() && read_some(error_, log_)) {
  }
  if (log_.size() > kLogKept) log_.erase(0, log_.size() - kLogKept);
  output_.close();
  error_.close();
  return ending_;
}

std::string WorkerProcess::Ending::text() const {
  if (signal != 0) {
    const char* name = sigabbrev_np(signal);
    return "killed by signal " + std::to_string(signal) +
           (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
  }
  return status < 0 ? "ended" : "exited with status " + std::to_string(status);
}

}  // namespace stallcast::run
