#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/cli/command_line.hpp"

/// `sweep run --engine`: the parts of a sweep on a cluster.
namespace stallcast::cli {

struct LaunchOptions {
  std::string engine;  ///< "" = none: the parts are run here
  std::optional<std::int64_t> shards;
  bool submit = false;
  std::string image, claim;
};

void declare(CommandLine& line, LaunchOptions& launch);

/// Prints the script or manifest that runs all parts of the sweep at `path`, or gives it to the
/// engine's own command. The exit code.
[[nodiscard]] int launch_sweep(const LaunchOptions& launch, const std::string& path,
                               const CommonOptions& options);

}  // namespace stallcast::cli
