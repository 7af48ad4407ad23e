#include "ui/cli/check_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

#include "engine/base/design_values.hpp"
#include "engine/base/files.hpp"
#include "engine/base/sha256.hpp"
#include "engine/decide/plan/advice.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "stallcast/client.hpp"
#include "ui/cli/check_culprit.hpp"
#include "ui/cli/git_tree.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"

namespace stallcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAlternatives = 4;
constexpr std::string_view kGit = "git:";

/// One scenario on its way through the check.
struct Item {
  std::optional<Scenario> scenario;
  CheckedScenario out;
  check::ScenarioKey key;
  std::optional<Design> design;  ///< with all expectations
  std::optional<Prediction> prediction;
};

class CheckRun {
 public:
  explicit CheckRun(const CheckOptions& options)
      : options_(options), bar_(options.common), session_(settings_of(options.common)) {
    session_.warm_up();
  }

  Result<CheckReport> run() {
    if (auto failure = read_policies()) return *failure;
    if (auto failure = read_asserts()) return *failure;
    load();
    if (auto failure = read_baseline()) return *failure;
    simulate();
    if (options_.update_baseline)
      if (auto failure = update_baseline()) return *failure;
    for (Item& item : items_) judge(item);
    if (!options_.no_advice)
      for (Item& item : items_) advise(item);
    bar_.clear();
    warn_of_idle_rules();
    CheckReport report;
    for (Item& item : items_) {
      if (baseline_ && item.design && !options_.update_baseline)
        for (std::string& why :
             check::stale_entries(*item.design, item.key, *baseline_, options_.rules))
          report.stale.push_back(std::move(why));
      report.scenarios.push_back(std::move(item.out));
    }
    report.exit = check::exit_of(report, options_.rules);
    report.wall_s = elapsed();
    return report;
  }

 private:
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  [[nodiscard]] bool from_git() const { return options_.baseline.starts_with(kGit); }

  std::optional<Failure> read_policies() {
    for (const std::string& path : options_.policies) {
      scenarios::LoadedPolicy policy = scenarios::load_policy(path);
      print_diagnostics(policy.diagnostics, options_.common.quiet);
      if (policy.diagnostics.has_errors())
        return Failure{ExitCode::bad_input, "the policy " + path + " is wrong", ""};
      for (scenarios::PolicyRule& rule : policy.rules) rules_.push_back(std::move(rule));
    }
    idle_.assign(rules_.size(), true);
    return std::nullopt;
  }

  /// An assertion of the command line is known by its metric.
  std::optional<Failure> read_asserts() {
    for (const std::string& that : options_.asserts) {
      const auto parsed = predict::parse_assertion(that);
      if (!parsed.ok())
        return Failure{ExitCode::bad_input, "--assert: " + parsed.failure().message,
                       parsed.failure().hint};
      rules_.push_back(
          {{check::metric_name(*parsed), that, "error", "", "--assert", "", "", ""}, {}});
    }
    idle_.resize(rules_.size(), false);
    return std::nullopt;
  }

  void warn_of_idle_rules() const {
    if (options_.common.quiet) return;
    for (std::size_t i = 0; i < rules_.size(); ++i)
      if (idle_[i])
        print_error("stallcast check: the rule \"" + rules_[i].expectation.id +
                        "\" of the policy is for none of these scenarios",
                    "\"scenarios\" are patterns of ids and paths");
  }

  /// Adds the rules for this scenario to its own assertions; the design keeps its identity.
  void add_rules(Item& item) {
    std::set<std::string> used;
    for (const Expectation& e : item.design->expect) used.insert(e.id);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (!scenarios::applies(rules_[i], item.out.id, item.out.uri)) continue;
      idle_[i] = false;
      Expectation e = rules_[i].expectation;
      const std::string id = e.id;
      for (int n = 2; !used.insert(e.id).second; ++n) e.id = id + "-" + std::to_string(n);
      item.design->expect.push_back(std::move(e));
    }
  }

  void load() {
    std::set<std::string> seen;
    for (const std::string& path : options_.scenarios) {
      const std::string uri = path == "-" ? "<stdin>" : repository_path(path);
      if (!seen.insert(uri).second) continue;
      Item& item = items_.emplace_back();
      item.out.path = path;
      item.out.uri = uri;
      item.out.id = fs::path(path).stem().string();
      client::Reading loaded = session_.read(source_of(path, options_.common));
      print_diagnostics(loaded.diagnostics, options_.common.quiet);
      if (!loaded.scenario) {
        refuse(item, loaded.diagnostics);
        continue;
      }
      item.scenario = std::move(loaded.scenario);
      item.design = item.scenario->design();
      item.out.id = item.design->id;
      if (!options_.common.variant.empty()) item.out.id += "@" + options_.common.variant;
      item.out.design_sha256 = codec::design_hash(*item.design);
      add_rules(item);
      item.key = {key_path(uri), item.out.id};
    }
  }

  /// Relative to the folder of the baseline, so that it does not matter where `check` is started.
  [[nodiscard]] std::string key_path(const std::string& uri) const {
    if (options_.baseline.empty() || from_git() || uri == "<stdin>") return uri;
    std::error_code error;
    const fs::path root = repository_root(fs::current_path(error));
    const fs::path folder = fs::absolute(options_.baseline, error).lexically_normal().parent_path();
    return (root / uri).lexically_normal().lexically_relative(folder).generic_string();
  }

  void refuse(Item& item, Diagnostics& faults) {
    item.out.exit = ExitCode::bad_input;
    item.out.failure = "the scenario is wrong";
    for (Diagnostic& d : faults.items()) {
      d.position.file = d.position.file.empty() ? item.out.uri : repository_path(d.position.file);
      item.out.faults.push_back(d);
    }
    item.design.reset();
  }

  std::optional<Failure> read_baseline() {
    if (options_.baseline.empty()) return std::nullopt;
    if (from_git()) return read_earlier();
    std::error_code error;
    if (options_.update_baseline && !fs::exists(options_.baseline, error)) {
      baseline_.emplace();
      return std::nullopt;
    }
    const auto text = base::read_file(options_.baseline);
    if (!text.ok())
      return Failure{ExitCode::bad_input, text.failure().message,
                     "--update-baseline makes one of what is predicted now"};
    auto read = check::Baseline::read(*text, options_.baseline);
    if (!read.ok()) return read.failure();
    baseline_ = *std::move(read);
    return std::nullopt;
  }

  /// The scenarios as they were: simulated by these models, so nothing of it can be stale.
  std::optional<Failure> read_earlier() {
    std::vector<std::string> uris;
    for (const Item& item : items_) uris.push_back(item.out.uri);
    auto tree = GitTree::at(options_.baseline.substr(kGit.size()), uris);
    if (!tree.ok()) return tree.failure();
    baseline_.emplace();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::string& uri = items_[i].out.uri;
      std::error_code error;
      const bool inside = !fs::path(uri).is_absolute() && !uri.starts_with("..");
      if (!items_[i].design || !inside || !fs::exists(tree->file(uri), error)) continue;
      const client::Reading loaded =
          session_.read(source_of(tree->file(uri).string(), options_.common));
      if (!loaded.scenario)
        return Failure{
            ExitCode::bad_input,
            uri + " as it was in " + options_.baseline.substr(kGit.size()) +
                " cannot be predicted: " +
                (loaded.diagnostics.items().empty() ? std::string("it gives no design")
                                                    : loaded.diagnostics.items().front().message),
            "name another revision"};
      earlier_.emplace_back(i, loaded.scenario->design());
    }
    return std::nullopt;
  }

  /// All designs in one batch, so that the worker is never idle. Expectations are judged later.
  void simulate() {
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
    bar_.show(0.0);
    std::vector<Result<Prediction>> predictions = session_.predict_all(designs, question());
    for (std::size_t k = 0; k < now; ++k) take(items_[whose[k]], std::move(predictions[k]));
    for (std::size_t k = 0; k < earlier_.size(); ++k)
      if (const auto& before = predictions[now + k]; before.ok()) {
        const Item& item = items_[earlier_[k].first];
        baseline_->set(item.key, *item.design, *before, options_.rules.model);
      }
  }

  /// What is left of the time limit, which is for everything together.
  [[nodiscard]] client::Question question() {
    client::Question question = question_of(options_.common, bar_);
    question.time_limit_s = std::max(1e-9, question.time_limit_s - elapsed());
    return question;
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
      item.out.failure = prediction->extrapolated && options_.common.strict_range
                             ? "the prediction leaves the range its profile was fitted in"
                             : prediction->warnings.front();
    }
    item.out.profile_sha256 = prediction->profile_sha256;
    item.out.metrics = prediction->metrics;
    item.out.warnings = prediction->warnings;
    item.prediction = *std::move(prediction);
  }

  std::optional<Failure> update_baseline() {
    // What is not known for sure, or only in part, is nothing to compare with later.
    const predict::BaseValues none;
    for (const Item& item : items_) {
      if (!item.prediction || item.out.exit != ExitCode::ok) continue;
      Diagnostics faults;
      (void)predict::check(*item.design, *item.prediction, faults, &none);
      if (!faults.has_errors())
        baseline_->set(item.key, *item.design, *item.prediction, options_.rules.model);
    }
    const auto written = base::write_file(options_.baseline, baseline_->text());
    if (written.ok()) return std::nullopt;
    return written.failure();
  }

  void judge(Item& item) {
    if (!item.prediction) return;
    Diagnostics faults;
    item.out.assertions = check::judge(*item.design, *item.prediction, item.key,
                                       baseline_ ? &*baseline_ : nullptr, options_.rules, faults);
    if (faults.has_errors()) {
      for (Diagnostic& d : faults.items())
        for (const Expectation& e : item.design->expect)
          if (d.pointer == e.pointer + "/that") d.position = base::position_of(e.where);
      print_diagnostics(faults, options_.common.quiet);
      refuse(item, faults);
      return;
    }
    std::vector<AssertionOutcome> outcomes;
    for (const CheckedAssertion& a : item.out.assertions) outcomes.push_back(a.outcome);
    item.prediction->assertions = std::move(outcomes);
    const auto changes =
        plan::candidate_changes(*item.design, *item.prediction, 2 * kMostAlternatives);
    for (CheckedAssertion& a : item.out.assertions) place(item, changes, a);
  }

  static void place(const Item& item, const std::vector<plan::Proposal>& changes,
                    CheckedAssertion& a) {
    const CheckedScenario& s = item.out;
    a.fingerprint = base::sha256(s.uri + "|" + s.id + "|" + a.outcome.id);
    for (const Expectation& e : item.design->expect)
      if (e.id == a.outcome.id) a.at = base::position_of(e.where);
    if (a.at.line > 0)
      a.at.file = a.at.file == "<stdin>" ? a.at.file : repository_path(a.at.file);
    else
      a.at = {s.uri, 0, 0};
    a.culprit = a.at;
    if (a.status == CheckStatus::pass) return;
    if (auto culprit = culprit_of(*item.design, a.outcome.limited_by, changes)) {
      a.culprit_path = culprit->path;
      a.culprit = culprit->at;
      if (a.culprit.file != "<stdin>") a.culprit.file = repository_path(a.culprit.file);
    }
  }

  /// Simulates changes of a design whose limits are missed; a regression is no matter of one.
  void advise(Item& item) {
    const auto misses = [](const CheckedAssertion& a) {
      return a.is_open() && a.is_error() && a.outcome.status == "fail";
    };
    auto& all = item.out.assertions;
    if (std::none_of(all.begin(), all.end(), misses) || run::interrupt_flag() != 0) return;
    if (elapsed() >= options_.common.time_limit_s) return;
    const auto accepted = [&](const Expectation& e) {
      return std::any_of(all.begin(), all.end(), [&](const CheckedAssertion& a) {
        return a.outcome.id == e.id &&
               (a.status == CheckStatus::waived || a.status == CheckStatus::known);
      });
    };
    Design wanted = *item.design;
    std::erase_if(wanted.expect, accepted);
    const std::vector<Alternative> tried = session_.alternatives(
        *item.scenario, wanted, *item.prediction, kMostAlternatives, question());
    if (tried.empty()) return;
    for (CheckedAssertion& a : all) {
      if (!misses(a)) continue;
      if (tried.front().meets_targets)
        a.fix = tried.front().change;
      else if (a.note.empty())
        a.note = "no change that was tried alone meets all targets";
    }
  }

  const CheckOptions& options_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  ProgressBar bar_;
  client::Session session_;
  std::vector<scenarios::PolicyRule> rules_;
  std::vector<bool> idle_;  ///< by rule: no scenario yet was its
  std::vector<Item> items_;
  std::optional<check::Baseline> baseline_;
  std::vector<std::pair<std::size_t, Design>> earlier_;  ///< of which item, as it was
};

}  // namespace

std::string today() {
  using namespace std::chrono;
  const year_month_day day(floor<days>(system_clock::now()));
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  return text;
}

Result<CheckReport> run_check(const CheckOptions& options) { return CheckRun(options).run(); }

}  // namespace stallcast::cli
