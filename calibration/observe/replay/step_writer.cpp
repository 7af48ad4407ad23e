#include "calibration/observe/replay/step_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/observe/replay/trace_figures.hpp"
#include "engine/base/sha256.hpp"

namespace stallcast::calibration {
namespace {

/// Calls in sequence that follow each other as closely as this are one request.
constexpr double kCloseTogether = 100e-6;
/// Positions of files that are remembered.
constexpr std::size_t kMostFiles = 400000;
constexpr std::size_t kBlock = std::size_t{1} << 20U;

std::FILE* opened(int descriptor) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  std::FILE* file = own < 0 ? nullptr : ::fdopen(own, "wb");
  if (file == nullptr && own >= 0) ::close(own);
  return file;
}

}  // namespace

void TrainingFigures::add(ReplayAction mark, double at) {
  const auto since = [&](const std::optional<double>& begun) {
    return Seconds::from(std::max(at - *begun, 0.0), unit::s);
  };
  if (mark == ReplayAction::want) wanted_ = at;
  if (mark == ReplayAction::take && wanted_) waits_.add(since(std::exchange(wanted_, {})));
  if (mark == ReplayAction::step && step_) steps_.add(since(step_));
  if (mark == ReplayAction::step || mark == ReplayAction::pass) step_ = at;
}

void TrainingFigures::finish(std::map<std::string, ReplayFigures>& out) const {
  for (const auto& [tally, name] : {std::pair{&steps_, "step"}, std::pair{&waits_, "wait"}})
    if (const auto spread = tally->distribution()) {
      out[name].operations = spread->count;
      add_latency(*tally, *spread, out[name]);
    }
}

StepWriter::StepWriter(const std::string& path, const std::vector<std::uint64_t>& process,
                       double begin, double resolution)
    : process_(process), begin_(begin), close_together_(std::max(kCloseTogether, resolution)) {
  if (auto whole = base::FileReplacement::of(path); whole.ok()) {
    whole_ = std::move(whole).value();
    file_.reset(opened(whole_->descriptor()));
  }
  ok_ = file_ && std::fwrite(&header_, sizeof header_, 1, file_.get()) == 1;
}

void StepWriter::put(const void* data, std::size_t size) {
  block_.append(static_cast<const char*>(data), size);
  if (block_.size() >= kBlock) chain();
}

void StepWriter::chain() {
  if (block_.empty()) return;
  digest_ = base::sha256(digest_ + block_);
  ok_ = ok_ && std::fwrite(block_.data(), 1, block_.size(), file_.get()) == block_.size();
  block_.clear();
}

void StepWriter::begin_thread(std::uint32_t thread) {
  thread_ = thread;
  thread_begin_ = header_.steps;
  first_ = true;
  reads_ = false;
  last_start_ = last_end_ = seen_until_ = begin_;
  ends_.clear();
  training_.begin_thread();
}

// What is not issued any more takes its time still.
void StepWriter::end_thread() {
  if (thread_ < 0) return;
  put_pending();
  const double since = std::isnan(last_end_) ? last_start_ : last_end_;
  if (seen_until_ > since) {
    pending_ = {.gap = seen_until_ - since, .from_start = std::isnan(last_end_)};
    pending_there_ = true;
    put_pending();
  }
  if (header_.steps > thread_begin_)
    threads_.push_back({thread_begin_, header_.steps - thread_begin_,
                        process_[static_cast<std::size_t>(thread_)]});
  if (reads_) ++header_.readers;
}

void StepWriter::put_pending() {
  if (!pending_there_) return;
  pending_there_ = false;
  put(&pending_, sizeof pending_);
  ++header_.steps;
  // Marks, and the time behind the last call, ask for nothing.
  if (pending_.action < ReplayAction::none) ++requests_;
  if (pending_.action == ReplayAction::write || pending_.action == ReplayAction::sync)
    header_.written |= std::uint64_t{1} << std::min<unsigned>(pending_.place, 63);
  if (pending_.action == ReplayAction::read && pending_.bytes > 0) {
    header_.reads += pending_.requests();
    header_.read_bytes += static_cast<double>(pending_.bytes);
    reads_ = true;
  }
}

ReplayStep StepWriter::step_of(const KeptOperation& op) {
  ReplayStep out{.file = op.file,
                 .offset = op.offset,
                 .bytes = op.bytes,
                 .calls = op.calls,
                 .action = replayed_as(op.kind),
                 .place = static_cast<std::uint8_t>(op.place & 0x7FU),
                 .direct = static_cast<std::uint8_t>(op.direct ? 1 : 0)};
  out.from_start = !first_ && std::isnan(last_end_);
  const double since = out.from_start ? last_start_ : last_end_;
  out.gap = std::max(0.0, op.start - since);
  const bool moves = out.action == ReplayAction::read || out.action == ReplayAction::write;
  if (!moves || op.offset == ReplayStep::kNoPosition) return out;
  if (ends_.size() > kMostFiles) ends_.clear();
  const auto [end, fresh] = ends_.try_emplace(op.file, 0);
  out.goes_on = !fresh && end->second == op.offset;
  end->second = op.offset + op.bytes;
  return out;
}

bool StepWriter::merged(const ReplayStep& step) {
  ReplayStep& to = pending_;
  if (!pending_there_ || !step.goes_on || step.action != to.action || step.file != to.file ||
      step.direct != to.direct || step.offset != to.offset + to.bytes ||
      step.gap > close_together_ || to.bytes + step.bytes > kMostReplayedTogether ||
      (step.from_start && step.gap > 0.0))
    return false;
  to.bytes += step.bytes;
  to.calls += step.calls;
  if (!to.from_start) to.gap += step.gap;
  return true;
}

// The time of a wait is computed anew; what lies behind it and the work before it is kept.
//    [docs/models/replay.md, eq. 7]
void StepWriter::add_mark(const KeptOperation& op) {
  put_pending();
  pending_ = {.file = op.file, .action = op.mark};
  pending_.from_start = !first_ && std::isnan(last_end_);
  double since = pending_.from_start ? last_start_ : last_end_;
  if (op.mark != ReplayAction::post && op.file != 0) since = std::max(since, op.end);
  pending_.gap = std::max(0.0, op.start - since);
  pending_there_ = true;
  put_pending();
  first_ = false;
  last_start_ = op.start;
  last_end_ = std::isnan(last_end_) ? op.start : std::max(last_end_, op.start);
  seen_until_ = std::max(seen_until_, op.start);
  training_.add(op.mark, op.start);
}

bool StepWriter::add(const KeptOperation& op) {
  if (op.thread != thread_) {
    end_thread();
    begin_thread(op.thread);
  }
  if (op.kind == OperationKind::mark) return add_mark(op), ok_;
  const double end = std::isnan(op.end) ? op.start : op.end;
  seen_until_ = std::max(seen_until_, end);
  if (!op.issued) return ok_;
  const ReplayStep step = step_of(op);
  if (!merged(step)) {
    put_pending();
    pending_ = step;
    pending_there_ = true;
  }
  first_ = false;
  last_start_ = op.start;
  // One call within another does not end the outer one.
  last_end_ = std::isnan(op.end) ? op.end : std::isnan(last_end_) ? end : std::max(last_end_, end);
  return ok_;
}

bool StepWriter::finish(ReplayHeader header) {
  end_thread();
  put(threads_.data(), threads_.size() * sizeof(ReplayThread));
  chain();
  header.steps = header_.steps;
  header.threads = threads_.size();
  header.readers = header_.readers;
  header.reads = header_.reads;
  header.read_bytes = header_.read_bytes;
  header.written = header_.written;
  if (digest_.empty()) digest_ = base::sha256("");
  // What the header says decides, too.
  header.sha256 = {};
  digest_ = base::sha256(
      digest_ + std::string(reinterpret_cast<const char*>(&header), sizeof header));  // NOLINT
  std::copy_n(digest_.begin(), header.sha256.size(), header.sha256.begin());
  header_ = header;
  ok_ = ok_ && std::fseek(file_.get(), 0, SEEK_SET) == 0 &&
        std::fwrite(&header_, sizeof header_, 1, file_.get()) == 1;
  std::FILE* file = file_.release();
  return (file != nullptr && std::fclose(file) == 0) && ok_ && whole_->commit().ok();
}

}  // namespace stallcast::calibration
