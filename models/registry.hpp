#pragma once

#include <span>
#include <string_view>

#include "engine/base/fields.hpp"

/// All kinds of things a scenario can name. One row a kind; the row's field table is the only
/// description of its parameters.
namespace stallcast::models {

/// The roles a component can play.
enum class Role {
  host,
  fabric,
  storage,
  job,
  model,
  step,
  dataset,
  loader,
  checkpoint,
  communication,
  recovery,
  elastic,
  tenant,
  failure,
  run
};

/// One row: a kind of one role.
struct KindInfo {
  std::string_view id;                      ///< "lustre"
  std::string_view summary;                 ///< one line
  std::span<const base::FieldInfo> common;  ///< fields every kind of this role has
  std::span<const base::FieldInfo> fields;  ///< fields of this kind alone
};

/// What is true of a whole role.
struct RoleInfo {
  Role role;
  std::string_view id;  ///< "storage"
  std::string_view
      selector;  ///< key that names the kind ("type", "format", "mode"); "" when there is only one
  std::string_view fallback;  ///< kind when the selector is absent; "" = it must be given
};

[[nodiscard]] std::span<const RoleInfo> roles();
[[nodiscard]] const RoleInfo& role_info(Role role);
/// Rows of a role, sorted by id.
[[nodiscard]] std::span<const KindInfo> kinds(Role role);
/// nullptr when there is no such kind.
[[nodiscard]] const KindInfo* find_kind(Role role, std::string_view id);

}  // namespace stallcast::models
