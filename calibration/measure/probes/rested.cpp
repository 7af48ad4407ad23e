#include "calibration/measure/probes/rested.hpp"

#include <algorithm>
#include <array>

namespace stallcast::calibration::probing {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::array kRests{0.3, 0.3, 1.2};  // s

struct Point {
  std::size_t size;
  unsigned depth;
};
constexpr std::array kPoints{Point{4 * KiB, 16}, Point{MiB, 4},       Point{4 * KiB, 1},
                             Point{MiB, 1},      Point{128 * KiB, 1}, Point{128 * KiB, 16}};

}  // namespace

std::span<const double> rests_s() { return kRests; }

std::optional<BurstEnd> knee_of(std::span<const IoTally::Mark> marks, OpRate loaded) {
  const double rate = loaded.in(unit::per_s);
  const IoTally::Mark* best = nullptr;
  const auto above = [&](const IoTally::Mark& m) {
    return static_cast<double>(m.requests) - rate * m.after_s;
  };
  for (const IoTally::Mark& m : marks)
    if (best == nullptr || above(m) > above(*best)) best = &m;
  if (best == nullptr || best->after_s <= 0.0) return std::nullopt;
  const auto requests = static_cast<double>(best->requests);
  // One request that was quick is no bucket.
  if (best->requests < 2 || requests < kFaster * rate * best->after_s) return std::nullopt;
  const IoTally::Mark* next = best + 1;
  const bool more = next != marks.data() + marks.size();
  return BurstEnd{requests, best->after_s, more ? next->after_s - best->after_s : 0.0};
}

std::vector<IoCell> rested_cells(std::uint64_t bytes, std::uint64_t alignment, bool reads_only) {
  std::vector<IoCell> out;
  for (const bool reading : {true, false}) {
    if (!reading && reads_only) continue;
    for (const Point& point : kPoints) {
      if (point.size % alignment != 0 || point.size * point.depth > bytes / 16) continue;
      out.push_back({reading ? "read" : "write",
                     "rested",
                     {.size = point.size,
                      .depth = point.depth,
                      .read_share = reading ? 1.0 : 0.0,
                      .shortest_s = kRestedRun_s,
                      .longest_s = kRestedRun_s,
                      .span = bytes / point.size * point.size,
                      .pause_s = kRests.front()}});
    }
  }
  return out;
}

Measurement rested_measurement(const IoCell& cell, const IoTally& tally, OpRate loaded) {
  const std::span marks(tally.mark.data(), tally.marks);
  const std::optional<BurstEnd> knee = knee_of(marks, loaded);
  const auto all = static_cast<double>(tally.latencies.count());
  const double lasted = std::max(tally.ended_s - tally.began_s, 1e-9);
  const double requests = knee ? knee->requests : all, time = knee ? knee->after_s : lasted;
  const double depth = std::min(static_cast<double>(cell.load.depth), std::max(requests, 1.0));
  Measurement m;
  m.operation = cell.operation;
  m.pattern = "random";
  m.path = cell.path;
  m.size = Bytes::from(static_cast<double>(cell.load.size), unit::B);
  m.processes = 1;
  m.depth = depth;
  m.direct = true;
  m.ops = OpRate::from(requests / time, unit::per_s);
  m.rate = Rate::from(requests / time * m.size.in(unit::B), unit::Bps);
  m.latency = Seconds::from(depth * time / std::max(requests, 1.0), unit::s);
  m.count = static_cast<std::uint64_t>(requests);
  m.duration = Seconds::from(time, unit::s);
  m.figures = {{"rest_s", cell.load.pause_s},
               {"loaded_ops", loaded.in(unit::per_s)},
               {"burst_requests", knee ? knee->requests : 0.0},
               {"burst_s", knee ? knee->after_s : 0.0},
               {"gap_s", knee ? knee->gap_s : 0.0},
               {"after_ops", lasted > time ? (all - requests) / (lasted - time) : 0.0}};
  m.options["engine"] = cell.psync ? "psync" : "io_uring";
  m.options["buffers"] = tally.buffers.data();
  return m;
}

}  // namespace stallcast::calibration::probing
