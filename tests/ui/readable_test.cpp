#include <catch2/catch.hpp>
#include <sstream>

#include "stallcast/label.hpp"
#include "tests/ui/report_samples.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
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
  for (const char* word :
       {"utilization", "checkpoint.", "stall", "save", "lost to", "samples", "every"})
    CHECK(text.find(word) != std::string::npos);
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

TEST_CASE("time of which GPUs decode is not said to be waited for CPU cores") {
  Prediction p = report::testing::missed_target();
  const auto waited = [&](double cores, double decoders) {
    p.metrics["job.train.waited.host.gpu.cpu"] = {cores, "s", {}};
    p.metrics["job.train.waited.host.gpu.gpu.decode"] = {decoders, "s", {}};
    return cpu_words(p, "train");
  };
  CHECK(waited(5.0, 0.1) == "waiting for CPU cores");
  CHECK(waited(5.0, 5.0) == "waiting for decoders, cores");
  CHECK(waited(0.1, 5.0) == "waiting for GPU decoders");
  const std::vector<Fall> falls =
      waterfall({{"compute", 0.9}, {"cpu", 0.1}}, cpu_words(p, "train"));
  CHECK(falls[0].label == "waiting for GPU decoders");
  // One thread of a process copies batches to pinned memory, whatever cores are free.
  p.metrics["job.train.waited.job.train.loader.pin"] = {5.0, "s", {}};
  CHECK(waited(0.1, 0.1) == "copying to pinned memory");
  CHECK(waited(5.0, 0.1) == "waiting for pinning, cores");
  p.metrics.erase("job.train.waited.job.train.loader.pin");
  CHECK(waited(0.1, 5.0) == "waiting for GPU decoders");
  p.breakdown["train"] = {{"compute", 0.9}, {"cpu", 0.1}};
  for (const Format format : {Format::text, Format::markdown, Format::html}) {
    const std::string text = render(p, report::testing::context(), format, {.full = true});
    CHECK(text.find("waiting for GPU decoders") != std::string::npos);
    CHECK(text.find("waiting for CPU cores") == std::string::npos);
  }
}

TEST_CASE("a row names what is waited for most, whatever it gains") {
  Prediction p = report::testing::missed_target();
  p.bottlenecks.clear();
  for (int i = 0; i < 7; ++i)
    p.bottlenecks.push_back(
        {"storage.s" + std::to_string(i) + ".ost", 0.5, i == 6 ? 0.8 : 0.01, ""});
  const std::vector<LimitRow> rows = limit_rows(p);
  REQUIRE(rows.size() == 5);
  CHECK(rows.back().resource == "storage.s6.ost");
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
  CHECK(label::of_change("fabric.link.rate 200 Gb/s -> 400 Gb/s") ==
        "links between switches 200 Gb/s -> 400 Gb/s");
  CHECK(label::of_change("fabric.bisection 1 GB/s -> 2 GB/s") ==
        "fabric.bisection 1 GB/s -> 2 GB/s");
  CHECK(label::of_change("job.train.checkpoint.direct false -> true") ==
        "saves past the page cache (O_DIRECT) of train");
  CHECK(label::of_change("storage.b.put.parallel 4 -> 8") == "parallel PUTs of b 4 -> 8");
  CHECK(label::of_change("n_ost 16 -> 20") == "n_ost 16 -> 20");
  CHECK(label::of_change("boxes 2 -> 3") == "boxes 2 -> 3");
}

TEST_CASE("inputs and what is counted are named for people") {
  CHECK(label::of_input("storage[scratch].ost.write") == "OST write of scratch");
  CHECK(label::of_input("cluster.hosts[gpu].cpu.copy") == "CPU copy of gpu hosts");
  CHECK(label::of_input("jobs[train].step.jitter") == "step jitter of train");
  CHECK(label::of_input("jobs.train.checkpoint.every") == "checkpoint every of train");
  CHECK(label::of_input("cluster.fabric.rtt") == "fabric RTT");
  CHECK(label::of_input("n_ost") == "n_ost");
  CHECK(label::of_count("storage.scratch.ost.count") == "OSTs of scratch");
  CHECK(label::of_count("storage.bucket.prefixes") == "prefixes of bucket");
  CHECK(label::of_count("boxes") == "boxes");
}

TEST_CASE("paths that leave out the id are named by their parts") {
  CHECK(label::of_count("storage.ost.count") == "storage.ost.count");
  CHECK(label::of_input("storage.ost.count") == "OST count");
  CHECK(label::of_input("storage.ost.read") == "OST read");
  CHECK(label::of_input("jobs.loader.workers") == "loader workers");
  CHECK(label::of_input("jobs.checkpoint.every") == "checkpoint every");
  CHECK(label::of_input("cluster.hosts.gpu.count") == "count of gpu hosts");
  CHECK(label::of_input("storage[ost].read") == "read of ost");
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

TEST_CASE("targets are said by their figures, and by their names in a full report") {
  const Prediction p = report::testing::drawn();
  const std::string compact = render(p, report::testing::context(), Format::text, {});
  const std::string full = render(p, report::testing::context(), Format::text, {.full = true});
  INFO(full);
  CHECK(compact.find("stall: stall per save < 6 s, predicted 5.5 s") != std::string::npos);
  CHECK(compact.find("job.train.checkpoint.stall") == std::string::npos);
  CHECK(full.find("job.train.checkpoint.stall") != std::string::npos);
}

TEST_CASE("a target that holds is said to be unlikely to, where draws say so") {
  Prediction p = report::testing::drawn();
  p.verdict = Verdict::pass;
  for (AssertionOutcome& a : p.assertions) a.status = "pass";
  CHECK(verdict_phrase(p) == "all targets hold, but au only in 8 of 100 cases");
  p.assertions.resize(1);
  CHECK(verdict_phrase(p) == "the target holds, but only in 8 of 100 cases");
  CHECK(is_unlikely(p));
  p.assertions[0].level = "warn";
  CHECK(verdict_phrase(p) == "the target holds, but only in 8 of 100 cases");
  p.assertions[0].probability = 0.93;
  CHECK(verdict_phrase(p) == "the target holds");
  CHECK_FALSE(is_unlikely(p));
  p.assertions[0].probability = 0.08, p.assertions[0].confidence = 0.05;
  CHECK(verdict_phrase(p) == "the target holds");
}

TEST_CASE("few draws are not said to leave every input as it was") {
  CalibrationProfile profile;
  profile.narrowed.resize(3);
  for (const bool few : {false, true}) {
    profile.environment["effective draws"] = few ? "30.4" : "179";
    const std::string text = profile_text(profile, {});
    INFO(text);
    CHECK((text.find("3 inputs: no further than chance moves them in the 179 draws") !=
           std::string::npos) == !few);
    CHECK((text.find("3 inputs: the 30.4 draws that are left do not tell") != std::string::npos) ==
          few);
  }
  profile.narrowed.front().told = 26.0;
  CHECK(profile_text(profile, {}).find("2 other inputs: the 30.4 draws") != std::string::npos);
}

TEST_CASE("what is assumed comes by its effect, with what to do, and never by its name") {
  const std::string drawn =
      render(report::testing::drawn(), report::testing::context(), Format::text, {});
  INFO(drawn);
  CHECK(drawn.find("What moves the answer, by share of the spread of") != std::string::npos);
  for (const bool full : {false, true}) {
    const std::string plain = render(report::testing::missed_target(), report::testing::context(),
                                     Format::text, {.full = full});
    INFO(plain);
    CHECK(plain.find("1 value is assumed, not measured: --draws 64") != std::string::npos);
    CHECK(plain.find("storage[scratch].ost.service") == std::string::npos);
  }
}

namespace {

CheckReport checked(std::size_t designs) {
  CheckReport out;
  for (std::size_t i = 0; i < designs; ++i) {
    CheckedScenario& s = out.scenarios.emplace_back();
    s.id = "design" + std::to_string(i);
    s.prediction = report::testing::missed_target();
    s.prediction->gains.emplace();
    for (const AssertionOutcome& outcome : s.prediction->assertions) {
      CheckedAssertion& a = s.assertions.emplace_back();
      a.outcome = outcome;
      if (outcome.status == "fail") a.status = CheckStatus::fail;
    }
  }
  out.exit = ExitCode::answer_no;
  return out;
}

}  // namespace

TEST_CASE("a comment on one design is what run says of it, on several the five worst") {
  const CheckContext context{report::testing::context(), {}, "check"};
  const std::string one = check_markdown(checked(1), context);
  INFO(one);
  const std::string shown = one.substr(0, one.find("<details>"));
  CHECK(shown.find("## :x: Stallcast: design0: FAIL, 1 of 2 targets missed\n") !=
        std::string::npos);
  CHECK(shown.find(limit_phrase(report::testing::missed_target())) != std::string::npos);
  CHECK(shown.find("would meet all targets: ") != std::string::npos);
  CHECK(std::count(shown.begin(), shown.end(), '|') / 4 <= 2 + 5);
  const std::string many = check_markdown(checked(7), context);
  INFO(many);
  const std::string lead = many.substr(0, many.find("<details>"));
  CHECK(lead.find("7 failed, 7 passed") != std::string::npos);
  CHECK(lead.find("| design4 |") != std::string::npos);
  CHECK(lead.find("| design5 |") == std::string::npos);
  CHECK(lead.find("2 more designs are below.") != std::string::npos);
  CHECK(many.find("design6") != std::string::npos);
}

TEST_CASE("a check says once what limits a design and what would help") {
  const CheckContext context{report::testing::context(), {}, "check"};
  const std::string text = check_text(checked(1), context);
  INFO(text);
  std::size_t limits = 0;
  for (std::size_t at = 0; (at = text.find("limited by", at)) != std::string::npos; ++at) ++limits;
  CHECK(limits == 1);
  CHECK(text.find("would meet all targets: ") != std::string::npos);
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("of threads it is said what twice as many are worth") {
  CHECK(what_is_tried("job.train.checkpoint.threads") == "twice as many");
  CHECK(what_is_tried("job.train.checkpoint.serialize") == "twice as fast");
  CHECK(label::of_resource("job.train.checkpoint.threads") == "number of saving threads of train");
}

TEST_CASE("the legend of the timeline names GPUs that decode") {
  Prediction p = report::testing::missed_target();
  ReportContext context = report::testing::context();
  Timeline& t = context.timeline.emplace();
  t.end_s = t.spans_end_s = 10.0;
  t.texts = {"compute", "wait for cpu"};
  t.tracks.push_back({.kind = "rank", .job = "train", .name = "rank", .chosen = "only"});
  t.spans.push_back({.name = 0, .end_s = 6.0});
  t.spans.push_back({.name = 1, .begin_s = 6.0, .end_s = 10.0});
  const auto legend = [&] {
    const std::string page = render(p, context, Format::html, {});
    const std::size_t at = page.find("var(--cpu)\"></i>");
    return at == std::string::npos ? "" : page.substr(at + 16, page.find("</li>", at) - at - 16);
  };
  CHECK(legend() == "waiting for CPU cores");
  p.metrics["job.train.waited.host.gpu.gpu.decode"] = {1.0, "s", {}};
  CHECK(legend() == "waiting for GPU decoders");
}

TEST_CASE("rows of several files name the file, also where designs are called alike") {
  const CheckContext context{report::testing::context(), {}, "check"};
  CheckReport report = checked(2);
  report.scenarios[0].id = report.scenarios[1].id = "same";
  report.scenarios[0].path = "a/x.json", report.scenarios[1].path = "b/x.json";
  const std::string text = check_text(report, context);
  INFO(text);
  CHECK(text.find("FAIL same (a/x.json)  ") != std::string::npos);
  CHECK(text.find("FAIL same (b/x.json)  ") != std::string::npos);
  report.scenarios.pop_back();
  CHECK(check_text(report, context).find("a/x.json") == std::string::npos);
}

TEST_CASE("a figure that became worse than the baseline is said beside the targets") {
  CheckReport report = checked(1);
  CheckedScenario& s = report.scenarios[0];
  CHECK(verdict_text(s) == "1 of 2 targets missed");
  s.assertions[1].state = BaselineState::worse;
  s.assertions[1].status = CheckStatus::fail;
  CHECK(verdict_text(s) == "1 of 2 targets missed, 1 figure worse than the baseline");
  s.prediction->verdict = Verdict::pass;
  CHECK(verdict_text(s) == "1 figure worse than the baseline");
}

TEST_CASE("an explanation begins with the waterfall and takes one number apart, -v all") {
  Explanation e = report::testing::explanation();
  e.asked.clear();
  const std::string compact = render(e, report::testing::context(), Format::text, {});
  const std::string full = render(e, report::testing::context(), Format::text, {.full = true});
  INFO(compact);
  CHECK(full.size() >= compact.size());
  if (e.trees.size() > 1) CHECK(compact.find("-v takes") != std::string::npos);
  CHECK(full.find("-v takes") == std::string::npos);
}

TEST_CASE("a plan says what its tightest target waits for, by its name for people") {
  const std::string text =
      render(report::testing::found_plan(), report::testing::context(), Format::text, {});
  INFO(text);
  CHECK(text.find("tightest target waits for") != std::string::npos);
  CHECK(text.find("storage.scratch.ost ") == std::string::npos);
  CHECK(widest_line(text) <= 80);
}

}  // namespace readable_test
