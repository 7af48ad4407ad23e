#pragma once

#include "tests/support/designs.hpp"

namespace stallcast::testing {

/// The storage "scratch": an NFS filer of one 5 GB/s controller that takes 250 us a request, with
/// nothing else that limits but for what `client` says.
[[nodiscard]] inline Component filer_of_one_head(Settings client) {
  Component out = component(models::Role::storage, "nfs", "scratch",
                            {{"head.count", "1"},
                             {"head.read", "5 GB/s"},
                             {"head.write", "5 GB/s"},
                             {"head.ops", "1000 kops/s"},
                             {"head.creates", "1000 kops/s"},
                             {"directory.creates", "1000 kops/s"},
                             {"head.service", "250 us"},
                             {"client.read_ahead", "1 GiB"}});
  for (const auto& [key, value] : client) set(out, models::Role::storage, key, value);
  return out;
}

}  // namespace stallcast::testing
