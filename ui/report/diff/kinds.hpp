#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stallcast/diff.hpp"
#include "ui/report/report.hpp"

/// What `diff` found, for people and programs. To add a format: its .cpp, its declarations here,
/// and a row in kinds.cpp.
namespace stallcast::report {

struct DiffContext {
  ReportContext tool;
  Style style;
};

struct DiffKind {
  std::string_view name;
  std::string (*render)(const Diff& diff, const DiffContext& context);
  std::string (*render_sweeps)(const SweepDiff& diff, const DiffContext& context);
};

/// In the order of the help.
[[nodiscard]] std::span<const DiffKind> diff_kinds();
/// nullptr when there is no such format.
[[nodiscard]] const DiffKind* find_diff_kind(std::string_view name);

[[nodiscard]] std::string diff_text(const Diff& diff, const DiffContext& context);
[[nodiscard]] std::string diff_json(const Diff& diff, const DiffContext& context);
[[nodiscard]] std::string diff_markdown(const Diff& diff, const DiffContext& context);
[[nodiscard]] std::string diff_html(const Diff& diff, const DiffContext& context);
[[nodiscard]] std::string diff_csv(const Diff& diff, const DiffContext& context);

[[nodiscard]] std::string sweep_diff_text(const SweepDiff& diff, const DiffContext& context);
[[nodiscard]] std::string sweep_diff_json(const SweepDiff& diff, const DiffContext& context);
[[nodiscard]] std::string sweep_diff_markdown(const SweepDiff& diff, const DiffContext& context);
[[nodiscard]] std::string sweep_diff_html(const SweepDiff& diff, const DiffContext& context);
[[nodiscard]] std::string sweep_diff_csv(const SweepDiff& diff, const DiffContext& context);

}  // namespace stallcast::report
