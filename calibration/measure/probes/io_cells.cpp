#include "calibration/measure/probes/io_cells.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::probing {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::uint64_t GiB = 1024 * MiB;

}  // namespace

IoEffort io_effort(ProbeDepth depth) {
  switch (depth) {
    case ProbeDepth::quick:
      return {.sizes = {4 * KiB, 32 * KiB, 128 * KiB, MiB},
              .depths = {1, 4, 16},
              .repeats = 3,
              .shortest_s = 0.4,
              .longest_s = 4.0,
              .file = GiB};
    case ProbeDepth::usual:
      return {.sizes = {4 * KiB, 16 * KiB, 128 * KiB, MiB, 4 * MiB},
              .depths = {1, 4, 16, 64},
              .repeats = 3,
              .shortest_s = 1.5,
              .longest_s = 15.0,
              .file = 4 * GiB};
    case ProbeDepth::thorough:
      break;
  }
  return {.sizes = {4 * KiB, 16 * KiB, 64 * KiB, 128 * KiB, 512 * KiB, MiB, 4 * MiB, 16 * MiB},
          .depths = {1, 2, 4, 8, 16, 32, 64},
          .repeats = 3,
          .shortest_s = 2.0,
          .longest_s = 20.0,
          .file = 16 * GiB,
          .ladder = {0.25, 0.5, 1.0, 2.0, 4.0},
          .watched_s = 120.0};
}

IoEffort io_effort_within(Seconds budget) {
  constexpr double kFillRate = 100e6, kPasses = 2.0, kFillShare = 0.1;  // B/s
  const double fill = kFillShare * budget.in(unit::s)*kFillRate / kPasses;
  IoEffort effort = io_effort(ProbeDepth::quick);
  // A hundredth of the time, for some forty points: limits of volumes are kept over tenths of a
  // second, and shorter runs see bursts.
  effort.shortest_s = std::clamp(0.01 * budget.in(unit::s), 0.3, 2.0);
  effort.file = std::clamp(static_cast<std::uint64_t>(fill) / MiB * MiB, 256 * MiB, 4 * GiB);
  return effort;
}

void by_importance(std::vector<IoCell>& cells) {
  const auto rank = [](const IoCell& cell) {
    const int kind = !cell.path.empty()          ? 4
                     : cell.operation == "read"  ? (cell.load.random ? 0 : 1)
                     : cell.operation == "write" ? 2
                                                 : 3;
    return std::pair(kind, -static_cast<std::int64_t>(cell.load.size));
  };
  std::stable_sort(cells.begin(), cells.end(),
                   [&](const IoCell& a, const IoCell& b) { return rank(a) < rank(b); });
}

std::vector<IoCell> io_cells(const IoEffort& effort, std::uint64_t bytes, std::uint64_t alignment,
                             bool reads_only) {
  std::vector<IoCell> out;
  const auto add = [&](std::string operation, std::string path, std::size_t size, unsigned depth,
                       double reads, bool random) -> IoCell* {
    if (size % alignment != 0 || size * depth > bytes / 16 || (reads_only && reads < 1.0))
      return nullptr;
    const IoLoad load{.size = size,
                      .depth = depth,
                      .read_share = reads,
                      .random = random,
                      .shortest_s = effort.shortest_s,
                      .longest_s = effort.longest_s,
                      .span = bytes / size * size};
    out.push_back({std::move(operation), std::move(path), load});
    return &out.back();
  };
  for (const std::size_t size : effort.sizes)
    for (const unsigned depth : effort.depths) {
      add("read", "", size, depth, 1.0, true);
      add("write", "", size, depth, 0.0, true);
    }
  for (const std::size_t size : {128 * KiB, MiB})
    for (const unsigned depth :
         {effort.depths.front(), effort.depths[effort.depths.size() / 2], effort.depths.back()}) {
      add("read", "", size, depth, 1.0, false);
      add("write", "", size, depth, 0.0, false);
    }
  for (const double reads : {0.25, 0.5, 0.75}) add("mixed", "", 128 * KiB, 16, reads, true);
  add("mixed", "", 4 * KiB, 16, 0.7, true);
  // To compare with: another way to ask, a small working set, data that are all zero.
  for (const std::size_t size : {4 * KiB, 128 * KiB})
    if (IoCell* cell = add("read", "psync", size, effort.depths[1], 1.0, true)) cell->psync = true;
  if (IoCell* cell = add("read", "working-set", 128 * KiB, effort.depths[1], 1.0, true))
    cell->load.span = std::min<std::uint64_t>(bytes, 64 * MiB);
  return out;
}

std::string label(const IoCell& cell) {
  std::string out = cell.operation + (cell.load.random ? " random " : " sequential ") +
                    base::print_quantity(static_cast<double>(cell.load.size), Dimension::bytes) +
                    ", depth " + std::to_string(cell.load.depth);
  return cell.path.empty() ? out : out + ", " + cell.path;
}

std::vector<double> per_second(const IoTally& tally) {
  const auto whole = static_cast<std::size_t>(tally.ended_s - tally.began_s);
  const auto n = std::min(whole, IoTally::kSeconds);
  return {tally.second.begin(), tally.second.begin() + static_cast<std::ptrdiff_t>(n)};
}

Measurement io_measurement(const IoCell& cell, const IoTally& tally) {
  const double seconds = std::max(tally.ended_s - tally.began_s, 1e-9);
  const auto count = static_cast<double>(tally.latencies.count());
  const double depth = cell.load.depth;
  Measurement m;
  m.operation = cell.operation;
  m.pattern = cell.load.random ? "random" : "sequential";
  m.path = cell.path;
  m.size = Bytes::from(static_cast<double>(cell.load.size), unit::B);
  if (cell.operation == "mixed") m.read_share = cell.load.read_share;
  m.processes = cell.psync ? cell.load.depth : 1;
  m.depth = depth;
  m.direct = true;
  m.rate = Rate::from(static_cast<double>(tally.bytes) / seconds, unit::Bps);
  m.ops = OpRate::from(count / seconds, unit::per_s);
  m.latency = tally.latencies.mean();
  m.quantiles = tally.latencies.quantiles();
  m.count = tally.latencies.count();
  m.rate_series = per_second(tally);
  m.duration = Seconds::from(seconds, unit::s);
  m.cores = tally.cpu_s / seconds;
  if (m.count < wanted_completions(cell.load.depth)) m.flags.emplace_back("few-completions");
  // N = X R (Little, 1961). The requests in flight at both ends are counted once: depth / count.
  const double little = count / seconds * m.latency->in(unit::s) / depth;
  if (std::abs(little - 1.0) > 0.05 + depth / std::max(count, 1.0))
    m.flags.emplace_back("inconsistent");
  if (*m.cores > 0.8 * static_cast<double>(m.processes)) m.flags.emplace_back("cpu-bound");
  const std::string buffers = tally.buffers.data();
  if (buffers == "pages" && cell.load.pages == BufferPages::huge)
    m.flags.emplace_back("small-pages");
  m.options["buffers"] = buffers;
  m.options["engine"] = cell.psync ? "psync" : "io_uring";
  if (!cell.psync) {
    m.options["registered_buffers"] = tally.registered_buffers ? "yes" : "no";
    m.options["registered_files"] = tally.registered_files ? "yes" : "no";
  }
  return m;
}

}  // namespace stallcast::calibration::probing
