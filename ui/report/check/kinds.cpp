#include "ui/report/check/kinds.hpp"

#include <array>

namespace stallcast::report {
namespace {

// GitHub drops a step summary of more than 1 MiB as a whole.
constexpr std::size_t kStepSummary = 1'000'000;

constexpr std::array kCheckKinds{
    CheckKind{"benchmark", "github-action-benchmark, smaller is better", check_benchmark},
    CheckKind{"benchmark-bigger", "github-action-benchmark, bigger is better",
              check_benchmark_bigger},
    CheckKind{"csv", "one row per assertion", check_csv},
    CheckKind{"github", "annotations, and the summary of the step", check_github,
              "GITHUB_STEP_SUMMARY", check_markdown_within, kStepSummary},
    CheckKind{"gitlab", "code quality report", check_gitlab},
    CheckKind{"html", "one page that needs nothing else", check_html},
    CheckKind{"json", "everything, for scripts", check_json},
    CheckKind{"junit", "test results", check_junit},
    CheckKind{"markdown", "comment on a merge request", check_markdown},
    CheckKind{"prom", "Prometheus text format", check_prom},
    CheckKind{"sarif", "SARIF 2.1.0, for code scanning", check_sarif},
    CheckKind{"text", "for people", check_text},
};

}  // namespace

std::span<const CheckKind> check_kinds() { return kCheckKinds; }

const CheckKind* find_check_kind(std::string_view name) {
  for (const CheckKind& kind : kCheckKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace stallcast::report
