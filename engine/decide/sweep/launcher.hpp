#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/result.hpp"

/// Scripts and manifests that run the parts of a sweep on engines users already have.
namespace stallcast::sweep {

struct LaunchRequest {
  std::string program;            ///< how `stallcast` is called there
  std::string path;               ///< of the sweep, as the parts see it
  std::size_t shards = 1;         ///< parts
  std::vector<std::string> more;  ///< options passed on to `sweep run`
  std::string image;              ///< Kubernetes: container image with stallcast
  std::string claim;              ///< Kubernetes: volume claim with the sweep
};

/// What to submit, and with which command: it reads the text on standard input.
struct Launch {
  std::string text;
  std::vector<std::string> submit;
};

/// For `engine` "slurm", "mpi", "k8s" or "parallel". Fails with bad_input for an unknown engine, or
/// a request that lacks something.
[[nodiscard]] Result<Launch> launch(std::string_view engine, const LaunchRequest& request);

}  // namespace stallcast::sweep
