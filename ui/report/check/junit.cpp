#include <map>
#include <set>
#include <utility>

#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/html/page.hpp"

/// JUnit as Jenkins, GitLab and GitHub's reporters read it. It knows no warning: a missed target of
/// level "warn" passes and says so; waived and known failures are skipped. A scenario is a suite.
namespace stallcast::report {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + markup(value) + "\"";
}

/// Readers know a case by its class and name: none has those of another.
class CaseNames {
 public:
  explicit CaseNames(const CheckReport& report) {
    for (const CheckedScenario& s : report.scenarios) ++ids_[s.id];
  }

  /// Its id; with its file where designs of several files have it.
  [[nodiscard]] std::string class_of(const CheckedScenario& s) const {
    const auto known = ids_.find(s.id);
    return known != ids_.end() && known->second > 1 ? s.id + " (" + s.uri + ")" : s.id;
  }

  std::string once(const std::string& of_class, const std::string& name) {
    std::string out = name;
    for (int n = 2; !used_.insert({of_class, out}).second; ++n)
      out = name + " (" + std::to_string(n) + ")";
    return out;
  }

 private:
  std::map<std::string, int> ids_;
  std::set<std::pair<std::string, std::string>> used_;
};

struct Suite {
  CaseNames* names;
  std::string cases = {};
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(const CheckedScenario& s, const std::string& name, const Position& at,
           const std::string& inside) {
    ++tests;
    const std::string of_class = names->class_of(s);
    cases += "    <testcase" + attribute("name", names->once(of_class, name)) +
             attribute("classname", of_class) +
             attribute("file", at.file.empty() ? s.uri : at.file);
    if (at.line > 0) cases += attribute("line", std::to_string(at.line));
    cases += inside.empty() ? "/>\n" : ">" + inside + "</testcase>\n";
  }

  [[nodiscard]] std::string counts() const {
    return attribute("tests", std::to_string(tests)) +
           attribute("failures", std::to_string(failures)) +
           attribute("errors", std::to_string(errors)) +
           attribute("skipped", std::to_string(skipped));
  }
};

std::string outcome_element(const char* name, const std::string& type, const std::string& message) {
  return "<" + std::string(name) + attribute("message", message) + attribute("type", type) + ">" +
         markup(message) + "</" + name + ">";
}

void add_assertion(Suite& suite, const CheckedScenario& s, const CheckedAssertion& a) {
  const std::string message = message_text(s, a);
  std::string inside;
  if (a.is_open() && !a.is_error()) {
    inside = "<system-out>" + markup("warning: " + message) + "</system-out>";
  } else if (a.status == CheckStatus::fail) {
    ++suite.failures;
    inside = outcome_element("failure",
                             a.state == BaselineState::worse ? "regression" : "assertion", message);
  } else if (a.status == CheckStatus::inconclusive) {
    ++suite.errors;
    inside = outcome_element("error", "inconclusive", message);
  } else if (a.status == CheckStatus::waived || a.status == CheckStatus::known) {
    ++suite.skipped;
    const std::string why = a.status == CheckStatus::known
                                ? "failed in the baseline, too"
                                : "waived until " + a.until + ": " + a.waive;
    inside = "<skipped" + attribute("message", why + "; " + message) + "/>";
  }
  suite.add(s, a.outcome.id, a.is_open() ? a.culprit : a.at, inside);
}

}  // namespace

std::string check_junit(const CheckReport& report, const CheckContext&) {
  CaseNames names(report);
  Suite all{&names};
  std::string suites;
  const auto close = [&](const std::string& name, const Suite& suite) {
    suites += "  <testsuite" + attribute("name", name) + suite.counts() + ">\n" + suite.cases +
              "  </testsuite>\n";
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
  };
  for (const CheckedScenario& s : report.scenarios) {
    Suite suite{&names};
    for (const Finding& f : scenario_findings(s)) {
      ++suite.errors;
      suite.add(s, "prediction", f.at, outcome_element("error", f.rule, f.message));
    }
    for (const CheckedAssertion& a : s.assertions) add_assertion(suite, s, a);
    close(s.uri, suite);
  }
  if (!report.stale.empty()) {
    Suite suite{&names};
    CheckedScenario baseline;
    baseline.id = baseline.uri = "baseline";
    for (const std::string& why : report.stale) {
      ++suite.errors;
      suite.add(baseline, "baseline", {}, outcome_element("error", "stale", why));
    }
    close("baseline", suite);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stallcast check\"" +
         all.counts() + ">\n" + suites + "</testsuites>\n";
}

}  // namespace stallcast::report
