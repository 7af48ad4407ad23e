#include <catch2/catch.hpp>

#include "stallcast/breakdown.hpp"
#include "tests/ui/report_samples.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

/// What changes that were tried would do, in words.
namespace advice_test {

using namespace stallcast;
using namespace stallcast::report;

TEST_CASE("what is tried without draws meets a target that asks for a confidence only nominally") {
  Prediction p = report::testing::missed_target();
  REQUIRE_FALSE(p.alternatives.empty());
  p.verdict = Verdict::fail;
  Alternative& best = p.alternatives.front();
  best.verdict = Verdict::pass, best.gain = 0.05, best.margin = 0.02;
  CHECK(advice_phrase(p).find("would meet all targets: ") == 0);
  CHECK(gain_text(best, p).find(", meets all targets") != std::string::npos);
  CHECK(gain_text(best, p).find("goodput") == std::string::npos);
  // GPUs also use their time on work that is lost.
  Alternative often = best;
  often.gain = -0.01, often.goodput = 0.93, often.goodput_gain = 0.021;
  CHECK(gain_text(often, p).find("goodput 93.0 % (+2.1 points)") != std::string::npos);
  often.verdict = Verdict::fail;
  CHECK(is_useful(often, p));
  p.assertions.front().confidence = 0.9;
  CHECK(advice_phrase(p).find("would meet all targets nominally, draws not tried: ") == 0);
  CHECK(gain_text(best, p).find(", nominally meets all targets") != std::string::npos);
  const std::string page = render(p, report::testing::context(), Format::html, {});
  CHECK(page.find("nominally</span>") != std::string::npos);
  CHECK(page.find("meets\u00a0all</span>") == std::string::npos);
  // What gains nothing makes no draw hold that did not.
  for (Alternative& a : p.alternatives) a.gain = 0.0;
  CHECK(advice_phrase(p).find("would meet") == std::string::npos);
}

TEST_CASE(
    "a change that meets no target yet says by how much it still misses, or that it is unsure") {
  Prediction p = report::testing::missed_target();
  p.verdict = Verdict::fail;
  Alternative change = p.alternatives.front();
  change.verdict = Verdict::fail, change.gain = 0.0;
  CHECK(targets_phrase(change, p) == "targets still missed");
  CHECK_FALSE(is_useful(change, p));
  // A stall that no GPU waits for is nothing to its utilization.
  change.missed = {{"stall", 0.12}, {"au", 0.0}}, change.closer = 0.19;
  CHECK(targets_phrase(change, p) == "targets still missed: stall by 12 %, au");
  CHECK(is_useful(change, p));
  p.verdict = Verdict::pass;
  CHECK_FALSE(is_useful(change, p));
  p.verdict = Verdict::fail;
  change.verdict = Verdict::inconclusive;
  CHECK(targets_phrase(change, p) == "targets unsure: it may miss stall by 12 %, au");
  change.closer = -0.3;
  CHECK(targets_phrase(change, p).ends_with(", further off than now"));
  CHECK(targets_word(change, p) == "unsure");
  change.closer = 0.19, change.margin = -0.12;
  p.alternatives = {change};
  CHECK(render(p, report::testing::context(), Format::html, {}).find("unsure</span>") !=
        std::string::npos);
  CHECK(advice_phrase(p) == "no single change that was tried meets all targets");
}

TEST_CASE("of what is bought, the dearer that gains no more is not proposed beside the cheaper") {
  Prediction p = report::testing::missed_target();
  p.verdict = Verdict::fail;
  Alternative more = p.alternatives.front();
  more.change = "storage.scratch.ost.count 120 -> 609";
  more.relative_cost = 4.08;
  p.alternatives = {p.alternatives.front(), more};
  const auto proposes = [&] { return advice_phrase(p).find("609") != std::string::npos; };
  CHECK_FALSE(proposes());
  // By what it costs, where that is known.
  p.alternatives[0].cost = 9e5, p.alternatives[1].cost = 3e5;
  CHECK(proposes());
  p.alternatives[0].cost = p.alternatives[1].cost = std::nullopt;
  // What gains more for it is another answer, and so is what costs nothing to set.
  p.alternatives[1].gain += 0.02;
  CHECK(proposes());
  p.alternatives[1] = more;
  p.alternatives[0].relative_cost = 0.0;
  CHECK(proposes());
}

TEST_CASE("a target with a confidence says on the first page how often it holds") {
  Prediction p = report::testing::drawn();
  const auto page = [&](Format format) {
    return render(p, report::testing::context(), format, {});
  };
  CHECK(page(Format::slide).find("(holds in 71 %)") != std::string::npos);
  // It holds by its figure, and is missed for it alone.
  p.assertions[1].confidence = 0.8, p.assertions[1].status = "fail";
  CHECK(page(Format::slide).find("(holds in 71 %, need 80)") != std::string::npos);
  CHECK(page(Format::markdown).find("fail: &lt; 6 s, holds in 71 of 100 cases (need 80)") !=
        std::string::npos);
}

TEST_CASE("inputs of a figure that comes out alike are not worth measuring") {
  Prediction p = report::testing::drawn();
  p.assertions.clear();
  REQUIRE(figure_to_settle(p) == "job.train.gpu.utilization");
  p.uncertainty->metrics["job.train.gpu.utilization"].all = {0.87121, 0.87124};
  p.uncertainty->metrics["job.train.gpu.utilization"].shares[0].rest = {0.87122, 0.87123};
  CHECK(figure_to_settle(p).empty());
}

// The target that holds in 29 or 71 of 100 cases is the question, not one that is safe.
TEST_CASE("what to measure first is of the target in doubt, or of none") {
  Prediction p = report::testing::drawn();
  const std::string busy = "job.train.gpu.utilization", stall = "job.train.checkpoint.stall";
  CHECK(figure_to_settle(p) == stall);
  p.uncertainty->metrics[stall].shares.clear();
  CHECK(figure_to_settle(p).empty());
  CHECK(render(p, report::testing::context(), Format::text, {}).find("What moves the answer") ==
        std::string::npos);
  // What the draws lack is said of it, and not of the figure that is said first.
  p.uncertainty->metrics[stall].known = {5.0, 6.0};
  CHECK(draws_to_ask_for(p) == 256);
  CHECK(draws_phrase(p).find("do not tell which inputs move stall per save, --draws 256 may") !=
        std::string::npos);
  p.assertions[1].probability = 0.96;
  CHECK(figure_to_settle(p) == busy);
}

TEST_CASE("of several jobs advice says that its figure is a mean") {
  Prediction p = report::testing::missed_target();
  p.alternatives[0].verdict = Verdict::pass;
  CHECK(advice_phrase(p).find("(GPUs ") != std::string::npos);
  p.breakdown["other"] = p.breakdown["train"];
  CHECK(advice_phrase(p).find("(mean utilization of all GPUs ") != std::string::npos);
  CHECK(render(p, report::testing::context(), Format::html, {})
            .find("simulated: mean utilization of all GPUs.") != std::string::npos);
}

TEST_CASE("of tenants alone the first lines say what they do") {
  Prediction p = report::testing::nothing_to_gain();
  p.breakdown.clear();
  p.metrics.clear();
  p.metrics["tenant.kv.read"] = {2e9, "B/s", {}};
  p.metrics["tenant.kv.write"] = {0.0, "B/s", {}};
  p.metrics["tenant.kv.latency"] = {0.004, "s", {}};
  p.metrics["tenant.kv.latency.p99"] = {0.009, "s", {}};
  p.metrics["tenant.other.read"] = {0.0, "B/s", {}};
  const std::vector<std::string> lines = tenant_lines(p);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "kv: reads 2 GB/s, latency 4 ms");
  CHECK(lines[1] == "other: did nothing");
  for (const Format format : {Format::text, Format::slide, Format::json})
    CHECK(render(p, report::testing::context(), format, {}).find(lines[0]) != std::string::npos);
  p.breakdown["train"] = {{"compute", 1.0}};
  CHECK(tenant_lines(p).empty());
}

TEST_CASE("of what became worse it is said what limits it now, and where to ask what did it") {
  const CheckedScenario s;
  CheckedAssertion a;
  a.outcome = report::testing::missed_target().assertions.front();
  a.status = CheckStatus::fail;
  a.outcome.limited_by = "job.train.barrier";
  CHECK(message_text(s, a).find("; limited by the slowest rank of train") != std::string::npos);
  a.state = BaselineState::worse;
  CHECK(message_text(s, a).find(
            "; now limited by the slowest rank of train (what made it worse: stallcast diff)") !=
        std::string::npos);
}

TEST_CASE("a replay saves of its makespan, and its requests are waited for") {
  Prediction p;
  p.method = "simulation";
  p.metrics["tenant.a.latency"] = {0.01, "s", {}};
  CHECK(time_gained(p) == "of requests");
  p.metrics["tenant.b.makespan"] = {1.0, "s", {}};
  CHECK(time_gained(p) == "of requests and replays");
  p.metrics.erase("tenant.a.latency");
  CHECK(time_gained(p) == "of the replay");
  CHECK(time_waited(p) == "of requests");
}

}  // namespace advice_test
