#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/fields.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/resolve/parameters.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"

namespace stallcast::scenarios {

/// Who says what a range is, where a profile narrowed it.
inline constexpr std::string_view kObservedRuns = "observed runs";

class KnownComponents;

/// A tree that was read before, and what of it.
struct ReadBefore {
  const Tree& tree;
  const KnownComponents& components;
};

/// What readers of components work on.
struct ReadContext {
  const Tree& tree;
  Parameters& params;
  Reporter& report;
  const CalibrationProfile* profile = nullptr;  ///< may be absent
  bool idle = false;                            ///< neither a job nor a tenant is needed
  const ReadBefore* before = nullptr;           ///< what is alike there is not read again
  KnownComponents* keep = nullptr;              ///< what is read here, for other trees
};

/// What a component is, and where it is expected.
struct ComponentSpec {
  models::Role role;
  std::string pointer;  ///< the node may be absent: then all fields take their defaults
  std::string id;       ///< of a component that has no `id` of its own
  std::string what;     ///< for messages: "storage \"scratch\""
  bool has_id = false;  ///< the key `id` is allowed
  std::span<const std::string_view> parts = {};  ///< keys of sub-objects, read elsewhere
};

/// Reads one component against its field table: `use`, kind, fields, defaults, limits. All faults
/// are reported; the result is meant for further checks even then. What follows from its node, the
/// catalogue and the profile alone is known from before where the node was there, too.
[[nodiscard]] Component read_component(ReadContext& context, const ComponentSpec& spec);
/// The same where nothing is known.
[[nodiscard]] Component read_anew(ReadContext& context, const ComponentSpec& spec);

/// Reads one value as `field` wants it; nullopt after a fault, reported at `pointer`.
[[nodiscard]] std::optional<Value> read_value(ReadContext& context, const base::FieldInfo& field,
                                              const std::string& pointer, const Json& node);

/// Warns of a field that is deprecated, at the value that was written.
void warn_deprecated(const base::FieldInfo& field, const std::string& pointer, Reporter& report);

/// What `number` must be where it is outside of the limits of `field`: "at least 1 and at most 64".
[[nodiscard]] std::optional<std::string> outside_limits(const base::FieldInfo& field,
                                                        double number);

/// A default or catalogue text as a value. nullopt when it does not parse.
[[nodiscard]] std::optional<Value> value_of_text(const base::FieldInfo& field,
                                                 std::string_view text);

/// What `field`, a row of the registry, is where nobody says it, with its range and source; nullptr
/// of one that must be said, or may be absent.
[[nodiscard]] const Value* default_value(const base::FieldInfo& field);

/// A text, or what a text parameter stands for; nullopt after a fault.
[[nodiscard]] std::optional<std::string> read_text(ReadContext& context, const std::string& pointer,
                                                   const Json& node, std::string_view key);

}  // namespace stallcast::scenarios
