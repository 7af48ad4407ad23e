#pragma once

#include <optional>
#include <string>

#include "engine/decide/check/baseline.hpp"
#include "ui/app/check.hpp"

/// What a check compares with, and how scenarios are called in it.
namespace stallcast::client {

/// The file or the text of `wanted`; empty for a file to be made, nullopt when it has neither.
[[nodiscard]] Result<std::optional<check::Baseline>> read_baseline(const CheckBaseline& wanted);

/// What the baseline calls the scenario `id` in the file `uri`: in a file, by the path from its
/// folder, so that it does not matter where `check` is started; in a text, by the path that was
/// given or the only one of the id.
[[nodiscard]] Result<check::ScenarioKey> key_of(const CheckBaseline& wanted,
                                                const std::optional<check::Baseline>& baseline,
                                                const std::string& uri, const std::string& id);

/// The date in UTC: "2026-11-21".
[[nodiscard]] std::string today();

}  // namespace stallcast::client
