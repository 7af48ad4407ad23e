#include <algorithm>
#include <filesystem>

#include "calibration/measure/flags.hpp"
#include "calibration/measure/measurement_json.hpp"
#include "calibration/measure/probes/all.hpp"
#include "calibration/measure/probes/probe.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

/// What KIND takes.
std::vector<std::string> kinds() {
  std::vector<std::string> out = {"all"};
  for (const calibration::Probe& probe : calibration::probes()) out.emplace_back(probe.id);
  return out;
}

constexpr Seconds kLeastBudget = Seconds::from(10.0, unit::s);

/// What --budget says, or why that is none.
Result<std::optional<Seconds>> parse_budget(const std::string& text) {
  if (text.empty()) return std::optional<Seconds>();
  const auto time = base::parse_quantity(text, Dimension::time);
  if (!time.value) return Failure{ExitCode::bad_input, "--budget: " + time.message, time.hint};
  const Seconds budget = Seconds::from(*time.value, unit::s);
  if (budget < kLeastBudget)
    return Failure{ExitCode::bad_input, "--budget must be 10 s or more", "say --budget 3min"};
  return std::optional(budget);
}

/// "12 runs, 3 of them on a busy machine".
std::string runs_of(const MeasurementSet& set) {
  const auto busy = std::ranges::count_if(
      set.measurements, [](const Measurement& m) { return calibration::has_flag(m, "busy"); });
  const std::string runs =
      base::counted(static_cast<std::int64_t>(set.measurements.size()), "runs");
  if (busy == 0) return runs;
  return runs + ", " + std::to_string(busy) + " of them on a busy machine: rates are lower bounds";
}

/// Files of all probes that one host has for itself, in a folder.
int probe_everything(const CommonOptions& options, const calibration::ProbeOptions& how,
                     Seconds budget, ProgressBar& bar) {
  namespace fs = std::filesystem;
  if (options.output.empty() || options.format == "json")
    return refuse("all probes write a file each", "name their folder with --output DIR");
  std::error_code error;
  fs::create_directories(options.output, error);
  if (!fs::is_directory(options.output))
    return refuse("cannot make the folder \"" + options.output + "\"", error.message());
  std::string report;
  std::optional<Failure> failed;
  std::size_t written = 0;
  calibration::probe_all(how, budget, [&](const auto& probe, const auto& measured) {
    bar.clear();
    if (failed) return;
    const std::string name = std::string(probe.id) + std::string(10 - probe.id.size(), ' ');
    if (!measured.ok()) {
      if (measured.failure().exit == ExitCode::inconclusive) failed = measured.failure();
      report += name + "not measured: " + measured.failure().message + "\n";
      return;
    }
    const std::string file =
        (fs::path(options.output) / (std::string(probe.id) + ".json")).string();
    const auto done = base::write_file(file, calibration::write_measurements(*measured));
    if (!done.ok()) failed = done.failure();
    ++written;
    report += name + runs_of(*measured) + ": " + file + "\n";
  });
  if (failed) return report_failure(*failed);
  CommonOptions printed = options;
  printed.output.clear();
  if (written == 0) return deliver(printed, report, ExitCode::bad_input);
  report += "\nnext: stallcast calibrate " + options.output + "/*.json --output profile.json\n";
  return deliver(printed, report, ExitCode::ok);
}

}  // namespace

int probe_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string kind, target, space, buffers, time;
  bool quick = false, thorough = false;
  calibration::ProbeOptions how;
  std::optional<std::int64_t> seed;
  CommandLine line(verb);
  line.positional(
      "KIND", kind,
      "what to measure: gds, io, loader, memory, metadata or network; all: what one host "
      "can tell by itself, a file each");
  line.takes("KIND", kinds());
  line.text("--target", target, "PATH", "folder on the file system to measure");
  line.text("--peer", how.peer, "HOST:PORT", "the other end, which listens");
  line.text("--listen", how.listen, "[HOST:]PORT", "be the other end of one network probe");
  line.flag("--quick", quick, "a minute: fewer points, three runs each");
  line.flag("--thorough", thorough, "half an hour: all points, bursts and steady state watched");
  line.text("--budget", time, "DURATION",
            "be done in this time: what matters most first, each until it is known well enough "
            "(all: default 3 min; not network, not gds)");
  line.text("--space", space, "BYTES", "most that may be written (default: the probe's choice)");
  line.text("--buffers", buffers, "KIND", "io: huge (default) or small pages for what is read");
  line.flag("--allow-device", how.allow_device, "--target may be a device, which is only read");
  line.integer("--seed", seed, 0, "random seed of order and data (default 1)");
  line.text("--format", options.format, "NAME",
            "text (default) or json, which is the measurements");
  line.output_options(options,
                      "write the measurements to FILE (all: to a folder), and the report to "
                      "standard output");
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto exit = check_format(verb, options, "text", "json")) return *exit;
  const calibration::Probe* probe = calibration::find_probe(kind);
  const bool all = kind == "all";
  if (probe == nullptr && !all)
    return refuse("there is no probe \"" + kind + "\"", suggestion(kind, kinds()));
  const Result<std::optional<Seconds>> budget = parse_budget(time);
  if (!budget.ok()) return report_failure(budget.failure());
  if ((budget->has_value() || all) && (quick || thorough))
    return refuse("a budget of time stands in for --quick and --thorough",
                  "leave out " + std::string(quick ? "--quick" : "--thorough") +
                      (all ? "" : ", or --budget"));
  if (budget->has_value() && (kind == "network" || kind == "gds"))
    return refuse("the " + kind + " probe keeps to no budget", "say --quick");
  if (const bool listens = !how.listen.empty();
      (listens || !how.peer.empty()) && (all || probe->serve == nullptr))
    return refuse(
        (all ? "these probes have no other end" : "the " + kind + " probe has no other end"),
        (listens ? "--listen" : "--peer") + std::string(" belongs to the network probe"));
  if (how.listen.empty() && (all || probe->needs_target) && target.empty())
    return refuse("the probe writes files of its own in a folder",
                  "name the folder with --target PATH");
  if (quick && thorough) return refuse("--quick and --thorough exclude each other");
  if (options.output == "-") {  // the measurements on standard output, and nothing else there
    options.output.clear();
    options.format = "json";
  }
  if (!options.output.empty() && !all)
    if (const auto failure = check_output(options.output)) return report_failure(*failure);
  if (!space.empty()) {
    const auto bytes = base::parse_quantity(space, Dimension::bytes);
    if (!bytes.value) return refuse("--space: " + bytes.message, bytes.hint);
    how.space = Bytes::from(*bytes.value, unit::B);
  }
  const auto pages = calibration::parse_buffer_pages(buffers);
  if (!buffers.empty() && (!pages || (kind != "io" && !all)))
    return refuse(pages ? "the " + kind + " probe has no choice of buffers"
                        : "there are no buffers \"" + buffers + "\"",
                  "say --buffers huge or --buffers small with the io probe");
  how.buffers = pages.value_or(how.buffers);
  how.target = target;
  how.seed = static_cast<std::uint64_t>(seed.value_or(1));
  how.depth = quick      ? calibration::ProbeDepth::quick
              : thorough ? calibration::ProbeDepth::thorough
                         : calibration::ProbeDepth::usual;
  ProgressBar bar(options);
  how.progress = [&bar](double done, std::string_view what) { bar.show(done, what); };
  how.interrupted = [] { return run::interrupt_flag() != 0; };
  constexpr Seconds kUsualBudget = Seconds::from(180.0, unit::s);
  if (all) return probe_everything(options, how, budget->value_or(kUsualBudget), bar);
  if (budget->has_value()) how.budget = calibration::budget_from_now(**budget);
  if (!how.listen.empty()) {
    const auto failure = probe->serve(how);
    bar.clear();
    return failure ? report_failure(*failure) : static_cast<int>(ExitCode::ok);
  }
  const Result<MeasurementSet> measured = probe->run(how);
  bar.clear();
  if (!measured.ok()) return report_failure(measured.failure());
  return deliver_product(options, calibration::write_measurements(measured.value()),
                         report::measurements_text(measured.value(), report_style(options)),
                         ExitCode::ok);
}

}  // namespace stallcast::cli
