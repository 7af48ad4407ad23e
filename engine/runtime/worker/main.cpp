#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/runtime/worker/sandbox.hpp"
#include "engine/runtime/worker/simulation.hpp"
#include "engine/runtime/worker/supervisor.hpp"

// stallcast-sim: one request a line on standard input, one message a line on standard output
// (docs/guide/worker-protocol.md). Started by stallcast, not by users.
namespace {

constexpr const char* kUsage =
    "usage: stallcast-sim [--jobs N] [--together N] [--parent PID] [--memory MB] [--cpu S] < "
    "REQUESTS\n"
    "Simulates one design a line; see docs/guide/worker-protocol.md. Users call stallcast.\n"
    "  --jobs N      simulations at a time (default 1)\n"
    "  --together N  simulations that share a process (default: as many as are quick)\n"
    "  --parent PID  end when the process PID, which must have started this one, ends\n"
    "  --memory MB   of a simulation (default: its part of what the machine has)\n"
    "  --cpu S       time on a core that a simulation may take (default: any)\n"
    "  --version, --help\n";
constexpr int kBadUsage = 2;

/// SimGrid's solver recurses once per link of a chain of flows. 120 MiB of stack fit below what
/// Linux keeps free at least under the main stack, so no new start of the program is needed.
constexpr rlim_t kStack = 120ul << 20;

void set_limits() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kStack) {
    stack.rlim_cur = std::min(kStack, stack.rlim_max);
    setrlimit(RLIMIT_STACK, &stack);
  }
}

/// Of one of `jobs` simulations: if all took more than there is, the system would end processes,
/// and perhaps others than these.
double part_of_machine_mb(int jobs) {
  constexpr double kLeft = 0.8;
  return kLeft * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6 / jobs;
}

bool parse(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 1;
}

}  // namespace

int main(int argc, char** argv) {
  int jobs = 1;
  int together = 0;
  int parent = 0;
  int memory_mb = 0;
  int cpu_s = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help") return std::fputs(kUsage, stdout), EXIT_SUCCESS;
    if (option == "--version") return std::puts("stallcast-sim " STALLCAST_VERSION), EXIT_SUCCESS;
    int* value = option == "--jobs"       ? &jobs
                 : option == "--together" ? &together
                 : option == "--parent"   ? &parent
                 : option == "--memory"   ? &memory_mb
                 : option == "--cpu"      ? &cpu_s
                                          : nullptr;
    if (value == nullptr || ++i == argc || !parse(argv[i], *value))
      return std::fputs(kUsage, stderr), kBadUsage;
  }
  if (parent != 0 && !stallcast::worker::die_with(parent)) return EXIT_FAILURE;
  set_limits();
  const char* fault = std::getenv("STALLCAST_SIM_FAULT");
  const int status =
      stallcast::worker::Supervisor(
          static_cast<std::size_t>(jobs), static_cast<std::size_t>(together),
          {memory_mb > 0 ? memory_mb : part_of_machine_mb(jobs), cpu_s}, fault ? fault : "")
          .run();
  _exit(status);  // the libraries would only take themselves apart
}
