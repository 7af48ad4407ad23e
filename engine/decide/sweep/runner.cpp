#include "engine/decide/sweep/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>

#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/warm_worker.hpp"
#include "stallcast/limit.hpp"

namespace stallcast::sweep {
namespace {

using Clock = std::chrono::steady_clock;

/// Designs that are in memory at a time.
constexpr std::size_t kBatch = 1000, kDrawnBatch = 8;
/// A program that is killed has this much to do again.
constexpr std::chrono::milliseconds kBetweenWrites{500};
constexpr std::size_t kMostKept = 256;

/// Collects results and writes them now and then.
class Keeper {
 public:
  explicit Keeper(Store& store) : store_(store) {}

  void add(std::string key, SweepOutcome outcome) {
    outcomes_.emplace_back(std::move(key), std::move(outcome));
    if (outcomes_.size() >= kMostKept || Clock::now() - written_ >= kBetweenWrites) write();
  }
  void write() {
    if (!outcomes_.empty() && !failure_)
      if (const auto kept = store_.keep(outcomes_); !kept.ok()) failure_ = kept.failure();
    outcomes_.clear();
    written_ = Clock::now();
  }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  Store& store_;
  Outcomes outcomes_;
  Clock::time_point written_ = Clock::now();
  std::optional<Failure> failure_;
};

/// What is still to be simulated, and of how many.
struct Open {
  std::vector<std::string> keys;
  std::size_t all = 0;
};

Result<Open> open_designs(const Store& plan, const Store& results, const RunOptions& options) {
  const auto keys = plan.keys();
  if (!keys.ok()) return keys.failure();
  auto finished = plan.finished();
  if (!finished.ok()) return finished.failure();
  const auto more = results.finished();
  if (!more.ok()) return more.failure();
  for (const auto& [key, failed] : *more) {
    const auto [at, fresh] = finished->try_emplace(key, failed);
    if (!fresh) at->second = at->second && failed;
  }
  Open out;
  for (std::size_t i = 0; i < keys->size(); ++i) {
    if (options.shard && !options.shard->has(i)) continue;
    ++out.all;
    const auto at = finished->find((*keys)[i]);
    const bool wanted = options.retry ? at != finished->end() && at->second : at == finished->end();
    if (wanted) out.keys.push_back((*keys)[i]);
  }
  return out;
}

/// What limits a design as far as its run tells: what a missed target is for, failures, and that
/// nothing is waited for. What would help is tried of no point, so of all else it is only known
/// what was waited for most, the slowest rank included.
void name_limit(const Prediction& prediction, SweepOutcome& out) {
  const Limit limit = limit_of(prediction);
  const auto told = [&](const AssertionOutcome& target) {
    return target.id == limit.target &&
           limit.name == predict::known_limiter(prediction, target.metric);
  };
  using enum Limit::Kind;
  const bool waits = limit.kind == resource || limit.kind == waited || limit.kind == barrier;
  if (limit.kind == unnamed) return;
  if (!waits || std::any_of(prediction.assertions.begin(), prediction.assertions.end(), told)) {
    out.limited_by = limit.name;
    return;
  }
  const Limit most = limit.target.empty() ? most_waited_for(prediction) : limit;
  if (most.share >= kNegligible) out.most_waited_for = most.name;
}

}  // namespace

SweepOutcome outcome_of(Result<Prediction> prediction) {
  SweepOutcome out;
  if (!prediction.ok()) {
    out.failed = true;
    out.exit = prediction.failure().exit;
    out.message = prediction.failure().message;
    return out;
  }
  // Without draws nobody knows whether a confidence is met.
  Prediction targets;
  targets.verdict = prediction->verdict;
  targets.assertions = prediction->assertions;
  predict::leave_open(targets);
  out.verdict = targets.verdict;
  name_limit(*prediction, out);
  out.metrics = std::move(prediction->metrics);
  out.warnings = std::move(prediction->warnings);
  return out;
}

std::optional<Failure> run(const Store& plan, Store& results, const RunOptions& options) {
  const Result<Open> open = open_designs(plan, results, options);
  if (!open.ok()) return open.failure();
  Keeper keeper(results);
  run::WarmWorker worker(0);
  std::atomic<bool> ended_early = false;  // nobody wants it any more, or it cannot be written
  predict::PredictOptions how = options.predict;
  how.run.warm = &worker;
  how.run.cancelled = &ended_early;
  std::size_t done = open->all - open->keys.size();
  const auto report = [&] {
    if (options.on_progress) options.on_progress(done, open->all);
  };
  const std::atomic<bool>* unwanted = options.predict.run.cancelled;
  how.run.on_progress = [&](double) {
    report();
    if (unwanted != nullptr && *unwanted) ended_early = true;
  };
  report();

  std::vector<std::string> left = open->keys;
  while (!left.empty()) {
    const std::size_t n = std::min(options.draw ? kDrawnBatch : kBatch, left.size());
    run::EncodedDesigns encoded;
    const Result<std::vector<Design>> designs =
        plan.designs(std::span(left).first(n), static_cast<std::size_t>(how.run.jobs), &encoded);
    if (!designs.ok()) return designs.failure();
    std::vector<bool> has_result(n, false);
    const auto keep = [&](std::size_t i, Result<Prediction> prediction) {
      has_result[i] = true;
      ++done;
      keeper.add(left[i], outcome_of(std::move(prediction)));
      if (keeper.failure()) ended_early = true;
    };
    std::vector<std::pair<std::size_t, Result<Prediction>>> to_draw;
    std::optional<Failure> ended = predict::predict_each(
        *designs, std::move(encoded), how, [&](std::size_t i, Result<Prediction> prediction) {
          if (options.draw)
            to_draw.emplace_back(i, std::move(prediction));
          else
            keep(i, std::move(prediction));
        });
    for (auto& [i, prediction] : to_draw) {
      if (prediction.ok()) options.draw((*designs)[i], how, *prediction);
      // Draws that were cut off are made again.
      if (ended_early || run::interrupt_flag() != 0 || how.run.until.passed()) {
        if (!ended) ended = Failure{ExitCode::inconclusive, "the draws were cut off", ""};
        break;
      }
      keep(i, std::move(prediction));
    }
    keeper.write();
    if (keeper.failure()) return keeper.failure();
    const auto some = std::find(has_result.begin(), has_result.end(), true);
    // A worker that died has left designs that were never begun: they are not to blame.
    if (ended && (ended->exit == ExitCode::inconclusive || some == has_result.end())) return ended;
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (i >= n || !has_result[i]) rest.push_back(std::move(left[i]));
    left = std::move(rest);
  }
  return std::nullopt;
}

}  // namespace stallcast::sweep
