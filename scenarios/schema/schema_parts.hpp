#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/base/fields.hpp"
#include "engine/base/jsonc.hpp"
#include "models/contract/registry.hpp"

/// JSON Schema of single values and components, from the field tables.
namespace stallcast::scenarios {

/// A file that extends another, and a variant, hold parts only: nothing is required there and null
/// takes back what was said before.
enum class SchemaForm { complete, part };

/// The texts of each dimension, by name: what the schemas of fields refer to.
[[nodiscard]] base::Json quantity_definitions();

/// Whether a value may say how sure it is: in components it may.
enum class Ranges { none, allowed };

/// What one field accepts, an expression included.
[[nodiscard]] base::Json field_schema(const base::FieldInfo& field, Ranges ranges);

/// A component of `role`, whatever its kind. `parts` are the schemas of sub-objects; those in
/// `required_parts` must be there.
struct ComponentSchema {
  models::Role role;
  bool has_id = false;
  base::Json parts = base::Json::object();
  base::Json required_parts = base::Json::array();
};
[[nodiscard]] base::Json component_schema(const ComponentSchema& component, SchemaForm form);

/// True when a component of `role` cannot be left out: its usual kind has required fields.
/// REQUIRES: a role that has a usual kind.
[[nodiscard]] bool must_be_given(models::Role role);

/// {"type": "object", ...} that takes only `properties` and keys that begin with "x-".
[[nodiscard]] base::Json closed_object(base::Json properties);

/// Text that satisfies `pattern`, or an expression.
[[nodiscard]] base::Json text_or_expression(base::Json text);

/// `schema` or null.
[[nodiscard]] base::Json or_null(base::Json schema);

}  // namespace stallcast::scenarios
