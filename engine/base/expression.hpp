#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// Arithmetic over named parameters: + - * / ( ), numbers, names, and the functions min max ceil
/// floor round sqrt exp log (natural) log2 pow.
namespace stallcast::base {

struct ExpressionResult {
  std::optional<double> value;
  std::string message;          ///< what is wrong, when there is no value
  std::string hint;             ///< for example the nearest parameter name
  std::set<std::string> names;  ///< every parameter the expression mentions, also on failure
};

/// Evaluates `text` (without the leading "="). Unknown names, division by zero and results that are
/// not finite are failures.
[[nodiscard]] ExpressionResult evaluate(std::string_view text,
                                        const std::map<std::string, double>& parameters);

}  // namespace stallcast::base
