#include "calibration/observe/replay/trace_figures.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration {
namespace {

/// Files whose extents are remembered.
constexpr std::size_t kMostExtents = 1000000;

std::string number_of(std::uint64_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

ReplayAction replayed_as(OperationKind kind) {
  switch (kind) {
    case OperationKind::read:
      return ReplayAction::read;
    case OperationKind::write:
      return ReplayAction::write;
    case OperationKind::sync:
    case OperationKind::data_sync:
      return ReplayAction::sync;
    case OperationKind::open:
    case OperationKind::stat:
    case OperationKind::directory:
    case OperationKind::unlink:
    case OperationKind::truncate:
      return ReplayAction::metadata;
    default:
      return ReplayAction::none;
  }
}

void add_latency(const SecondsTally& tally, const Distribution<Seconds>& spread,
                 ReplayFigures& out) {
  out.time_s = tally.sum().in(unit::s);
  out.latency_s["mean"] = *out.time_s / static_cast<double>(out.operations);
  out.latency_s["max"] = spread.maximum.in(unit::s);
  for (const auto& [share, key] : {std::pair{0.5, "p50"}, {0.95, "p95"}, {0.99, "p99"}})
    out.latency_s[key] = spread.quantiles.at(share).in(unit::s);
}

void TraceFigures::add(const Operation& op, bool issued, bool elsewhere, double start, double end) {
  const double last = std::isnan(end) ? start : end;
  begin_ = seen_ == 0 ? start : std::min(begin_, start);
  end_ = seen_ == 0 ? last : std::max(end_, last);
  ++seen_;
  if (op.kind == OperationKind::mark) return;
  if (op.failed) failed_ += op.count;
  if (op.kind == OperationKind::map) mapped_ += op.count;
  if (op.kind == OperationKind::ring) ringed_ += op.count;
  if (op.kind == OperationKind::copy && !op.failed) {
    copied_ += op.count;
    copied_bytes_ += op.bytes;
  }
  if (elsewhere) elsewhere_ += op.count;
  if (!issued) return;
  issued_ += op.count;
  Kind& kind = kinds_[replayed_as(op.kind)];
  kind.operations += op.count;
  if (moves_bytes(op.kind)) {
    kind.bytes += op.bytes.in(unit::B);
    if (op.file == 0) nameless_ += op.count;
    if (!op.offset) unplaced_ += op.count;
  }
  if (std::isnan(end))
    untimed_ += op.count;
  else {
    kind.timed += op.count;
    if (end <= start) instant_ += op.count;
    kind.latency.add(Seconds::from(end - start, unit::s));
  }
  if (op.kind != OperationKind::read || op.file == 0) return;
  if (extents_.size() >= kMostExtents && !extents_.contains(op.file)) return ++beyond_, void();
  std::uint64_t& extent = extents_[op.file];
  extent =
      std::max(extent, static_cast<std::uint64_t>(op.bytes.in(unit::B)) + op.offset.value_or(0));
}

void TraceFigures::files(ReplayHeader& header) const {
  header.files = extents_.size();
  for (const auto& [file, extent] : extents_) {
    header.file_bytes += static_cast<double>(extent);
    header.largest_file = std::max(header.largest_file, static_cast<double>(extent));
  }
}

void TraceFigures::notes(Replay& out, std::uint64_t machines, double resolution,
                         std::uint64_t beside) const {
  const auto note = [&](std::string text) { out.notes.push_back(std::move(text)); };
  if (failed_ > 0)
    note(number_of(failed_, "failed call") + " not replayed; their time is think time");
  if (mapped_ > 0)
    note(number_of(mapped_, "mapping") +
         " of files not replayed: no trace has the bytes they read");
  if (copied_ > 0)
    note(number_of(copied_, "call") + " of sendfile or copy_file_range not replayed, of " +
         base::print_quantity(copied_bytes_.in(unit::B), Dimension::bytes) +
         ": their time is think time");
  if (ringed_ > 0)
    note(number_of(ringed_, "call") +
         " of io_uring or libaio not replayed: how long they took is in no trace; their time is "
         "think time");
  if (elsewhere_ > 0)
    note(number_of(elsewhere_, "call") +
         " on other files than asked for not replayed; their time is think time");
  if (left_out_.transfers > 0)
    note(number_of(left_out_.transfers, "transfer") + " of " +
         base::print_quantity(left_out_.bytes.in(unit::B), Dimension::bytes) +
         " not replayed, on descriptors whose opening is not in the trace: their time is think "
         "time (strace -y names their files)");
  if (nameless_ > 0)
    note(number_of(nameless_, "transfer") +
         " of files that the trace does not name: no memory holds them");
  if (unplaced_ > 0)
    note(number_of(unplaced_, "transfer") +
         " at places that the trace does not tell: taken as random");
  if (untimed_ > 0)
    note("the trace does not say how long " + number_of(untimed_, "operation") +
         " took, nor how many were in flight: each is issued as long after the one before began "
         "as in the trace, or when that has ended if later, one at a time in its thread");
  if (resolution > 1e-6 && instant_ > 0)
    note(number_of(instant_, "operation") + " shorter than " +
         base::print_quantity(resolution, Dimension::time) +
         " seem to take no time in the trace: that time is think time here");
  if (beside > 0)
    note(
        number_of(beside, "operation") +
        " begin before the one before in their thread has ended: they are threads of their own, at "
        "the times of the trace");
  if (beyond_ > 0) note("files beyond the first million do not count for sizes of files");
  if (machines == 1)
    note(
        "the trace is of one machine: all its processes are on one host unless --per-host says "
        "otherwise");
  if (machines > 1)
    note("the trace is of " + std::to_string(machines) +
         " machines or containers: each is on a host of its own, as far as there are any, unless "
         "--per-host says otherwise");
}

void TraceFigures::finish(Replay& out, const ReplayHeader& header, double resolution,
                          std::uint64_t beside) const {
  out.operations = issued_;
  out.trace_makespan_s = end_ - begin_;
  bool all_timed = issued_ > 0;
  double sum = 0.0;
  for (const auto& [name, kind] : kinds_) {
    ReplayFigures& figures = out.traced[std::string(name_of(name))];
    figures.operations = kind.operations;
    figures.bytes = kind.bytes;
    all_timed = all_timed && kind.timed == kind.operations;
    const auto spread = kind.latency.distribution();
    if (kind.timed != kind.operations || !spread) continue;
    add_latency(kind.latency, *spread, figures);
    sum += *figures.time_s;
  }
  if (all_timed) out.trace_io_s = sum;
  notes(out, header.machines, resolution, beside);
}

}  // namespace stallcast::calibration
