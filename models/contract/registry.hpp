#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/fields.hpp"
#include "models/contract/counts.hpp"
#include "models/contract/measures.hpp"
#include "models/contract/parts.hpp"
#include "models/contract/remedies.hpp"

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
  stage,
  failure,
  run
};

/// One row: a kind of one role.
struct KindInfo {
  std::string_view id;                        ///< "lustre"
  std::string_view summary;                   ///< one line
  std::span<const base::FieldInfo> common;    ///< fields every kind of this role has
  std::span<const base::FieldInfo> fields{};  ///< fields of this kind alone
  std::span<const PartInfo> common_parts{};   ///< what every kind of this role is bought as
  std::span<const PartInfo> parts{};          ///< what this kind is bought as, besides
  std::span<const Remedy> remedies{};         ///< of resources that only this kind has
  Successor successor{};                      ///< the kind to try instead
  std::span<const Count> counts{};  ///< a plan without a word about it searches the first given
  std::span<const std::string_view> figures{};  ///< of its metrics, patterns of what not all have
};

/// What is true of a whole role.
struct RoleInfo {
  Role role;
  std::string_view id;  ///< "storage"
  std::string_view
      selector;  ///< key that names the kind ("type", "format", "mode"); "" when there is only one
  std::string_view fallback;           ///< kind when the selector is absent; "" = it must be given
  std::string_view page;               ///< its equations; "*" = each kind has a page of its own
  std::span<const Remedy> remedies{};  ///< of resources that several kinds have
  std::span<const Habit> habits{};
  std::span<const Count> counts{};  ///< of all its kinds
  std::span<const MeasuredBy> measures{};
};

[[nodiscard]] std::span<const RoleInfo> roles();
[[nodiscard]] const RoleInfo& role_info(Role role);
/// Rows of a role, sorted by id.
[[nodiscard]] std::span<const KindInfo> kinds(Role role);
/// The role with this id; nullptr when there is none.
[[nodiscard]] const RoleInfo* find_role(std::string_view id);
/// nullptr when there is no such kind.
[[nodiscard]] const KindInfo* find_kind(Role role, std::string_view id);

/// Where the equations of a kind are: "docs/models/lustre.md". "" is the role itself.
[[nodiscard]] std::string page_of(Role role, std::string_view kind = "");

/// Fields of parts, what they cost and hold: of common ones, or of the kind's own.
[[nodiscard]] std::vector<const base::FieldInfo*> price_fields(std::span<const PartInfo> parts);
/// All fields of a kind: common ones, its own, prices.
[[nodiscard]] std::vector<const base::FieldInfo*> fields_of(const KindInfo& kind);
/// The field of the component's kind with this key; nullptr when there is none.
[[nodiscard]] const base::FieldInfo* find_field(Role role, const Component& component,
                                                std::string_view key);
/// Whether the field says something of this component: those of costs do where it is bought, those
/// of capacity where it says how much it holds.
[[nodiscard]] bool counts(const KindInfo& kind, const Component& component,
                          const base::FieldInfo& field);
/// Whether only costs need the field: a part's own one, or a price.
[[nodiscard]] bool is_for_costs(const KindInfo& kind, const base::FieldInfo& field);
/// The part whose price, rent, power or space the field is; nullptr when it is none.
[[nodiscard]] const PartInfo* part_priced_by(const KindInfo& kind, const base::FieldInfo& field);
/// Whether a part of the component has a purchase price.
[[nodiscard]] bool is_bought(const KindInfo& kind, const Component& component);
/// Whether something says how much the component holds.
[[nodiscard]] bool says_capacity(const KindInfo& kind, const Component& component);
/// All parts of a kind: common ones, its own.
[[nodiscard]] std::vector<const PartInfo*> parts_of(const KindInfo& kind);

}  // namespace stallcast::models
