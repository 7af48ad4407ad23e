#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/resolve/component_reader.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"

/// The assertions of a scenario, and of policies that hold for many scenarios.
namespace stallcast::scenarios {

/// Reads the list `/expect`; every fault is reported. Entries with more keys than those of a
/// scenario are faults, too, except the ones in `more`.
[[nodiscard]] std::vector<Expectation> read_expectations(
    ReadContext& context, std::span<const std::string_view> more = {});

}  // namespace stallcast::scenarios
