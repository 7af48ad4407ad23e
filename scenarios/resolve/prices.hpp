#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenarios/resolve/component_reader.hpp"

/// Prices that a scenario takes from the catalogue: "catalog:price/s3-standard#storage".
namespace stallcast::scenarios {

/// Whether `node` names a figure of the catalogue.
[[nodiscard]] bool names_price(const Json& node);

/// That figure as the value of a price field; `of_tb`: the field is the price of 1 TB. A range is
/// taken at its middle, which the citation says. nullopt after a fault, reported at `pointer`.
[[nodiscard]] std::optional<Value> read_price(ReadContext& context, const base::FieldInfo& field,
                                              const std::string& pointer, std::string_view text,
                                              bool of_tb);

}  // namespace stallcast::scenarios
