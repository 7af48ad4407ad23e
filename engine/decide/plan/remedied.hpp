#pragma once

#include <optional>
#include <string>

#include "engine/decide/plan/advice.hpp"
#include "models/contract/registry.hpp"
#include "models/contract/remedies.hpp"
#include "stallcast/design.hpp"

/// What a remedy of the registry makes of a component of a design.
namespace stallcast::plan {

/// The component whose field a remedy changes.
struct Patient {
  models::Role role;
  const Component& component;
  std::string path;   ///< "storage[scratch]"
  std::string label;  ///< "storage.scratch"
};

/// What `remedy` changes of it; nullopt where the field is not there or stays as it is. `fabric` as
/// the scenario says it: whether its links follow faster NICs.
[[nodiscard]] std::optional<Proposal> remedied(const Patient& patient, const models::Remedy& remedy,
                                               const Component& fabric);

/// The field of `remedy` to `more`. REQUIRES: the component has it.
[[nodiscard]] Proposal raised_to(double more, const models::Remedy& remedy, const Patient& patient,
                                 const Component& fabric);

}  // namespace stallcast::plan
