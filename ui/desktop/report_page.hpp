#pragma once

#include <QString>
#include <optional>
#include <string>

#include "stallcast/client.hpp"
#include "ui/desktop/engine.hpp"

namespace stallcast::desktop {

/// What a report is made of.
struct ReportWish {
  Scenario scenario;
  std::optional<Prediction> prediction;  ///< of the design; none: it is to be simulated
  std::string command;                   ///< what makes the report again
};

/// The page that `stallcast run --format html` writes, byte for byte: a prediction, the changes
/// that help, and what happens when.
[[nodiscard]] Result<std::string> report_page(client::Session& session, const ReportWish& wish,
                                              const Engine::Progress& progress);

}  // namespace stallcast::desktop
