#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/report/report.hpp"
#include "ui/server/problem.hpp"
#include "ui/server/service.hpp"

/// What the handlers of scenarios have in common.
namespace stallcast::server {

/// What a scenario that came in a request is called.
inline constexpr std::string_view kScenarioName = "scenario.json";

/// What a request asks for, or the problem to answer with.
template <class T>
struct Asked {
  Asked(T asked) : value(std::move(asked)) {}       // NOLINT(google-explicit-constructor)
  Asked(Response why) : problem(std::move(why)) {}  // NOLINT(google-explicit-constructor)

  std::optional<T> value;
  Response problem;
};

/// The scenario of a request, its body, with what the query says; nothing is read yet. A problem
/// when the query has a parameter that the route does not know.
[[nodiscard]] Asked<ScenarioFile> source_of(const Call& call);

/// Where scenarios stand: "", or the root with a slash.
[[nodiscard]] std::string folder_of(const ServerSettings& settings);

/// The scenario as it is read, or 422 with its errors.
[[nodiscard]] Asked<Scenario> read(const Call& call, const ScenarioFile& source);

/// A whole number of the query, from 0 on; `value` as it was without one. False when it is none.
[[nodiscard]] bool read_number(const Call& call, std::string_view name, std::int64_t& value);

/// "true" or "false" of the query, likewise.
[[nodiscard]] bool read_flag(const Call& call, std::string_view name, bool& value);
[[nodiscard]] Response no_flag(std::string_view name);

/// How to predict, as the query says, within the limits of the server.
[[nodiscard]] Asked<client::Question> question_of(const Call& call);

/// Diagnostics without what only the server may know: where its root lies.
[[nodiscard]] Diagnostics for_client(const ServerSettings& settings, Diagnostics diagnostics);

/// What reports say besides a prediction: the design's inputs, and the command that predicts the
/// same.
[[nodiscard]] report::ReportContext context_of(std::string_view verb, const Design& design,
                                               const ScenarioFile& source,
                                               const client::Question& question,
                                               const std::vector<std::string>& words = {});

/// A report as a page of its own, which runs no script but that of reports.
[[nodiscard]] Response page_response(std::string page);

}  // namespace stallcast::server
