#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {

/// A design to compare the one on screen with.
struct CompareBase {
  QString name;
  ScenarioFile source;
  std::optional<Prediction> prediction;   ///< known of pins, else once it was simulated
  std::optional<Scenario> scenario = {};  ///< once it was read, without errors

  /// Reads `scenario`; false when it has errors.
  [[nodiscard]] bool read(Workspace& workspace);
  /// Whether both are the same text and variant under the same name.
  [[nodiscard]] bool same(const CompareBase& other) const;
};

/// Pinned designs, then the scenario as it was saved, where it was changed since, and its variants.
[[nodiscard]] std::vector<CompareBase> compare_bases(const Workspace& workspace);

}  // namespace stallcast::desktop
