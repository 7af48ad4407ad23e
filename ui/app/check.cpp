#include "ui/app/check.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "engine/base/design_values.hpp"
#include "engine/base/sha256.hpp"
#include "engine/decide/check/judge.hpp"
#include "engine/decide/predict/compare.hpp"
#include "engine/decide/uncertain/outcomes.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "models/contract/version.hpp"
#include "scenarios/questions/policy.hpp"
#include "stallcast/nominal.hpp"
#include "ui/app/check_baseline.hpp"
#include "ui/app/check_culprit.hpp"
#include "ui/app/check_words.hpp"
#include "ui/app/git_tree.hpp"
#include "ui/app/run_report.hpp"

namespace stallcast::client {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStdin = "<stdin>";

/// One scenario on its way through the check.
struct Item {
  ScenarioFile file;
  std::optional<Scenario> scenario;
  CheckedScenario out;
  check::ScenarioKey key;
  std::optional<Design> design;  ///< with all expectations
  std::optional<Prediction> prediction;
};

class CheckRun {
 public:
  CheckRun(Session& session, const CheckRequest& request, const CheckWatch& watch)
      : session_(session), request_(request), watch_(watch), rules_(request.rules) {
    rules_.model = models::kVersion;
    if (rules_.today.empty()) rules_.today = today();
  }

  /// All that comes before simulations.
  std::optional<Failure> prepare() {
    if (auto failure = read_policies()) return failure;
    for (const Expectation& e : request_.asserts) policy_.push_back({e, {}});
    idle_.resize(policy_.size(), false);
    for (const CheckInput& input : request_.scenarios) read(input);
    return compare_with();
  }

  // REQUIRES: `prepare` gave nothing.
  Result<CheckReport> finish(const PredictAll& predict_all) {
    simulate(predict_all);
    std::vector<const Prediction*> known;
    for (const Item& item : items_)
      if (item.prediction) known.push_back(&*item.prediction);
    if (auto failure = idle_tolerance(rules_.tolerances, known)) return *failure;
    if (request_.baseline.update)
      if (auto failure = update_baseline()) return *failure;
    for (Item& item : items_) judge(item);
    if (request_.advise)
      for (Item& item : items_) advise(item);
    CheckReport report;
    report.idle_rules = idle_rules();
    if (baseline_ && !request_.baseline.update)
      report.stale = gone_texts(request_.baseline, *baseline_, keys());
    for (Item& item : items_) {
      if (baseline_ && item.design && !request_.baseline.update)
        for (std::string& why : check::stale_entries(*item.design, item.key, *baseline_, rules_))
          report.stale.push_back(std::move(why));
      item.out.prediction = std::move(item.prediction);
      report.scenarios.push_back(std::move(item.out));
    }
    if (!request_.baseline.file.empty()) report.baseline = shown(request_.baseline.file);
    report.exit = check::exit_of(report, rules_);
    report.signal = run::interrupt_flag();
    report.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return report;
  }

 private:
  void tell(const Diagnostics& diagnostics) const {
    if (watch_.on_diagnostics) watch_.on_diagnostics(diagnostics);
  }

  std::optional<Failure> read_policies() {
    for (const std::string& path : request_.policies) {
      scenarios::LoadedPolicy policy = scenarios::load_policy(path);
      tell(policy.diagnostics);
      if (policy.diagnostics.has_errors())
        return Failure{ExitCode::bad_input, "the policy " + path + " is wrong", ""};
      for (scenarios::PolicyRule& rule : policy.rules) policy_.push_back(std::move(rule));
    }
    idle_.assign(policy_.size(), true);
    return std::nullopt;
  }

  [[nodiscard]] std::vector<check::ScenarioKey> keys() const {
    std::vector<check::ScenarioKey> out;
    for (const Item& item : items_) out.push_back(item.key);
    return out;
  }

  [[nodiscard]] std::vector<std::string> idle_rules() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < policy_.size(); ++i)
      if (idle_[i]) out.push_back(policy_[i].expectation.id);
    return out;
  }

  /// Adds the rules for this scenario to its own assertions; the design keeps its identity.
  void add_rules(Item& item) {
    std::set<std::string> used;
    for (const Expectation& e : item.design->expect) used.insert(e.id);
    for (std::size_t i = 0; i < policy_.size(); ++i) {
      if (!scenarios::applies(policy_[i], item.out.id, item.out.uri)) continue;
      idle_[i] = false;
      Expectation e = policy_[i].expectation;
      const std::string id = e.id;
      for (int n = 2; !used.insert(e.id).second; ++n) e.id = id + "-" + std::to_string(n);
      item.design->expect.push_back(std::move(e));
    }
  }

  /// What stands between a scenario as it is given and its design.
  void read(const CheckInput& input) {
    const std::string uri = input.path == "-" ? std::string(kStdin) : shown(input.path);
    for (const Item& known : items_)
      if (known.out.uri == uri) return;
    Item& item = items_.emplace_back();
    item.file = input.file;
    item.scenario = input.scenario;
    item.out.path = input.path;
    item.out.uri = uri;
    item.out.id = fs::path(input.path).stem().string();
    if (!item.scenario) {
      Reading reading = session_.read(item.file);
      tell(reading.diagnostics);
      if (!reading.scenario) return refuse(item, reading.diagnostics);
      item.scenario = std::move(reading.scenario);
    }
    item.design = item.scenario->design();
    item.out.id = item.design->id;
    if (!item.file.variant.empty()) item.out.id += "@" + item.file.variant;
    item.out.design_sha256 = codec::design_hash(*item.design);
    add_rules(item);
    item.key = {uri, item.out.id};
  }

  [[nodiscard]] std::string shown(const std::string& file) const {
    return request_.in_repository && file != kStdin ? repository_path(file) : file;
  }

  void refuse(Item& item, Diagnostics& faults) {
    item.out.exit = ExitCode::bad_input;
    item.out.failure = "the scenario is wrong";
    for (Diagnostic& d : faults.items()) {
      d.position.file = d.position.file.empty() ? item.out.uri : shown(d.position.file);
      item.out.faults.push_back(d);
    }
  }

  std::optional<Failure> compare_with() {
    if (request_.baseline.revision) return read_earlier();
    auto read = read_baseline(request_.baseline);
    if (!read.ok()) return read.failure();
    baseline_ = *std::move(read);
    for (Item& item : items_) {
      auto key = key_of(request_.baseline, baseline_, item.out.uri, item.out.id);
      if (!key.ok()) return key.failure();
      item.key = *std::move(key);
    }
    return std::nullopt;
  }

  /// The scenarios as they were: simulated by these models, so nothing of it can be stale.
  std::optional<Failure> read_earlier() {
    const std::string& revision = *request_.baseline.revision;
    const auto notice = [this](const std::string& text) {
      if (watch_.on_notice) watch_.on_notice(text, "");
    };
    std::vector<std::string> uris;
    for (const Item& item : items_) uris.push_back(item.out.uri);
    auto made = earlier_files(session_, revision, uris, notice);
    if (!made.ok()) return made.failure();
    const GitTree& tree = tree_.emplace(std::move(*made));
    baseline_.emplace();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      if (!item.design) continue;
      auto earlier =
          earlier_scenario(session_, tree, revision, item.file, item.out.uri, item.design->id);
      if (!earlier.ok()) return earlier.failure();
      if (!*earlier) continue;
      if ((*earlier)->uri != item.out.uri)
        notice(item.out.uri + " is compared with " + (*earlier)->uri + " of " + revision +
               ", which had the same id and is gone");
      earlier_.emplace_back(i, std::move((*earlier)->design));
    }
    return std::nullopt;
  }

  /// All designs in one batch, so that the worker is never idle. Expectations are judged later.
  void simulate(const PredictAll& predict_all) {
    std::vector<Design> designs;
    std::vector<std::size_t> whose;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].design) {
        designs.push_back(*items_[i].design);
        whose.push_back(i);
      }
    const std::size_t now = designs.size();
    for (const auto& [i, design] : earlier_) designs.push_back(design);
    for (Design& design : designs) design.expect.clear();
    if (designs.empty()) return;
    if (request_.question.on_progress) request_.question.on_progress(0.0);
    std::vector<Result<Prediction>> predictions =
        predict_all ? predict_all(designs) : session_.predict_all(designs, question());
    for (std::size_t k = 0; k < now; ++k) take(items_[whose[k]], std::move(predictions[k]));
    for (std::size_t k = 0; k < earlier_.size(); ++k)
      if (const auto& before = predictions[now + k]; before.ok()) {
        const Item& item = items_[earlier_[k].first];
        baseline_->set(item.key, *item.design, *before, rules_.model);
      } else if (watch_.on_notice) {
        watch_.on_notice("as it was it is not predicted: " + before.failure().message, "");
      }
  }

  /// What is left of the time limit, which is for everything together.
  [[nodiscard]] Question question() const {
    Question left = request_.question;
    left.time_limit_s = until_.left_s();
    return left;
  }

  void take(Item& item, Result<Prediction> prediction) {
    if (!prediction.ok()) {
      item.out.exit = prediction.failure().exit;
      item.out.failure = prediction.failure().message;
      item.out.hint = prediction.failure().hint;
      return;
    }
    prediction->design_sha256 = item.out.design_sha256;
    if (prediction->verdict == Verdict::inconclusive) {
      item.out.exit = ExitCode::inconclusive;
      item.out.failure = prediction->left_range
                             ? "the prediction leaves the range its profile was fitted in"
                         : prediction->warnings.empty() ? ""
                                                        : prediction->warnings.front();
    }
    draw(*item.design, *prediction);
    item.out.profile_sha256 = prediction->profile_sha256;
    item.prediction = *std::move(prediction);
  }

  /// Where a target asks for a confidence, draws judge it.
  void draw(const Design& design, Prediction& prediction) {
    if (!uncertain::asks_for_confidence(design)) return;
    Diagnostics faults;
    const predict::BaseValues none;
    prediction.assertions = predict::check(design, prediction, faults, &none);
    Result<Uncertainty> found = session_.uncertainty(design, prediction, std::nullopt, question());
    if (found.ok())
      uncertain::attach(*std::move(found), design, prediction);
    else
      prediction.warnings.push_back("no target's confidence is judged: " + found.failure().message);
  }

  std::optional<Failure> update_baseline() {
    // What is not known for sure, or only in part, is nothing to compare with later.
    const predict::BaseValues none;
    for (const Item& item : items_) {
      if (!item.prediction || item.out.exit != ExitCode::ok) continue;
      Diagnostics faults;
      (void)predict::check(*item.design, *item.prediction, faults, &none);
      if (!faults.has_errors())
        baseline_->set(item.key, *item.design, *item.prediction, rules_.model);
    }
    return write_baseline(request_.baseline, *baseline_);
  }

  void judge(Item& item) {
    if (!item.prediction) return;
    Diagnostics faults;
    item.out.assertions = check::judge(*item.design, *item.prediction, item.key,
                                       baseline_ ? &*baseline_ : nullptr, rules_, faults);
    if (faults.has_errors()) {
      for (Diagnostic& d : faults.items())
        for (const Expectation& e : item.design->expect)
          if (d.pointer == e.pointer + "/that") d.position = base::position_of(e.where);
      tell(faults);
      refuse(item, faults);
      item.out.failure =
          faults.items().size() == 1 ? "an assertion is wrong" : "assertions are wrong";
    }
    std::vector<AssertionOutcome> outcomes;
    for (const CheckedAssertion& a : item.out.assertions) outcomes.push_back(a.outcome);
    item.prediction->assertions = std::move(outcomes);
    place_all(item);
    std::erase_if(item.prediction->assertions, [&](const AssertionOutcome& outcome) {
      return check::is_accepted(item.out.assertions, outcome.id);
    });
    const Verdict verdict = predict::verdict_of(item.prediction->assertions);
    if (item.prediction->verdict != Verdict::inconclusive || verdict == Verdict::fail)
      item.prediction->verdict = verdict;
    if (item.out.misjudged()) item.design.reset();
  }

  void place_all(Item& item) const {
    for (CheckedAssertion& a : item.out.assertions) place(item, a);
  }

  void place(const Item& item, CheckedAssertion& a) const {
    const CheckedScenario& s = item.out;
    // A scenario that came with its baseline is known by the path it has in there.
    const std::string& path = request_.baseline.text.empty() ? s.uri : item.key.path;
    a.fingerprint = base::sha256(path + "|" + s.id + "|" + a.outcome.id);
    for (const Expectation& e : item.design->expect)
      if (e.id == a.outcome.id) a.at = base::position_of(e.where);
    if (a.at.line > 0)
      a.at.file = shown(a.at.file);
    else if (request_.in_repository)
      a.at = {s.uri, 0, 0};
    a.culprit = a.at, a.culprit_path.clear();
    if (a.status == CheckStatus::pass) return;
    point_at(culprit_of(*item.design, *item.prediction, a.outcome.limited_by), a);
  }

  void point_at(const std::optional<Culprit>& culprit, CheckedAssertion& a) const {
    if (!culprit) return;
    a.culprit_path = culprit->path;
    a.culprit = {shown(culprit->at.file), culprit->at.line, culprit->at.column};
  }

  /// Simulates changes of a design that misses limits; one that only became worse needs none.
  void advise(Item& item) {
    if (!item.design || !item.prediction || until_.passed()) return;
    const auto misses = [](const CheckedAssertion& a) {
      return a.is_open() && a.is_error() && a.outcome.status == "fail";
    };
    auto& all = item.out.assertions;
    if (std::none_of(all.begin(), all.end(), misses) || run::interrupt_flag() != 0) return;
    RunQuestion wanted;
    wanted.predict = question();
    wanted.known = *item.prediction;
    wanted.design = *item.design;
    wanted.draws = 0;
    wanted.timeline = false;
    std::erase_if(wanted.design->expect,
                  [&](const Expectation& e) { return check::is_accepted(all, e.id); });
    item.prediction = run_report(session_, *item.scenario, wanted).value().prediction;
    for (CheckedAssertion& a : all) check::name_limit(*item.prediction, a);
    place_all(item);
    const std::vector<Alternative>& tried = item.prediction->alternatives;
    // What meets targets nominally is no fix of one that asks for a confidence.
    if (tried.empty() || tried_nominally(*item.prediction)) return;
    const bool met = tried.front().verdict == Verdict::pass;
    for (CheckedAssertion& a : all)
      if (misses(a) && met)
        a.fix = tried.front().change, point_at(place_of_change(*item.design, tried.front().set), a);
      else if (misses(a) && a.note.empty())
        a.note = kNoChange;
  }

  Session& session_;
  const CheckRequest& request_;
  const CheckWatch& watch_;
  base::Deadline until_ = base::Deadline::in(request_.question.time_limit_s);
  CheckRules rules_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::vector<scenarios::PolicyRule> policy_;  ///< and what is asserted besides
  std::vector<bool> idle_;                     ///< by rule: no scenario yet was its
  std::vector<Item> items_;
  std::optional<check::Baseline> baseline_;
  std::vector<std::pair<std::size_t, Design>> earlier_;  ///< of which item, as it was
  std::optional<GitTree> tree_;                          ///< with what these read
};

}  // namespace

Result<CheckReport> check(Session& session, const CheckRequest& request, const CheckWatch& watch,
                          const PredictAll& predict_all) {
  CheckRun run(session, request, watch);
  if (auto failure = run.prepare()) return *std::move(failure);
  return run.finish(predict_all);
}

std::optional<Failure> check_request(Session& session, const CheckRequest& request) {
  return CheckRun(session, request, {}).prepare();
}

}  // namespace stallcast::client
