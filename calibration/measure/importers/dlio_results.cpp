#include <algorithm>
#include <array>
#include <utility>

#include "calibration/measure/importers/tool_json.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "engine/base/quantity_text.hpp"

/// DLIO's summary.json and per_epoch_stats.json, also of MLPerf Storage.
/// - "MB" is 2^20 and "GB" 2^30 bytes. [DLIO, statscounter.py]
/// - train_io is samples/s times the record length, not bytes that were read.
/// - Names have changed: train_au, train_auu and train_au_percentage are one figure.
/// - Durations of per_epoch_stats.json are texts or numbers, its checkpoints "ckpt1" or, since
/// 2025,
///   "save_ckpt1" and "load_ckpt1". Accelerators are emulated.
/// - A mean of nothing is NaN, which is left out.
namespace stallcast::calibration::dlio_results {
namespace {

/// The first of `keys` that is there.
ToolNode first_of(const ToolNode& node, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (ToolNode found = node.at(key)) return found;
  return {};
}

std::vector<double> figures_of(const ToolNode& list) {
  std::vector<double> out;
  for (const ToolNode& element : list.elements())
    if (const auto figure = element.number()) out.push_back(*figure);
  return out;
}

/// AU of epochs in percent. DLIO divides the nominal time of computation by what passed: where its
/// sleeps were shorter than that, accelerators that never waited come to more than 100 %.
std::vector<double> aus_of(const ToolNode& list) {
  std::vector<double> out;
  int epoch = 0;
  for (const ToolNode& element : list.elements()) {
    const auto percent = element.number();
    if (!percent) continue;
    ++epoch;
    if (*percent > 100.0)
      element.warn("range",
                   "AU is a share, and that of epoch " + std::to_string(epoch) + " is " +
                       base::significant(*percent, 6) + " %: taken for 100 %",
                   "steps that computed for less than their nominal time; far above 100 % it is "
                   "another figure");
    if (*percent < 0.0)
      element.error("range", "AU is a share, and that of epoch " + std::to_string(epoch) + " is " +
                                 base::significant(*percent, 6) + " %");
    out.push_back(std::clamp(*percent, 0.0, 100.0));
  }
  return out;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

struct Summary {
  std::int64_t accelerators = 0;
  bool cached = false;
};

/// Training ("train") or evaluation ("eval"): one record of the run, one of each epoch.
void read_phase(const ToolNode& metric, const std::string& phase, const Summary& summary,
                MeasurementSet& set) {
  const std::string p = phase + "_";
  const ToolNode au = first_of(metric, {(p + "au_percentage").c_str(), (p + "auu").c_str(),
                                        (p + "auu_percentage").c_str(), (p + "au").c_str()});
  const ToolNode throughput =
      first_of(metric, {(p + "throughput_samples_per_second").c_str(), (p + "throughput").c_str()});
  if (!au && !throughput) return;
  const std::vector<double> aus = aus_of(au);
  const std::vector<double> rates = figures_of(throughput);

  Measurement run;
  run.subject = Subject::training;
  run.operation = phase;
  run.processes = summary.accelerators;
  run.origin = metric.place();
  run.options["accelerators"] = "emulated";
  if (summary.cached) flag(run, "cache-possible");
  Measurement epoch = run;
  epoch.operation = phase + "-epoch";

  const auto au_mean = metric.number(p + "au_mean_percentage");
  if (au_mean || !aus.empty()) {
    const double percent = au_mean.value_or(mean(aus));
    if (percent < 0.0 || percent > 100.0)
      return (au_mean ? metric.at(p + "au_mean_percentage") : au)
          .error("range", "AU is a share, and this is " + base::significant(percent, 6) + " %",
                 "accelerators that were busy for longer than they ran: is it another figure?");
    run.figures["au_ratio"] = 0.01 * percent;
  }
  const auto rate_mean = metric.number(p + "throughput_mean_samples_per_second");
  if (rate_mean || !rates.empty()) run.figures["samples_per_s"] = rate_mean.value_or(mean(rates));
  if (const auto sd = metric.number(p + "au_stdev_percentage"))
    run.figures["au_stdev_ratio"] = 0.01 * *sd;
  if (const auto sd = metric.number(p + "throughput_stdev_samples_per_second"))
    run.figures["samples_stdev_per_s"] = *sd;
  if (const auto mb = metric.number(p + "io_mean_MB_per_second")) {
    run.rate = Rate::from(*mb, unit::MiBps);
    run.options["rate"] = "samples/s x record length, not bytes read";
  }
  set.measurements.push_back(std::move(run));
  for (std::size_t i = 0; i < std::max(aus.size(), rates.size()); ++i) {
    Measurement one = epoch;
    one.origin = "epoch " + std::to_string(i + 1);
    if (i < aus.size()) one.figures["au_ratio"] = 0.01 * aus[i];
    if (i < rates.size()) one.figures["samples_per_s"] = rates[i];
    set.measurements.push_back(std::move(one));
  }
}

void read_checkpoints(const ToolNode& metric, const Summary& summary, MeasurementSet& set) {
  const auto size = metric.number("checkpoint_size_GB");
  constexpr std::array<std::array<const char*, 3>, 3> kKinds{
      {{"save_checkpoint_", "save"}, {"load_checkpoint_", "restore"}, {"checkpoint_", "save"}}};
  for (const auto& kind : kKinds) {
    const std::string p = kind[0];
    const auto rate = metric.number(p + "io_mean_GB_per_second");
    const auto seconds = metric.number(p + "duration_mean_seconds");
    if (!rate && !seconds) continue;
    Measurement m;
    m.subject = Subject::checkpoint;
    m.operation = kind[1];
    m.processes = summary.accelerators;
    m.origin = metric.place() + "." + p + "*";
    if (rate) m.rate = Rate::from(*rate, unit::GiBps);
    if (seconds) m.duration = Seconds::from(*seconds, unit::s);
    if (size) m.size = Bytes::from(*size, unit::GiB);
    if (const auto sd = metric.number(p + "io_stdev_GB_per_second"))
      m.figures["rate_stdev_Bps"] = Rate::from(*sd, unit::GiBps).in(unit::Bps);
    if (const auto sd = metric.number(p + "duration_stdev_seconds"))
      m.figures["duration_stdev_s"] = *sd;
    set.measurements.push_back(std::move(m));
  }
}

void read_summary(const ToolNode& root, MeasurementSet& set) {
  Summary summary;
  summary.accelerators = whole(root.number("num_accelerators"));
  const ToolNode caching = root.at("potential_caching");
  for (const double host : figures_of(caching)) summary.cached = summary.cached || host != 0.0;
  if (caching && !caching.is_list()) summary.cached = caching.text() == "true";
  set.date = std::max(set.date, root.text("start"));
  for (const char* key : {"hostname", "num_hosts", "num_files_train", "num_samples_per_file",
                          "epochs", "data_size_per_host_GB"})
    if (const ToolNode node = root.at(key); node && !node.is_list() && !node.is_object())
      set.environment[key] = node.text();
  const ToolNode metric = root.at("metric");
  if (!metric) return root.error("missing", "\"metric\" is not there", "DLIO was stopped early?");
  read_phase(metric, "train", summary, set);
  read_phase(metric, "eval", summary, set);
  read_checkpoints(metric, summary, set);
}

/// {"1": {"start": ..., "block1": {"duration": "32.86"}, "ckpt1": {...}, "duration": "32.90"}}
void read_epochs(const ToolNode& root, MeasurementSet& set) {
  for (const auto& [epoch, node] : root.members()) {
    if (!node.is_object()) continue;
    const auto add = [&](const ToolNode& from, Subject subject, std::string operation) {
      const auto seconds = from.number("duration");
      if (!seconds) return;
      Measurement m;
      m.subject = subject;
      m.operation = std::move(operation);
      m.origin = from.place();
      m.duration = Seconds::from(*seconds, unit::s);
      if (const auto rate = from.number("throughput")) m.rate = Rate::from(*rate, unit::GiBps);
      set.measurements.push_back(std::move(m));
    };
    if (const std::string start = node.text("start"); set.date.empty()) set.date = start;
    add(node, Subject::training, "train-epoch");
    for (const auto& [key, part] : node.members()) {
      if (!part.is_object()) continue;
      if (key.starts_with("ckpt") || key.starts_with("save_ckpt"))
        add(part, Subject::checkpoint, "save");
      if (key.starts_with("load_ckpt")) add(part, Subject::checkpoint, "restore");
      if (key.starts_with("block")) add(part, Subject::training, "train-block");
      if (key == "eval") add(part, Subject::training, "eval-epoch");
      part.pass("start");
      part.pass("end");
    }
    node.pass("end");
  }
}

}  // namespace

bool recognises(std::string_view text) {
  const bool summary = contains(text, "\"num_accelerators\"") && contains(text, "\"metric\"");
  const bool epochs = contains(text, "\"duration\"") &&
                      (contains(text, "\"block1\"") || contains(text, "_ckpt1\""));
  return summary || epochs;
}

void read(const ToolFile& file, MeasurementSet& set) {
  set.tool = "dlio";
  ToolJson json(file);
  for (const ToolNode& root : json.roots()) {
    const bool summary =
        contains(file.text, "\"num_accelerators\"") || contains(file.text, "\"metric\"");
    summary ? read_summary(root, set) : read_epochs(root, set);
  }
  set.ignored = json.unread();
}

}  // namespace stallcast::calibration::dlio_results
