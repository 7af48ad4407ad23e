#include "engine/runtime/worker/sandbox.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace stallcast::worker {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // its calls have not been listed
#endif

#ifdef STALLCAST_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// What a worker and a simulation need. Whatever is not listed fails with EPERM, which libraries
// take as "not now" and go on: sockets, programs, and all that kernels learn later.
// clang-format off
constexpr long kAllowed[] = {
    // requests and answers, on descriptors that are open already
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_close_range, SYS_dup3, SYS_pipe2,
    SYS_ppoll, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_pread64,
    // memory
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    // time, and one's own state
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom,
    SYS_getpid, SYS_getppid, SYS_gettid, SYS_getrusage, SYS_sched_yield, SYS_sched_getaffinity,
    SYS_futex, SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_sysinfo, SYS_uname,
    // signals; simulations may send them to themselves alone
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_sigaltstack,
    SYS_restart_syscall, SYS_kill, SYS_tgkill,
    // copies of itself, and their end; clone, openat and prlimit64 are looked at more closely
    SYS_wait4, SYS_waitid, SYS_exit, SYS_exit_group, SYS_prctl,
#if defined(__x86_64__)
    SYS_dup2, SYS_pipe, SYS_poll, SYS_pause, SYS_time,
#endif
};
// clang-format on

using Program = std::vector<sock_filter>;

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

void load(Program& out, std::size_t offset) {
  out.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}
/// Its low half: the architectures above are little-endian.
void load_argument(Program& out, unsigned i) {
  load(out, offsetof(seccomp_data, args) + i * sizeof(std::uint64_t));
}
void end(Program& out, std::uint32_t verdict) { out.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
/// Skips `yes` or `no` instructions, by what `test` says of what was loaded and `value`.
void jump(Program& out, std::uint16_t test, std::uint32_t value, std::uint8_t yes,
          std::uint8_t no) {
  out.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, yes, no));
}

/// The call number is loaded after this; calls of another architecture end the process.
Program begin_program() {
  Program out;
  load(out, offsetof(seccomp_data, arch));
  jump(out, BPF_JEQ, kArchitecture, 1, 0);
  end(out, SECCOMP_RET_KILL_PROCESS);
  load(out, offsetof(seccomp_data, nr));
  return out;
}

Program of_worker() {
  constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                        CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  Program out = begin_program();
  for (const long call : kAllowed) {
    jump(out, BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    end(out, SECCOMP_RET_ALLOW);
  }
  // fork, but no namespaces, of users above all
  jump(out, BPF_JEQ, SYS_clone, 0, 4);
  load_argument(out, 0);
  jump(out, BPF_JSET, kNamespaces, 0, 1);
  end(out, kRefuse);
  end(out, SECCOMP_RET_ALLOW);
  // what is opened is read
  jump(out, BPF_JEQ, SYS_openat, 0, 4);
  load_argument(out, 2);
  jump(out, BPF_JSET, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
  end(out, kRefuse);
  end(out, SECCOMP_RET_ALLOW);
  // flags of clone3 are where a filter cannot look: libraries fall back to clone
  jump(out, BPF_JEQ, SYS_clone3, 0, 1);
  end(out, SECCOMP_RET_ERRNO | ENOSYS);
  // limits of its own
  jump(out, BPF_JEQ, SYS_prlimit64, 0, 3);
  load_argument(out, 0);
  jump(out, BPF_JEQ, 0, 0, 1);
  end(out, SECCOMP_RET_ALLOW);
  end(out, kRefuse);
  return out;
}

Program of_simulation(Files files) {
  Program out = begin_program();
  std::vector<long> refused = {SYS_clone, SYS_prlimit64};
  if (files == Files::none) refused.insert(refused.end(), {SYS_openat, SYS_newfstatat});
  for (const long call : refused) {
    jump(out, BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    end(out, kRefuse);
  }
  for (const long call : {SYS_kill, SYS_tgkill}) {
    jump(out, BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load_argument(out, 0);
    jump(out, BPF_JEQ, static_cast<std::uint32_t>(getpid()), 0, 1);
    end(out, SECCOMP_RET_ALLOW);
    end(out, kRefuse);
  }
  end(out, SECCOMP_RET_ALLOW);
  return out;
}

bool install(Program program) {
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

bool holds = false;

void set_limit(int resource, double wanted) {
  if (!(wanted > 0.0)) return;
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min(static_cast<rlim_t>(wanted), limit.rlim_max);
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

}  // namespace

std::string enter_sandbox() {
  const char* wanted = std::getenv("STALLCAST_SIM_SANDBOX");
  if (wanted != nullptr && std::string_view(wanted) == "off")
    return "none: $STALLCAST_SIM_SANDBOX is off";
  if (kSanitized) return "none: built with a sanitizer, whose reports look up files";
  if (kArchitecture == 0) return "none: not written for this processor";
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !install(of_worker()))
    return std::string("none: the kernel refuses seccomp (") + std::strerror(errno) + ")";
  holds = true;
  return "seccomp";
}

void narrow_to_simulation(Files files) {
  if (holds && !install(of_simulation(files))) _exit(EXIT_FAILURE);
}

void take_limits(const Limits& limits) {
  constexpr double kMb = 1e6;
  if (!kSanitized) set_limit(RLIMIT_DATA, limits.memory_mb * kMb);  // its shadow is of terabytes
  set_limit(RLIMIT_CPU, limits.cpu_s);
}

}  // namespace stallcast::worker
