#include <catch2/catch.hpp>
#include <sstream>

#include "stallcast/metric.hpp"
#include "tests/ui/report_samples.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/compare_parts.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/picture_load.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/waterfall.hpp"

/// What is said beside a figure, so that two of them do not seem to contradict each other.
namespace figures_said_test {

using namespace stallcast;
using namespace stallcast::report;

TEST_CASE("a figure outside of its own interval says why") {
  Prediction p = report::testing::drawn();
  const std::string busy = "job.train.gpu.utilization";
  Spread& spread = p.uncertainty->metrics.at(busy);
  p.metrics.at(busy).value = 0.5 * (spread.all.low + spread.all.high);
  CHECK(parts_phrase(p, busy).starts_with("middle"));
  p.metrics.at(busy).value = spread.all.high + 0.01;
  CHECK(parts_phrase(p, busy).starts_with("outside, as most inputs are stated at one end"));
}

TEST_CASE("a limit has the unit of what is predicted beside it") {
  AssertionOutcome a;
  a.metric = "job.train.throughput.samples", a.unit = "ops/s";
  a.that = a.metric + " >= 230 kops/s";
  CHECK(asked_phrase(a) == ">= 230 ksamples/s");
  a.metric = "job.train.gpu.utilization", a.that = a.metric + " >= 90 %", a.unit = "ratio";
  CHECK(asked_phrase(a) == ">= 90 %");
}

TEST_CASE("limits of hours are told as times of their size are, with all they are") {
  CHECK(print_limit(216000.0, "s") == "2 d 12 h");
  CHECK(print_limit(129600.0, "s") == "1 d 12 h");
  CHECK(print_limit(5400.0, "s") == "1 h 30 min");
  CHECK(print_limit(65.9 * 3600.0, "s") == "65.9 h");
  CHECK(print_beside(216072.0, 216000.0, "s") == "60.02 h");
  CHECK(print_beside(237013.0, 65.9 * 3600.0, "s") == "65.84 h");
}

TEST_CASE("compute that failures undid is named where GPUs were busy for longer than what counts") {
  Prediction p = report::testing::drawn();
  const std::string busy = "job.train.gpu.utilization";
  p.breakdown["train"] = {{"compute", 0.684}, {"restart", 0.308}, {"data", 0.008}};
  p.metrics[busy].value = 0.767;
  p.metrics["job.train.goodput"] = {0.684, "ratio", {}};
  CHECK(undone_phrase(p, "train") ==
        "GPUs were busy 76.7 % of it: 8.3 points are compute that failures undid");
  // Beside the figure itself, wherever that is told.
  std::string said;
  for (const SummaryLine& line : summary_lines(p))
    if (line.text.starts_with("GPU utilization of train: 76.7 %")) said = line.text;
  CHECK_THAT(said, Catch::EndsWith(", goodput 68.4 %"));
  AssertionOutcome target;
  target.metric = busy, target.unit = "ratio", target.value = 0.767, target.limit = 0.75;
  CHECK(print_predicted(target) == "76.7 %");
  target.goodput = goodput_left(p, "train");
  CHECK(print_predicted(target) == "76.7 %, goodput 68.4 %");
  p.metrics[busy].value = 0.684;
  CHECK(undone_phrase(p, "train").empty());
  CHECK_FALSE(goodput_left(p, "train"));
  // Without a failure nothing is undone, whatever else makes goodput less.
  p.metrics[busy].value = 0.767, p.breakdown["train"]["restart"] = 0.0;
  CHECK_FALSE(goodput_left(p, "train"));
}

TEST_CASE("a miss of a share is told in points, of all else in percent of the limit") {
  // 71.1 % against 90 % misses by 18.9 points, which are 21 % of 90 %.
  CHECK(print_target_margin(-0.21, 0.9, "ratio") == "-18.9 points");
  CHECK(print_target_margin(0.0002, 0.95, "ratio") == "+0.019 points");
  // 5.004 % against 5 %: missed by little, not by nothing.
  CHECK(print_target_margin(-0.0008, 0.05, "ratio") == "-0.004 points");
  CHECK(print_target_margin(-0.21, 15.0, "s") == "-21 %");
  Prediction p = report::testing::drawn();
  Alternative a;
  a.missed = {{"au", 0.1}, {"stall", 0.1}};
  CHECK(missed_targets(a, p) == "au by 9.5 points, stall by 10 %");
}

TEST_CASE("the interval of the mean of seeds has its name, and its figure lies inside of it") {
  CHECK(print_metric({0.76049, "ratio", {{0.7604, 0.7606}}}) ==
        "76.05 % (mean of seeds 76.04 % to 76.06 %)");
  CHECK(print_metric({0.76049, "ratio", {}}) == "76.0 %");
  const Prediction p = report::testing::missed_target();
  const std::string page = render(p, report::testing::context(), Format::html, {});
  CHECK(page.find("band: ") == std::string::npos);
  CHECK(page.find("95 % interval") == std::string::npos);
}

TEST_CASE("the slowest rank is in the list where the headline names it") {
  Prediction p = report::testing::nothing_to_gain();
  p.breakdown["train"] = {{"compute", 0.94}, {"sync", 0.047}, {"data", 0.013}};
  REQUIRE(limit_of(p).kind == Limit::Kind::barrier);
  const std::vector<LimitRow> rows = limit_rows(p);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].resource == "job.train.barrier");
  CHECK(rows[0].waited == "4.7 %");
  CHECK(rows[1].resource == "storage.scratch.ost");
}

TEST_CASE("of two that limit together the row says what both were waited for") {
  Prediction p = report::testing::missed_target();
  p.breakdown["train"] = {{"compute", 0.5}, {"data", 0.5}};
  p.resources = {{"fabric.read", "B/s", 100.0, 50.0, 0.0, 0.2},
                 {"host.g.nic.read", "B/s", 100.0, 50.0, 0.0, 0.3},
                 {"storage.s.ost", "B/s", 100.0, 50.0, 0.0, 0.4}};
  Bottleneck both{"fabric and host.g.nic", 0.0, 0.0, ""};
  both.gain.emplace().time = 0.2;
  p.bottlenecks = {both, {"fabric.read", 0.5, 0.2, ""}, {"host.g.nic.read", 0.5, 0.3, ""}};
  const std::vector<LimitRow> rows = limit_rows(p);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].waited == "25.0 %");
  CHECK(rows[1].waited == "10.0 %");
  CHECK(rows[2].waited == "15.0 %");
}

TEST_CASE("a list of what limits says what it leaves out, and by which rule") {
  Prediction p = report::testing::missed_target();
  p.gains.reset();
  p.breakdown["train"] = {{"compute", 0.5}, {"data", 0.5}};
  p.bottlenecks.clear();
  for (int i = 0; i < 7; ++i)
    p.bottlenecks.push_back({"storage.s" + std::to_string(i) + ".ost", 0.5, 0.1, ""});
  for (int i = 0; i < 3; ++i)
    p.bottlenecks.push_back({"storage.t" + std::to_string(i) + ".ost", 0.1, 0.0004, ""});
  CHECK(limit_rows(p).size() == 5);
  const std::string said =
      "left out: 2 parts after these, and 3 parts below 0.05 % of the time and 30 % busy";
  CHECK(limits_left_out(p) == said);
  for (const Format format : {Format::markdown, Format::html})
    CHECK(render(p, report::testing::context(), format, {.full = true}).find(said) !=
          std::string::npos);
  p.bottlenecks.resize(5);
  CHECK(limits_left_out(p).empty());
}

TEST_CASE("what is drawn red has the figure of what limits, and of no other way of the part") {
  Prediction p = report::testing::nothing_to_gain();
  const auto use = [](const char* name, double busy) {
    ResourceUse out;
    out.name = name, out.unit = "B/s", out.throughput = busy, out.capacity = 1.0;
    return out;
  };
  const std::string write = "storage.nas.head.write";
  p.resources = {use("storage.nas.head.ops", 0.4), use(write.c_str(), 0.25)};
  const PicturePart heads{"controllers", "2", {"storage.nas.head.ops", write}, {}};
  p.gains.emplace();
  p.bottlenecks = {
      {"storage.scratch.ost", 0.5, 0.9, "", Gain{0.1, 0.1, "storage.scratch.ost", ""}}};
  CHECK(part_load(p, heads).mean == 0.4);
  p.bottlenecks = {{write, 0.5, 0.25, "", Gain{0.1, 0.1, write, ""}}};
  REQUIRE(limit_of(p).name == write);
  CHECK(part_load(p, heads).mean == 0.25);
  // All ways of a part that is named without one are red, and no part that begins alike.
  p.bottlenecks = {{"fabric and storage.nas.head", 0.5, 0.25, "",
                    Gain{0.1, 0.1, "fabric and storage.nas.head", ""}}};
  REQUIRE(limit_of(p).name == "fabric and storage.nas.head");
  CHECK(part_load(p, heads).limit);
  CHECK_FALSE(part_load(p, {"headers", "2", {"storage.nas.headers.write"}, {}}).limit);
  // Of a system that limits as a whole the box is red.
  PictureBox box;
  box.path = "storage[nas]";
  CHECK_FALSE(is_limit(p, box));
  p.bottlenecks = {{"storage.nas", 0.5, 0.25, "", Gain{0.1, 0.1, "storage.nas", ""}}};
  REQUIRE(limit_of(p).name == "storage.nas");
  CHECK(is_limit(p, box));
  box.path = "storage[scratch]";
  CHECK_FALSE(is_limit(p, box));
}

TEST_CASE("bounds of how busy GPUs are bound what idle ones cost from below") {
  Prediction p = report::testing::nothing_to_gain();
  p.metrics[metric::kGpuIdleCost] = {1.5, "USD/h", {}};
  const auto idle = [&] {
    for (const FigureBlock& block : figure_blocks(p))
      for (const FigureRow& row : block.rows)
        if (row.metric == metric::kGpuIdleCost) return row.text;
    return std::string();
  };
  CHECK(idle() == "1.5 USD/h");
  p.method = "estimate";
  CHECK(idle() == "1.5 USD/h, at least");
}

TEST_CASE("targets of one figure are drawn on one scale") {
  Prediction p = report::testing::drawn();
  p.assertions.resize(1);
  const auto uprights = [&] {
    const std::string page = html::target_gauges(p);
    std::vector<std::string> out;
    const std::string limit = "height=\"20.0\"";
    for (std::size_t at = page.find(limit); at != std::string::npos; at = page.find(limit, at + 1))
      out.push_back(page.substr(page.rfind("x=\"", at), 8));
    return out;
  };
  // The same limit, missed by 8 points and by 30: at one place.
  p.assertions.push_back(p.assertions[0]);
  p.assertions[1].value = 0.65;
  REQUIRE(uprights().size() == 2);
  CHECK(uprights()[0] == uprights()[1]);
}

TEST_CASE("a page of a run begins with its main figure") {
  const Prediction p = report::testing::drawn();
  const std::string page = render(p, report::testing::context(), Format::html, {});
  const std::size_t figure = page.find("GPU utilization of train: <b>87.1 % (90 % of outcomes ");
  CHECK(figure < page.find("class=\"limit\""));
}

TEST_CASE("a table of many jobs that wait for everything fits the page and names all of it") {
  Prediction p = report::testing::missed_target();
  p.breakdown.clear();
  for (const char* job : {"a", "b", "c", "pretraining-of-a-large-model"})
    for (const char* cause : kBreakdownCauses) p.breakdown[job][cause] = 0.125;
  const std::string text = render(p, report::testing::context(), Format::text, {});
  INFO(text);
  const std::size_t title = text.find("Where the time of each job goes\n");
  REQUIRE(title != std::string::npos);
  std::istringstream lines(text.substr(title));
  std::string said;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    CHECK(line.size() <= kColumns);
    std::istringstream words(line);
    for (std::string word; words >> word;) said += word + " ";
  }
  for (const char* waited : {"compute network data metadata CPU saves restarts slowest a",
                             "network, data, metadata, CPU cores, saves, restarts and the slowest",
                             "a 12.5 % 12.5 % 12.5 % 12.5 % 12.5 % 12.5 % 12.5 % 12.5 % b"})
    CHECK(said.find(waited) != std::string::npos);
}

TEST_CASE("goodput is left out beside the utilization of its own job alone") {
  SideBySide both;
  for (const char* name : {"a", "b"}) {
    Prediction& p = both.designs.emplace_back().prediction;
    both.designs.back().name = name;
    for (const auto& [job, busy, useful] : {std::tuple{"x", 0.959, 0.953}, {"y", 0.953, 0.953}}) {
      p.breakdown[job] = {{"compute", busy}};
      p.metrics[metric::gpu_utilization(job)] = {busy, "ratio", {}};
      p.metrics[metric::goodput(job)] = {useful, "ratio", {}};
    }
  }
  std::vector<std::string> labels;
  for (const CompareRow& row : compare_rows(both))
    if (row.metric == metric::kGoodput) labels.push_back(row.label);
  CHECK(labels == std::vector<std::string>{"goodput of x"});
}

}  // namespace figures_said_test
