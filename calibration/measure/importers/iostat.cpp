#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "calibration/measure/importers/tool_json.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"

/// iostat of sysstat 10 to 12: -x, -k, -m, JSON (-o JSON) and text.
/// - The first report is the mean since boot: it is dropped, also of a file made with -y.
/// - kB is KiB, MB is MiB, a sector 512 B; await is ms.
/// - %util says that something was outstanding, not that a device of many channels is busy.
/// - aqu-sz = sum of X await is checked here; what is off is flagged.
/// A report shows what the hosts asked for: records are a workload, and no fit reads them.
namespace stallcast::calibration::iostat {
namespace {

using Values = std::map<std::string, double, std::less<>>;

double value_of(const Values& values, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto it = values.find(name); it != values.end()) return it->second;
  return 0.0;
}

Rate rate_of(const Values& values, const std::string& direction, const std::string& side) {
  if (const auto it = values.find(side + "kB/s"); it != values.end())
    return Rate::from(it->second, unit::KiBps);
  if (const auto it = values.find(side + "MB/s"); it != values.end())
    return Rate::from(it->second, unit::MiBps);
  if (const auto it = values.find(side + "sec/s"); it != values.end())
    return Rate::from(it->second * 512.0, unit::Bps);
  for (const char* unit_text : {"kB", "MB"})
    if (const auto it = values.find(unit_text + std::string("_") + direction + "/s");
        it != values.end())
      return Rate::from(it->second, unit_text[0] == 'k' ? unit::KiBps : unit::MiBps);
  return {};
}

struct Direction {
  const char* operation;
  const char* side;
  const char* column;  ///< "read" of "kB_read/s"
};
constexpr std::array<Direction, 2> kDirections{{{"read", "r", "read"}, {"write", "w", "wrtn"}}};

/// Awaits have two decimals: what they may be off by, in operations outstanding.
bool contradicts(const Values& values, double queue) {
  double inside = 0.0, rounding = 0.005;
  bool complete = false;
  for (const char* side : {"r", "w", "d", "f"}) {
    const std::string s(side);
    const auto ops = values.find(s + "/s");
    const auto await = values.find(s + "_await");
    if (ops == values.end() || await == values.end()) continue;
    complete = true;
    inside += ops->second * await->second * 1e-3;
    rounding += ops->second * 0.005e-3 + await->second * 0.005e-3;
  }
  return complete && std::abs(inside - queue) > 0.05 * queue + rounding;
}

void add(const Values& values, const std::string& device, const std::string& origin,
         MeasurementSet& set) {
  const double queue = value_of(values, {"aqu-sz", "avgqu-sz"});
  const double util = value_of(values, {"%util", "util"});
  for (const Direction& d : kDirections) {
    const std::string side(d.side);
    Measurement m;
    m.operation = d.operation;
    m.origin = origin + " " + d.operation;
    m.options["device"] = device;
    m.rate = rate_of(values, d.column, side);
    m.ops = OpRate::from(value_of(values, {(side + "/s").c_str()}), unit::per_s);
    if (m.rate <= Rate{} && m.ops <= OpRate{}) continue;
    const double size = value_of(values, {(side + "areq-sz").c_str()});
    if (const auto kib = precise(size, 0.01)) {
      m.size = Bytes::from(*kib, unit::KiB);
    } else if (m.ops > OpRate{} && m.rate > Rate{}) {
      m.size = Bytes::from(m.rate.in(unit::Bps) / m.ops.in(unit::per_s), unit::B);
    }
    if (const auto ms = precise(value_of(values, {(side + "_await").c_str()}), 0.01))
      m.latency = Seconds::from(*ms, unit::ms);
    m.figures["queue_all_operations"] = queue;
    m.figures["util_ratio"] = 0.01 * util;
    flag(m, "workload");
    // Rates have two decimals: below one operation per second they say little.
    if (m.ops < OpRate::from(0.5, unit::per_s)) m.ops = {};
    if (contradicts(values, queue)) flag(m, "inconsistent");
    set.measurements.push_back(std::move(m));
  }
}

/// Says what became of `reports` reports.
void tell(std::size_t reports, const ToolFile& file, const MeasurementSet& set) {
  if (reports == 0) return;
  const bool only = reports == 1;
  file.diagnostics.add({Severity::warning, "first-report", "", Position{file.name, 1, 1},
                        only ? "the only report is the mean since boot: it is dropped"
                             : "the first report is the mean since boot: it is dropped",
                        only ? "run iostat with an interval and a count: iostat -x 1 30"
                             : "with iostat -y the first report is a real one; it is dropped too"});
  if (!only && set.measurements.empty() && !file.diagnostics.has_errors())
    file.diagnostics.add({Severity::error, "idle", "", Position{file.name, 1, 1},
                          "no device did anything after the first report",
                          "run iostat while the load runs"});
}

void read_json(const ToolFile& file, MeasurementSet& set) {
  ToolJson json(file);
  std::size_t reports = 0;
  for (const ToolNode& root : json.roots()) {
    for (const ToolNode& host : root.at("sysstat").list("hosts")) {
      for (const char* key : {"nodename", "release", "machine", "number-of-cpus", "date"})
        if (std::string value = host.text(key); !value.empty())
          set.environment[key] = std::move(value);
      const std::vector<ToolNode> all = host.list("statistics");
      reports += all.size();
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == 0) continue;
        for (const ToolNode& disk : all[i].list("disk")) {
          Values values;
          std::string device = disk.text("disk_device");
          if (device.empty()) device = disk.text("device");
          for (const auto& [key, value] : disk.members())
            if (key != "disk_device" && key != "device")
              if (const auto number = value.number()) values[key] = *number;
          add(values, device, disk.place(), set);
        }
      }
    }
  }
  tell(reports, file, set);
  set.ignored = json.unread();
}

/// Has the table columns of reads or of writes? The short one (-s) has sums of both.
bool tells_sides(const std::vector<std::string_view>& header) {
  return std::any_of(header.begin(), header.end(), [](std::string_view column) {
    return column == "r/s" || column == "w/s" || contains(column, "_read") ||
           contains(column, "_wrtn");
  });
}

void read_text(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  std::vector<std::string_view> header;
  std::size_t report = 0, reports = 0;
  bool cpu = false;
  for (const Line& line : reader.lines()) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty()) {
      header.clear();
      cpu = false;
      continue;
    }
    if (words.front() == "Linux" && words.size() > 2) {
      report = 0;  // iostat was started again
      set.environment["release"] = std::string(words[1]);
      set.environment["nodename"] = std::string(words[2]);
    } else if (words.front() == "Device" || words.front() == "Device:") {
      if (!tells_sides(words))
        return reader.error(line, words.back(), "columns",
                            "these columns do not tell reads from writes",
                            "run iostat without -s: iostat -x 1 30");
      header = words;
      ++report;
      ++reports;
    } else if (words.back() == "Device") {
      return reader.error(line, words.back(), "columns",
                          "the name of a device comes last, and figures have units of their own",
                          "run iostat without -h and --human: iostat -x 1 30");
    } else if (words.front() == "avg-cpu:" || cpu) {
      cpu = !cpu;
    } else if (header.empty()) {
      reader.unread(line);
    } else if (report > 1) {
      if (!reader.complete(line, words, header.size(), "iostat")) continue;
      Values values;
      bool good = true;
      for (std::size_t i = 1; i < header.size() && good; ++i) {
        const auto value = reader.number(line, words[i], header[i]);
        good = value.has_value();
        if (value) values[std::string(header[i])] = *value;
      }
      if (good) add(values, std::string(words.front()), "line " + std::to_string(line.number), set);
    }
  }
  tell(reports, file, set);
  set.ignored = reader.ignored();
}

}  // namespace

bool recognises(std::string_view text) {
  if (contains(text, "\"sysstat\"") && contains(text, "\"disk")) return true;
  return contains(text, "Device") && (contains(text, "%util") || contains(text, "_read/s"));
}

void read(const ToolFile& file, MeasurementSet& set) {
  contains(file.text, "\"sysstat\"") ? read_json(file, set) : read_text(file, set);
}

}  // namespace stallcast::calibration::iostat
