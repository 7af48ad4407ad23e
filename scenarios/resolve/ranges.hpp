#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "models/catalogue/ceilings.hpp"
#include "scenarios/resolve/component_reader.hpp"

/// How sure a value is, as a scenario says it: "4 GB/s +- 10 %", "up to 110 GB/s", or an object of
/// value, low and high.
namespace stallcast::scenarios {

/// Reads one value that says nothing of how sure it is; nullopt after a fault, reported at the
/// pointer.
using ReadExact = std::function<std::optional<Value>(const std::string& pointer, const Json& node)>;

/// Reads one value of a component, with its range where it has one; nullopt after a fault.
/// Numbers without a range, and what is not a number, are what `exact` makes of them. `ceiling` is
/// what "up to" leaves of such a figure; may be null.
[[nodiscard]] std::optional<Value> read_ranged(ReadContext& context, const base::FieldInfo& field,
                                               const std::string& pointer, const Json& node,
                                               const ReadExact& exact,
                                               const models::Ceiling* ceiling = nullptr);

/// Whether a number of this dimension is written without a unit.
[[nodiscard]] inline bool is_plain(Dimension d) {
  return d == Dimension::count || d == Dimension::number;
}

/// Whether `node` is a value with its range, and not an object of further fields.
[[nodiscard]] bool is_ranged(const Json& node);

/// What `node` says the value is: its "value" where it is an object with one, else itself.
[[nodiscard]] const Json& nominal_of(const Json& node);

/// Whether a text has a tolerance or names a ceiling. Expressions have neither: "=a +-2" is a sum.
[[nodiscard]] bool states_range(std::string_view text);

}  // namespace stallcast::scenarios
