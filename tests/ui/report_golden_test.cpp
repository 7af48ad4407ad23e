#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/ui/report_samples.hpp"
#include "ui/report/diff/kinds.hpp"

namespace report_golden_test {

using namespace stallcast;
using namespace stallcast::report;

namespace {

/// Is what tests/golden/report/NAME has. STALLCAST_UPDATE_GOLDEN=1 rewrites the file; review the
/// difference before committing it.
class IsGolden : public Catch::MatcherBase<std::string> {
 public:
  explicit IsGolden(const std::string& name) : path_("tests/golden/report/" + name) {}

  bool match(const std::string& actual) const override {
    if (std::getenv("STALLCAST_UPDATE_GOLDEN") != nullptr) std::ofstream(path_) << actual;
    return actual == agreed();
  }
  std::string describe() const override { return "is what " + path_ + " has:\n" + agreed(); }

 private:
  [[nodiscard]] std::string agreed() const {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }

  std::string path_;
};

}  // namespace

TEST_CASE("a prediction reads as agreed in every format") {
  const Prediction p = testing::missed_target();
  CHECK_THAT(render(p, testing::context(), Format::text, {}), IsGolden("run.txt"));
  CHECK_THAT(render(p, testing::context(), Format::text, {.full = true}), IsGolden("run_full.txt"));
  CHECK_THAT(render(p, testing::context(), Format::json, {}), IsGolden("run.json"));
  CHECK_THAT(render(p, testing::context(), Format::csv, {}), IsGolden("run.csv"));
  CHECK_THAT(render(p, testing::context(), Format::markdown, {}), IsGolden("run.md"));
  ReportContext page = testing::context();
  page.inputs = {{"run.seed", "1", "default"}};
  page.command = "stallcast run 'a b.json'";
  CHECK_THAT(render(p, page, Format::html, {}), IsGolden("run.html"));
}

TEST_CASE("a prediction with draws says in every format how sure it is") {
  const Prediction p = testing::drawn();
  CHECK_THAT(render(p, testing::context(), Format::text, {}), IsGolden("run_draws.txt"));
  CHECK_THAT(render(p, testing::context(), Format::text, {.full = true}),
             IsGolden("run_draws_full.txt"));
  CHECK_THAT(render(p, testing::context(), Format::slide, {}), IsGolden("run_draws.slide.html"));
  CHECK_THAT(render(p, testing::context(), Format::csv, {}), IsGolden("run_draws.csv"));
  CHECK_THAT(render(p, testing::context(), Format::markdown, {}), IsGolden("run_draws.md"));
  CHECK_THAT(render(p, testing::context(), Format::html, {}), IsGolden("run_draws.html"));
}

TEST_CASE("a prediction with nothing to gain says so") {
  CHECK_THAT(render(testing::nothing_to_gain(), {"0.1.0", "1", {}}, Format::text, {}),
             IsGolden("run_easy.txt"));
}

TEST_CASE("a plan reads as agreed in every format") {
  const PlanResult plan = testing::found_plan();
  CHECK_THAT(render(plan, testing::context(), Format::text, {}), IsGolden("plan.txt"));
  CHECK_THAT(render(plan, testing::context(), Format::csv, {}), IsGolden("plan.csv"));
  CHECK_THAT(render(plan, testing::context(), Format::markdown, {}), IsGolden("plan.md"));
  CHECK_THAT(render(testing::infeasible_plan(), testing::context(), Format::text, {}),
             IsGolden("plan_infeasible.txt"));
}

TEST_CASE("an explanation reads as agreed in every format") {
  const Explanation all = testing::explanation();
  CHECK_THAT(render(all, testing::context(), Format::text, {.depth = 1}), IsGolden("explain.txt"));
  CHECK_THAT(render(all, testing::context(), Format::json, {}), IsGolden("explain.json"));
  CHECK_THAT(render(all, testing::context(), Format::csv, {}), IsGolden("explain.csv"));
  CHECK_THAT(render(all, testing::context(), Format::markdown, {}), IsGolden("explain.md"));
  CHECK_THAT(render(all, testing::context(), Format::html, {.depth = 1}), IsGolden("explain.html"));
}

TEST_CASE("a number that is asked for is taken apart down to its inputs") {
  Explanation one = testing::explanation();
  one.asked = {"job.train.checkpoint.duration"};
  one.trees.pop_back();
  CHECK_THAT(render(one, testing::context(), Format::text, {}), IsGolden("explain_metric.txt"));
}

TEST_CASE("a diff reads as agreed in every format") {
  const Diff diff = testing::worse_design();
  for (const auto& [format, file] : {std::pair{"text", "diff.txt"},
                                     {"json", "diff.json"},
                                     {"markdown", "diff.md"},
                                     {"html", "diff.html"},
                                     {"csv", "diff.csv"}})
    CHECK_THAT(find_diff_kind(format)->render(diff, {testing::context(), {}}), IsGolden(file));
}

}  // namespace report_golden_test
