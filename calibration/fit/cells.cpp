#include "calibration/fit/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "calibration/flags.hpp"

namespace stallcast::calibration::fit {
namespace {

constexpr std::array<std::string_view, 12> kUnfit{
    "cached",  // the tool reads host memory on purpose
    "concurrent-jobs", "depth-unknown", "failed",        "few-completions",
    "inconsistent",    "mixed-path",    "other-buffers", "path-unknown",
    "merged-jobs",     "rate-limited",  "workload"};

/// A copy whose tool says a rate and no size (nvbandwidth): an operation is a byte.
Bytes size_of(const Measurement& m) {
  const bool bare = m.subject == Subject::memory && m.size <= Bytes{} && m.rate > Rate{};
  return bare ? Bytes::from(1.0, unit::B) : m.size;
}

/// Why `m` tells nothing about the device; "" when it does.
std::string unfit(const Measurement& m) {
  if (std::string flag = unfit_flag(m); !flag.empty()) return flag;
  if (m.read_share && *m.read_share > 0.0 && *m.read_share < 1.0) return "reads and writes mixed";
  if (m.ops <= OpRate{} && (m.rate <= Rate{} || size_of(m) <= Bytes{}))
    return "no rate of operations";
  return "";
}

OpRate ops_of(const Measurement& m) {
  if (m.ops > OpRate{}) return m.ops;
  return OpRate::from(m.rate.in(unit::Bps) / size_of(m).in(unit::B), unit::per_s);
}

double depth_of(const Measurement& m) {
  if (m.depth > 0.0) return m.depth;
  return m.processes > 0 ? static_cast<double>(m.processes) : 1.0;
}

std::string series_id(const Measurement& m) {
  std::string id = std::string(name_of(m.subject)) + "." + m.operation;
  if (!m.pattern.empty()) id += "." + m.pattern;
  if (!m.path.empty()) id += "." + m.path;
  if (has_flag(m, "loopback")) id += ".loopback";
  return id;
}

}  // namespace

std::string unfit_flag(const Measurement& m) {
  for (const std::string& flag : m.flags)
    if (std::find(kUnfit.begin(), kUnfit.end(), flag) != kUnfit.end()) return flag;
  return "";
}

Seconds Cell::response() const {
  std::vector<double> values;
  for (const Seconds run : runs) values.push_back(run.in(unit::s));
  return Seconds::from(median(std::move(values)), unit::s);
}

double Cell::noise() const {
  const double middle = response().in(unit::s);
  std::vector<double> off;
  for (const Seconds run : runs) off.push_back(std::abs(run.in(unit::s)-middle));
  // 1.4826 MAD is the standard deviation of a normal sample.
  return 1.4826 * median(std::move(off)) / middle;
}

std::size_t Series::busy() const {
  std::size_t runs = 0;
  for (const Cell& cell : cells) runs += cell.busy;
  return runs;
}

std::vector<Series> group(std::span<const MeasurementSet> sets) {
  std::map<std::string, Series> series;
  std::map<std::string, std::map<std::tuple<Bytes, double, double>, Cell>> cells;
  for (const MeasurementSet& set : sets) {
    for (const Measurement& m : set.measurements) {
      const std::string id = series_id(m);
      Series& into = series[id];
      into.id = id;
      into.subject = m.subject;
      into.operation = m.operation;
      if (const std::string why = unfit(m); !why.empty()) {
        into.left_out.push_back(m.origin + ": " + why);
        continue;
      }
      const double depth = depth_of(m);
      const double processes = m.processes > 0 ? static_cast<double>(m.processes) : depth;
      const Bytes size = size_of(m);
      Cell& cell = cells[id][{size, depth, processes}];
      cell.size = size;
      cell.depth = depth;
      cell.processes = processes;
      // R = n / X                                                  [docs/calibration.md, eq. 1]
      cell.runs.push_back(Ops::from(depth, unit::ops) / ops_of(m));
      if (has_flag(m, "busy")) ++cell.busy;
      if (m.cores && *m.cores > 0.0)
        cell.core_runs.push_back(Ops::from(*m.cores, unit::ops) / ops_of(m));
    }
  }
  std::vector<Series> out;
  for (auto& [id, one] : series) {
    for (auto& [key, cell] : cells[id]) one.cells.push_back(std::move(cell));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace stallcast::calibration::fit
