#include "engine/base/expression.hpp"

#include <cmath>

#include "fuzz/target.hpp"

namespace stallcast::fuzz {

void fuzz_expression(std::string_view input) {
  static const std::map<std::string, double> parameters = {
      {"a", 1.5}, {"b", -2.0}, {"n", 48.0}, {"zero", 0.0}, {"huge", 1e300}, {"tiny", 1e-300}};
  const base::ExpressionResult found = base::evaluate(input, parameters);
  require(found.value.has_value() == found.message.empty(), "a value or a message");
  require(!found.value || std::isfinite(*found.value), "a value is finite");
}

}  // namespace stallcast::fuzz
