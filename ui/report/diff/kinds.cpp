#include "ui/report/diff/kinds.hpp"

#include <array>

namespace stallcast::report {
namespace {

constexpr std::array kDiffKinds = {
    DiffKind{"text", diff_text, sweep_diff_text}, DiffKind{"json", diff_json, sweep_diff_json},
    DiffKind{"markdown", diff_markdown, sweep_diff_markdown},
    DiffKind{"html", diff_html, sweep_diff_html}, DiffKind{"csv", diff_csv, sweep_diff_csv}};

}  // namespace

std::span<const DiffKind> diff_kinds() { return kDiffKinds; }

const DiffKind* find_diff_kind(std::string_view name) {
  for (const DiffKind& kind : kDiffKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace stallcast::report
