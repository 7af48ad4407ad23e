#pragma once

#include <optional>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Credits of cloud volumes. docs/models/burst-credits.md.
namespace stallcast::models {

struct CreditParams {
  std::optional<Rate> base;   ///< that it moves for ever, reads and writes together
  Bytes size;                 ///< moved beyond that with all its credits
  std::optional<OpRate> ops;  ///< that it serves for ever
  double ops_size = 0.0;      ///< served beyond that with all its credits
  Bytes request;              ///< largest that counts as one
  Fraction start;             ///< of the credits, at the start of the run
};
/// Whether its requests or bytes cost credits: only then has it the fields.
[[nodiscard]] bool has_credits(const Component& component);
/// REQUIRES: has_credits.
[[nodiscard]] CreditParams credit_params(const Component& component);
/// From now on it starts without any. REQUIRES: has_credits.
void set_empty(Component& component);
[[nodiscard]] std::span<const base::FieldInfo> credit_fields();

}  // namespace stallcast::models
