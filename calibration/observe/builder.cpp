#include "calibration/observe/builder.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/observe/missing_ranks.hpp"
#include "calibration/observe/observation_json.hpp"
#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

constexpr std::size_t kTrackedFiles = 200'000;
constexpr std::size_t kTrackedPositions = 400'000;
constexpr std::size_t kTrackedThreads = 200'000;
constexpr std::size_t kTrackedMounts = 1024;

double bytes_of(const Operation& op) { return op.bytes.in(unit::B); }

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t state = a * 0x9E3779B97F4A7C15U + b;
  return base::split_mix(state);
}

/// The least power of two of `bytes`' bucket.
double bucket_of(double bytes) {
  return bytes < 1.0 ? 0.0 : std::exp2(std::floor(std::log2(bytes)));
}

}  // namespace

std::string NameKeeper::name_of(std::string_view name, char kind, bool ending) const {
  if (keep_ || name.empty()) return std::string(name);
  std::string out = kind + base::sha256(name).substr(0, 12);
  const std::string_view last = name.substr(name.rfind('/') + 1);
  const std::size_t dot = last.rfind('.');
  if (!ending || dot == last.npos || dot == 0) return out;
  const std::string_view suffix = last.substr(dot + 1);
  const bool plain = suffix.size() <= 8 && std::all_of(suffix.begin(), suffix.end(), [](char c) {
                       return base::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
                     });
  if (plain && !suffix.empty()) out += "." + std::string(suffix);
  return out;
}

std::uint64_t file_id(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, then spread
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = base::split_mix(hash);
  return hash == 0 ? 1 : hash;
}

void ObservationBuilder::begin(std::optional<Seconds> began) {
  if (!began) {
    dated_ = false;
    shift_ = 0.0;
    return;
  }
  if (!origin_) origin_ = began->in(unit::s);
  shift_ = began->in(unit::s) - *origin_;
}

ObservedProcess& ObservationBuilder::process(std::int64_t rank) {
  const auto it = processes_.find(rank);
  if (it != processes_.end()) return it->second;
  if (processes_.size() < kProcesses) {
    ObservedProcess& row = processes_[rank];
    row.rank = rank;
    return row;
  }
  if (folded_.size() < kTrackedThreads) folded_.insert(rank);
  return beyond_;
}

void ObservationBuilder::seen(std::int64_t rank, std::int64_t thread, Seconds start, Seconds end) {
  const double from = start.in(unit::s) + shift_, to = std::max(end, start).in(unit::s) + shift_;
  first_ = first_ ? std::min(*first_, from) : from;
  last_ = last_ ? std::max(*last_, to) : to;
  ObservedProcess& row = process(rank);
  const bool fresh =
      threads_.size() < kTrackedThreads &&
      threads_.insert(mixed(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(thread)))
          .second;
  const Seconds first = Seconds::from(from, unit::s), last = Seconds::from(to, unit::s);
  row.start = row.threads == 0 ? first : std::min(row.start, first);
  row.end = row.threads == 0 ? last : std::max(row.end, last);
  if (fresh || row.threads == 0) ++row.threads;
}

ObservationBuilder::FileRow* ObservationBuilder::file_row(const Operation& op,
                                                          const TracedFile* file) {
  if (op.file == 0) return nullptr;
  const auto it = files_.find(op.file);
  if (it != files_.end()) return &it->second;
  if (files_.size() >= kTrackedFiles) {
    untracked_ += op.count;
    return nullptr;
  }
  FileRow& row = files_[op.file];
  if (file != nullptr) {
    row.name = names.file(file->name);
    row.mount = names.mount(file->mount);
  }
  return &row;
}

void ObservationBuilder::mount(const Operation& op, const TracedFile& file, bool fresh) {
  if (file.mount.empty()) return;
  auto it = mounts_.find(file.mount);
  if (it == mounts_.end()) {
    if (mounts_.size() >= kTrackedMounts) return;
    it = mounts_.emplace(file.mount, ObservedMount{}).first;
    it->second.mount = names.mount(file.mount);
    it->second.fs_type = file.fs_type;
  }
  ObservedMount& row = it->second;
  row.files += fresh ? 1 : 0;
  if (op.kind == OperationKind::read) {
    row.reads += op.count;
    row.read += op.bytes;
  } else if (op.kind == OperationKind::write) {
    row.writes += op.count;
    row.written += op.bytes;
  } else {
    row.metadata += op.count;
  }
}

void ObservationBuilder::place(Transfers& to, const Operation& op) {
  if (!op.offset || op.file == 0) return;
  const std::uint64_t key = mixed(mixed(op.file, static_cast<std::uint64_t>(op.rank)),
                                  op.kind == OperationKind::read ? 1 : 2);
  auto it = positions_.find(key);
  if (it == positions_.end()) {
    if (positions_.size() >= kTrackedPositions) return;
    it = positions_.emplace(key, 0).first;
  }
  ++(it->second == *op.offset ? to.sequential : to.random);
  it->second = *op.offset + static_cast<std::uint64_t>(bytes_of(op));
}

void ObservationBuilder::transfer(const Operation& op) {
  Transfers& to = op.kind == OperationKind::read ? reads_ : writes_;
  if (op.failed) {
    to.failed += op.count;
    return;
  }
  const double bytes = bytes_of(op);
  to.operations += op.count;
  to.bytes += bytes;
  const double each = bytes / static_cast<double>(op.count);
  to.size.add(Bytes::from(each, unit::B));
  SizeBucket& bucket = to.sizes[bucket_of(each)];
  bucket.operations += op.count;
  bucket.bytes += op.bytes;
  if (op.end) {
    const double time = std::max((*op.end - op.start).in(unit::s), 0.0);
    to.timed += op.count;
    to.time += op.count == 1 ? time : 0.0;
    if (op.count == 1) to.latency.add(Seconds::from(time, unit::s));
  }
  if (op.count == 1) place(to, op);
}

void ObservationBuilder::metadata(const Operation& op) {
  Metadata& to = metadata_[op.kind];
  to.count += op.count;
  if (op.failed) to.failed += op.count;
  if (!op.end || op.count != 1) return;
  const Seconds time = std::max(*op.end - op.start, Seconds{});
  ++to.timed;
  to.time += time.in(unit::s);
  to.latency.add(time);
}

void ObservationBuilder::operation(const Operation& op, const TracedFile* file) {
  operations_ += op.count;
  seen(op.rank, op.thread, op.start, op.end.value_or(op.start));
  ObservedProcess& who = process(op.rank);
  who.operations += op.count;
  if (op.kind == OperationKind::read) who.read += op.bytes;
  if (op.kind == OperationKind::write) who.written += op.bytes;
  moves_bytes(op.kind) ? transfer(op) : metadata(op);
  const bool of_file =
      moves_bytes(op.kind) || op.kind == OperationKind::open || op.kind == OperationKind::map;
  if (op.failed || !of_file) {
    if (file != nullptr && !op.failed) mount(op, *file, false);
    return;
  }
  const std::size_t before = files_.size();
  FileRow* row = file_row(op, file);
  const bool fresh = files_.size() > before;
  if (file != nullptr) mount(op, *file, fresh);
  if (row == nullptr) return;
  row->operations += op.count;
  if (op.kind == OperationKind::read) {
    reads_.files += row->was_read ? 0 : 1;
    row->was_read = true;
    row->read += bytes_of(op);
  } else if (op.kind == OperationKind::write) {
    writes_.files += row->was_written ? 0 : 1;
    row->was_written = true;
    row->written += bytes_of(op);
  }
  if (op.offset && moves_bytes(op.kind))
    row->extent = std::max(row->extent, static_cast<double>(*op.offset) + bytes_of(op));
}

void ObservationBuilder::collective(std::string_view operation, std::optional<Seconds> time,
                                    std::optional<Bytes> bytes) {
  const auto it = collectives_.find(operation);
  Collective& to = it != collectives_.end() ? it->second : collectives_[std::string(operation)];
  ++to.count;
  if (time) to.latency.add(*time);
  if (bytes) to.bytes = to.bytes.value_or(0.0) + bytes->in(unit::B);
}

void ObservationBuilder::finish_transfers(std::optional<ObservedTransfers>& out,
                                          Transfers& from) const {
  if (out || operations_ == 0) return;
  ObservedTransfers& to = out.emplace();
  to.operations = from.operations;
  to.failed = from.failed;
  to.bytes = Bytes::from(from.bytes, unit::B);
  if (from.timed > 0) to.time = Seconds::from(from.time, unit::s);
  to.latency = from.latency.distribution();
  to.size = from.size.distribution();
  for (auto& [least, bucket] : from.sizes) {
    bucket.least = Bytes::from(least, unit::B);
    to.sizes.push_back(bucket);
  }
  if (from.sequential + from.random > 0) {
    to.sequential = from.sequential;
    to.random = from.random;
  }
  to.files = from.files;
}

void ObservationBuilder::finish_files(Observation& out) {
  if (operations_ == 0 || (files_.empty() && untracked_ == 0)) return;
  ObservedFiles& to = out.files.emplace();
  to.count = files_.size();
  to.untracked = untracked_;
  std::vector<const FileRow*> rows;
  BytesTally extents;
  // By number, so that the choice of the distribution does not depend on a hash table.
  std::vector<std::uint64_t> ids;
  for (const auto& [id, row] : files_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  for (const std::uint64_t id : ids) {
    const FileRow& row = files_.at(id);
    if (row.extent > 0.0) extents.add(Bytes::from(row.extent, unit::B));
    rows.push_back(&row);
  }
  to.extent = extents.distribution();
  std::stable_sort(rows.begin(), rows.end(), [](const FileRow* a, const FileRow* b) {
    return a->read + a->written > b->read + b->written;
  });
  to.folded = rows.size() > kFiles ? rows.size() - kFiles : 0;
  rows.resize(std::min(rows.size(), kFiles));
  for (const FileRow* row : rows)
    to.largest.push_back({row->name, row->mount, Bytes::from(row->extent, unit::B),
                          Bytes::from(row->read, unit::B), Bytes::from(row->written, unit::B),
                          row->operations});
  if (untracked_ > 0)
    notes_.insert("more than " + std::to_string(kTrackedFiles) +
                  " files: those beyond are in the totals, not in the count of files");
}

void ObservationBuilder::finish_steps(Observation& out) const {
  if (step.count() > 0 || out.steps) {
    ObservedSteps& to = out.steps ? *out.steps : out.steps.emplace();
    to.count = step.count();
    to.duration = step.distribution();
    to.wait = wait.distribution();
    to.compute = compute.distribution();
    to.first_batch = first_batch.distribution();
  }
  if (sample_wall.count() > 0 || sample_bytes.count() > 0) {
    ObservedSamples& to = out.samples ? *out.samples : out.samples.emplace();
    to.count = std::max(sample_wall.count(), sample_bytes.count());
    to.wall = sample_wall.distribution();
    to.cpu = sample_cpu.distribution();
    to.bytes = sample_bytes.distribution();
  }
  if (batch_bytes.count() > 0) {
    if (!out.loader) out.loader.emplace();
    out.loader->batch_bytes = batch_bytes.distribution();
  }
  if (save_time.count() > 0 || out.saves) {
    ObservedCheckpoints& to = out.saves ? *out.saves : out.saves.emplace();
    to.count = save_time.count();
    to.duration = save_time.distribution();
    to.period = save_period.distribution();
    to.period_steps = save_steps.distribution();
  }
  if (load_time.count() > 0 || out.loads) {
    ObservedCheckpoints& to = out.loads ? *out.loads : out.loads.emplace();
    to.count = load_time.count();
    to.duration = load_time.distribution();
  }
}

void ObservationBuilder::finish_times(Observation& out) {
  const double zero = first_.value_or(0.0);
  if (first_ && last_ && !out.wall) out.wall = Seconds::from(*last_ - *first_, unit::s);
  if (origin_ && dated_ && first_) out.began = Seconds::from(*origin_ + zero, unit::s);
  std::vector<std::int64_t> ranks;
  for (const auto& [rank, row] : processes_) ranks.push_back(rank);
  std::sort(ranks.begin(), ranks.end());
  for (const std::int64_t rank : ranks) {
    ObservedProcess row = processes_.at(rank);
    const bool timed = row.threads > 0;
    row.start = timed ? row.start - Seconds::from(zero, unit::s) : Seconds{};
    row.end = timed ? row.end - Seconds::from(zero, unit::s) : Seconds{};
    if (row.rank && *row.rank < 0) row.rank.reset();
    out.processes.push_back(std::move(row));
  }
  out.processes_folded += folded_.size();
}

Observation ObservationBuilder::finish() {
  meetings.tell(step);
  if (const auto others = meetings.waited_for_others())
    known.figures["step_others_s"] = others->in(unit::s);
  Observation out = std::move(known);
  finish_times(out);
  finish_steps(out);
  finish_transfers(out.reading, reads_);
  finish_transfers(out.writing, writes_);
  for (auto& [kind, from] : metadata_) {
    ObservedMetadata& to = out.metadata.emplace_back();
    to.operation = name_of(kind);
    to.count = from.count;
    to.failed = from.failed;
    if (from.timed > 0) to.time = Seconds::from(from.time, unit::s);
    to.latency = from.latency.distribution();
  }
  std::sort(out.metadata.begin(), out.metadata.end(),
            [](const auto& a, const auto& b) { return a.operation < b.operation; });
  finish_files(out);
  for (auto& [name, row] : mounts_) out.mounts.push_back(std::move(row));
  std::stable_sort(out.mounts.begin(), out.mounts.end(), [](const auto& a, const auto& b) {
    return a.read + a.written > b.read + b.written;
  });
  for (auto& [name, from] : collectives_) {
    ObservedCollective& to = out.collectives.emplace_back();
    to.operation = name;
    to.count = from.count;
    if (from.latency.count() > 0) to.time = from.latency.sum();
    to.latency = from.latency.distribution();
    if (from.bytes) to.bytes = Bytes::from(*from.bytes, unit::B);
  }
  if (folded_.empty())
    if (std::string missing = tell_missing_ranks(out, !meetings.empty()); !missing.empty())
      note(std::move(missing));
  out.notes.assign(notes_.begin(), notes_.end());
  out.missing = absent_members(out);
  return out;
}

}  // namespace stallcast::calibration
