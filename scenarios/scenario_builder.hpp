#pragma once

#include <string>

#include "engine/base/jsonc.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast {

/// Scenarios and the JSON they are of.
struct ScenarioBuilder {
  /// `document` as a file would hold it; `name` stands for the file in messages. `profile` may be
  /// absent, and must outlive the scenario.
  [[nodiscard]] static Scenario from_json(base::Json document, const std::string& name,
                                          const CalibrationProfile* profile = nullptr);
  /// The file of a scenario as it was parsed. REQUIRES: ok().
  [[nodiscard]] static const base::JsonDocument& document_of(const Scenario& scenario);
  /// The file, all that it extends, its variant and options as one document: parameters,
  /// expressions and products stay as they are written. REQUIRES: ok().
  [[nodiscard]] static base::Json merged(const Scenario& scenario);
  /// What the files and options say at `pointer` before it is resolved, whichever of them says it
  /// last; nullptr when none does. Without changes made by `with`. REQUIRES: ok().
  [[nodiscard]] static const base::Json* written_at(const Scenario& scenario,
                                                    const std::string& pointer);
};

}  // namespace stallcast
