#include <catch2/catch.hpp>
#include <sstream>

#include "stallcast/label.hpp"
#include "tests/ui/report_samples.hpp"
#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sweep_parts.hpp"
#include "ui/report/waterfall.hpp"

/// What a reader stumbles over.
namespace readable_test {

using namespace stallcast;
using namespace stallcast::report;

namespace {

SweepReport wide_sweep() {
  SweepReport out;
  out.scenario_id = "wide";
  out.axes = {"storage.scratch.ost.count", "jobs.train.checkpoint.every"};
  for (const char* ost : {"8", "16"}) {
    SweepRow& row = out.rows.emplace_back();
    row.values = {ost, "10 min"};
    row.numbers = {SweepFigure{8.0, "count"}, SweepFigure{600.0, "s"}};
    row.outcome.emplace();
    for (const char* name :
         {"job.train.gpu.utilization", "job.train.checkpoint.stall",
          "job.train.checkpoint.overhead", "job.train.throughput.samples", "job.train.step.time"})
      row.outcome->metrics[name] = {0.5, "ratio", {}};
  }
  for (const char* name :
       {"job.train.gpu.utilization", "job.train.checkpoint.stall", "job.train.checkpoint.overhead",
        "job.train.throughput.samples", "job.train.step.time"}) {
    SweepColumn& column = out.columns.emplace_back();
    column.name = name;
  }
  return out;
}

std::size_t widest_line(const std::string& text) {
  std::size_t out = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out = std::max(out, line.size());
  return out;
}

/// Lines are broken there for as long as it lives.
struct Columns {
  explicit Columns(std::size_t columns) { set_page_columns(columns); }
  ~Columns() { set_page_columns(kColumns); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
};

}  // namespace

TEST_CASE("titles of a sweep's columns are broken over lines, not cut in their middle") {
  const std::string text = sweep_text(wide_sweep(), {});
  INFO(text);
  CHECK(text.find("..") == std::string::npos);
  CHECK(widest_line(text) <= 80);
  for (const char* word : {"utilization", "checkpoint.", "stall", "overhead", "samples", "every"})
    CHECK(text.find(word) != std::string::npos);
}

TEST_CASE("a change by many times is a plain number") {
  MetricChange m{"job.train.stall", "s", 0.00109, 2.13, Effect::worse};
  CHECK(delta_text(m) == "x 1950");
  m.before = 0.1;
  CHECK(delta_text(m) == "x 21.3");
  m.before = 1e-9;
  CHECK(delta_text(m) == "> x 10000");
}

TEST_CASE("a line of differences keeps its columns apart") {
  Diff diff;
  diff.base.prediction = diff.head.prediction = report::testing::missed_target();
  diff.metrics = {{"job.train.checkpoint.stall", "s", 0.00109, 2.13, Effect::worse}};
  const std::string text = diff_text(diff, {});
  INFO(text);
  CHECK(text.find("2.13 s   x 1950 worse") != std::string::npos);
}

TEST_CASE("where the time goes falls from 100 % to what computes") {
  const std::vector<Fall> falls =
      waterfall({{"compute", 0.945}, {"checkpoint", 0.026}, {"sync", 0.029}});
  REQUIRE(falls.size() == 3);
  CHECK(falls[0].label == "waiting for the slowest rank");
  CHECK(falls[0].from == 1000);
  CHECK(falls[0].to == falls[1].from);
  CHECK(falls[1].to == falls[2].from);
  CHECK(falls[2].to == 0);
  CHECK(waterfall_sum(falls) ==
        "100 % - waiting for the slowest rank 2.9 % - saving checkpoints 2.6 % = compute 94.5 %");
  CHECK(widest_line(waterfall_lines(falls)) == 80);
}

TEST_CASE("a report takes the columns that the terminal has") {
  for (const std::size_t columns : {60U, 80U, 120U}) {
    const Columns wide(columns);
    for (const bool full : {false, true}) {
      const std::string text = render(report::testing::missed_target(), report::testing::context(),
                                      Format::text, {.full = full});
      INFO(text);
      if (!full || columns >= 80) CHECK(widest_line(text) <= columns);
      if (columns > 80) CHECK(widest_line(text) > 80);
    }
  }
}

TEST_CASE("the compact report has the verdict, the advice, targets and time, and -v all else") {
  const Prediction p = report::testing::missed_target();
  const std::string compact = render(p, report::testing::context(), Format::text, {});
  const std::string full = render(p, report::testing::context(), Format::text, {.full = true});
  for (const std::string& part :
       {std::string("limited by the OSS NICs of scratch"), std::string("Targets"),
        std::string("Where the time of"), std::string("-v")})
    CHECK(compact.find(part) != std::string::npos);
  for (const char* part : {"Data path", "What limits it", "Next change", "Checkpoints of train"}) {
    CHECK(compact.find(part) == std::string::npos);
    CHECK(full.find(part) != std::string::npos);
  }
}

TEST_CASE("changes are named for people") {
  CHECK(label::of_change("job.train.checkpoint.mode sync -> async") ==
        "asynchronous saves of train");
  CHECK(label::of_change("storage.scratch.ost.count 16 -> 20") == "OSTs of scratch 16 -> 20");
  CHECK(label::of_change("job.train.loader.workers 8 -> 16") == "loader workers of train 8 -> 16");
  CHECK(label::of_change("host.gpu.nic.rate 200 Gb/s -> 400 Gb/s") ==
        "NICs of gpu hosts 200 Gb/s -> 400 Gb/s");
  CHECK(label::of_change("n_ost 16 -> 20") == "n_ost 16 -> 20");
  CHECK(label::of_change("boxes 2 -> 3") == "boxes 2 -> 3");
}

TEST_CASE("a comment under a change is a verdict, five figures, and the rest folded") {
  const std::string text =
      render(report::testing::missed_target(), report::testing::context(), Format::markdown, {});
  const std::string shown = text.substr(0, text.find("<details>"));
  INFO(text);
  CHECK(shown.size() < text.size());
  CHECK(shown.starts_with("## :x: llama-on-lustre: FAIL, 1 of 2 targets missed\n"));
  CHECK(std::count(shown.begin(), shown.end(), '|') / 4 <= 2 + 5);
  CHECK(text.find("</details>") != std::string::npos);
}

TEST_CASE("a slide is the first page alone") {
  const Prediction p = report::testing::drawn();
  const std::string slide = render(p, report::testing::context(), Format::slide, {});
  CHECK(slide.find("<main class=\"slide\">") != std::string::npos);
  CHECK(slide.find("<details") == std::string::npos);
  CHECK(slide.find("Targets") != std::string::npos);
  CHECK(parse_format("slide", Pages::slide).ok());
  CHECK(parse_format("slide", Pages::page).failure().exit == ExitCode::bad_input);
}

}  // namespace readable_test
