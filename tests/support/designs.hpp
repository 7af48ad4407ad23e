#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "models/contract/presumption.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// Designs made by hand for tests: every field has its default, and what a test says.
namespace stallcast::testing {

using Settings = std::initializer_list<std::pair<const char*, const char*>>;

/// A component of `kind`, with `settings` written as in a scenario file ("ost.count" -> "48").
/// A default that does not parse, or an unknown key, fails the test by exception.
[[nodiscard]] Component component(models::Role role, std::string kind, std::string id,
                                  Settings settings);

/// 4 hosts "gpu" of 8 GPUs, a Lustre "scratch" of 8 OSTs, one job "train" without data or saves,
/// 100 ms steps without jitter and without barrier cost, one replica, 60 s.
[[nodiscard]] Design small_design();

/// The only job saves 32 GB every 60 steps by `mode`: 1 s into 8 OSTs of 4 GB/s that nothing else
/// holds; each rank reads its own again.
void save_by_steps(Design& design, const char* mode);

/// small_design() with one GPU whose only worker reads one sample at a time, from a data set of
/// `format`, over one stream of 0.5 GB/s. The server answers at once and parsing is free, unless
/// `settings` of the data set say otherwise.
[[nodiscard]] Design one_reader(const char* format, Settings settings,
                                const char* compute = "100 ms", const char* rtt = "0 s");

/// Simulates `design` without SimGrid.
[[nodiscard]] RunResult run(const Design& design, std::uint64_t seed = 1,
                            models::Presumed presumed = {});
/// A metric of a result. REQUIRES: it exists.
[[nodiscard]] double metric(const RunResult& result, const std::string& name);

/// `component` as another kind: what both kinds have stays, the rest has its defaults.
[[nodiscard]] Component as_kind(const Component& component, models::Role role, std::string kind);

/// Sets one field, as `component` does.
void set(Component& component, models::Role role, const char* key, const char* text);

}  // namespace stallcast::testing
