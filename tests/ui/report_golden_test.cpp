#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/ui/report_samples.hpp"
#include "ui/report/diff/kinds.hpp"

namespace report_golden_test {

using namespace stallcast;
using namespace stallcast::report;

namespace {

/// Compares with tests/golden/report/NAME. STALLCAST_UPDATE_GOLDEN=1 rewrites the file; review the
/// difference before committing it.
void check_golden(const std::string& name, const std::string& actual) {
  const std::string path = "tests/golden/report/" + name;
  if (std::getenv("STALLCAST_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << actual;
  std::ifstream file(path);
  REQUIRE(file.good());
  std::ostringstream expected;
  expected << file.rdbuf();
  CHECK(actual == expected.str());
}

}  // namespace

TEST_CASE("a prediction reads as agreed in every format") {
  const Prediction p = testing::missed_target();
  check_golden("run.txt", render(p, testing::context(), Format::text, {}));
  check_golden("run.json", render(p, testing::context(), Format::json, {}));
  check_golden("run.csv", render(p, testing::context(), Format::csv, {}));
  check_golden("run.md", render(p, testing::context(), Format::markdown, {}));
  ReportContext page = testing::context();
  page.inputs = {{"run.seed", "1", "default"}};
  page.command = "stallcast run 'a b.json'";
  check_golden("run.html", render(p, page, Format::html, {}));
}

TEST_CASE("a prediction with draws says in every format how sure it is") {
  const Prediction p = testing::drawn();
  check_golden("run_draws.txt", render(p, testing::context(), Format::text, {}));
  check_golden("run_draws.csv", render(p, testing::context(), Format::csv, {}));
  check_golden("run_draws.md", render(p, testing::context(), Format::markdown, {}));
  check_golden("run_draws.html", render(p, testing::context(), Format::html, {}));
}

TEST_CASE("a prediction with nothing to gain says so") {
  check_golden("run_easy.txt",
               render(testing::nothing_to_gain(), {"0.1.0", "1", {}}, Format::text, {}));
}

TEST_CASE("a plan reads as agreed in every format") {
  const PlanResult plan = testing::found_plan();
  check_golden("plan.txt", render(plan, testing::context(), Format::text, {}));
  check_golden("plan.csv", render(plan, testing::context(), Format::csv, {}));
  check_golden("plan.md", render(plan, testing::context(), Format::markdown, {}));
  check_golden("plan_infeasible.txt",
               render(testing::infeasible_plan(), testing::context(), Format::text, {}));
}

TEST_CASE("an explanation reads as agreed in every format") {
  const Explanation all = testing::explanation();
  check_golden("explain.txt", render(all, testing::context(), Format::text, {.depth = 1}));
  check_golden("explain.json", render(all, testing::context(), Format::json, {}));
  check_golden("explain.csv", render(all, testing::context(), Format::csv, {}));
  check_golden("explain.md", render(all, testing::context(), Format::markdown, {}));
  check_golden("explain.html", render(all, testing::context(), Format::html, {.depth = 1}));
}

TEST_CASE("a number that is asked for is taken apart down to its inputs") {
  Explanation one = testing::explanation();
  one.asked = {"job.train.checkpoint.duration"};
  one.trees.pop_back();
  check_golden("explain_metric.txt", render(one, testing::context(), Format::text, {}));
}

TEST_CASE("a diff reads as agreed in every format") {
  const Diff diff = testing::worse_design();
  for (const auto& [format, file] : {std::pair{"text", "diff.txt"},
                                     {"json", "diff.json"},
                                     {"markdown", "diff.md"},
                                     {"html", "diff.html"},
                                     {"csv", "diff.csv"}})
    check_golden(file, find_diff_kind(format)->render(diff, {testing::context(), {}}));
}

}  // namespace report_golden_test
