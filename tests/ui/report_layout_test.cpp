#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/ui/report_samples.hpp"
#include "ui/report/compare_parts.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/wrap.hpp"

namespace report_layout_test {

using namespace stallcast;
using namespace stallcast::report;

TEST_CASE("shares are rounded as they are wherever else they are said") {
  // Three thirds: their sum is 99.9 %, and no part is 33.4 %.
  const std::vector<int> tenths =
      tenths_of_percent({{"compute", 1.0 / 3}, {"data", 1.0 / 3}, {"sync", 1.0 / 3}});
  CHECK(std::ranges::count(tenths, 333) == 3);
}

TEST_CASE("no line of a text report is wider than 80 columns") {
  Prediction long_name = report::testing::missed_target();
  long_name.scenario_id = "imagenet-training-on-the-lustre-of-the-department-of-physics";
  long_name.assertions.push_back(long_name.assertions.front());
  // What is settled first has a long name, in a heading.
  Prediction settles = report::testing::drawn();
  const std::string exposed = "job.train.communication.exposed";
  settles.metrics[exposed] = settles.metrics[settles.assertions[0].metric];
  settles.uncertainty->metrics[exposed] = settles.uncertainty->metrics.begin()->second;
  settles.assertions[0].metric = exposed, settles.assertions[0].probability = 0.5;
  for (const Prediction& p :
       {report::testing::missed_target(), report::testing::nothing_to_gain(), long_name, settles})
    for (const bool full : {false, true}) {
      std::istringstream text(render(p, report::testing::context(), Format::text, {.full = full}));
      for (std::string line; std::getline(text, line);) {
        INFO(line);
        CHECK(line.size() <= 80);
      }
    }
}

TEST_CASE("a comparison says the middle where a figure is outside of its interval") {
  Metric stall{0.0318, "s", {}};
  stall.ci90 = {0.0352, 0.3695};
  stall.median = 0.1053;
  SideBySide both;
  for (const char* name : {"a", "b"}) {
    ComparedDesign& design = both.designs.emplace_back();
    design.name = name;
    design.prediction.metrics["job.llm.checkpoint.stall"] = stall;
    stall.value = 0.04;
  }
  const std::vector<CompareRow> rows = compare_rows(both);
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [](const CompareRow& r) { return r.metric == "checkpoint.stall"; });
  REQUIRE(row != rows.end());
  CHECK(row->cells[0].interval == "35.2 to 369.5 ms, middle 105.3 ms");
  CHECK(row->cells[1].interval == "35.2 to 369.5 ms");
}

TEST_CASE("a diff says what limits either side as run does, with the target") {
  const auto side = [](const char* id, const char* metric, std::optional<double> saved) {
    Prediction p;
    AssertionOutcome& missed = p.assertions.emplace_back();
    missed.id = id, missed.metric = metric, missed.limited_by = "storage.scratch.ost";
    missed.status = "fail", missed.level = "error", missed.value = 1.0;
    p.breakdown["vision"] = {{"compute", 0.9}, {"data", 0.1}};
    Bottleneck& b = p.bottlenecks.emplace_back();
    b.resource = missed.limited_by, b.utilization = 0.544, b.blamed_share = 0.5;
    p.gains = Gains{};
    p.gains->noise = 0.001;
    if (saved) b.gain = Gain{*saved, *saved, "storage[scratch].ost", "", {}};
    return p;
  };
  Diff diff;
  diff.base.prediction = side("vision", "job.vision.gpu.utilization", 0.163);
  diff.head.prediction = side("kv", "tenant.kv.latency", std::nullopt);
  const auto phrase = [](const DiffSide& of) {
    const auto [what, cost] = limit_words(of.prediction);
    CHECK(limit_phrase(of.prediction) == "limited by the " + what + ": " + cost);
    return what + " (" + cost + ")";
  };
  CHECK(limit_text(diff.base.prediction).find("twice as fast saves 16.3 %") != std::string::npos);
  CHECK(bottleneck_text(diff) == "bottleneck: " + phrase(diff.base) + " -> " + phrase(diff.head));
  // Stays: the same resource for the same target.
  diff.head.prediction = side("vision", "job.vision.gpu.utilization", 0.02);
  const LimitWords was = limit_words(diff.base.prediction), is = limit_words(diff.head.prediction);
  CHECK(was.what == "OSTs of scratch, target vision");
  CHECK(bottleneck_text(diff) ==
        "bottleneck stays " + is.what + " (" + was.cost + " -> " + is.cost + ")");
  diff.head.prediction = diff.base.prediction;
  CHECK(bottleneck_text(diff) == "bottleneck stays " + is.what + " (" + was.cost + ")");
}

TEST_CASE("the middle of outcomes is told once, also where the prediction is outside of them") {
  Prediction p = report::testing::drawn();
  p.metrics["job.train.gpu.utilization"].value = 0.96;
  std::istringstream text(render(p, report::testing::context(), Format::text, {}));
  std::string first, line;
  while (std::getline(text, line) && !line.empty()) first += line + "\n";
  const auto at = first.find("middle ");
  REQUIRE(at != std::string::npos);
  CHECK(first.find("middle ", at + 1) == std::string::npos);
}

TEST_CASE("storage that fails by chance shows how long a part of it is down and degraded") {
  Prediction p;
  p.metrics["failure.oss.count"] = {0.0, "count", {}};
  p.metrics["failure.oss.down.share"] = {0.001, "ratio", {}};
  p.metrics["failure.oss.degraded.share"] = {0.02, "ratio", {}};
  const std::vector<FigureBlock> blocks = figure_blocks(p);
  REQUIRE(blocks.size() == 1);
  REQUIRE(blocks[0].rows.size() == 3);
  CHECK(blocks[0].rows[0].label == "failures in the run");
  CHECK(blocks[0].rows[1].metric == "failure.oss.down.share");
  CHECK(blocks[0].rows[2].metric == "failure.oss.degraded.share");
}

TEST_CASE("a save interval that is as it is, or longer than the run, says so") {
  Prediction p;
  p.breakdown["a"] = {};
  p.simulated_s = 3600.0;
  const auto said = [&](double interval, double goodput) {
    p.metrics["job.a.goodput"] = {goodput < 0.01 ? 0.0 : 0.9, "ratio", {}};
    p.metrics["job.a.checkpoint.best_interval"] = {interval, "s", {}};
    p.metrics["job.a.checkpoint.best_interval.goodput"] = {goodput, "ratio", {}};
    return figure_blocks(p)[1].rows[0].text;
  };
  CHECK(said(1800.0, 0.91) == "30 min");
  CHECK(said(1800.0, 0.9) == "30 min, so keep the present one");
  CHECK(said(7200.0, 0.91) ==
        "2 h, longer than the run: to try it, let \"run.duration\" hold some");
  CHECK(said(1800.0, 1e-5) == "30 min, of no use: hardly any step is kept at any interval");
}

TEST_CASE("colour is added only when asked for") {
  const Prediction p = report::testing::missed_target();
  const std::string plain = render(p, report::testing::context(), Format::text, {false, false});
  const std::string coloured = render(p, report::testing::context(), Format::text, {true, false});
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(coloured.find("\x1b[31mFAIL\x1b[0m") != std::string::npos);
  CHECK(std::count(plain.begin(), plain.end(), '\n') ==
        std::count(coloured.begin(), coloured.end(), '\n'));  // lines break where they did
}

TEST_CASE("long resource names keep both ends") {
  CHECK(shortened("storage.a.ost", 20) == "storage.a.ost");
  CHECK(shortened("storage.a-very-long-name.oss.nic.read", 20) == "storage.a...nic.read");
}

TEST_CASE("waiting is everything but compute and other ranks") {
  CHECK(waiting_share(report::testing::missed_target()) == Approx(0.02 + 0.0401 + 0.0607));
  CHECK(waiting_share(report::testing::nothing_to_gain()) == 0.0);
}

TEST_CASE("counts of one are singular") {
  CHECK(counted(1, "OSTs") == "1 OST");
  CHECK(counted(51, "OSTs") == "51 OSTs");
}

TEST_CASE("a value next to its limit reads differently when it differs") {
  CHECK(print_beside(0.0500132, 0.05, "ratio") == "5.001 %");
  CHECK(print_beside(0.9500132, 0.95, "ratio") == "95.001 %");
  CHECK(print_beside(0.967, 0.95, "ratio") == "96.7 %");
  CHECK(print_beside(0.95, 0.95, "ratio") == "95.0 %");
  CHECK(print_beside(10.0004, 10.0, "s") == "10.0004 s");
}

TEST_CASE("limits keep their digits") {
  CHECK(print_limit(0.9675, "ratio") == "96.75 %");
  CHECK(print_limit(0.95, "ratio") == "95 %");
  CHECK(print_limit(10.0, "s") == "10 s");
  CHECK(print_limit(14.367, "s") == "14.367 s");
  CHECK(print_limit(0.0143, "s") == "14.3 ms");
  CHECK(print_limit(20.0, "USD/h") == "20 USD/h");
  CHECK(print_limit(48.0, "count") == "48");
}

TEST_CASE("shares next to nothing are not printed with powers of ten") {
  CHECK(print_metric({0.0000088, "ratio", std::pair(0.0000087, 0.0000089)}) == "under 0.01 %");
  CHECK(print_beside(0.00005, 0.02, "ratio") == "under 0.01 %");
  CHECK(print_beside(0.00005, 0.00004, "ratio") == "0.005 %");
}

TEST_CASE("margins keep two digits, however small") {
  CHECK(print_margin(-0.000264) == "-0.026 %");
  CHECK(print_margin(0.0684) == "+6.8 %");
  CHECK(print_margin(0.25) == "+25 %");
  CHECK(print_margin(0.0) == "0 %");
}

TEST_CASE("a margin of a target that says nothing in digits is said in words") {
  CHECK(print_target_margin(-0.5, 15.0, "s") == "-50 %");
  CHECK(print_target_margin(-9.98, 15.0, "s") == "-998 %");
  CHECK(print_target_margin(-3086.27, 15.0, "s") == "far off");
  CHECK(print_target_margin(41.55, 0.01, "ratio") == "ample");
  TargetMargin target;
  target.id = "s", target.unit = "s";
  target.value = 0.0185, target.limit = 6e-6, target.margin = -3082.0;
  const std::string line = margin_text(target);
  CHECK(line == "s: 18.5 ms against 6 us, margin far off");
}

TEST_CASE("columns are counted in characters, and names are cut between them") {
  CHECK(left("größe", 7) == "größe  ");
  CHECK(right("größe", 7) == "  größe");
  CHECK(shortened("обучение-модели", 15) == "обучение-модели");
  CHECK(shortened("обучение-модели", 8) == "обу..ели");
  CHECK(wrapped_at(12, "", "обучение до 97", 2) == "обучение до\n  97\n");
}

TEST_CASE("an undecided target shows the interval that straddles its limit") {
  Prediction p = report::testing::missed_target();
  p.assertions[0].status = "inconclusive";
  p.assertions[0].value = 0.951;
  p.assertions[0].ci95 = std::pair(0.947, 0.955);
  const std::string text = render(p, report::testing::context(), Format::text, {});
  CHECK(text.find("94.70 % to") != std::string::npos);
}

TEST_CASE("a comment in Markdown has the costs of the text report, and the prices they rest on") {
  Prediction p = report::testing::missed_target();
  p.metrics["cost.capex"] = {2.27e7, "USD", std::nullopt};
  ReportContext context = report::testing::context();
  context.prices = {{"cluster.hosts[gpu].price", "300000 USD", "a|b.json:13:68"}};
  const std::string text = render(p, context, Format::markdown, {});
  CHECK(text.find("\n### Costs\n") != std::string::npos);
  CHECK(text.find("| bought for | 22.7 MUSD |") != std::string::npos);
  CHECK(text.find("| `cluster.hosts[gpu].price` | 300000 USD | a\\|b.json:13:68 |") !=
        std::string::npos);
  CHECK(render(report::testing::missed_target(), context, Format::markdown, {}).find("Costs") ==
        std::string::npos);
}

TEST_CASE("the longest bar of a chart of gains leaves room for its figures") {
  // 30 characters of at most 8 units each stand behind a bar that would reach the right edge.
  const std::string figures(30, 'w');
  const std::string chart =
      report::html::gain_bars("gains", {{"short", -0.5, 0.5, "x"}, {"long", 0.0, 1.0, figures}});
  const std::size_t text = chart.find(">" + figures + "</text>");
  REQUIRE(text != std::string::npos);
  const std::size_t x = chart.rfind("<text x=\"", text) + 9;
  CHECK(std::stod(chart.substr(x)) <= 1000.0 - 30 * 8.0);
}

namespace {

/// The numbers behind each `word` of the first drawing of `chart`, which is that for wide screens.
std::vector<double> numbers_behind(const std::string& chart, const std::string& word) {
  const std::string first = chart.substr(0, chart.find("</svg>"));
  std::vector<double> out;
  for (std::size_t at = 0; (at = first.find(word, at)) != std::string::npos;)
    out.push_back(std::stod(first.substr(at += word.size())));
  return out;
}

report::html::Plot plot_of(std::vector<report::html::Dot> dots) {
  report::html::Plot out;
  out.x = {"x", "count"};
  out.y = {"y", "ratio"};
  out.dots = std::move(dots);
  return out;
}

}  // namespace

TEST_CASE("points of a plot lie inside of it, by ratios where figures span many") {
  const auto places = [](std::vector<report::html::Dot> dots) {
    return numbers_behind(report::html::scatter("s", plot_of(std::move(dots))), "r=\"5.0\" cx=\"");
  };
  const auto even = places({{1, 0.1, "bar"}, {2, 0.2, "bar"}, {3, 0.3, "bar"}});
  REQUIRE(even.size() == 3);
  CHECK(even[1] - even[0] == Approx(even[2] - even[1]).margin(0.2));
  // 1, 10, 100: the same ratio, so the same distance.
  const auto ratios = places({{1, 0.1, "bar"}, {10, 0.2, "bar"}, {100, 0.3, "bar"}});
  REQUIRE(ratios.size() == 3);
  CHECK(ratios[1] - ratios[0] == Approx(ratios[2] - ratios[1]).margin(0.2));
  for (const double x : ratios) CHECK((x > 0.0 && x < 1000.0));
  CHECK(report::html::scatter("s", plot_of({})).empty());
}

TEST_CASE("what outcomes are within is a band around each curve, or whiskers where there is none") {
  report::html::Plot plot = plot_of({{1, 0.5, "bar"}, {2, 0.5, "bar"}, {3, 0.5, "bar"}});
  plot.joined = true;
  for (report::html::Dot& dot : plot.dots) dot.outcomes = {0.4, 0.45, 0.6};
  const auto drawn = [&] { return report::html::scatter("s", plot); };
  // Along the upper end from left to right, back along the lower one. The dots are half way
  // between.
  const std::string band = drawn();
  const std::size_t at = band.find("<path d=\"M");
  REQUIRE(at != std::string::npos);
  std::vector<double> heights;
  std::istringstream path(band.substr(at + 10, band.find('z', at) - at - 10));
  for (std::string point; std::getline(path, point, 'L');)
    heights.push_back(std::stod(point.substr(point.find(' '))));
  REQUIRE(heights.size() == 6);
  CHECK((heights[0] == heights[2] && heights[3] == heights[5]));
  CHECK(numbers_behind(band, "cy=\"").front() ==
        Approx((heights[0] + heights[3]) / 2.0).margin(0.1));
  plot.dots[2].outcomes.reset();  // of the line through all, but not of one of its dots
  CHECK(drawn().find("opacity=\"0.25\"") == std::string::npos);
  CHECK(drawn().find("<path") != std::string::npos);
  plot.dots[1].x = 1.0;  // no function of x
  CHECK(drawn().find("<path") == std::string::npos);
}

TEST_CASE("axes of numbers of things have whole numbers, and those of shares nothing below 0") {
  report::html::Plot plot = plot_of({{1, 0.0003, "bar"}, {2, 0.0003, "bar"}, {3, 0.0003, "bar"}});
  plot.x.unit = "count";
  plot.y.unit = "ratio";
  const std::string chart = report::html::scatter("s", plot);
  CHECK(chart.find(">2</text>") != std::string::npos);
  CHECK(chart.find(">1.5</text>") == std::string::npos);
  CHECK(chart.find(">-") == std::string::npos);
}

TEST_CASE("each value of what else is varied is a line of its own colour; targets are dashed") {
  report::html::Plot plot =
      plot_of({{1, 0.5, "bar"}, {2, 0.6, "bar"}, {1, 0.7, "bar"}, {2, 0.8, "bar"}});
  plot.dots[2].curve = plot.dots[3].curve = 1;
  plot.joined = true;
  plot.curves = {"5 min", "20 min"};
  plot.targets = {{0.75, "target >= 75 %", "ink"}};
  const std::string chart = report::html::scatter("s", plot);
  for (const std::size_t curve : {0U, 1U})
    CHECK(chart.find("stroke:var(--" + report::html::curve_colour(curve) + ");fill:none") !=
          std::string::npos);
  CHECK(report::html::curve_colour(0) != report::html::curve_colour(1));
  CHECK(chart.find("5 min</li>") != std::string::npos);
  CHECK(chart.find("stroke-dasharray:6 4") != std::string::npos);
  CHECK(chart.find("target &gt;= 75 %") != std::string::npos);
}

TEST_CASE("cases are on the same side of what is asked for as the probability") {
  AssertionOutcome a;
  const auto said = [&](double probability, std::optional<double> confidence) {
    a.probability = probability;
    a.confidence = confidence;
    return cases_phrase(a);
  };
  CHECK(said(0.7989, {}) == "80 of 100 cases");
  CHECK(said(0.7989, 0.8) == "79.9 of 100 cases (need 80)");
  CHECK(said(0.79999, 0.8) == "79.9 of 100 cases (need 80)");
  CHECK(said(0.8, 0.8) == "80 of 100 cases (need 80)");
  CHECK(said(0.7, 0.8) == "70 of 100 cases (need 80)");
  CHECK(said(0.8952, 0.895) == "90 of 100 cases (need 89.5)");
  CHECK(said(0.8991, 0.899) == "90 of 100 cases (need 89.9)");
  CHECK(said(0.8941, 0.894) == "89.4 of 100 cases (need 89.4)");
  CHECK(said(0.9961, 0.999) == "99.6 of 100 cases (need 99.9)");
  CHECK(said(0.999, 0.9) == "more than 99 of 100 cases (need 90)");
}

TEST_CASE("a full report says what caches gave, and what their lines were billed") {
  Prediction p;
  p.breakdown["train"] = {};
  p.metrics["job.train.cache.hit"] = {0.25, "ratio", {}};
  p.metrics["storage.near.hit"] = {0.5, "ratio", {}};
  p.metrics["storage.near.link.price"] = {21.5, "USD", {}};
  const std::vector<FigureBlock> blocks = figure_blocks(p);
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].rows[0].label == "found in cache");
  CHECK(blocks[0].rows[0].text == "25.0 %");
  CHECK(blocks[1].title == "Storage near");
  CHECK(blocks[1].rows[0].text == "50.0 %");
  CHECK(blocks[2].title == kCostTitle);
  CHECK(blocks[2].rows[0].label == "egress of near");
  CHECK(blocks[2].rows[0].text == "21.5 USD in the run");
  // What else costs is said first.
  p.metrics["cost.requests"] = {0.1, "USD/h", {}};
  const FigureBlock costs = figure_blocks(p)[2];
  REQUIRE(costs.rows.size() == 2);
  CHECK(costs.rows[1].metric == "storage.near.link.price");
}

TEST_CASE("where no resource limits, what does is said in the place of resources") {
  Prediction p = report::testing::missed_target();
  p.bottlenecks.clear();
  p.assertions.clear();
  p.metrics["job.train.failures.count"] = {12.0, "count", {}};
  p.breakdown["train"] = {{"compute", 0.9}, {"restart", 0.1}};
  const std::string said = limit_phrase(p);
  CHECK(said.starts_with("limited by failures: "));
  CHECK(no_limit_rows(p) == "no resource costs 0.05 % of the time or is 30 % busy; " + said);
  for (const Format format : {Format::text, Format::html})
    CHECK(
        render(p, report::testing::context(), format, {.full = true}).find("30 % busy; limited") !=
        std::string::npos);
  p.breakdown["train"] = {{"compute", 1.0}};
  CHECK(no_limit_rows(p) == "nothing: no resource costs 0.05 % of the time or is 30 % busy");
}

}  // namespace report_layout_test
