#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <string>

#include "engine/runtime/worker/sandbox.hpp"

/// What a child of the worker does with its life.
namespace stallcast::worker {

/// One simulation, as it came in: reading it is the child's work, so that the parent, of which
/// every child begins as a copy, stays small.
struct Assignment {
  std::uint64_t id = 0;
  std::string line;    ///< the request
  std::string fault;   ///< what $STALLCAST_SIM_FAULT asks of it: see `simulate_and_exit`
  bool alone = false;  ///< has to have a process of its own
};

/// What a line a child writes begins with; the rest of the line is JSON.
enum class Said : char {
  progress = 'P',    ///< a number, 0 to 1
  result = 'R',      ///< an encoded RunResult
  timeline = 'T',    ///< an encoded Timeline
  exception = 'E',   ///< a text
  unreadable = 'U',  ///< why the request cannot be read, a text
  alone = 'A',       ///< the next one has to have a process of its own: it is somebody else's
  enough = 'N'       ///< this process ends: those that it has not told of are somebody else's
};

/// A child says what it has to say on `say_fd`; what it prints, and the last words of a failed
/// assertion, go to `log_fd`.
struct Outlets {
  int say_fd = -1;
  int log_fd = -1;
};

/// Simulates one after the other and ends this process; what comes of each is said before the next
/// begins. One alone gets SimGrid, of which a process has one engine; of several each gets the
/// clock without it, which gives the same bits. A fault is "", "abort", "segv", "hang", "exit",
/// "assert", "escape", "memory" or "spin", in place of the simulation.
/// REQUIRES: called in a child just forked by `parent`, which is single-threaded; `todo` is not
/// empty.
[[noreturn]] void simulate_and_exit(const std::deque<Assignment>& todo, Outlets outlets,
                                    pid_t parent, const Limits& limits);

/// Ties this process to `parent`: it is killed when that ends. Returns false if it has already.
[[nodiscard]] bool die_with(pid_t parent);

}  // namespace stallcast::worker
