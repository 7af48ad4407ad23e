#include <filesystem>

#include "calibration/fit/calibrate.hpp"
#include "calibration/measure/importers/importer.hpp"
#include "calibration/profile/profile_json.hpp"
#include "engine/base/files.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int calibrate_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::vector<std::string> paths;
  std::string id, buffers;
  std::optional<std::int64_t> draws, seed;
  CommandLine line(verb);
  line.positionals("MEASUREMENTS", paths,
                   "files of \"stallcast probe\", or results of fio, IOR, mdtest, ...");
  line.text("--id", id, "NAME", "name of the profile (default: of the first file)");
  line.text("--buffers", buffers, "KIND",
            "huge or small: use io records with such buffers only (default: huge, if there are)");
  line.integer("--draws", draws, 20, "bootstrap draws behind the intervals (default 200)");
  line.integer("--seed", seed, 0, "random seed of the bootstrap (default 1)");
  line.text("--format", options.format, "NAME", "text (default) or json, which is the profile");
  line.output_options(options, "write the profile to FILE, and the report to standard output");
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto exit = check_format(verb, options, "text", "json")) return *exit;
  const auto pages = calibration::parse_buffer_pages(buffers);
  if (!buffers.empty() && !pages)
    return refuse("there are no buffers \"" + buffers + "\"",
                  "say --buffers huge or --buffers small");
  std::vector<MeasurementSet> sets;
  Diagnostics faults;
  for (const std::string& path : paths) {
    const auto text = base::read_file(path);
    if (!text.ok()) return report_failure(text.failure());
    sets.push_back(calibration::read_any(text.value(), path, faults));
  }
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
