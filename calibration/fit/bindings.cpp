#include "calibration/fit/bindings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "engine/base/design_values.hpp"
#include "models/contract/host.hpp"

/// Which fitted parameter is which field of a scenario: the one place that knows both.
namespace stallcast::calibration {
namespace {

/// Line rate over payload: what `nic.efficiency` takes off again, 95 % unless a scenario says so.
constexpr double kPerPayload = 1.0 / 0.95;

// What was measured after a rest is the device behind a limiter, and goes before what the limiter
// lets through. Random access comes first: where both were measured a loader's shuffled reads
// follow it.
constexpr std::array kBindings{
    Binding{"io.read.random.rested", "law", "storage", "measured", "read.law", Dimension::text},
    Binding{"io.read.random.rested", "alpha", "storage", "measured", "read.latency",
            Dimension::time},
    Binding{"io.read.random.rested", "s", "storage", "measured", "read.per_op", Dimension::time},
    Binding{"io.read.random.rested", "B", "storage", "measured", "read.rate", Dimension::rate},
    Binding{"io.read.random.rested", "S", "storage", "measured", "read.stream", Dimension::rate},
    Binding{"io.read.random.rested", "K", "storage", "measured", "read.lanes", Dimension::number},
    Binding{"io.write.random.rested", "law", "storage", "measured", "write.law", Dimension::text},
    Binding{"io.write.random.rested", "alpha", "storage", "measured", "write.latency",
            Dimension::time},
    Binding{"io.write.random.rested", "s", "storage", "measured", "write.per_op", Dimension::time},
    Binding{"io.write.random.rested", "B", "storage", "measured", "write.rate", Dimension::rate},
    Binding{"io.write.random.rested", "S", "storage", "measured", "write.stream", Dimension::rate},
    Binding{"io.write.random.rested", "K", "storage", "measured", "write.lanes", Dimension::number},
    Binding{"io.limit", "law", "storage", "measured", "limit.refill", Dimension::text},
    Binding{"io.limit", "T", "storage", "measured", "limit.burst", Dimension::time},
    Binding{"io.read.limit", "B", "storage", "measured", "limit.read", Dimension::rate},
    Binding{"io.read.limit", "I", "storage", "measured", "limit.read_ops", Dimension::op_rate},
    Binding{"io.write.limit", "B", "storage", "measured", "limit.write", Dimension::rate},
    Binding{"io.write.limit", "I", "storage", "measured", "limit.write_ops", Dimension::op_rate},
    Binding{"io.read.random", "law", "storage", "measured", "read.law", Dimension::text},
    Binding{"io.read.random", "alpha", "storage", "measured", "read.latency", Dimension::time},
    Binding{"io.read.random", "s", "storage", "measured", "read.per_op", Dimension::time},
    Binding{"io.read.random", "B", "storage", "measured", "read.rate", Dimension::rate},
    Binding{"io.read.random", "S", "storage", "measured", "read.stream", Dimension::rate},
    Binding{"io.read.random", "K", "storage", "measured", "read.lanes", Dimension::number},
    Binding{"io.read.sequential", "law", "storage", "measured", "read.law", Dimension::text},
    Binding{"io.read.sequential", "alpha", "storage", "measured", "read.latency", Dimension::time},
    Binding{"io.read.sequential", "s", "storage", "measured", "read.per_op", Dimension::time},
    Binding{"io.read.sequential", "B", "storage", "measured", "read.rate", Dimension::rate},
    Binding{"io.read.sequential", "S", "storage", "measured", "read.stream", Dimension::rate},
    Binding{"io.read.sequential", "K", "storage", "measured", "read.lanes", Dimension::number},
    Binding{"io.mixed", "law", "storage", "measured", "write.line", Dimension::text},
    Binding{"io.mixed", "c", "storage", "measured", "mixed.coupling", Dimension::number},
    Binding{"io.write.sequential", "law", "storage", "measured", "write.law", Dimension::text},
    Binding{"io.write.sequential", "alpha", "storage", "measured", "write.latency",
            Dimension::time},
    Binding{"io.write.sequential", "s", "storage", "measured", "write.per_op", Dimension::time},
    Binding{"io.write.sequential", "B", "storage", "measured", "write.rate", Dimension::rate},
    Binding{"io.write.sequential", "S", "storage", "measured", "write.stream", Dimension::rate},
    Binding{"io.write.sequential", "K", "storage", "measured", "write.lanes", Dimension::number},
    Binding{"io.write.random", "law", "storage", "measured", "write.law", Dimension::text},
    Binding{"io.write.random", "alpha", "storage", "measured", "write.latency", Dimension::time},
    Binding{"io.write.random", "s", "storage", "measured", "write.per_op", Dimension::time},
    Binding{"io.write.random", "B", "storage", "measured", "write.rate", Dimension::rate},
    Binding{"io.write.random", "S", "storage", "measured", "write.stream", Dimension::rate},
    Binding{"io.write.random", "K", "storage", "measured", "write.lanes", Dimension::number},
    Binding{"io.write.sustained", "B1", "storage", "local", "drive.burst_write", Dimension::rate},
    Binding{"io.write.sustained", "C", "storage", "local", "drive.burst", Dimension::bytes},
    Binding{"io.write.sustained", "B2", "storage", "local", "drive.write", Dimension::rate},
    Binding{"loader.boot.fork", "T", "loader", "pytorch", "boot", Dimension::time},
    Binding{"loader.compute.mixed", "s", "host", "", "cpu.smt", Dimension::number},
    Binding{"loader.decode.jpeg", "B", "dataset", "", "jpeg.rate", Dimension::rate},
    Binding{"loader.decode.raw", "B", "dataset", "", "float.rate", Dimension::rate},
    Binding{"loader.handover", "alpha", "loader", "pytorch", "handover", Dimension::time},
    Binding{"loader.handover", "B", "loader", "pytorch", "receive.rate", Dimension::rate},
    Binding{"loader.make", "alpha", "loader", "pytorch", "sending", Dimension::time},
    Binding{"loader.make", "B", "loader", "pytorch", "collate", Dimension::rate},
    Binding{"loader.start.fork", "T", "loader", "pytorch", "start", Dimension::time},
    Binding{"loader.worker", "B", "loader", "pytorch", "collate", Dimension::rate},
    Binding{"metadata.open", "Z", "storage", "measured", "open.latency", Dimension::time},
    Binding{"metadata.open", "D", "storage", "measured", "open.per_op", Dimension::time},
    Binding{"metadata.create", "Z", "storage", "measured", "create.latency", Dimension::time},
    Binding{"metadata.create", "D", "storage", "measured", "create.per_op", Dimension::time},
    Binding{"memory.crc32c.sse4.2.one", "B", "storage", "lustre", "client.checksum_rate",
            Dimension::rate},
    // What NVLink makes of its data sheet (docs/models/communication.md, table 2).
    Binding{"memory.d2d.ce.one", "B", "host", "", "nvlink.rate", Dimension::rate,
            1.0 / models::kNvlinkShare},
    Binding{"memory.h2d.pinned", "B", "host", "", "gpu.copy", Dimension::rate},
    Binding{"memory.h2d.pageable", "B", "host", "", "gpu.copy_pageable", Dimension::rate},
    Binding{"memory.h2d.ce.one", "B", "host", "", "gpu.copy", Dimension::rate},
    Binding{"memory.memcpy.one", "B", "loader", "pytorch", "pin.rate", Dimension::rate},
    Binding{"memory.page-cache-read.one", "B", "host", "", "cpu.copy", Dimension::rate},
    Binding{"memory.page-cache-read.one", "B", "dataset", "", "cache.copy", Dimension::rate},
    Binding{"memory.page-cache-read.memfd.one", "B", "host", "", "cpu.copy", Dimension::rate},
    Binding{"memory.page-cache-read.memfd.one", "B", "dataset", "", "cache.copy", Dimension::rate},
    // A payload, of which a port of this line rate carries its nic.efficiency.
    Binding{"network.read.many", "B", "host", "", "nic.rate", Dimension::rate, kPerPayload},
    Binding{"network.send.many", "B", "host", "", "nic.rate", Dimension::rate, kPerPayload},
    Binding{"network.write.many", "B", "host", "", "nic.rate", Dimension::rate, kPerPayload},
    // Half a round trip, but for reads.
    Binding{"network.send.one", "alpha", "fabric", "", "rtt", Dimension::time, 2.0},
    Binding{"network.send.one", "T", "fabric", "", "rtt", Dimension::time, 2.0},
    Binding{"network.write.one", "alpha", "fabric", "", "rtt", Dimension::time, 2.0},
    Binding{"network.write.one", "T", "fabric", "", "rtt", Dimension::time, 2.0},
    Binding{"network.read.one", "alpha", "fabric", "", "rtt", Dimension::time},
    Binding{"network.read.one", "T", "fabric", "", "rtt", Dimension::time},
    Binding{"network.ping-pong.tcp.one", "alpha", "fabric", "", "rtt", Dimension::time, 2.0},
    Binding{"network.stream.tcp.one", "B", "storage", "nfs", "client.connection", Dimension::rate},
    Binding{"network.stream.tcp.core", "B", "host", "", "cpu.tcp", Dimension::rate},
    Binding{"gds.read.p2p.one", "B", "host", "", "gds.stream", Dimension::rate},
    Binding{"gds.read.nvidia-fs.one", "B", "host", "", "gds.stream", Dimension::rate},
    // A barrier of the loop itself comes before a collective, one over hosts before one inside.
    Binding{"sync.barrier", "a", "job", "", "barrier.base", Dimension::time, 1.0, 0.0},
    Binding{"sync.barrier", "d", "job", "", "barrier.per_doubling", Dimension::time, 1.0, 0.0},
    Binding{"sync.barrier", "q", "job", "", "barrier.per_sqrt", Dimension::time, 1.0, 0.0},
    Binding{"sync.allreduce", "a", "job", "", "barrier.base", Dimension::time, 1.0, 0.0},
    Binding{"sync.allreduce", "d", "job", "", "barrier.per_doubling", Dimension::time, 1.0, 0.0},
    Binding{"sync.allreduce", "q", "job", "", "barrier.per_sqrt", Dimension::time, 1.0, 0.0},
    Binding{"sync.allreduce.one-host", "a", "job", "", "barrier.base", Dimension::time, 1.0, 0.0},
    Binding{"sync.allreduce.one-host", "d", "job", "", "barrier.per_doubling", Dimension::time, 1.0,
            0.0},
    Binding{"sync.allreduce.one-host", "q", "job", "", "barrier.per_sqrt", Dimension::time, 1.0,
            0.0},
};

/// Six significant digits: more than any measurement decides.
double rounded(double value) {
  if (value == 0.0) return 0.0;
  // Powers of ten are exact upwards only.
  const double digits = std::floor(std::log10(std::abs(value))) - 5.0;
  const double unit = std::pow(10.0, std::abs(digits));
  return digits > 0.0 ? std::round(value / unit) * unit : std::round(value * unit) / unit;
}

/// A law as the field that names it has it.
std::string text_of_law(const std::string& law) {
  if (law == "lanes") return "line";
  if (law == "random lanes") return "mva";
  if (law == "own lines") return "own";
  return law == "shared line" ? "shared" : law;
}

ProfileValue value_of(const Binding& b, const Fit& fit) {
  return {.role = std::string(b.role),
          .kind = std::string(b.kind),
          .field = std::string(b.field),
          .dimension = b.dimension,
          .text = {},
          .fit = fit.id,
          .draws = {}};
}

}  // namespace

std::vector<ProfileValue> values_of(const Fit& fit) {
  std::vector<ProfileValue> out;
  if (fit.verdict == FitVerdict::refused) return out;
  for (const Binding& b : kBindings) {
    if (b.series != fit.id) continue;
    ProfileValue value = value_of(b, fit);
    if (b.parameter == "law") {
      value.text = text_of_law(fit.law);
      out.push_back(std::move(value));
      continue;
    }
    const auto at = std::find_if(fit.parameters.begin(), fit.parameters.end(),
                                 [&](const FittedParameter& p) { return p.name == b.parameter; });
    if (at == fit.parameters.end()) {
      if (!b.absent) continue;
      value.value = value.low = value.high = *b.absent;
      out.push_back(std::move(value));
      continue;
    }
    value.value = rounded(b.factor * at->value);
    value.low = rounded(b.factor * at->low);
    value.high = rounded(b.factor * at->high);
    const auto column = static_cast<std::size_t>(at - fit.parameters.begin());
    for (const std::vector<double>& draw : fit.draws)
      value.draws.push_back(rounded(b.factor * draw[column]));
    out.push_back(std::move(value));
  }
  if (out.empty()) return out;
  // Where it was measured, so that a prediction can say when it leaves that range.
  const auto add = [&](std::string_view role, std::string_view kind, std::string_view field,
                       Dimension dimension, double number) {
    ProfileValue value = value_of({fit.id, "", role, kind, field, dimension}, fit);
    value.value = value.low = value.high = number;
    out.push_back(std::move(value));
  };
  const bool limit = fit.id.ends_with(".limit");
  const bool reads = fit.id.starts_with("io.read.") && !limit;
  const bool writes = fit.id.starts_with("io.write.") && !limit;
  const std::string range_of = writes ? "fitted.write." : "fitted.";
  const bool barrier = fit.id == "sync.barrier" || fit.id.starts_with("sync.allreduce");
  for (const FittedRange& range : fit.ranges) {
    if ((reads || writes) && range.quantity == "size") {
      add("storage", "measured", range_of + "smallest", Dimension::bytes, range.low);
      add("storage", "measured", range_of + "largest", Dimension::bytes, range.high);
    } else if ((reads || writes) && range.quantity == "depth") {
      if (range.low > 1.0)
        add("storage", "measured", range_of + "shallowest", Dimension::number, range.low);
      add("storage", "measured", range_of + "deepest", Dimension::number, range.high);
    } else if (barrier && range.quantity == "ranks") {
      add("job", "", "barrier.fitted.fewest", Dimension::count, range.low);
      add("job", "", "barrier.fitted.most", Dimension::count, range.high);
    }
  }
  return out;
}

std::vector<ProfileValue> values_of(const std::vector<Fit>& fits) {
  const auto rank = [](const Fit* fit) {
    return std::find_if(kBindings.begin(), kBindings.end(),
                        [&](const Binding& b) { return b.series == fit->id; }) -
           kBindings.begin();
  };
  std::vector<const Fit*> ordered;
  for (const Fit& fit : fits) ordered.push_back(&fit);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const Fit* a, const Fit* b) { return rank(a) < rank(b); });
  std::set<std::string> decided;
  std::vector<ProfileValue> out;
  for (const Fit* fit : ordered) {
    std::vector<ProfileValue> values = values_of(*fit);
    const auto place = [](const ProfileValue& v) { return v.role + "/" + v.kind + "/" + v.field; };
    if (std::any_of(values.begin(), values.end(),
                    [&](const ProfileValue& v) { return decided.contains(place(v)); }))
      continue;
    for (ProfileValue& value : values) {
      decided.insert(place(value));
      out.push_back(std::move(value));
    }
  }
  return out;
}

std::vector<const Fit*> refused_with_fields(const CalibrationProfile& profile) {
  std::vector<const Fit*> out;
  for (const Fit& fit : profile.fits)
    if (fit.verdict == FitVerdict::refused &&
        std::ranges::any_of(kBindings, [&](const Binding& b) { return b.series == fit.id; }))
      out.push_back(&fit);
  return out;
}

void tell_refused(const CalibrationProfile& profile, const Design& design, Uncertainty& of) {
  std::map<std::string, std::string> refused;  // by path, what refused it
  const std::vector<const Fit*> fits = refused_with_fields(profile);
  base::for_each_component(design, [&](const std::string& path, std::string_view role,
                                       const Component& component) {
    for (const Binding& b : kBindings)
      for (const Fit* fit : fits)
        if (b.series == fit->id && b.role == role && (b.kind.empty() || b.kind == component.kind))
          refused.emplace(path + "." + std::string(b.field), fit->id);
  });
  for (UncertainInput& input : of.inputs)
    if (const auto at = refused.find(input.path); at != refused.end())
      input.measure_with += (input.measure_with.empty() ? "" : ", again: ") +
                            ("the profile refused " + at->second + ", calibrate says why");
}

std::span<const Binding> bindings() { return kBindings; }

}  // namespace stallcast::calibration
