#include "calibration/observe/live/side_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

// Layout: hooks/stallcast_record.py.
namespace stallcast::calibration::live {
namespace {

constexpr double kSideMagic = 20261123.0;
constexpr std::size_t kSideHead = 64, kSideText = 1024, kSlotHead = 8, kSlotKept = 512;
constexpr std::size_t kSlot = kSlotHead + 3 * kSlotKept, kMostSlots = 64;
constexpr std::size_t kLargestSide = 8 * (kSideHead + kSideText + kMostSlots * kSlot);

/// A count of at most `most`; 0 for what cannot be one.
std::size_t whole(double value, std::size_t most) {
  return value >= 0.0 && value <= 1e15 ? std::min(static_cast<std::size_t>(value), most) : 0;
}
double finite(double value) { return std::isfinite(value) && value >= 0.0 ? value : 0.0; }

std::optional<std::int64_t> numbered(double value) {
  if (!(value >= 0.0 && value < 1e9)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

SideTally tally_at(const double* slot) {
  SideTally out;
  out.kind = static_cast<SideKind>(whole(slot[0], 1000));
  out.loader = slot[1] >= 0.0 ? static_cast<int>(whole(slot[1], 1000)) : -1;
  out.count = std::floor(finite(slot[2]));
  out.sum = finite(slot[3]);
  out.least = finite(slot[4]);
  out.most = std::max(finite(slot[5]), out.least);
  out.measured = std::min(finite(slot[6]), out.count);
  const std::size_t kept = whole(out.measured, kSlotKept);
  for (std::size_t i = 0; i < kept; ++i) {
    const double* one = slot + kSlotHead + 3 * i;
    out.kept.push_back({finite(one[0]), std::clamp(finite(one[1]), out.least, out.most),
                        std::max(finite(one[2]), 1.0)});
  }
  return out;
}

}  // namespace

std::optional<SideFile> read_side_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(kLargestSide, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  std::vector<double> cells(bytes.size() / sizeof(double));
  if (cells.size() < kSideHead + kSideText) return std::nullopt;
  std::memcpy(cells.data(), bytes.data(), cells.size() * sizeof(double));
  if (cells[0] != kSideMagic || cells[1] != 1.0) return std::nullopt;
  SideFile out;
  out.pid = static_cast<pid_t>(whole(cells[2], 1U << 30U));
  out.worker = cells[4] != 0.0;
  out.rank = numbered(cells[5]);
  out.world = numbered(cells[6]);
  out.hook_time = finite(cells[8]);
  out.hook_start = std::min(finite(cells[50]), out.hook_time);
  out.samples = finite(cells[11]);
  for (std::size_t i = 60; i < 64; ++i) out.samples += finite(cells[i]);
  out.measured = finite(cells[22]);
  out.errors = finite(cells[12]);
  out.syncs = finite(cells[13]);
  out.sync_time = finite(cells[14]);
  out.facts = bytes.substr(8 * kSideHead, whole(cells[15], 8 * kSideText));
  out.asynchronous = cells[16] != 0.0;
  out.saves_in_memory = finite(cells[20]);
  out.optimizer_steps = finite(cells[21]);
  for (std::size_t i = 0; i < 4; ++i) {
    out.intervals_of[i] = finite(cells[52 + i]);
    out.steps_of[i] = finite(cells[56 + i]);
    out.samples_of[i] = finite(cells[60 + i]);
  }
  const std::size_t room = (cells.size() - kSideHead - kSideText) / kSlot;
  for (std::size_t i = 0; i < whole(cells[10], std::min(room, kMostSlots)); ++i)
    out.tallies.push_back(tally_at(cells.data() + kSideHead + kSideText + i * kSlot));
  // A save that no step has followed yet.
  constexpr std::pair<std::size_t, SideKind> kPending[] = {
      {17, SideKind::save}, {18, SideKind::save_bytes}, {19, SideKind::save_files}};
  for (const auto& [cell, kind] : kPending) {
    const double value = finite(cells[cell]);
    if (value > 0.0)
      out.tallies.push_back({kind, 0, 1.0, value, value, value, 1.0, {{0.0, value, 1.0}}});
  }
  return out;
}

}  // namespace stallcast::calibration::live
