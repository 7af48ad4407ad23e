#include "ui/cli/serve_tools.hpp"
#include "scenarios/resolve/print_resolved.hpp"
#include "scenarios/schema/schema.hpp"

#include <algorithm>
#include <set>

#include "engine/base/design_values.hpp"
#include "engine/base/sha256.hpp"
#include "engine/decide/check/judge.hpp"
#include "engine/decide/predict/predict.hpp"
#include "engine/decide/sweep/pareto.hpp"
#include "engine/decide/sweep/runner.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "models/contract/version.hpp"
#include "ui/app/sweep_plan.hpp"
#include "ui/cli/catalog_list.hpp"
#include "ui/cli/check_run.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

/// What the baseline calls the scenario: the one path it has for its id, unless that is said.
Result<check::ScenarioKey> key_in(const check::Baseline& baseline, const std::string& id,
                                  const std::string& path) {
  if (!path.empty()) return check::ScenarioKey{path, id};
  std::set<std::string> paths;
  for (const auto& [key, entry] : baseline.entries())
    if (key.scenario.id == id) paths.insert(key.scenario.path);
  if (paths.size() > 1)
    return Failure{ExitCode::bad_input,
                   "the baseline has several scenarios of the id \"" + id + "\"",
                   "say which with path=" + *paths.begin()};
  return check::ScenarioKey{paths.empty() ? "" : *paths.begin(), id};
}

/// One scenario, as `check` judges it but for places in a repository.
Result<CheckReport> check_one(client::Session&, const server::CheckRequest& request,
                              const Prediction* prediction, Diagnostics& faults) {
  Design design = request.scenario->design();
  const std::string sha256 = codec::design_hash(design);
  std::set<std::string> used;
  for (const Expectation& e : design.expect) used.insert(e.id);
  for (const std::string& that : request.asserts) {
    const auto parsed = predict::parse_assertion(that);
    if (!parsed.ok()) return parsed.failure();
    const std::string metric = check::metric_name(*parsed);
    std::string id = metric;
    for (int n = 2; !used.insert(id).second; ++n) id = metric + "-" + std::to_string(n);
    design.expect.push_back({id, that, "error", "", "assert", "", "", ""});
  }
  check::CheckRules rules;
  rules.today = today();
  rules.model = models::kVersion;
  rules.new_only = request.new_only;
  rules.allow_skew = request.allow_skew;
  for (const std::string& text : request.tolerances) {
    const auto tolerance = predict::parse_tolerance(text);
    if (!tolerance.ok()) return tolerance.failure();
    rules.tolerances.push_back(*tolerance);
  }
  CheckReport out;
  CheckedScenario& scenario = out.scenarios.emplace_back();
  scenario.path = scenario.uri = design.file;
  scenario.id = design.id;
  if (!request.scenario->file().variant.empty())
    scenario.id += "@" + request.scenario->file().variant;
  std::optional<check::Baseline> baseline;
  check::ScenarioKey key{design.file, scenario.id};
  if (!request.baseline.empty()) {
    auto read = check::Baseline::read(request.baseline, "baseline");
    if (!read.ok()) return read.failure();
    baseline = *std::move(read);
    const auto found = key_in(*baseline, scenario.id, request.path);
    if (!found.ok()) return found.failure();
    key = *found;
  } else if (rules.new_only) {
    return Failure{ExitCode::bad_input, "new_only needs a baseline to know what is new",
                   "send {\"scenario\": ..., \"baseline\": ...}"};
  }
  if (prediction == nullptr) return out;

  scenario.design_sha256 = sha256;
  scenario.profile_sha256 = prediction->profile_sha256;
  scenario.metrics = prediction->metrics;
  scenario.warnings = prediction->warnings;
  if (prediction->verdict == Verdict::inconclusive) {
    scenario.exit = ExitCode::inconclusive;
    scenario.failure = prediction->warnings.empty() ? "" : prediction->warnings.front();
  }
  scenario.assertions =
      check::judge(design, *prediction, key, baseline ? &*baseline : nullptr, rules, faults);
  if (faults.has_errors())
    return Failure{ExitCode::bad_input, faults.items().front().message,
                   faults.items().front().hint};
  for (CheckedAssertion& a : scenario.assertions) {
    for (const Expectation& e : design.expect)
      if (e.id == a.outcome.id) a.at = a.culprit = base::position_of(e.where);
    a.fingerprint = base::sha256(key.path + "|" + key.id + "|" + a.outcome.id);
  }
  if (baseline) out.stale = check::stale_entries(design, key, *baseline, rules);
  out.exit = check::exit_of(out, rules);
  return out;
}

Result<SweepReport> sweep_one(const server::SweepCall& request) {
  client::SweepRequest input;
  input.source = request.source;
  input.varied = request.varied;
  input.mode = request.mode;
  input.most_points = request.most_points;
  input.profile = request.session.profile;
  input.version = program_version();
  const auto plan = client::plan_sweep(input, *request.faults);
  if (!plan) return Failure{ExitCode::bad_input, "the sweep has errors", ""};
  Result<sweep::Store> store = sweep::Store::create("", *plan);
  if (!store.ok()) return store.failure();
  auto draws = client::draws_of(*store);
  if (!draws.ok()) return draws.failure();
  sweep::RunOptions how;
  how.predict.run.jobs = request.session.jobs;
  how.predict.run.worker = request.session.worker;
  how.predict.run.crash_directory = request.session.crash_directory;
  how.predict.run.time_limit_s = request.time_limit_s;
  how.predict.run.cancelled = request.unwanted;
  how.predict.vary = std::move(draws).value();
  how.on_progress = [&request](std::size_t done, std::size_t all) {
    request.progress(all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all));
  };
  const std::optional<Failure> ended = sweep::run(*store, *store, how);
  Result<SweepReport> found = store->report();
  if (!found.ok()) return found;
  const bool none = found->counts().done + found->counts().failed == 0;
  if (ended && none) return *ended;
  std::optional<std::string> fault;
  found->columns = sweep::columns_of(*found, request.metrics, fault);
  if (fault && found->counts().done > 0) return Failure{ExitCode::bad_input, *fault, ""};
  sweep::mark_front(*found);
  if (const std::string prefix = request.source.extend_root + "/";
      prefix.size() > 1 && found->scenario_file.starts_with(prefix))
    found->scenario_file.erase(0, prefix.size());
  // Messages of crashes name files of the server.
  for (SweepRow& row : found->rows)
    if (row.outcome && row.outcome->failed && row.outcome->exit == ExitCode::internal)
      row.outcome->message = "the simulation crashed";
  return found;
}

}  // namespace

server::Tools server_tools() {
  server::Tools out;
  out.log = [](const std::string& line) { print_error("stallcast serve: " + line, ""); };
  out.schema = [] { return scenarios::schema(); };
  out.catalog = [] { return catalog_json(); };
  out.resolved = [](const Design& design) { return scenarios::print_resolved(design, false); };
  out.check = check_one;
  out.sweep = sweep_one;
  return out;
}

}  // namespace stallcast::cli
