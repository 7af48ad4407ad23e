#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "engine/runtime/worker/sandbox.hpp"

namespace stallcast::worker {

std::string escapes() {
  std::string out;
  const auto attempt = [&out](const char* what, long result) {
    if (result >= 0) out += std::string(out.empty() ? "" : ", ") + what;
    return result;
  };
  attempt("a TCP socket", socket(AF_INET, SOCK_STREAM, 0));
  attempt("a UDP socket", socket(AF_INET, SOCK_DGRAM, 0));
  attempt("a local socket", socket(AF_UNIX, SOCK_STREAM, 0));
  attempt("io_uring", syscall(SYS_io_uring_setup, 1, nullptr) < 0 && errno != EPERM ? 0 : -1);
  attempt("reading a file", open("/etc/passwd", O_RDONLY));
  constexpr const char* kFile = "stallcast-escaped";
  if (attempt("writing a file", open(kFile, O_WRONLY | O_CREAT, 0600)) >= 0) unlink(kFile);
  if (attempt("making a folder", mkdir(kFile, 0700)) >= 0) rmdir(kFile);
  attempt("other namespaces", syscall(SYS_unshare, 0));
  attempt("a signal to its parent", kill(getppid(), 0));
  rlimit limit{};
  attempt("limits of its parent", prlimit(getppid(), RLIMIT_CPU, nullptr, &limit));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (attempt("another process", child) >= 0) waitpid(child, nullptr, 0);
  char* const words[] = {nullptr};
  execve("/proc/self/nothing", words, words);
  attempt("another program", errno == ENOENT ? 0 : -1);
  // The last one: every signal stops who is traced, be it that of a child that ends.
  attempt("being traced", ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  return out;
}

}  // namespace stallcast::worker
