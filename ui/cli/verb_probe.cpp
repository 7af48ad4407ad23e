#include "calibration/measure/measurement_json.hpp"
#include "calibration/measure/probes/probe.hpp"
#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

int unknown_probe(const std::string& kind) {
  std::vector<std::string> ids;
  for (const calibration::Probe& probe : calibration::probes()) ids.emplace_back(probe.id);
  return refuse("there is no probe \"" + kind + "\"", suggestion(kind, ids));
}

}  // namespace

int probe_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string kind, target, space, buffers;
  bool quick = false, thorough = false;
  calibration::ProbeOptions how;
  std::optional<std::int64_t> seed;
  CommandLine line(verb);
  line.positional("KIND", kind, "what to measure: gds, io, loader, memory, metadata or network");
  line.text("--target", target, "PATH", "folder on the file system to measure");
  line.text("--peer", how.peer, "HOST:PORT", "the other end, which listens");
  line.text("--listen", how.listen, "[HOST:]PORT", "be the other end of one network probe");
  line.flag("--quick", quick, "a minute: fewer points, three runs each");
  line.flag("--thorough", thorough, "half an hour: all points, bursts and steady state watched");
  line.text("--space", space, "BYTES", "most that may be written (default: the probe's choice)");
  line.text("--buffers", buffers, "KIND", "io: huge (default) or small pages for what is read");
  line.flag("--allow-device", how.allow_device, "--target may be a device, which is only read");
  line.integer("--seed", seed, 0, "random seed of order and data (default 1)");
  line.text("--format", options.format, "NAME",
            "text (default) or json, which is the measurements");
  line.output_options(options, "write the measurements to FILE, and the report to standard output");
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto exit = check_format(verb, options, "text", "json")) return *exit;
  const calibration::Probe* probe = calibration::find_probe(kind);
  if (probe == nullptr) return unknown_probe(kind);
  if (!how.listen.empty() && probe->serve == nullptr)
    return refuse("the " + kind + " probe has no other end",
                  "--listen belongs to the network probe");
  if (how.listen.empty() && probe->needs_target && target.empty())
    return refuse("the probe writes files of its own in a folder",
                  "name the folder with --target PATH");
  if (quick && thorough) return refuse("--quick and --thorough exclude each other");
  if (options.output == "-") {  // the measurements on standard output, and nothing else there
    options.output.clear();
    options.format = "json";
  }
  if (!options.output.empty())
    if (const auto failure = check_output(options.output)) return report_failure(*failure);
  if (!space.empty()) {
    const auto bytes = base::parse_quantity(space, Dimension::bytes);
    if (!bytes.value) return refuse("--space: " + bytes.message, bytes.hint);
    how.space = Bytes::from(*bytes.value, unit::B);
  }
  const auto pages = calibration::parse_buffer_pages(buffers);
  if (!buffers.empty() && (!pages || kind != "io"))
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
