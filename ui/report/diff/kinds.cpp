#include "ui/report/diff/kinds.hpp"

#include <array>

namespace stallcast::report {
namespace {

constexpr std::array kKinds = {DiffKind{"text", diff_text, nullptr},
                               DiffKind{"json", diff_json, nullptr}};

}  // namespace

std::span<const DiffKind> diff_kinds() { return kKinds; }

const DiffKind* find_diff_kind(std::string_view name) {
  for (const DiffKind& kind : kKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace stallcast::report
