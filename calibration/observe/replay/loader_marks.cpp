#include "calibration/observe/replay/loader_marks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stallcast::calibration {
namespace {

/// Batches under way, and spans, that are remembered.
constexpr std::size_t kMostOpen = std::size_t{1} << 18U;
constexpr std::size_t kMostSpans = std::size_t{1} << 20U;
/// Clocks of threads may differ by so much, in seconds.
constexpr double kClocks = 1e-3;
constexpr double kNever = std::numeric_limits<double>::infinity();

KeptOperation mark_of(ReplayAction what, std::uint32_t thread, double at, std::uint64_t event = 0,
                      double came = std::numeric_limits<double>::quiet_NaN()) {
  KeptOperation out;
  out.start = at;
  out.end = came;
  out.file = event;
  out.thread = thread;
  out.kind = OperationKind::mark;
  out.mark = what;
  out.turn = 1;
  return out;
}
KeptOperation ready_at(std::uint32_t thread, double at, std::uint64_t event) {
  KeptOperation out = mark_of(ReplayAction::post, thread, at, event);
  out.turn = 0;
  return out;
}

std::string several(std::uint64_t n, const char* one, const char* more) {
  return std::to_string(n) + " " + (n == 1 ? one : more);
}

}  // namespace

bool LoaderMarks::add(const Operation& op, std::uint32_t thread, double start, double end,
                      const Emit& emit) {
  const Who who{op.rank, op.thread, thread};
  if (op.mark < LoaderMark::epoch) return moment(op, who, start, emit);
  span(op, who, {start, end});
  return true;
}

// Marks that come in the order of time, with the batch they are of.
bool LoaderMarks::moment(const Operation& op, Who who, double at, const Emit& emit) {
  if (op.mark == LoaderMark::ask) {
    if (open_.size() >= kMostOpen) open_.clear();
    Open& batch = open_[op.batch] = {};
    batch.asked = ++events_;
    batch.asked_at = at;
    return emit(mark_of(ReplayAction::post, who.thread, at, events_));
  }
  const auto found = open_.find(op.batch);
  if (op.mark == LoaderMark::start) {
    if (found == open_.end()) return true;
    return emit(
        mark_of(ReplayAction::await, who.thread, at, found->second.asked, found->second.asked_at));
  }
  if (op.mark == LoaderMark::ready) {
    if (found == open_.end()) return true;
    found->second.worker = who;
    found->second.ready = ++events_;
    found->second.ready_at = at;
    return emit(ready_at(who.thread, at, events_));
  }
  return loop_mark(op, who, at, emit);
}

// A step ends with the last mark of it before the next batch is wanted; without any, there.
bool LoaderMarks::loop_mark(const Operation& op, Who who, double at, const Emit& emit) {
  Loop& loop = loops_[who.thread];
  if (op.mark == LoaderMark::step) {
    loop.stepped = at;
    loop.steps = true;
    return true;
  }
  if (op.mark == LoaderMark::take) {
    loop.took = true;
    ++taken_;
    const auto found = op.batch == 0 ? open_.end() : open_.find(op.batch);
    if (found == open_.end() || found->second.ready == 0) {
      if (op.batch == 0) ++known_;  // its own reads
      return emit(mark_of(ReplayAction::take, who.thread, at));
    }
    const Open batch = found->second;
    open_.erase(found);
    ++known_;
    if (batch.worker.rank != who.rank) owners_[batch.worker.rank] = who.rank;
    return emit(mark_of(ReplayAction::take, who.thread, at, batch.ready, batch.ready_at));
  }
  const bool ended = loop.stepped >= 0.0 || (loop.took && !loop.steps);
  const double end = loop.stepped >= 0.0 ? loop.stepped : at;
  loop.stepped = -1.0;
  loop.took = false;
  if (ended && !emit(mark_of(ReplayAction::step, who.thread, end))) return false;
  const bool begins = op.mark == LoaderMark::pass;
  return emit(mark_of(begins ? ReplayAction::pass : ReplayAction::want, who.thread, at));
}

void LoaderMarks::span(const Operation& op, Who who, Span span) {
  if (kept_ >= kMostSpans) return ++left_out_, void();
  whose_[who.thread] = who;
  if (op.mark == LoaderMark::sample) {
    const auto [load, fresh] = loads_[who.thread].try_emplace(op.batch, span);
    load->second.start = std::min(load->second.start, span.start);
    load->second.end = std::max(load->second.end, span.end);
    kept_ += fresh ? 1 : 0;
    return;
  }
  const auto list = [&]() -> Spans* {
    switch (op.mark) {
      case LoaderMark::epoch:
      case LoaderMark::train:
        return &epochs_;
      case LoaderMark::evaluation:
        return &evaluations_;
      case LoaderMark::compute:
        return &computes_;
      case LoaderMark::block:
        return &blocks_;
      case LoaderMark::update:
        return &updates_;
      case LoaderMark::fetch:
        return &fetches_;
      case LoaderMark::save:
      case LoaderMark::load:
        return &saves_;
      case LoaderMark::worker:
        return &inits_;
      default:
        return nullptr;
    }
  }();
  if (list == nullptr) return;
  (*list)[who.thread].push_back(span);
  ++kept_;
}

/// A thread that trains, and all that it did, each in the order of time.
struct LoaderMarks::Trainer {
  Who who;
  std::vector<Span> computes, fetches;
  std::vector<Span> aside;  ///< saves, loads and evaluations
  std::vector<Span> evaluations;
  bool shares = false;  ///< others train, too: its workers are those of its process
};

/// One time through the data.
struct LoaderMarks::Block {
  /// A batch, by its number.
  struct Batch {
    Span span;
    Who worker;
    bool there = false;  ///< in the trace
  };
  struct Take {
    double wanted = 0.0, taken = 0.0, end = 0.0;
  };
  Span within;
  std::vector<Take> takes;
  std::vector<Batch> batches;
};

namespace {

/// Those of `spans`, sorted, that begin in [from, to).
template <class Span>
std::pair<const Span*, const Span*> begun(const std::vector<Span>& spans, double from, double to) {
  const auto at = [&](double when) {
    return spans.data() +
           (std::lower_bound(spans.begin(), spans.end(), when,
                             [](const Span& span, double time) { return span.start < time; }) -
            spans.begin());
  };
  return {at(from), std::max(at(from), at(to))};
}

/// Whether `at` lies in one of `spans`, sorted and apart.
template <class Span>
bool inside(const std::vector<Span>& spans, double at) {
  const auto later =
      std::upper_bound(spans.begin(), spans.end(), at,
                       [](double time, const Span& span) { return time < span.start; });
  return later != spans.begin() && at < std::prev(later)->end;
}

}  // namespace

// A step begins where the one before ended, less saves; it waits up to its compute, or as the
// fetches between them say.
LoaderMarks::Block LoaderMarks::block_of(const Trainer& trainer, Span within) {
  Block out;
  out.within = within;
  double before = within.start;
  const auto [first, last] = begun(trainer.computes, within.start, within.end);
  for (const Span* compute = first; compute != last; ++compute) {
    if (std::isinf(before)) before = compute->start;           // no epoch is marked
    const double begun_at = std::max(compute->start, before);  // times are rounded
    Block::Take take{before, begun_at, std::max(compute->end, begun_at)};
    const auto aside = begun(trainer.aside, before, compute->start);
    for (const Span* span = aside.first; span != aside.second; ++span)
      take.wanted = std::clamp(span->end, take.wanted, take.taken);
    const auto fetches = begun(trainer.fetches, take.wanted, compute->start);
    if (fetches.first != fetches.second) {
      take.wanted = fetches.first->start;
      take.taken = std::clamp((fetches.second - 1)->end, take.wanted, take.taken);
    }
    out.takes.push_back(take);
    before = std::max(before, compute->end);
  }
  return out;
}

// PyTorch deals batch b to worker b mod W. Workers are started one after the other, so their
// numbers tell which is which.
void LoaderMarks::deal(const Trainer& trainer, Block& block) const {
  std::map<std::pair<std::int64_t, std::uint32_t>, std::vector<std::pair<std::uint64_t, Span>>>
      workers;
  const auto mine = [&](std::uint32_t thread, const Span& span) {
    return thread != trainer.who.thread && span.start >= block.within.start &&
           span.start < block.within.end && !inside(trainer.evaluations, span.start) &&
           (!trainer.shares || whose_.at(thread).rank == trainer.who.rank);
  };
  for (const auto& [thread, spans] : inits_)
    for (const Span& init : spans)
      if (mine(thread, init)) workers[{whose_.at(thread).id, thread}];
  for (const auto& [thread, loads] : loads_)
    for (const auto& [number, span] : loads)
      if (mine(thread, span)) workers[{whose_.at(thread).id, thread}].emplace_back(number, span);
  std::size_t worker = 0;
  for (const auto& [who, loads] : workers) {
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const std::size_t batch = (loads[i].first - loads.front().first) * workers.size() + worker;
      if (batch >= kMostSpans) break;
      if (batch >= block.batches.size()) block.batches.resize(batch + 1);
      Span span = loads[i].second;  // its last microsecond may be the first of the next
      if (i + 1 < loads.size()) span.end = std::min(span.end, loads[i + 1].second.start);
      block.batches[batch] = {span, whose_.at(who.second), true};
    }
    ++worker;
  }
}

// Every batch was ready before its step had it: else they were not dealt in turn.
bool LoaderMarks::in_turn(const std::vector<Block>& blocks) {
  for (const Block& block : blocks)
    for (std::size_t b = 0; b < std::min(block.batches.size(), block.takes.size()); ++b)
      if (block.batches[b].there && block.batches[b].span.end > block.takes[b].taken + kClocks)
        return false;
  return true;
}

namespace {

/// Batches of `block` that were begun and not yet taken when each of them began, at most.
template <class Block>
std::size_t most_outstanding(const Block& block) {
  std::size_t most = 0;
  for (std::size_t b = 0; b < block.batches.size(); ++b) {
    if (!block.batches[b].there) continue;
    const double at = block.batches[b].span.start + kClocks;
    const auto taken = static_cast<std::size_t>(
        std::lower_bound(block.takes.begin(), block.takes.end(), at,
                         [](const auto& take, double when) { return take.taken < when; }) -
        block.takes.begin());
    if (b + 1 > taken) most = std::max(most, b + 1 - taken);
  }
  return most;
}

}  // namespace

bool LoaderMarks::emit_block(const Trainer& trainer, const Block& block, std::size_t queue,
                             const Emit& emit) {
  const std::uint32_t me = trainer.who.thread;
  bool ok =
      std::isinf(block.within.start) || emit(mark_of(ReplayAction::pass, me, block.within.start));
  for (std::size_t s = 0; ok && s < block.takes.size(); ++s) {
    const Block::Take& take = block.takes[s];
    ok = emit(mark_of(ReplayAction::want, me, take.wanted));
    ++taken_;
    if (s < block.batches.size() && block.batches[s].there) {
      const Block::Batch& batch = block.batches[s];
      ++known_;
      if (batch.worker.rank != trainer.who.rank) owners_[batch.worker.rank] = trainer.who.rank;
      ok = ok && emit(ready_at(batch.worker.thread, batch.span.end, ++events_)) &&
           emit(mark_of(ReplayAction::take, me, take.taken, events_, batch.span.end));
    } else {
      ok = ok && emit(mark_of(ReplayAction::take, me, take.taken));
    }
    if (const std::size_t next = s + queue;
        queue > 0 && next < block.batches.size() && block.batches[next].there) {
      const Block::Batch& batch = block.batches[next];
      ok = ok && emit(mark_of(ReplayAction::post, me, take.taken, ++events_)) &&
           emit(mark_of(ReplayAction::await, batch.worker.thread, batch.span.start, events_,
                        take.taken));
    }
    ok = ok && emit(mark_of(ReplayAction::step, me, take.end));
  }
  return ok;
}

bool LoaderMarks::finish(const Emit& emit) {
  for (const auto& [thread, loop] : loops_)
    if (loop.stepped >= 0.0 && !emit(mark_of(ReplayAction::step, thread, loop.stepped)))
      return false;
  const auto sort = [](std::vector<Span>& list) {
    std::sort(list.begin(), list.end(),
              [](const Span& a, const Span& b) { return a.start < b.start; });
  };
  for (Spans* spans : {&epochs_, &evaluations_, &computes_, &blocks_, &updates_, &fetches_})
    for (auto& [thread, list] : *spans) sort(list);
  const Spans& steps = !computes_.empty() ? computes_ : !blocks_.empty() ? blocks_ : updates_;
  for (const auto& [thread, computes] : steps) {
    Trainer trainer{.who = whose_.at(thread),
                    .computes = computes,
                    .fetches = fetches_[thread],
                    .aside = saves_[thread],
                    .evaluations = evaluations_[thread],
                    .shares = steps.size() > 1};
    const auto evaluated = [&](const Span& span) {
      return inside(trainer.evaluations, span.start);
    };
    std::erase_if(trainer.computes, evaluated);
    std::erase_if(trainer.fetches, evaluated);
    trainer.aside.insert(trainer.aside.end(), trainer.evaluations.begin(),
                         trainer.evaluations.end());
    sort(trainer.aside);
    std::vector<Span> within = epochs_[thread];
    if (within.empty()) within = {{-kNever, kNever}};
    for (std::size_t e = 0; e + 1 < within.size(); ++e)
      within[e].end = std::min(within[e].end, within[e + 1].start);
    std::vector<Block> blocks;
    bool loaded = false;
    for (const Span& span : within) {
      blocks.push_back(block_of(trainer, span));
      deal(trainer, blocks.back());
      loaded = loaded || !blocks.back().batches.empty();
    }
    homeless_ = homeless_ || (!loaded && !loads_.empty() && trainer.shares);
    std::size_t queue = 0;
    if (!in_turn(blocks)) {
      ++out_of_turn_;
      for (Block& block : blocks) block.batches.clear();
    }
    for (const Block& block : blocks) queue = std::max(queue, most_outstanding(block));
    dealt_ = dealt_ || queue > 0;
    queue_ = std::max(queue_, queue);
    for (const Block& block : blocks)
      if (!emit_block(trainer, block, queue, emit)) return false;
  }
  return true;
}

void LoaderMarks::notes(std::uint64_t threads, std::vector<std::string>& out) const {
  if (taken_ == 0) {
    if (threads > 1)
      out.emplace_back(
          "the trace does not say which thread waits for which: each keeps the waits that it had");
    return;
  }
  if (known_ > 0)
    out.push_back(std::to_string(known_) + " of " + several(taken_, "batch", "batches") +
                  " were waited for as in the trace: a step begins when its batch is there");
  if (known_ < taken_)
    out.push_back(several(taken_ - known_, "batch", "batches") +
                  " not in the trace: the wait for them is kept as it was");
  if (dealt_)
    out.push_back(
        "batches are taken from the workers in turn, as PyTorch deals them: each was ready "
        "when its step began; at most " +
        (queue_ == 1 ? "1 batch was" : std::to_string(queue_) + " batches were") +
        " under way at a time in the trace, and are here");
  if (out_of_turn_ > 0)
    out.push_back(
        "batches do not come from the workers in turn: which step waits for which is not "
        "known, and each keeps the waits that it had");
  if (homeless_)
    out.emplace_back(
        "the trace does not say which workers belong to which training process: each keeps the "
        "waits that it had");
  if (left_out_ > 0)
    out.push_back(several(left_out_, "mark", "marks") +
                  " of the loader are beyond the bound of memory");
}

}  // namespace stallcast::calibration
