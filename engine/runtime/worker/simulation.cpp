#include "engine/runtime/worker/simulation.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/protocol.hpp"
#include "engine/runtime/codec/timeline_codec.hpp"
#include "engine/sim/fluid_context.hpp"
#include "engine/sim/simgrid_context.hpp"
#include "models/contract/training.hpp"
#include "models/run/simulate.hpp"
#include "stallcast/memory_limit.hpp"

namespace stallcast::worker {
namespace {

constexpr int kSayFd = 3;
constexpr std::chrono::milliseconds kBetweenProgress{100};
/// Of simulations in one process none begins after so much CPU time: what is slow is not to keep
/// others waiting. Not of the clock on the wall, by which all are slow on a busy machine.
constexpr double kTogether = 150e-3;  // s

void say(Said what, std::string_view json) {
  std::string line(1, static_cast<char>(what));
  line.append(json).push_back('\n');
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = ::write(kSayFd, rest.data(), rest.size());
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) _exit(EXIT_FAILURE);  // nobody listens any more
  }
}

void say_text(Said what, std::string_view text) { say(what, base::json_text(text)); }

/// Standard input is empty, standard output and error are the log, 3 is where to speak; nothing
/// else of the parent stays open.
void take_outlets(Outlets outlets) {
  dup2(outlets.log_fd, STDOUT_FILENO);
  dup2(outlets.log_fd, STDERR_FILENO);
  if (outlets.say_fd != kSayFd) dup2(outlets.say_fd, kSayFd);
  close_range(kSayFd + 1, ~0U, 0);     // what the parent has open may be as many as it is allowed
  std::array<int, 2> nothing{-1, -1};  // no file can be opened any more
  close(STDIN_FILENO);
  if (pipe2(nothing.data(), 0) != 0) {
    std::perror("cannot make a pipe");
    _exit(EXIT_FAILURE);
  }
  if (nothing[0] != STDIN_FILENO) dup2(nothing[0], STDIN_FILENO), close(nothing[0]);
  close(nothing[1]);
}

void reset_signals() {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Test only (docs/guide/worker-protocol.md): fails the way a broken model would.
void inject(std::string_view fault) {
  if (fault == "abort") std::abort();
  if (fault == "segv") {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it
    raise(SIGSEGV);
  }
  if (fault == "exit") _exit(3);
  if (fault == "hang")
    while (true) pause();
  if (fault == "spin")
    while (true) (void)getppid();
  if (fault == "memory")
    for (std::vector<std::string> all;;) all.emplace_back(std::size_t{1} << 26, 'x');
  if (fault == "escape") {
    narrow_to_simulation(Files::none);
    const std::string out = escapes();
    throw std::runtime_error(out.empty() ? "the sandbox holds" : "can: " + out);
  }
  const bool injected = fault == "assert";
  assert(!injected && "injected by STALLCAST_SIM_FAULT");
}

Files files_of(const Design& design) {
  return codec::reads_files(design) ? Files::read : Files::none;
}

bool on_comms(const Design& design) { return models::run_params(design.run).backend == "comm"; }

/// In a context that is new. Returns what of `presumed` does not hold, if anything; else the result
/// is told, and `then` called before the simulation is taken apart.
std::optional<models::Presumption> simulate(const codec::WorkerRequest& request,
                                            models::Presumed presumed, sim::Context& context,
                                            void (*then)()) {
  models::Simulation simulation(*request.design, presumed);
  auto next = std::chrono::steady_clock::now() + kBetweenProgress;
  context.on_progress = [&next](double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + kBetweenProgress;
    say(Said::progress, nlohmann::json(fraction).dump());
  };
  try {
    if (request.record) {
      say(Said::timeline,
          codec::encode(simulation.record(request.seed, context, request.record->what)));
    } else {
      RunResult result = simulation.run(request.seed, context);
      result.presumed = presumed.names();
      say(Said::result, codec::encode(result));
    }
  } catch (const models::Refuted& refuted) {
    return refuted.which;
  }
  then();
  return std::nullopt;
}

/// What of all that is presumed holds until the end of a run: a window shows the simulation that
/// figures are of, also where something is refuted after it. Whoever has these figures says what
/// that is; else the run is made. [docs/adr/0022-record-a-second-run.md]
models::Presumed holding(const codec::WorkerRequest& request) {
  if (request.record->presumed) return models::Presumed::of(*request.record->presumed);
  models::Presumed presumed = models::Presumed::all();
  while (true) {
    const auto context = sim::make_fluid_context();
    try {
      (void)models::Simulation(*request.design, presumed).run(request.seed, *context);
      return presumed;
    } catch (const models::Refuted& refuted) {
      presumed = presumed.without(refuted.which);
    }
  }
}

/// What is presumed holds in most designs. Where it does not they are simulated anew, without
/// SimGrid, of which a process has one engine: the bits are the same, but for its own flows, with
/// which nothing is presumed.
void simulate(const codec::WorkerRequest& request, std::unique_ptr<sim::Context> context,
              void (*then)()) {
  models::Presumed presumed;
  if (!on_comms(*request.design))
    presumed = request.record ? holding(request) : models::Presumed::all();
  while (const auto refuted = simulate(request, presumed, *context, then)) {
    presumed = presumed.without(*refuted);
    context = sim::make_fluid_context();
  }
}

void simulate_alone(const Assignment& assignment) {
  const codec::WorkerRequest request = codec::read_request(assignment.line);
  if (!request.design.ok()) return say_text(Said::unreadable, request.design.failure().message);
  narrow_to_simulation(files_of(*request.design));
  simulate(request,
           sim::make_simgrid_context(on_comms(*request.design) ? sim::FlowBackend::comm
                                                               : sim::FlowBackend::fluid),
           [] { _exit(EXIT_SUCCESS); });  // taking it apart would only cost time
}

/// Those that read files share a process with others that do, and with nobody else.
void simulate_together(const std::deque<Assignment>& todo) {
  const std::clock_t enough = std::clock() + static_cast<std::clock_t>(kTogether * CLOCKS_PER_SEC);
  std::optional<Files> files;
  for (const Assignment& assignment : todo) {
    if (std::clock() >= enough) return say(Said::enough, "");
    const codec::WorkerRequest request = codec::read_request(assignment.line);
    if (!files) {
      files = request.design.ok() ? files_of(*request.design) : Files::none;
      narrow_to_simulation(*files);
    }
    if (!request.design.ok()) {
      say_text(Said::unreadable, request.design.failure().message);
    } else if (on_comms(*request.design) || files_of(*request.design) != *files) {
      say(Said::alone, "");
    } else {
      inject(assignment.fault);
      simulate(request, sim::make_fluid_context(), [] {});
    }
  }
}

}  // namespace

bool die_with(pid_t parent) {
  // The parent may have ended before prctl took effect.
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

void simulate_and_exit(const std::deque<Assignment>& todo, Outlets outlets, pid_t parent,
                       const Limits& limits) {
  if (!die_with(parent)) _exit(EXIT_FAILURE);
  take_outlets(outlets);
  reset_signals();
  take_limits(limits);
  try {
    if (todo.size() == 1) {
      inject(todo.front().fault);
      simulate_alone(todo.front());
    } else {
      simulate_together(todo);
    }
    _exit(EXIT_SUCCESS);
  } catch (const std::bad_alloc&) {
    say_text(Said::exception, std::string(kTooLittleMemory));
  } catch (const std::exception& error) {
    say_text(Said::exception, error.what());
  }
  say(Said::enough, "");  // who knows what it left behind
  _exit(EXIT_SUCCESS);
}

}  // namespace stallcast::worker
