#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "stallcast/design.hpp"

/// What a child of the worker does with its life.
namespace stallcast::worker {

/// One simulation, as it came in.
struct Assignment {
  std::uint64_t id = 0;
  std::uint64_t seed = 0;
  Design design;
};

/// What a line a child writes begins with; the rest of the line is JSON.
enum class Said : char {
  progress = 'P',   ///< a number, 0 to 1
  result = 'R',     ///< an encoded RunResult
  exception = 'E',  ///< a text
};

/// A child says what it has to say on `say_fd`; what it prints, and the last words of a failed
/// assertion, go to `log_fd`.
struct Outlets {
  int say_fd = -1;
  int log_fd = -1;
};

/// Simulates and ends this process. `fault` is what $STALLCAST_SIM_FAULT asks of this child
/// instead: "", "abort", "segv", "hang", "exit" or "assert".
/// REQUIRES: called in a child just forked by `parent`, which is single-threaded.
[[noreturn]] void simulate_and_exit(const Assignment& assignment, Outlets outlets, pid_t parent,
                                    std::string_view fault);

/// Ties this process to `parent`: it is killed when that ends. Returns false if it has already.
[[nodiscard]] bool die_with(pid_t parent);

}  // namespace stallcast::worker
