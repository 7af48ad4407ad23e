#include <algorithm>
#include <filesystem>
#include <iterator>

#include "calibration/fit/calibrate.hpp"
#include "calibration/fit/observed.hpp"
#include "calibration/fit/repeated.hpp"
#include "calibration/measure/importers/importer.hpp"
#include "calibration/observe/formats/trace_format.hpp"
#include "calibration/profile/profile_json.hpp"
#include "engine/base/files.hpp"
#include "engine/base/sha256.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

/// Whether `inputs` have the bytes of a file already, which then counts once: said in `faults`.
template <class Inputs>
bool given_before(const Inputs& inputs, const std::string& file, const std::string& sha256,
                  Diagnostics& faults) {
  const auto same =
      std::ranges::find_if(inputs, [&](const auto& input) { return input.sha256 == sha256; });
  if (same == inputs.end()) return false;
  const bool copy = same->file != file;
  faults.add({Severity::warning,
              "twice",
              "",
              {file, 0, 0},
              copy ? "this is the same file as " + same->file + ": it counts once"
                   : "this file is given twice: it counts once",
              "what was measured again is a file of its own"});
  return true;
}

/// What a running job and what was observed of it say of the scenario's inputs.
int observe(const CommonOptions& options, const std::string& scenario,
            const std::vector<std::string>& files, std::string id,
            std::optional<std::int64_t> draws) {
  client::Session session(settings_of(options));
  session.warm_up();
  const client::Reading reading = session.read(source_of(scenario, options));
  print_diagnostics(reading.diagnostics, options.quiet);
  if (!reading.scenario) return static_cast<int>(ExitCode::bad_input);
  const Design& design = reading.scenario->design();
  std::vector<ObservedFigure> observed;
  std::vector<ProfileInput> inputs;
  Diagnostics faults;
  std::vector<ProfileInput> before;
  if (session.profile() != nullptr) before = session.profile()->inputs;
  for (const std::string& file : files) {
    const auto text = base::read_file(file);
    if (!text.ok()) return report_failure(text.failure());
    const std::string sha256 = base::sha256(text.value());
    if (given_before(inputs, file, sha256, faults)) continue;
    if (const auto same = std::ranges::find(before, sha256, &ProfileInput::sha256);
        same != before.end())
      return report_failure({ExitCode::bad_input,
                             file + ": the profile " + options.profile +
                                 " was made with this run (" + same->file +
                                 "): it would count twice",
                             "give what was observed since, or leave --profile out"});
    Diagnostics of_file;
    for (ObservedFigure& one : calibration::read_observed(text.value(), file, design, of_file))
      observed.push_back(std::move(one));
    if (const auto* trace = of_file.has_errors() ? calibration::recognise_trace(file) : nullptr)
      return report_failure({ExitCode::bad_input,
                             file + ": this is a trace of a job, not what was measured of it",
                             "stallcast import " + std::string(trace->id) + " " + file +
                                 " -o job.observation.json, then --observed job.observation.json"});
    for (const Diagnostic& fault : of_file.items()) faults.add(fault);
    inputs.push_back({file, sha256, "observed run", "", ""});
  }
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  ProgressBar bar(options, client::Passes::several);
  std::optional<std::size_t> first;
  if (draws) first = static_cast<std::size_t>(*draws);
  Result<CalibrationProfile> profile = session.calibrate(
      design, observed, id.empty() ? design.id : id, first, question_of(options, bar));
  bar.clear();
  if (!profile.ok()) {
    Failure failure = profile.failure();
    const bool placed = std::ranges::any_of(observed, [&](const ObservedFigure& one) {
      return !one.at.empty() && failure.message.starts_with(one.at);
    });
    if (failure.exit == ExitCode::bad_input && files.size() == 1 && !placed)
      failure.message = files.front() + ": " + failure.message;
    return report_failure(failure);
  }
  std::ranges::move(inputs, std::back_inserter(profile->inputs));
  return deliver_product(options, calibration::write_profile(*profile),
                         report::profile_text(*profile, report_style(options)),
                         profile->narrowed.empty() ? ExitCode::answer_no : ExitCode::ok);
}

}  // namespace

int calibrate_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::vector<std::string> paths, observed;
  std::string id, buffers, scenario;
  std::optional<std::int64_t> draws, seed;
  CommandLine line(verb);
  line.positionals("MEASUREMENTS", paths,
                   "files of \"stallcast probe\", or results of fio, IOR, mdtest, ...", false);
  line.text("--scenario", scenario, "FILE", "what runs today, with --observed");
  line.texts("--observed", observed, "FILE",
             "what was measured of it: a table with metric and value, JSON with metrics, an "
             "observation, or summary.json of DLIO; repeatable");
  line.scenario_options(options);
  line.text("--id", id, "NAME", "name of the profile (default: of the first file)");
  line.text("--buffers", buffers, "KIND",
            "huge or small: use io records with such buffers only (default: huge, if there are)");
  line.integer("--draws", draws, 20,
               "bootstrap draws behind the intervals (default 200); with --observed, simulations "
               "to begin with (default 512)");
  line.integer("--seed", seed, 0, "random seed of the bootstrap (default 1)");
  line.run_options(options);
  line.text("--format", options.format, "NAME", "text (default) or json, which is the profile");
  line.output_options(options, "write the profile to FILE, and the report to standard output");
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto exit = check_format(verb, options, "text", "json")) return *exit;
  if (!scenario.empty() || !observed.empty()) {
    if (scenario.empty() || observed.empty())
      return refuse("--scenario and --observed belong together",
                    "--scenario FILE is what runs, --observed FILE what was measured of it");
    if (!paths.empty())
      return refuse("measurements of devices and observed runs make two profiles",
                    "fit the measurements first, and give their profile with --profile");
    if (seed || !buffers.empty())
      return refuse("--seed and --buffers are about measurements of devices",
                    "draws of an observed run are always the same");
    return observe(options, scenario, observed, id, draws);
  }
  if (paths.empty()) return refuse("there is nothing to calibrate from", "name measurement files");
  if (!options.sets.empty() || !options.variant.empty() || !options.profile.empty())
    return refuse("--set, --variant and --profile are about a scenario",
                  "they belong to --scenario FILE --observed FILE");
  const auto pages = calibration::parse_buffer_pages(buffers);
  if (!buffers.empty() && !pages)
    return refuse("there are no buffers \"" + buffers + "\"",
                  "say --buffers huge or --buffers small");
  std::vector<MeasurementSet> sets;
  Diagnostics faults;
  for (const std::string& path : paths) {
    const auto text = base::read_file(path);
    if (!text.ok()) return report_failure(text.failure());
    if (given_before(sets, path, base::sha256(text.value()), faults)) continue;
    sets.push_back(calibration::read_any(text.value(), path, faults));
  }
  calibration::count_once(sets, faults);
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  calibration::fit::FitOptions how;
  how.draws = static_cast<int>(draws.value_or(how.draws));
  how.seed = static_cast<std::uint64_t>(seed.value_or(1));
  if (id.empty()) id = std::filesystem::path(paths.front()).stem().string();
  const CalibrationProfile profile = calibration::calibrate(std::move(sets), id, how, pages);
  return deliver_product(options, calibration::write_profile(profile),
                         report::profile_text(profile, report_style(options)),
                         profile.values.empty() ? ExitCode::answer_no : ExitCode::ok);
}

}  // namespace stallcast::cli
