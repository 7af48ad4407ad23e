#include "ui/cli/scenario_input.hpp"

#include <cstdio>
#include <set>

#include "calibration/calibrate.hpp"
#include "calibration/profile_json.hpp"
#include "engine/base/files.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/plan/advice.hpp"
#include "models/version.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

constexpr std::size_t kMostAlternatives = 4;

std::string read_stdin() {
  std::string text;
  char buffer[65536];
  for (std::size_t n = 0;
       text.size() <= base::kLargestFile && (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;)
    text.append(buffer, n);
  return text;
}

/// Assertions that cannot be read are faults of the scenario, found before anything is simulated.
void check_expectations(const Design& design, Diagnostics& diagnostics) {
  for (const Expectation& e : design.expect)
    if (const auto parsed = predict::parse_assertion(e.that); !parsed.ok())
      diagnostics.error("expect", e.pointer + "/that", parsed.failure().message,
                        parsed.failure().hint);
}

/// The same for a scenario that gave no design, so that all its faults are said at once.
void check_expectations(const base::JsonDocument& document, Diagnostics& diagnostics) {
  if (!document.root.is_object() || !document.root.contains("expect")) return;
  const base::Json& expect = document.root["expect"];
  for (std::size_t i = 0; expect.is_array() && i < expect.size(); ++i) {
    if (!expect[i].is_object() || !expect[i].contains("that")) continue;
    if (!expect[i]["that"].is_string()) continue;
    const auto parsed = predict::parse_assertion(expect[i]["that"].get<std::string>());
    if (!parsed.ok())
      diagnostics.error("expect", "/expect" + base::pointer_token(i) + "/that",
                        parsed.failure().message, parsed.failure().hint);
  }
}

void add_values(const Component& component, const std::string& path,
                std::vector<std::pair<std::string, const Value*>>& out) {
  for (const auto& [key, value] : component.values) out.emplace_back(path + "." + key, &value);
}

}  // namespace

ScenarioInput::ScenarioInput(std::string path, const CommonOptions& options)
    : path_(std::move(path)), options_(options) {
  if (path_ == "-") text_ = read_stdin();
  if (options.profile.empty()) return;
  if (const auto text = base::read_file(options.profile); text.ok())
    profile_ = calibration::read_profile(text.value(), options.profile, profile_faults_);
  else
    profile_faults_.add({Severity::error,
                         "profile",
                         "",
                         {options.profile, 0, 0},
                         text.failure().message,
                         text.failure().hint});
}

scenarios::Loaded ScenarioInput::load_with(std::vector<std::string> more_sets) const {
  scenarios::LoadOptions load;
  load.sets = options_.sets;
  load.sets.insert(load.sets.end(), more_sets.begin(), more_sets.end());
  load.variant = options_.variant;
  load.profile = profile();
  if (profile_faults_.has_errors()) {
    scenarios::Loaded unread;
    unread.diagnostics = profile_faults_;
    return unread;
  }
  if (text_.has_value() && text_->size() > base::kLargestFile) {
    scenarios::Loaded too_large;
    too_large.diagnostics.add(
        {Severity::error, "file", "", {"<stdin>", 0, 0}, "File too large", ""});
    return too_large;
  }
  scenarios::Loaded loaded = text_.has_value() ? scenarios::load_text(*text_, "<stdin>", load)
                                               : scenarios::load_file(path_, load);
  Diagnostics faults;
  if (loaded.design.has_value())
    check_expectations(*loaded.design, faults);
  else
    check_expectations(document(), faults);
  place(faults);
  if (faults.has_errors()) loaded.design.reset();
  std::set<std::string> said;
  for (const Diagnostic& d : loaded.diagnostics.items()) said.insert(d.pointer);
  for (Diagnostic& d : faults.items())
    if (!said.contains(d.pointer)) loaded.diagnostics.add(std::move(d));
  return loaded;
}

scenarios::Loaded ScenarioInput::load() const { return load_with({}); }

std::optional<Design> ScenarioInput::design() const {
  scenarios::Loaded loaded = load();
  print_diagnostics(loaded.diagnostics, options_.quiet);
  return std::move(loaded.design);
}

Result<Design> ScenarioInput::design_with(std::vector<std::string> more_sets) const {
  scenarios::Loaded loaded = load_with(std::move(more_sets));
  if (loaded.design.has_value()) return *std::move(loaded.design);
  for (const Diagnostic& d : loaded.diagnostics.items())
    if (d.severity == Severity::error)
      return Failure{ExitCode::bad_input, diagnostic_line(d), d.hint};
  return Failure{ExitCode::internal, "the scenario gave no design", ""};
}

base::JsonDocument ScenarioInput::document() const {
  std::string text;
  if (text_.has_value()) {
    text = *text_;
  } else if (auto read = base::read_file(path_); read.ok()) {
    text = std::move(read).value();
  }
  Diagnostics ignored;
  return base::parse_jsonc(std::move(text), text_.has_value() ? "<stdin>" : path_, ignored);
}

void ScenarioInput::place(Diagnostics& diagnostics) const {
  if (diagnostics.items().empty()) return;
  const base::JsonDocument json = document();
  for (Diagnostic& d : diagnostics.items())
    if (d.position.line == 0) d.position = base::locate(json, d.pointer);
}

predict::Options predict_options(const CommonOptions& options, ProgressBar& bar) {
  predict::Options out;
  out.run.jobs = static_cast<int>(options.jobs);
  out.run.time_limit_s = options.time_limit_s;
  out.run.on_progress = [&bar](double done) { bar.show(done); };
  if (options.seed.has_value()) out.seed = static_cast<std::uint64_t>(*options.seed);
  out.replicas = static_cast<int>(options.replicas.value_or(0));
  return out;
}

std::vector<std::pair<std::string, const Value*>> values_of(const Design& design) {
  std::vector<std::pair<std::string, const Value*>> out;
  for (const Component& host : design.hosts)
    add_values(host, "cluster.hosts[" + host.id + "]", out);
  add_values(design.fabric, "cluster.fabric", out);
  for (const Component& storage : design.storage)
    add_values(storage, "storage[" + storage.id + "]", out);
  for (const JobDesign& job : design.jobs) {
    const std::string path = "jobs[" + job.job.id + "]";
    add_values(job.job, path, out);
    add_values(job.model, path + ".model", out);
    add_values(job.step, path + ".step", out);
    if (job.dataset) add_values(*job.dataset, path + ".dataset", out);
    if (job.loader) add_values(*job.loader, path + ".loader", out);
    if (job.checkpoint) add_values(*job.checkpoint, path + ".checkpoint", out);
    if (job.recovery) add_values(*job.recovery, path + ".recovery", out);
    if (job.elastic) add_values(*job.elastic, path + ".elastic", out);
  }
  for (const Component& failure : design.failures)
    add_values(failure, "failures[" + failure.id + "]", out);
  add_values(design.run, "run", out);
  return out;
}

std::string print_input(const Value& value) {
  switch (value.dimension) {
    case Dimension::text:
      return value.text;
    case Dimension::text_list:
      return base::join(value.list, ", ");
    case Dimension::boolean:
      return value.number != 0.0 ? "true" : "false";
    default:
      return base::exact_quantity(value.number, value.dimension);
  }
}

std::string print_source(const Source& source) {
  std::string out = source.where.empty() ? "default" : source.where;
  if (!source.citation.empty()) out += ", " + source.citation;
  if (source.assumption) out += " (assumed)";
  return out;
}

report::Context report_context(const Design& design) {
  report::Context context{std::string(program_version()), std::string(models::kVersion), {}};
  for (const auto& [path, value] : values_of(design))
    if (value->source.assumption)
      context.assumptions.push_back({path, print_input(*value), value->source.citation});
  return context;
}

report::Style report_style(const CommonOptions& options) {
  return {wants_colour(options), options.timing};
}

ExitCode exit_of(Verdict verdict) {
  return verdict == Verdict::fail           ? ExitCode::answer_no
         : verdict == Verdict::inconclusive ? ExitCode::inconclusive
                                            : ExitCode::ok;
}

std::optional<Prediction> predict_design(const ScenarioInput& input, const Design& design,
                                         const CommonOptions& options, int& exit) {
  ProgressBar bar(options);
  predict::Options how = predict_options(options, bar);
  Diagnostics faults;
  how.faults = &faults;
  if (const CalibrationProfile* profile = input.profile())
    how.vary = [profile](Design& varied, std::size_t i) {
      calibration::apply_draw(*profile, i, varied);
    };
  bar.show(0.0);
  Result<Prediction> prediction = predict::predict(design, how);
  bar.clear();
  if (prediction.ok()) {
    if (const CalibrationProfile* profile = input.profile()) {
      prediction->profile_sha256 = profile->sha256;
      if (calibration::values_from_profile(design) == 0)
        prediction->warnings.push_back("the profile \"" + profile->id +
                                       "\" has no value for this scenario");
      else
        for (std::string& difference : calibration::other_machines(*profile, design))
          prediction->warnings.push_back(std::move(difference));
    }
    if (prediction->extrapolated && options.strict_range && prediction->verdict != Verdict::fail)
      prediction->verdict = Verdict::inconclusive;
    return std::move(prediction).value();
  }
  if (faults.has_errors()) {
    input.place(faults);
    print_diagnostics(faults, options.quiet);
    exit = static_cast<int>(ExitCode::bad_input);
  } else {
    exit = report_failure(prediction.failure());
  }
  return std::nullopt;
}

void add_alternatives(const ScenarioInput& input, const Design& design,
                      const CommonOptions& options, Prediction& prediction) {
  if (run::interrupt_flag() != 0) return;
  ProgressBar bar(options);
  predict::Options how = predict_options(options, bar);
  // The time limit is for the whole verb.
  how.run.time_limit_s -= prediction.wall_s;
  if (how.run.time_limit_s <= 0.0) return;
  const auto changes = plan::candidate_changes(design, prediction, kMostAlternatives);
  prediction.alternatives = plan::try_changes(
      changes, prediction, [&](const std::string& set) { return input.design_with({set}); }, how);
}

}  // namespace stallcast::cli
