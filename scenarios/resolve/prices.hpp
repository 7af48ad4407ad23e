#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenarios/resolve/component_reader.hpp"

/// Prices that a scenario takes from the catalogue: "catalog:price/s3-standard#storage".
namespace stallcast::scenarios {

/// Whether `node` names a figure of the catalogue.
[[nodiscard]] bool names_price(const Json& node);

/// What a price is of.
enum class PriceOf { one, tb, requests };

/// Of what `field` of the kind is the price; nullopt where it is none.
[[nodiscard]] std::optional<PriceOf> price_of(const models::KindInfo& kind,
                                              const base::FieldInfo& field);

/// That figure as the value of a price field. A range is taken at its middle, which the citation
/// says. nullopt after a fault, reported at `pointer`.
[[nodiscard]] std::optional<Value> read_price(ReadContext& context, const base::FieldInfo& field,
                                              const std::string& pointer, std::string_view text,
                                              PriceOf of);

}  // namespace stallcast::scenarios
