#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/ui/report_samples.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/lines.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/sweep.hpp"

/// What tables and charts of pages say, beside what text says of the same.
namespace pages_say_test {

using namespace stallcast;
using namespace stallcast::report;

TEST_CASE(
    "every format says what was tried of what limits, and leaves out shares that it has not") {
  Prediction p = report::testing::missed_target();
  p.gains.emplace().noise = 0.001;
  p.bottlenecks = {
      {"job.train.failures", 0.0, 0.0, "", Gain{0.058, 0.029, "job.train.failures", ""}},
      {"job.train.barrier", 0.0, 0.0, "", Gain{0.02, 0.019, "job.train.barrier", ""}},
      {"storage.scratch.ost", 0.5, 0.9, "", Gain{0.03, 0.03, "storage[scratch].ost", ""}}};
  Explanation e = report::testing::explanation();
  e.prediction = p;
  const ReportContext context = report::testing::context();
  for (const std::string& text :
       {render(p, context, Format::text, {.full = true}), render(p, context, Format::markdown, {}),
        render(p, context, Format::html, {}), render(e, context, Format::html, {})}) {
    INFO(text);
    for (const char* tried : {"without them: 5.8 %", "half of it: 2.0 %", "twice as fast: 3.0 %"})
      CHECK(text.find(tried) != std::string::npos);
    CHECK(text.find("failures of train") != std::string::npos);
  }
  const std::string page = render(e, context, Format::html, {});
  const std::size_t row = page.find("<tr><td><span title=\"job.train.failures\"");
  REQUIRE(row != std::string::npos);
  CHECK(page.substr(row, page.find("</tr>", row) - row).find(">0.0 %<") == std::string::npos);
}

TEST_CASE("no report says what everything twice as fast gains where that was not simulated") {
  Prediction p = report::testing::missed_target();
  p.gains.emplace().left_out = 16;
  const auto has = [&](Format format, const char* said) {
    const std::string text = render(p, report::testing::context(), format, {.full = true});
    return text.find(said) != std::string::npos;
  };
  for (const Format format : {Format::text, Format::markdown, Format::html}) {
    CHECK(has(format, "16 parts not tried"));
    CHECK_FALSE(has(format, "everything twice as fast"));
  }
  CHECK(has(Format::json, "\"all\": null"));
  p.gains->simulated = 1;
  p.gains->all = Gain{0.3, 0.2, "", ""};
  CHECK(has(Format::text, "everything twice as fast: 30.0 %"));
  CHECK_FALSE(has(Format::json, "\"all\": null"));
}

TEST_CASE("what a scenario calls a target is text in Markdown, not markup") {
  Prediction p = report::testing::missed_target();
  p.assertions.front().id = "bu|sy <script>alert(1)</script>";
  const std::string text = render(p, report::testing::context(), Format::markdown, {});
  CHECK(text.find("<script>") == std::string::npos);
  CHECK(text.find("&lt;script&gt;") != std::string::npos);
}

TEST_CASE("a page whose draws do not tell which inputs matter says so") {
  Prediction p = report::testing::drawn();
  p.uncertainty->draws = 16;
  for (auto& [name, spread] : p.uncertainty->metrics) spread.shares.clear();
  const std::string page = render(p, report::testing::context(), Format::html, {});
  const std::size_t at = page.find("What could change the answer");
  REQUIRE(at != std::string::npos);
  CHECK(page.substr(at, 600).find(markup(draws_phrase(p))) != std::string::npos);
  CHECK(page.find("none was varied") == std::string::npos);
}

TEST_CASE("every format names the middle of outcomes that a figure is outside of") {
  Prediction p = report::testing::drawn();
  p.metrics["job.train.checkpoint.stall"].value = 4.0;
  for (const Format format : {Format::text, Format::html, Format::markdown}) {
    const std::string text = render(p, report::testing::context(), format, {.full = true});
    INFO(text);
    CHECK(text.find("4.8 s to 8.1 s, middle 5.6 s") != std::string::npos);
  }
}

TEST_CASE("the chart of a plan says what is drawn in it, and of no answer that there is none") {
  PlanResult plan = report::testing::found_plan();
  plan.axes.emplace_back().noun = "OSTs";
  for (PlanPoint& point : plan.points) point.values = {std::to_string(point.count)};
  plan.answer = 1;
  const auto caption = [&] {
    const std::string page = render(plan, report::testing::context(), Format::html, {});
    const std::size_t at = page.find("Filled: meets all targets; hollow");
    return at == std::string::npos ? "" : page.substr(at, page.find("</figcaption>", at) - at);
  };
  CHECK(caption().find("The circle is the answer.") != std::string::npos);
  CHECK(caption().find("Band") == std::string::npos);
  plan.answer.reset();
  plan.status = PlanStatus::infeasible;
  for (PlanPoint& point : plan.points) point.interval = std::pair{0.9, 0.96};
  CHECK(caption().find("circle") == std::string::npos);
  CHECK(caption().find("Band: 95 % interval of the mean of replicas.") != std::string::npos);
}

// The first and the last are where the name of a target may stand, above its line or below.
TEST_CASE("the name of a target stands where no dot is") {
  html::Plot plot;
  plot.x = {"OSTs", "count"}, plot.y = {"GPU utilization", "ratio"};
  plot.dots = {{2.0, 0.9, "good"}, {16.0, 0.2, "bad"}, {30.0, 0.9, "good"}};
  plot.targets = {{0.85, "target >= 85 %", "ink"}};
  const auto below_its_line = [&] {
    const std::string drawn = html::scatter("plot", plot);
    constexpr std::string_view kLine = "y1=\"", kLabel = " y=\"";
    const std::size_t line = drawn.rfind(kLine, drawn.find("6 4"));
    const std::size_t label = drawn.find(kLabel, drawn.find("halo"));
    return std::stod(drawn.substr(label + kLabel.size())) >
           std::stod(drawn.substr(line + kLine.size()));
  };
  CHECK(below_its_line());
  plot.dots.front().y = plot.dots.back().y = 0.8;
  CHECK_FALSE(below_its_line());
}

TEST_CASE("the legend of a sweep counts points without a verb") {
  SweepReport sweep;
  sweep.axes = {"storage.scratch.ost.count"};
  sweep.columns.emplace_back().name = "job.train.gpu.utilization";
  for (const double n : {8.0, 16.0}) {
    SweepRow& row = sweep.rows.emplace_back();
    row.values = {n == 8.0 ? "8" : "16"};
    row.numbers = {SweepFigure{n, "count"}};
    row.outcome.emplace().metrics["job.train.gpu.utilization"] = {n / 20.0, "ratio", {}};
    row.outcome->verdict = n == 8.0 ? Verdict::pass : Verdict::inconclusive;
  }
  const std::string page = render(sweep, {.style = {}, .format = Format::html});
  CHECK(page.find("Targets all met: 1, too close to call: 1.") != std::string::npos);
}

TEST_CASE("a target near to dots that are level is drawn") {
  html::Plot plot;
  plot.x = {"number", "count"}, plot.y = {"GPU utilization", "ratio"};
  for (const double n : {1.0, 2.0, 3.0}) plot.dots.push_back({n, 0.817, "bad", false});
  plot.targets = {{0.9, "target >= 90 %", "bad"}};
  CHECK(html::scatter("plot", plot).find("target &gt;= 90 %") != std::string::npos);
  plot.targets.front().value = 0.2;
  CHECK(html::scatter("plot", plot).find("target &gt;= 90 %") == std::string::npos);
}

TEST_CASE("a sweep without a point that meets the targets has no front to show") {
  SweepReport sweep;
  sweep.axes = {"storage.scratch.ost.count"};
  sweep.columns.emplace_back().name = "job.train.gpu.utilization";
  sweep.columns.back().goal = Goal::maximum;
  for (const double n : {8.0, 16.0}) {
    SweepRow& row = sweep.rows.emplace_back();
    row.values = {n == 8.0 ? "8" : "16"};
    row.numbers = {SweepFigure{n, "count"}};
    row.outcome.emplace().metrics["job.train.gpu.utilization"] = {n / 20.0, "ratio", {}};
    row.outcome->verdict = Verdict::fail;
  }
  const auto page = [&] { return render(sweep, {.style = {}, .format = Format::html}); };
  CHECK(page().find("No point meets all targets: none is on it.") != std::string::npos);
  CHECK(page().find("Circled and joined") == std::string::npos);
  sweep.rows[1].outcome->verdict = Verdict::pass, sweep.rows[1].pareto = true;
  CHECK(page().find("Circled and joined") != std::string::npos);
  CHECK(page().find("none is on it") == std::string::npos);
}

// Whatever the format: they decide how to read a figure.
TEST_CASE("warnings of a simulation are in every report of it") {
  const std::string warning = "the run ends 54 of 60 steps after its last save";
  Explanation e = report::testing::explanation();
  e.prediction = report::testing::missed_target();
  e.prediction->warnings = {warning};
  PlanResult plan = report::testing::found_plan();
  plan.prediction.warnings = {warning};
  PlanResult none = plan;
  none.status = PlanStatus::infeasible, none.answer.reset();
  GrowthResult growth;
  growth.months = {0}, growth.warnings = {warning};
  const ReportContext context = report::testing::context();
  for (const Format format : {Format::text, Format::markdown, Format::html, Format::json})
    for (const std::string& text :
         {render(e, context, format, {}), render(plan, context, format, {}),
          render(none, context, format, {}), render(growth, context, format, {})}) {
      std::string unwrapped = text;
      for (std::size_t at = 0; (at = unwrapped.find("\n    ", at)) != std::string::npos;)
        unwrapped.replace(at, 5, " ");
      INFO(text);
      CHECK(unwrapped.find(warning) != std::string::npos);
    }
}

TEST_CASE("pages show what changes gain by the figure that a target asks for") {
  Prediction p = report::testing::missed_target();
  p.metrics["job.train.goodput"] = {0.85, "ratio", {}};
  p.assertions[0].metric = "job.train.goodput";
  p.alternatives.resize(1);
  p.alternatives[0].utilization = 0.866, p.alternatives[0].gain = -0.0052;
  p.alternatives[0].goodput = 0.859, p.alternatives[0].goodput_gain = 0.009;
  p.counts.name = "storage.scratch.oss.count";
  p.counts.now = 2.0;
  for (const double n : {1.0, 2.0, 3.0})
    p.counts.points.push_back({n, 0.8 + 0.03 * n, 0.7 + 0.07 * n, Verdict::fail});
  const std::string page = render(p, report::testing::context(), Format::html, {});
  for (const char* shown : {"points of goodput gained", ">0.90 points<", ">goodput</th>", "85.9 %",
                            "goodput over OSSs of scratch", "now 2: 84.0 %"})
    CHECK(page.find(shown) != std::string::npos);
  CHECK(page.find("points of GPU utilization") == std::string::npos);
  const std::string comment = render(p, report::testing::context(), Format::markdown, {});
  CHECK(comment.find("| change | goodput | meets targets |") != std::string::npos);
  CHECK(comment.find(" | 85.9 % | ") != std::string::npos);
  Explanation e = report::testing::explanation();
  e.prediction = p;
  e.what_ifs.resize(1);
  e.what_ifs[0].goodput = 0.88, e.what_ifs[0].goodput_gain = 0.03;
  CHECK(render(e, report::testing::context(), Format::html, {}).find("points of goodput") !=
        std::string::npos);
}

TEST_CASE("where no resource limits, run and explain say alike what does") {
  Explanation e = report::testing::explanation();
  e.asked.clear();
  e.prediction = report::testing::missed_target();
  e.prediction->bottlenecks.clear();
  const std::string said = no_limit_rows(*e.prediction).substr(0, 40);
  for (const std::string& text :
       {render(e, report::testing::context(), Format::text, {}),
        render(*e.prediction, report::testing::context(), Format::text, {.full = true})})
    CHECK(text.find(said) != std::string::npos);
}

TEST_CASE("jobs that are busy alike all stand among the first figures of a comment") {
  Prediction p;
  p.scenario_id = "two";
  for (const std::string job : {"a", "b"}) {
    p.breakdown[job] = {{"compute", 1.0}};
    p.metrics["job." + job + ".gpu.utilization"] = {1.0, "ratio", {}};
    p.metrics["job." + job + ".goodput"] = {1.0, "ratio", {}};
  }
  const std::string text = render(p, report::testing::context(), Format::markdown, {});
  CHECK(text.find("| GPU utilization of a |") != std::string::npos);
  CHECK(text.find("| GPU utilization of b |") != std::string::npos);
  CHECK(text.find("| goodput of") == std::string::npos);
}

TEST_CASE("a resource with long figures stands on a line of 80 columns") {
  ResourceUse use{"host.lab.client.scratch.requests", "requests", 512.0, 0.00496};
  CHECK(use_line(use).size() <= 81);  // with its end
  use.name = "storage.s.ost", use.unit = "B/s", use.capacity = 64e9, use.throughput = 1.28e9;
  CHECK(use_line(use).size() == 78);
  CHECK(use_line(use).find("1.28 GB/s of 64 GB/s ") != std::string::npos);
}

TEST_CASE("a share below zero keeps its sign, and samples are samples by DLIO's count, too") {
  for (const auto& [share, text] : {std::pair{-0.0076, "-0.8 %"},
                                    {-0.00757, "-0.8 %"},
                                    {-0.5, "-50.0 %"},
                                    {0.0076, "0.8 %"},
                                    {0.0, "0.0 %"},
                                    {-0.0001, "0.0 %"}})
    CHECK(print_share(share) == text);
  CHECK(as_counted("job.train.throughput.dlio", "396.7 ops/s") == "396.7 samples/s");
  CHECK(as_counted("resource.storage.s.mdt.throughput", "1.7 ops/s") == "1.7 ops/s");
  CHECK(as_counted("tenant.chat.tokens", "1.7 kops/s (1 kops/s to 2 kops/s)") ==
        "1.7 ktokens/s (1 ktokens/s to 2 ktokens/s)");
}

TEST_CASE("a line of a share leaves its picture where it is beyond, and is not level there") {
  const std::string picture = html::share_lines("used", {0, 1, 2}, {{"space", {0.5, 3.0, 6.0}}});
  const std::size_t path = picture.find("d=\"M"), end = picture.find('"', path + 3);
  REQUIRE(end != std::string::npos);
  const std::string line = picture.substr(path, end - path);  // M62.0 240.0L... -...
  CHECK(std::count(line.begin(), line.end(), 'L') == 2);
  CHECK(std::count(line.begin(), line.end(), '-') == 2);
  CHECK(picture.find(">space, month 1: 300 %<") == std::string::npos);
}

TEST_CASE("what is made of bounds says so, and is no prediction") {
  Prediction p;
  p.method = "estimate";
  p.scenario_id = "x";
  p.metrics["job.train.gpu.utilization"] = {0.98, "ratio", {}};
  p.assertions.resize(2);
  p.assertions[0].that = "job.train.gpu.utilization >= 90 %";
  p.assertions[0].value = 0.98, p.assertions[0].unit = "ratio", p.assertions[0].limit = 0.9;
  p.assertions[1].that = "job.train.step.time <= 1 s";
  for (AssertionOutcome& a : p.assertions) a.status = "inconclusive";
  CHECK(print_predicted(p.assertions[1]) == "not known");
  p.assertions.pop_back();
  p.verdict = Verdict::inconclusive;
  CHECK(verdict_phrase(p) == "1 of 1 target not decided by bounds alone");
  const std::string json = render(p, report::testing::context(), Format::json, {});
  CHECK(json.find("\"method\": \"estimate\"") != std::string::npos);
  CHECK(json.find("GPU utilization of train: at most 98.0 %, by bounds; nothing was simulated") !=
        std::string::npos);
  const std::string page = render(p, report::testing::context(), Format::html, {});
  CHECK(page.find("Dot: what bounds allow") != std::string::npos);
  CHECK(page.find("Dot: predicted") == std::string::npos);
}

}  // namespace pages_say_test
