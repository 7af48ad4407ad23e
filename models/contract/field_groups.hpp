#pragma once

#include <span>
#include <string_view>

#include "models/contract/registry.hpp"

namespace stallcast::models {

/// What fields of a component are about: how forms put them in order.
enum class FieldGroup { capacity, network, metadata, failure, cost, other };

/// What each group is called, in the order of the enumeration.
[[nodiscard]] std::span<const std::string_view> group_titles();

/// Of a field of a kind of `role`: prices are costs; then the last word of its key that the table
/// of words has; else by its dimension, where sizes, rates and counts say how much there is.
[[nodiscard]] FieldGroup group_of(Role role, const KindInfo& kind, const base::FieldInfo& field);

/// The words that the table has.
[[nodiscard]] std::span<const std::string_view> grouped_words();

}  // namespace stallcast::models
