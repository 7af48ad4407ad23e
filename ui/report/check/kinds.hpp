#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "stallcast/check.hpp"
#include "ui/report/report.hpp"

/// What `check` found, for people and for what reads it after them. To add a kind: its .cpp, its
/// declaration here, and a row in kinds.cpp.
namespace stallcast::report {

struct CheckContext {
  ReportContext tool;
  Style style;
  std::string tag = "check";  ///< by which a poster finds its own comment again
};

struct CheckKind {
  std::string_view name;
  std::string_view summary;  ///< one phrase for the help and the guide
  std::string (*render)(const CheckReport& report, const CheckContext& context);
  /// A file that a CI system names in this variable gets `appended`, if the variable is set.
  std::string_view append_to = {};
  std::string (*appended)(const CheckReport& report, const CheckContext& context,
                          std::size_t most_bytes) = nullptr;
  std::size_t most_appended = 0;  ///< bytes the whole file may have
};

/// In the order of their names.
[[nodiscard]] std::span<const CheckKind> check_kinds();
/// nullptr when there is no such kind.
[[nodiscard]] const CheckKind* find_check_kind(std::string_view name);

[[nodiscard]] std::string check_benchmark(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_benchmark_bigger(const CheckReport& report,
                                                 const CheckContext& context);
[[nodiscard]] std::string check_csv(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_github(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_gitlab(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_html(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_json(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_junit(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_markdown(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_prom(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_sarif(const CheckReport& report, const CheckContext& context);
[[nodiscard]] std::string check_text(const CheckReport& report, const CheckContext& context);

/// As check_markdown, with at most `most_bytes`.
[[nodiscard]] std::string check_markdown_within(const CheckReport& report,
                                                const CheckContext& context,
                                                std::size_t most_bytes);

}  // namespace stallcast::report
