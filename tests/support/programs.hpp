#pragma once

#include <string>
#include <vector>

#include "stallcast/replay.hpp"

/// Programs of replays made by hand for tests.
namespace stallcast::testing {

/// The steps of one thread of a process.
struct ThreadSteps {
  std::uint64_t process = 0;
  std::vector<ReplayStep> steps;
};

/// A file with this program, whose files lie on `places` storage systems, until the test program
/// ends; its path.
[[nodiscard]] std::string program_file(const std::vector<ThreadSteps>& threads,
                                       std::uint64_t machines = 0, std::uint64_t places = 1);

/// `count` reads, each of `bytes` of file 1 behind the other with as much left out between them,
/// `gap` seconds after the one before.
[[nodiscard]] std::vector<ReplayStep> random_reads(int count, std::uint64_t bytes, double gap);

}  // namespace stallcast::testing
