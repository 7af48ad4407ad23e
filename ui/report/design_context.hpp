#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stallcast/client.hpp"
#include "ui/report/report.hpp"

/// What reports say of a design besides its prediction. The same for every front end, so that their
/// pages are the same, byte for byte.
namespace stallcast::report {

/// Versions alone.
[[nodiscard]] ReportContext tool_context(const client::Version& version);
/// Inputs with who set them, prices, and what was assumed; no command and no time line.
[[nodiscard]] ReportContext context_of(const Design& design, const client::Version& version);

/// The command that predicts the same again: "stallcast run a.json --set storage.ost.count=8".
/// `file` is where the scenario stands, for whoever reads the report; `words` are further ones.
[[nodiscard]] std::string command_of(std::string_view verb, std::string_view file,
                                     const ScenarioFile& source, const client::Question& question,
                                     const std::string& profile = "",
                                     const std::vector<std::string>& words = {});

/// The options of `plan` and `grow` that ask the same.
[[nodiscard]] std::vector<std::string> words_of(const client::PlanQuestion& question);
[[nodiscard]] std::vector<std::string> words_of(const client::GrowthQuestion& question);

}  // namespace stallcast::report
