#pragma once

#include <string>

/// What the worker and its simulations may ask of the kernel: docs/adr/0036-sandboxed-workers.md.
namespace stallcast::worker {

/// What a simulation may use; 0 stands for no limit.
struct Limits {
  double memory_mb = 0.0;
  int cpu_s = 0;
};

/// Ends what this process, and all that it starts, may do beyond computing: from here on they use
/// what is open already, read files, and start copies of themselves. Nothing is opened to be
/// written, no socket made, no program started. What sees to that: "seccomp", or "none" with the
/// reason.
[[nodiscard]] std::string enter_sandbox();

enum class Files { none, read };

/// A simulation narrows that further, once it knows its design: it starts no process, signals none
/// but itself, and reads no file but where its design names one. Does nothing where the sandbox
/// does not hold.
void narrow_to_simulation(Files files);

/// Limits of the calling process. REQUIRES: not yet narrowed to a simulation.
void take_limits(const Limits& limits);

/// Test only: what of all that is to be impossible the calling process can do all the same, by
/// name; "" when the sandbox holds.
[[nodiscard]] std::string escapes();

}  // namespace stallcast::worker
