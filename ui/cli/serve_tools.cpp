#include "ui/cli/serve_tools.hpp"

#include <algorithm>

#include "engine/check/judge.hpp"
#include "engine/codec/codec.hpp"
#include "engine/predict/predict.hpp"
#include "engine/sweep/pareto.hpp"
#include "engine/sweep/runner.hpp"
#include "models/version.hpp"
#include "scenarios/load.hpp"
#include "ui/cli/catalog_list.hpp"
#include "ui/cli/check_run.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/sweep_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

/// One scenario, without a baseline: as `check` does it, but for places in a repository.
Result<CheckReport> check_one(client::Session& session, const client::Source& source,
                              const std::vector<std::string>& asserts,
                              const client::Question& question) {
  client::Reading reading = session.read(source);
  if (!reading.design) return Failure{ExitCode::bad_input, "the scenario has errors", ""};
  Design& design = *reading.design;
  for (const std::string& that : asserts) {
    const auto parsed = predict::parse_assertion(that);
    if (!parsed.ok()) return parsed.failure();
    design.expect.push_back({check::metric_name(*parsed), that, "error", "", "assert", "", "", ""});
  }
  const std::string sha256 = codec::design_hash(design);
  Design plain = design;
  plain.expect.clear();
  Result<Prediction> prediction = session.predict(plain, question);
  if (!prediction.ok()) return prediction.failure();
  prediction->design_sha256 = sha256;

  check::Rules rules;
  rules.today = today();
  rules.model = models::kVersion;
  CheckReport out;
  CheckedScenario& scenario = out.scenarios.emplace_back();
  scenario.path = scenario.uri = source.file;
  scenario.id = design.id;
  scenario.design_sha256 = sha256;
  scenario.profile_sha256 = prediction->profile_sha256;
  scenario.metrics = prediction->metrics;
  scenario.warnings = prediction->warnings;
  if (prediction->verdict == Verdict::inconclusive) {
    scenario.exit = ExitCode::inconclusive;
    scenario.failure = prediction->warnings.empty() ? "" : prediction->warnings.front();
  }
  Diagnostics faults;
  scenario.assertions =
      check::judge(design, *prediction, {source.file, design.id}, nullptr, rules, faults);
  if (faults.has_errors()) {
    if (question.faults != nullptr)
      for (const Diagnostic& d : faults.items()) question.faults->add(d);
    return Failure{ExitCode::bad_input, faults.items().front().message,
                   faults.items().front().hint};
  }
  out.exit = check::exit_of(out, rules);
  return out;
}

Result<SweepReport> sweep_one(const server::SweepRequest& request) {
  SweepInput input;
  input.source = request.source;
  input.varied = request.varied;
  input.mode = request.mode;
  input.most_points = request.most_points;
  CommonOptions options;
  options.profile = request.session.profile;
  const auto plan = plan_sweep(input, options, *request.faults);
  if (!plan) return Failure{ExitCode::bad_input, "the sweep has errors", ""};
  Result<sweep::Store> store = sweep::Store::create("", *plan);
  if (!store.ok()) return store.failure();
  auto draws = draws_of(*store);
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
