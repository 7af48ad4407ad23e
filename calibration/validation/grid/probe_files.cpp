#include "calibration/validation/grid/probe_files.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "calibration/measure/node_reader.hpp"
#include "engine/base/files.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::grid {
namespace {

using base::Json;

/// Says once that something is not in a probe file.
void missing(const std::string& file, const std::string& what, Diagnostics& faults) {
  for (const Diagnostic& d : faults.items())
    if (d.position.file == file && d.message == what) return;
  faults.add({Severity::error, "missing", "", {file, 0, 0}, what, "measure it as the others were"});
}

/// Members of one probe file; faults with their places.
class Reader : NodeReader {
 public:
  using NodeReader::NodeReader;

  [[nodiscard]] const Json& root() const { return document_.root; }

  double number(const Json& node, const std::string& at, const std::string& key) {
    const auto it = node.find(key);
    if (it == node.end()) return error("missing", at, "\"" + key + "\" is missing", ""), 0.0;
    if (!it->is_number())
      return error("type", at + base::pointer_token(key), "this takes a number", ""), 0.0;
    return it->get<double>();
  }
  Seconds ms(const Json& node, const std::string& at, const std::string& key) {
    return Seconds::from(number(node, at, key), unit::ms);
  }
  std::string text(const Json& node, const std::string& at, const std::string& key) {
    return text_of(node, at, key, true);
  }
  void wrong(const std::string& at, const std::string& what) { error("type", at, what, ""); }

  void each(const std::function<void(const Json&, const std::string&)>& take) {
    if (!root().is_array()) return wrong("", "this takes a list of runs");
    for (std::size_t i = 0; i < root().size(); ++i)
      if (root()[i].is_object())
        take(root()[i], base::pointer_token(i));
      else
        wrong(base::pointer_token(i), "a run is an object");
  }
};

std::optional<base::JsonDocument> open(const std::string& folder, const std::string& name,
                                       std::string& path, Diagnostics& diagnostics) {
  path = (std::filesystem::path(folder) / name).string();
  const auto text = base::read_file(path);
  if (!text.ok()) {
    diagnostics.add({Severity::error, "missing-probe", "", Position{path, 0, 0},
                     "there is no probe file \"" + name + "\": " + text.failure().message,
                     "--probes names the folder of cpu.json, dataset.json, fio_STORE.json and "
                     "file_STORE.json"});
    return std::nullopt;
  }
  Diagnostics faults;
  base::JsonDocument document = base::parse_jsonc(text.value(), path, faults);
  for (const Diagnostic& d : faults.items()) diagnostics.add(d);
  if (faults.has_errors()) return std::nullopt;
  return document;
}

FioRun read_fio(Reader& reader, const Json& node, const std::string& at) {
  FioRun out;
  out.tag = reader.text(node, at, "tag");
  out.block = reader.text(node, at, "bs");
  out.jobs = static_cast<int>(reader.number(node, at, "numjobs"));
  const std::string side = node.contains("read") ? "read" : "write";
  const std::string inner = at + base::pointer_token(side);
  if (!node.contains(side) || !node[side].is_object()) {
    reader.wrong(at, "a run has its figures in \"read\" or \"write\"");
    return out;
  }
  const Json& figures = node[side];
  const auto us = [&](const char* key) {
    return Seconds::from(reader.number(figures, inner, key), unit::us);
  };
  out.rate = Rate::from(reader.number(figures, inner, "MBps"), unit::MBps);
  out.operations = OpRate::from(reader.number(figures, inner, "iops"), unit::per_s);
  out.mean = us("lat_us_mean");
  out.deviation = us("lat_us_sd");
  if (const auto pct = figures.find("pct"); pct != figures.end() && pct->is_object())
    for (const auto& [key, value] : pct->items()) {
      const auto p = base::parse_number(key);
      if (p && value.is_number())
        out.percentiles[*p] = Seconds::from(value.get<double>(), unit::us);
    }
  if (!out.percentiles.contains(50.0) || !out.percentiles.contains(1.0))
    reader.wrong(inner, "percentiles 1 and 50 of the latency are needed in \"pct\"");
  return out;
}

FileRun read_files(Reader& reader, const Json& node, const std::string& at) {
  return {
      .format = reader.text(node, at, "fmt"),
      .readers = static_cast<int>(reader.number(node, at, "readers")),
      .files = reader.number(node, at, "files"),
      .files_per_s = OpRate::from(reader.number(node, at, "files_per_s"), unit::per_s),
      .open = reader.ms(node, at, "open_ms"),
      .read = reader.ms(node, at, "read_ms"),
      .read_median = reader.ms(node, at, "read_p50"),
      .cores = reader.number(node, at, "cpu_mine"),
  };
}

/// The number of CPUs in the output of lscpu -J, which is kept as text and may be cut short.
double cores_of(const Json& node) {
  if (!node.is_string()) return 0.0;
  const std::string& text = node.get_ref<const std::string&>();
  const std::size_t field = text.find("\"CPU(s):\"");
  const std::size_t data = field == std::string::npos ? field : text.find("\"data\"", field);
  if (data == std::string::npos) return 0.0;
  const std::vector<std::string> parts = base::split(std::string_view(text).substr(data), '"');
  constexpr std::size_t kValue = 3;  // "data" : "2"
  return parts.size() > kValue ? base::parse_number(parts[kValue]).value_or(0.0) : 0.0;
}

CpuProbe read_cpu(const std::string& folder, Diagnostics& diagnostics) {
  CpuProbe out;
  const auto document = open(folder, "cpu.json", out.file, diagnostics);
  if (!document) return out;
  Reader reader(*document, diagnostics);
  if (!reader.root().is_object()) return reader.wrong("", "this takes an object of costs"), out;
  for (const auto& [name, cost] : reader.root().items()) {
    if (name == "lscpu") out.cores = cores_of(cost);
    if (!cost.is_object()) continue;
    for (const auto& [key, value] : cost.items()) {
      if (value.is_number()) out.costs[name][key] = value.get<double>();
      if (key != "all" || !value.is_array()) continue;
      for (const Json& pair : value)
        if (pair.is_array() && pair.size() == 2 && pair[1].is_number())
          out.repeats[name].push_back(pair[1].get<double>());
    }
  }
  if (out.cores < 1.0)
    missing(out.file, "no \"lscpu\" that says the number of CPU(s)", diagnostics);
  return out;
}

std::map<std::string, DataSet> read_data(const std::string& folder, std::string& path,
                                         Diagnostics& diagnostics) {
  std::map<std::string, DataSet> out;
  const auto document = open(folder, "dataset.json", path, diagnostics);
  if (!document) return out;
  Reader reader(*document, diagnostics);
  if (!reader.root().is_object()) return reader.wrong("", "this takes an object of data sets"), out;
  for (const auto& [format, node] : reader.root().items()) {
    const std::string at = base::pointer_token(format);
    if (!node.is_object()) {
      reader.wrong(at, "a data set is an object");
      continue;
    }
    DataSet set{.files = reader.number(node, at, "files"),
                .mean = Bytes::from(reader.number(node, at, "mean"), unit::B),
                .sizes = {}};
    if (const auto sizes = node.find("sizes"); sizes != node.end() && sizes->is_array())
      for (const Json& size : *sizes)
        if (size.is_number() && size.get<double>() > 0.0)
          set.sizes.push_back(Bytes::from(size.get<double>(), unit::B));
    if (set.files < 1.0 || set.mean.in(unit::B) <= 0.0)
      reader.wrong(at, "a data set has files, and they have bytes");
    out.emplace(format, std::move(set));
  }
  return out;
}

StoreProbe read_store(const std::string& folder, const std::string& store,
                      Diagnostics& diagnostics) {
  StoreProbe out;
  out.name = store;
  if (const auto document = open(folder, "fio_" + store + ".json", out.fio_file, diagnostics)) {
    Reader reader(*document, diagnostics);
    reader.each([&](const Json& node, const std::string& at) {
      out.fio.push_back(read_fio(reader, node, at));
    });
  }
  if (const auto document = open(folder, "file_" + store + ".json", out.files_file, diagnostics)) {
    Reader reader(*document, diagnostics);
    reader.each([&](const Json& node, const std::string& at) {
      out.runs.push_back(read_files(reader, node, at));
    });
  }
  return out;
}

}  // namespace

Seconds FioRun::at(double percentile) const {
  const auto it = percentiles.find(percentile);
  return it == percentiles.end() ? Seconds{} : it->second;
}

Seconds FileRun::cpu() const { return Seconds::from(cores / files_per_s.in(unit::per_s), unit::s); }

const FioRun& StoreProbe::need_fio(std::string_view tag, std::string_view block, int jobs,
                                   Diagnostics& faults) const {
  for (const FioRun& run : fio)
    if (run.tag == tag && run.block == block && run.jobs == jobs) return run;
  missing(fio_file,
          "no run of \"" + std::string(tag) + "\" with blocks of " + std::string(block) + " and " +
              std::to_string(jobs) + (jobs == 1 ? " job" : " jobs"),
          faults);
  static const FioRun kNone;
  return kNone;
}

const FileRun* StoreProbe::find(std::string_view format, int readers) const {
  for (const FileRun& run : runs)
    if (run.format == format && run.readers == readers) return &run;
  return nullptr;
}

const FileRun& StoreProbe::need(std::string_view format, int readers, Diagnostics& faults) const {
  if (const FileRun* run = find(format, readers)) return *run;
  missing(files_file,
          "no run of " + std::to_string(readers) + (readers == 1 ? " reader" : " readers") +
              " of files of \"" + std::string(format) + "\"",
          faults);
  static const FileRun kNone;
  return kNone;
}

double CpuProbe::need(std::string_view cost, std::string_view key, Diagnostics& faults) const {
  if (const auto at = costs.find(cost); at != costs.end())
    if (const auto value = at->second.find(key); value != at->second.end()) return value->second;
  missing(file, "no \"" + std::string(key) + "\" of \"" + std::string(cost) + "\"", faults);
  return 0.0;
}

std::vector<std::string> probed_stores(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::string_view prefix = "file_", suffix = ".json";
    if (name.starts_with(prefix) && name.ends_with(suffix))
      out.push_back(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

ProbeFiles read_probes(const std::string& folder, const std::vector<std::string>& stores,
                       Diagnostics& diagnostics) {
  ProbeFiles out;
  out.cpu = read_cpu(folder, diagnostics);
  out.data = read_data(folder, out.data_file, diagnostics);
  for (const std::string& store : stores)
    out.stores.emplace(store, read_store(folder, store, diagnostics));
  for (const std::string& store : probed_stores(folder)) {
    if (out.stores.contains(store)) continue;
    Diagnostics ignored;
    StoreProbe probe = read_store(folder, store, ignored);
    if (!ignored.has_errors()) out.stores.emplace(store, std::move(probe));
  }
  return out;
}

}  // namespace stallcast::calibration::grid
