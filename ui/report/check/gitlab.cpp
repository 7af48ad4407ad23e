#include <nlohmann/json.hpp>

#include "engine/base/sha256.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/renderers.hpp"

/// GitLab's code quality report. Its pages do not show the name of a check, so the description
/// begins with it.
namespace stallcast::report {
namespace {

const char* severity(const Finding& f) {
  if (f.assertion == nullptr)
    return f.scenario->exit == ExitCode::inconclusive ? "minor" : "blocker";
  if (!f.error) return "minor";
  return f.assertion->status == CheckStatus::fail ? "critical" : "major";
}

}  // namespace

std::string check_gitlab(const CheckReport& report, const CheckContext&) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Finding& f : findings(report))
    out.push_back({{"description", f.rule + ": " + f.message},
                   {"check_name", f.rule},
                   {"fingerprint", f.fingerprint},
                   {"severity", severity(f)},
                   {"location",
                    {{"path", f.at.file.empty() ? f.scenario->uri : f.at.file},
                     {"lines", {{"begin", f.at.line > 0 ? f.at.line : 1}}}}}});
  for (const std::string& why : report.stale)
    out.push_back({{"description", std::string(kStaleRule) + ": " + why},
                   {"check_name", kStaleRule},
                   {"fingerprint", base::sha256(std::string(kStaleRule) + "|" + why)},
                   {"severity", "major"},
                   {"location", {{"path", stale_place(report)}, {"lines", {{"begin", 1}}}}}});
  return dump(out);
}

}  // namespace stallcast::report
