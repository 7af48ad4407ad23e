#include "calibration/validation/grid/loader_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibration/fit/cells.hpp"
#include "engine/base/random.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::grid {
namespace {

using namespace literals;

/// In memory: raw files whole, npz read as 1 MiB of floats, jpeg 224 x 224 x 3, tar members.
struct Format {
  const char* id;
  Bytes in_memory;
};
constexpr Format kFormats[] = {{"jpeg", 150528_B},  {"npz4m", 1048576_B}, {"raw128k", 131072_B},
                               {"raw16k", 16384_B}, {"raw1m", 1048576_B}, {"tar", 98304_B}};

/// No join of tensors takes less.
constexpr Seconds kLeastCollate = 50_us;
const char* const kHandover = "ready_next_";
const char* const kIdle = "_idle";

Seconds ms(double value) { return Seconds::from(value, unit::ms); }

/// "131072x16" of "dl_131072x16_w0".
struct Shape {
  double bytes = 0.0, batch = 0.0;
};
std::optional<Shape> shape_of(std::string_view name, std::string_view prefix,
                              std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  const auto parts = base::split(name, 'x');
  if (parts.size() != 2) return std::nullopt;
  const auto bytes = base::parse_number(parts[0]), batch = base::parse_number(parts[1]);
  if (!bytes || !batch || *bytes <= 0.0 || *batch <= 0.0) return std::nullopt;
  return Shape{*bytes, *batch};
}

/// Least squares over the shapes that were probed, medians against bytes of a batch; the spread
/// from the median of p90 / p50 of a lognormal.                [docs/calibration-grid.md, eq. 10]
void fit_handover(const CpuProbe& cpu, LoaderFit& out, Diagnostics& faults) {
  std::vector<double> x, y, tails;
  for (const auto& [name, figures] : cpu.costs)
    if (const auto shape = shape_of(name, kHandover, kIdle)) {
      x.push_back(shape->bytes * shape->batch / 1e6);
      y.push_back(cpu.need(name, "ms_p50", faults));
      tails.push_back(cpu.need(name, "ms_p90", faults) / y.back());
    }
  if (x.size() < 2) {
    (void)cpu.need("ready_next_16384x32_idle", "ms_p50", faults);
    (void)cpu.need("ready_next_131072x16_idle", "ms_p50", faults);
    return;
  }
  double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / n, my += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i)
    xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  const double slope = xx > 0.0 ? std::max(0.0, xy / xx) : 0.0;
  out.handover = ms(my - slope * mx);
  out.handover_per_MB = ms(slope);
  out.handover_sigma = std::log(std::max(1.0, median(tails))) / base::normal_quantile(0.9);
}

/// The sample whose cached cost lies in what a batch of this shape took; none for decoded ones,
/// which the probe made in memory.
const char* sample_of(double bytes) {
  if (bytes == 150528.0) return nullptr;
  for (const Format& format : kFormats)
    if (format.in_memory.in(unit::B) == bytes && std::string_view(format.id) != "npz4m")
      return format.id;
  return nullptr;
}

}  // namespace

const std::vector<std::string>& known_formats() {
  static const std::vector<std::string> kIds = [] {
    std::vector<std::string> ids;
    for (const Format& format : kFormats) ids.emplace_back(format.id);
    return ids;
  }();
  return kIds;
}

Bytes sample_in_memory(const std::string& format) {
  for (const Format& known : kFormats)
    if (format == known.id) return known.in_memory;
  return {};
}

Seconds sample_cpu(const CpuProbe& cpu, const std::string& format, Diagnostics& faults) {
  return ms(cpu.need("sample_" + format, "cpu_ms_mean", faults));
}

Seconds collate(const CpuProbe& cpu, const std::string& format, int batch, Diagnostics& faults) {
  const double bytes = sample_in_memory(format).in(unit::B);
  double nearest = -1.0;
  std::string name;
  Shape shape;
  for (const auto& [candidate, figures] : cpu.costs)
    if (const auto s = shape_of(candidate, "dl_", "_w0")) {
      const double distance =
          std::abs(std::log(s->bytes / bytes)) + 0.5 * std::abs(std::log(s->batch / batch));
      if (nearest >= 0.0 && distance >= nearest) continue;
      nearest = distance, name = candidate, shape = *s;
    }
  if (name.empty()) return (void)cpu.need("dl_131072x16_w0", "ms_per_batch", faults), Seconds{};
  Seconds joined = ms(cpu.need(name, "ms_per_batch", faults));
  if (const char* const sample = sample_of(shape.bytes))
    joined -= shape.batch * sample_cpu(cpu, sample, faults);
  return std::max(kLeastCollate, joined * (batch / shape.batch));
}

Seconds overshoot(const CpuProbe& cpu, Seconds length, Diagnostics& faults) {
  std::map<double, double> points;
  for (const auto& [name, figures] : cpu.costs) {
    const std::string_view prefix = "sleep_overshoot_", suffix = "ms";
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const auto at = base::parse_number(
        std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
    if (at) points[*at] = cpu.need(name, "p50_ms", faults);
  }
  if (points.empty()) return (void)cpu.need("sleep_overshoot_20ms", "p50_ms", faults), Seconds{};
  const double at = length.in(unit::ms);
  const auto above = points.lower_bound(at);
  if (above == points.begin()) return ms(above->second);
  const auto below = std::prev(above);
  if (above == points.end()) return ms(below->second);
  const double share = (at - below->first) / (above->first - below->first);
  return ms(below->second + share * (above->second - below->second));
}

LoaderFit fit_loader(const CpuProbe& cpu, Diagnostics& faults) {
  LoaderFit out;
  fit_handover(cpu, out, faults);
  // First batch of one worker: its fork, its boot, one batch, one hand-over. Eight workers fork
  // seven more.                                                [docs/calibration-grid.md, eq. 13]
  const Seconds one = ms(cpu.need("dl_16384x32_w1", "first_batch_ms", faults));
  const Seconds eight = ms(cpu.need("dl_16384x32_w8", "first_batch_ms", faults));
  const Seconds fork = std::max((eight - one) / 7.0, Seconds{});
  out.boot = std::max(one - fork - ms(cpu.need("dl_16384x32_w1", "ms_per_batch", faults)) -
                          ms(cpu.need("ready_next_16384x32_idle", "ms_p50", faults)),
                      Seconds{});
  const double alone = cpu.need("jpeg_scaling_1", "cpu_ms_per_sample", faults);
  out.inflation_two = cpu.need("jpeg_scaling_2", "cpu_ms_per_sample", faults) / alone;
  out.inflation_four = cpu.need("jpeg_scaling_4", "cpu_ms_per_sample", faults) / alone;
  const double written = cpu.need("os_write_tmpfs", "GBps", faults);
  out.page_copy = Rate::from(written, unit::GBps);
  // Between the copy in warm memory and the first write to fresh pages.
  out.snapshot =
      Rate::from(std::sqrt(written * cpu.need("snapshot_memcpy", "GBps", faults)), unit::GBps);
  out.torch_save = Rate::from(cpu.need("torch_save_tmpfs", "GBps", faults), unit::GBps);
  out.torch_core =
      Rate::from(1.0 / cpu.need("torch_save_tmpfs", "cpu_s_per_GB", faults), unit::GBps);
  return out;
}

}  // namespace stallcast::calibration::grid
