#include "calibration/measure/probes/gds/cells.hpp"

#include <algorithm>

#include "calibration/measure/probes/io_cells.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::gds {
namespace {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr std::uint64_t kPage = 4096;

struct Named {
  std::string_view asked;
  Way way;
  CuFileSettings settings = {};
  bool registered = true;
};
constexpr std::array kWays{
    Named{"pageable", Way::pageable},
    Named{"pinned", Way::pinned},
    Named{"direct-pinned", Way::direct_pinned},
    Named{"cufile", Way::cufile},
};
/// Settings that show which ways there are; one size is enough.
constexpr std::array kVariants{
    Named{"cufile unregistered", Way::cufile, {}, false},
    Named{"cufile p2pdma", Way::cufile, {.p2pdma = true}},
    Named{"cufile no-compat", Way::cufile, {.allow_compat = false}},
    Named{"cufile p2pdma no-compat", Way::cufile, {.allow_compat = false, .p2pdma = true}},
    Named{"cufile forced-compat", Way::cufile, {.force_compat = true}},
};
constexpr std::array kCopies{
    Named{"pageable", Way::copy_pageable},
    Named{"pinned", Way::copy_pinned},
};

}  // namespace

GdsEffort gds_effort(ProbeDepth depth) {
  switch (depth) {
    case ProbeDepth::quick:
      return {{128 * kKiB, 4 * kMiB},
              {1, 8},
              {64 * kKiB, 512 * kKiB, 4 * kMiB, 16 * kMiB},
              3,
              0.2,
              5.0,
              1024 * kMiB};
    case ProbeDepth::usual:
      return {{64 * kKiB, kMiB, 16 * kMiB},
              {1, 4, 16},
              {4 * kKiB, 64 * kKiB, kMiB, 64 * kMiB},
              3,
              0.5,
              10.0,
              4096 * kMiB};
    case ProbeDepth::thorough:
      break;
  }
  return {{64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB},
          {1, 2, 4, 8, 16},
          {4 * kKiB, 64 * kKiB, kMiB, 16 * kMiB, 64 * kMiB, 1024 * kMiB},
          5,
          1.0,
          15.0,
          16384 * kMiB};
}

std::vector<GdsCell> gds_cells(const GdsEffort& effort, std::uint64_t bytes,
                               std::uint64_t alignment) {
  std::vector<GdsCell> cells;
  const auto add = [&](const Named& named, const char* operation, bool reading, std::size_t size,
                       unsigned threads) {
    GdsCell cell{std::string(named.asked), operation, {}};
    cell.load = {.way = named.way,
                 .io = {.size = size,
                        .depth = threads,
                        .read_share = reading ? 1.0 : 0.0,
                        .shortest_s = effort.shortest_s,
                        .longest_s = effort.longest_s,
                        .span = bytes / size * size},
                 .settings = named.settings,
                 .registered = named.registered};
    cells.push_back(std::move(cell));
  };
  std::vector<std::size_t> sizes;
  for (const std::size_t size : effort.sizes)
    if (size % std::max(kPage, alignment) == 0 && 4 * size <= bytes) sizes.push_back(size);
  for (const std::size_t size : sizes)
    for (const unsigned threads : effort.threads) {
      if (4 * size * threads > bytes) continue;
      for (const Named& named : kWays) {
        add(named, "read", true, size, threads);
        add(named, "write", false, size, threads);
      }
    }
  if (!sizes.empty())
    for (const Named& named : kVariants) add(named, "read", true, sizes[sizes.size() / 2], 1);
  for (const std::size_t size : effort.copies)
    for (const Named& named : kCopies) {
      add(named, "h2d", true, size, 1);
      add(named, "d2h", false, size, 1);
    }
  return cells;
}

std::string label(const GdsCell& cell) {
  const auto size = static_cast<double>(cell.load.io.size);
  return cell.asked + ": " + cell.operation + " " + base::print_quantity(size, Dimension::bytes) +
         ", threads " + std::to_string(cell.load.io.depth);
}

Measurement gds_measurement(const GdsCell& cell, const GdsTally& tally) {
  Measurement m = probing::io_measurement(
      {.operation = cell.operation, .path = cell.asked, .load = cell.load.io, .psync = true},
      tally.io);
  m.subject = cell.copies_only() ? Subject::memory : Subject::gds;
  m.options["buffers"] = tally.buffers.data();
  m.options["engine"] = cell.load.way == Way::cufile ? "cuFile" : "CUDA driver";
  if (m.options["buffers"] == "pages") m.flags.emplace_back("small-pages");
  if (m.rate > Rate{}) m.figures["cpu_s_per_GB"] = *m.cores / m.rate.in(unit::GBps);
  if (cell.copies_only()) {
    m.pattern.clear();
    m.direct.reset();
  }
  if (cell.load.way == Way::direct_pinned) {
    m.latency.reset();
    m.quantiles.clear();
    m.figures.erase("little_ratio");
    std::erase(m.flags, "inconsistent");
  }
  if (cell.load.way != Way::cufile) return m;
  Evidence evidence{
      .counts = {}, .asked = cell.load.settings, .nvfs_major = tally.properties.nvfs_major};
  if (tally.counted) {
    evidence.counts = PathCounts{tally.counts[0], tally.counts[1], tally.counts[2]};
    m.figures["p2p_requests"] = static_cast<double>(tally.counts[0]);
    m.figures["nvidia_fs_requests"] = static_cast<double>(tally.counts[1]);
    m.figures["compat_requests"] = static_cast<double>(tally.counts[2]);
  }
  PathVerdict verdict = judge(evidence);
  // Apart from the others, which it would be fitted with.
  m.path = verdict.path + (cell.load.registered ? "" : "-unregistered");
  m.flags.insert(m.flags.end(), verdict.flags.begin(), verdict.flags.end());
  m.options["asked"] = cell.asked;
  m.options["evidence"] = verdict.evidence;
  return m;
}

}  // namespace stallcast::calibration::gds
