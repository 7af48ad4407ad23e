#pragma once

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <list>
#include <string>
#include <string_view>

#include "engine/runtime/worker/simulation.hpp"

struct pollfd;

namespace stallcast::worker {

/// Reads requests from standard input, gives them to children, and writes what became of them to
/// standard output. Single-threaded, and no SimGrid engine ever lives here: a child is a fresh
/// process each time. A process costs more than a small simulation, so where these are small and
/// many wait, a child gets several.
class Supervisor {
 public:
  /// At most `jobs` children at a time, each within `limits`, with `together` simulations; 0: as
  /// many as are quick. `fault` is $STALLCAST_SIM_FAULT: "kind" or "kind@id".
  Supervisor(std::size_t jobs, std::size_t together, Limits limits, std::string fault);

  /// Returns an exit status, when the input has ended and all its requests are answered, when
  /// nobody reads the output any more, or on SIGTERM. No child is left in any case.
  int run();

 private:
  struct Child {
    pid_t pid = -1;
    std::deque<Assignment> todo;  ///< in its order: those it has told of are gone
    std::size_t done = 0;
    bool enough = false;  ///< it does not want the rest
    int say_fd = -1;
    int log_fd = -1;
    std::string said;  ///< the beginning of a line
    std::string log;   ///< its last lines
  };

  void read_requests();
  void take_request(std::string_view line);
  void start_children();
  [[nodiscard]] std::deque<Assignment> next_for_a_child();
  void start(std::deque<Assignment> todo);
  void wait_for_events();
  void hear(Child& child);
  void hear_line(Child& child, std::string_view line);
  /// The first that `child` has to do is done, with this to say.
  void settle(Child& child, const std::string& message);
  /// What the child is at has to be simulated in another way: next of those that wait.
  void give_back(Child& child);
  void read_log(Child& child);
  void finish(Child& child);
  /// Makes of what simulations cost how many a child gets.
  void learn(const Child& child, double cpu_s);
  void kill_children();
  [[nodiscard]] std::string fault_for(std::uint64_t id) const;
  void put(std::string_view line);

  std::size_t jobs_;
  bool learns_;
  std::size_t together_;  ///< simulations that a child gets
  Limits limits_;
  std::string fault_;
  pid_t self_;
  bool input_open_ = true;
  bool output_lost_ = false;
  std::string incoming_;  ///< the beginning of a request
  std::deque<Assignment> waiting_;
  std::list<Child> children_;
};

}  // namespace stallcast::worker
