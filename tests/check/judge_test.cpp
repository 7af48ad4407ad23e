#include "engine/decide/check/judge.hpp"

#include <catch2/catch.hpp>

namespace judge_test {

using namespace stallcast;
using check::Baseline;

namespace {

const check::ScenarioKey kKey = {"a.json", "a"};
const CheckRules kRules = {.today = "2026-11-21", .model = "1"};

Design design_of(const std::string& that) {
  Design design;
  design.expect = {{"e", that, "error", "", "/expect/0"}};
  return design;
}

Prediction predicted(double stall) {
  Prediction p;
  p.metrics["job.train.checkpoint.stall"] = {stall, "s", {}};
  p.metrics["job.train.gpu.utilization"] = {0.95, "ratio", {{0.94, 0.96}}};
  p.metrics["resource.storage.a.ost.utilization"] = {0.9, "ratio", {}};
  p.bottlenecks = {{"storage.a.ost", 0.9, 0.7, ""}};
  p.limited_by["job.train.checkpoint"] = "storage.a.ost";  // what saves say of themselves
  p.resources = {{"storage.a.ost", "B/s", 100.0, 90.0}};
  return p;
}

CheckedAssertion judged(const Design& design, const Prediction& prediction,
                        const Baseline* baseline = nullptr, const CheckRules& rules = kRules) {
  Diagnostics faults;
  const auto all = check::judge(design, prediction, kKey, baseline, rules, faults);
  REQUIRE(faults.items().empty());
  return all.at(0);
}

Baseline baseline_of(const std::string& that, double stall) {
  Baseline baseline;
  baseline.set(kKey, design_of(that), predicted(stall), "1");
  return baseline;
}

ExitCode exit_with(std::vector<CheckedAssertion> assertions, const CheckRules& rules = kRules,
                   ExitCode scenario = ExitCode::ok, std::vector<std::string> stale = {}) {
  CheckReport report;
  CheckedScenario s;
  s.exit = scenario;
  s.assertions = std::move(assertions);
  report.scenarios.push_back(std::move(s));
  report.stale = std::move(stale);
  return check::exit_of(report, rules);
}

CheckedAssertion with(CheckStatus status, const char* level = "error") {
  CheckedAssertion a;
  a.status = status;
  a.outcome.level = level;
  return a;
}

const char* kStall = "job.train.checkpoint.stall < 10 s";

}  // namespace

TEST_CASE("what fails names its limiter and how busy that is") {
  const CheckedAssertion a = judged(design_of(kStall), predicted(11.0));
  CHECK(a.status == CheckStatus::fail);
  CHECK(a.outcome.limited_by == "storage.a.ost");
  CHECK(a.load == "90 % busy");
}

TEST_CASE("what is busy only now and then tells its peak, and what never is tells nothing") {
  Prediction p = predicted(11.0);
  p.resources = {{"storage.a.ost", "B/s", 100.0, 2.0, 97.0}};
  CHECK(judged(design_of(kStall), p).load == "97 % busy while it is in use");
  p.resources[0].in_use = 0.0;
  CHECK(judged(design_of(kStall), p).load.empty());
}

TEST_CASE("of several that limit together, and of both ways of one, the busiest tells its load") {
  Prediction p = predicted(11.0);
  p.limited_by["job.train.checkpoint"] = "fabric and host.g.nic";
  p.resources = {{"fabric", "B/s", 100.0, 60.0},
                 {"host.g.nic.read", "B/s", 100.0, 10.0},
                 {"host.g.nic.write", "B/s", 100.0, 80.0},
                 {"host.g.nicotine", "B/s", 100.0, 99.0}};
  CHECK(judged(design_of(kStall), p).load == "80 % busy");
}

TEST_CASE("worse than the baseline fails below the limit, better never does") {
  const Baseline baseline = baseline_of(kStall, 4.0);
  CHECK(judged(design_of(kStall), predicted(4.0), &baseline).state == BaselineState::same);
  // 4.02 / 4 - 1 = 0.5 %, the tolerance.
  CHECK(judged(design_of(kStall), predicted(4.019), &baseline).status == CheckStatus::pass);
  const CheckedAssertion worse = judged(design_of(kStall), predicted(4.021), &baseline);
  CHECK(worse.status == CheckStatus::fail);
  CHECK(worse.state == BaselineState::worse);
  CHECK(worse.before == 4.0);
  CHECK(worse.outcome.limited_by == "storage.a.ost");
  CHECK(judged(design_of(kStall), predicted(1.0), &baseline).status == CheckStatus::pass);
}

TEST_CASE("a metric without a way takes that of its operator") {
  const std::string that = "resource.storage.a.ost.utilization <= 95 %";
  Prediction before = predicted(1.0), after = predicted(1.0);
  before.metrics["resource.storage.a.ost.utilization"].value = 0.8;
  Baseline baseline;
  baseline.set(kKey, design_of(that), before, "1");
  CHECK(judged(design_of(that), after, &baseline).state == BaselineState::worse);
  baseline.set(kKey, design_of("resource.storage.a.ost.utilization in [0 %, 95 %]"), before, "1");
  CHECK(judged(design_of("resource.storage.a.ost.utilization in [0 %, 95 %]"), after, &baseline)
            .status == CheckStatus::pass);
}

TEST_CASE("a known failure passes only with new-only, and only while it is no worse") {
  const Baseline baseline = baseline_of(kStall, 20.0);
  CheckRules rules = kRules;
  CHECK(judged(design_of(kStall), predicted(20.0), &baseline, rules).status == CheckStatus::fail);
  rules.new_only = true;
  CHECK(judged(design_of(kStall), predicted(20.0), &baseline, rules).status == CheckStatus::known);
  CHECK(judged(design_of(kStall), predicted(15.0), &baseline, rules).status == CheckStatus::known);
  CHECK(judged(design_of(kStall), predicted(21.0), &baseline, rules).status == CheckStatus::fail);
}

TEST_CASE("a waiver accepts failures and regressions, through its last day") {
  Design design = design_of(kStall);
  design.expect[0].waive = "why";
  design.expect[0].until = "2026-11-21";
  CHECK(judged(design, predicted(11.0)).status == CheckStatus::waived);
  const Baseline baseline = baseline_of(kStall, 4.0);
  CHECK(judged(design, predicted(5.0), &baseline).status == CheckStatus::waived);
  CheckRules later = kRules;
  later.today = "2026-11-22";
  const CheckedAssertion ended = judged(design, predicted(11.0), nullptr, later);
  CHECK(ended.status == CheckStatus::fail);
  CHECK(ended.note == "its waiver ended on 2026-11-21");
  CHECK(judged(design, predicted(1.0), nullptr, later).status == CheckStatus::pass);
}

TEST_CASE("an interval that straddles the limit counts as it was asked for") {
  const Design design = design_of("job.train.gpu.utilization >= 95 %");
  CheckRules rules = kRules;
  CHECK(judged(design, predicted(1.0)).status == CheckStatus::inconclusive);
  rules.inconclusive = Inconclusive::fail;
  CHECK(judged(design, predicted(1.0), nullptr, rules).status == CheckStatus::fail);
  rules.inconclusive = Inconclusive::warn;
  CHECK_FALSE(judged(design, predicted(1.0), nullptr, rules).is_error());
  rules.inconclusive = Inconclusive::pass;
  CHECK(judged(design, predicted(1.0), nullptr, rules).status == CheckStatus::pass);
}

TEST_CASE("a confidence that no draws judged is inconclusive, whatever the design as it is does") {
  for (const char* that :
       {"job.train.checkpoint.stall <= 2 s", "job.train.checkpoint.stall <= 0.5 s"}) {
    Design design = design_of(that);
    design.expect[0].confidence = 0.9;
    Prediction prediction = predicted(1.0);
    const CheckedAssertion without = judged(design, prediction);
    CHECK(without.status == CheckStatus::inconclusive);
    CHECK(without.note == "no draws judge its confidence");
    prediction.uncertainty.emplace().probability["e"] = 0.95;
    CHECK(judged(design, prediction).status == CheckStatus::pass);
    prediction.uncertainty->probability["e"] = 0.85;
    CHECK(judged(design, prediction).status == CheckStatus::fail);
    // Some that had ended before the time limit are no sample.
    prediction.uncertainty->probability.clear();
    prediction.uncertainty->cut_off = 28;
    const CheckedAssertion cut_off = judged(design, prediction);
    CHECK(cut_off.status == CheckStatus::inconclusive);
    CHECK(cut_off.note == "draws were cut off: its confidence is not judged");
  }
}

TEST_CASE("an assertion relative to a baseline needs one") {
  Diagnostics faults;
  CHECK(check::judge(design_of("job.train.checkpoint.stall <= base"), predicted(1.0), kKey, nullptr,
                     kRules, faults)
            .size() <= 1);
  CHECK(faults.items().at(0).pointer == "/expect/0/that");
}

TEST_CASE("a range may have its ends from the baseline") {
  const std::string that = "job.train.checkpoint.stall in [max(base * 0.9, 2 s), base + 500 ms]";
  const Baseline baseline = baseline_of(that, 4.0);  // 3.6 s to 4.5 s
  for (const auto& [stall, status] : {std::pair(3.5, CheckStatus::fail),
                                      {3.61, CheckStatus::pass},
                                      {4.49, CheckStatus::pass},
                                      {4.6, CheckStatus::fail}}) {
    CAPTURE(stall);
    const CheckedAssertion a = judged(design_of(that), predicted(stall), &baseline);
    CHECK(a.status == status);
    CHECK(a.outcome.limit == Approx(3.6));
    CHECK(a.outcome.upper == Approx(4.5));
  }
  // With one end that is a quantity, in its unit; and ends that are the wrong way round.
  const std::string half = "job.train.checkpoint.stall in [1 s, base]";
  const Baseline before = baseline_of(half, 4.0);
  CHECK(judged(design_of(half), predicted(4.0), &before).status == CheckStatus::pass);
  const std::string crossed = "job.train.checkpoint.stall in [base, 3 s]";
  const Baseline high = baseline_of(crossed, 4.0);
  Diagnostics faults;
  (void)check::judge(design_of(crossed), predicted(4.0), kKey, &high, kRules, faults);
  REQUIRE(faults.items().size() == 1);
  CHECK(faults.items()[0].message.find("begins above its end") != std::string::npos);
}

TEST_CASE("a baseline is stale when the models, the metric or the assertion changed") {
  const Baseline baseline = baseline_of(kStall, 4.0);
  CHECK(check::stale_entries(design_of(kStall), kKey, baseline, kRules).empty());
  CheckRules other = kRules;
  other.model = "2";
  CHECK(check::stale_entries(design_of(kStall), kKey, baseline, other).size() == 1);
  other.allow_skew = true;
  CHECK(check::stale_entries(design_of(kStall), kKey, baseline, other).empty());
  CHECK(check::stale_entries(design_of("job.train.checkpoint.duration < 10 s"), kKey, baseline,
                             kRules)
            .size() == 1);
  CHECK(check::stale_entries(Design{}, kKey, baseline, kRules).size() == 1);
  // A new limit for the same metric is not another assertion.
  CHECK(check::stale_entries(design_of("job.train.checkpoint.stall < 9 s"), kKey, baseline, kRules)
            .empty());
}

TEST_CASE("a bug comes before bad input, before no, before not sure") {
  const auto fail = with(CheckStatus::fail), unsure = with(CheckStatus::inconclusive);
  CHECK(exit_with({fail, unsure}, kRules, ExitCode::internal) == ExitCode::internal);
  CHECK(exit_with({fail, unsure}, kRules, ExitCode::bad_input) == ExitCode::bad_input);
  CHECK(exit_with({fail, unsure}, kRules, ExitCode::inconclusive) == ExitCode::answer_no);
  CHECK(exit_with({unsure}) == ExitCode::inconclusive);
  CHECK(exit_with({}, kRules, ExitCode::inconclusive) == ExitCode::inconclusive);
  CHECK(exit_with({}, kRules, ExitCode::ok, {"old"}) == ExitCode::inconclusive);
  CHECK(exit_with({with(CheckStatus::waived), with(CheckStatus::known)}) == ExitCode::ok);
}

TEST_CASE("fail-on says from which level on the answer is no") {
  const auto warning = with(CheckStatus::fail, "warn");
  CheckRules rules = kRules;
  CHECK(exit_with({warning}) == ExitCode::ok);
  rules.fail_on = FailOn::warn;
  CHECK(exit_with({warning}, rules) == ExitCode::answer_no);
  rules.fail_on = FailOn::never;
  CHECK(exit_with({with(CheckStatus::fail)}, rules) == ExitCode::ok);
  CHECK(exit_with({}, rules, ExitCode::bad_input) == ExitCode::bad_input);
}

}  // namespace judge_test
