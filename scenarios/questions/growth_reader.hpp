#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/fields.hpp"
#include "scenarios/resolve/component_reader.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/scenario.hpp"

/// How a scenario grows.
namespace stallcast::scenarios {

/// Keys of `growth` besides "of".
[[nodiscard]] std::span<const base::FieldInfo> growth_fields();

/// What a text that is a trend looks like, for messages and the schema.
inline constexpr std::string_view kTrendForms =
    "\"4 %/month\", \"60 %/year\", \"x2/year\" or \"+8/month\"";

/// Reads `growth` of the tree; faults are reported with their place. Names of `params` become
/// "params.NAME". Nothing grows without the key.
[[nodiscard]] GrowthSpec read_growth(ReadContext& context, std::span<const Parameter> params);

/// Adds "PATH=4 %/month" of --of, in place of a trend of the same path.
void add_trend(const std::string& option, std::span<const Parameter> params, GrowthSpec& spec,
               Diagnostics& diags);

/// Months of "24mo", "24 months", "2y" or "24"; nullopt for what is none, or beyond 20 years.
[[nodiscard]] std::optional<int> months_of(std::string_view text);

}  // namespace stallcast::scenarios
