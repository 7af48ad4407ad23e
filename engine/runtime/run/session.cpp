#include "engine/runtime/run/session.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "engine/base/files.hpp"
#include "engine/base/text.hpp"

namespace stallcast::run {
namespace {

/// Requests are encoded when the worker has room for them: thousands of designs in memory serve
/// nobody.
constexpr std::size_t kQueued = 1 << 16;
constexpr std::chrono::milliseconds kTick{50};            // how late an interrupt may be noticed
constexpr std::chrono::milliseconds kDyingPatience{500};  // for one that closed its output

/// The last line of a log that says something.
std::string last_line(std::string_view log) {
  const std::string_view trimmed = base::trim(log);
  return std::string(base::trim(trimmed.substr(trimmed.rfind('\n') + 1)));
}

/// What became of a simulation, by the worker's words.
std::string describe(const codec::WorkerMessage& failed) {
  if (failed.reason == "exception") return "failed";
  if (failed.reason == "bad-request") return "was not understood by the worker";
  std::string text = failed.reason == "killed" ? "was killed" : "crashed";
  if (failed.signal != 0) text += ", " + WorkerProcess::Ending{failed.signal, 0}.text();
  return text;
}

}  // namespace

WorkerSession::WorkerSession(const std::vector<SimulationRequest>& requests,
                             const SimulateOptions& options, WarmWorker& worker)
    : requests_(requests),
      options_(options),
      worker_(*worker.process_),
      greeted_(worker.greeted_),
      fractions_(requests.size(), 0.0),
      outcomes_(requests.size()) {}

void WorkerSession::run() {
  while (settled_ < requests_.size()) {
    feed();
    for (const std::string& line : worker_.exchange(kTick)) {
      if (hear(line)) continue;
      worker_.stop(std::chrono::milliseconds(0));
      return fail_rest({ExitCode::internal,
                        "the worker said something unexpected: " + line.substr(0, 200),
                        "stallcast and stallcast-sim must be of one version"});
    }
    if (settled_ == requests_.size()) break;
    if (stopped_from_outside()) return;
    if (worker_.ended()) return fail_rest_after_death();
    report_progress();
  }
  report_progress();
}

std::vector<Outcome> WorkerSession::take() {
  std::vector<Outcome> all;
  all.reserve(outcomes_.size());
  for (std::optional<Outcome>& outcome : outcomes_) all.push_back(*std::move(outcome));
  return all;
}

void WorkerSession::feed() {
  while (fed_ < requests_.size() && worker_.unsent() < kQueued) worker_.send(line_of(fed_++));
}

std::string WorkerSession::line_of(std::size_t id) const {
  return codec::request_line(id, requests_[id].seed, requests_[id].design->text, record_);
}

bool WorkerSession::hear(const std::string& line) {
  std::optional<codec::WorkerMessage> message = codec::read_message(line);
  if (!message) return false;
  using Type = codec::WorkerMessage::Type;
  switch (message->type) {
    case Type::hello:
      return greeted_ = message->protocol == codec::kWorkerProtocol;
    case Type::other:  // kinds of message this version does not know are let pass
      return greeted_;
    default:
      return hear_of(*std::move(message));
  }
}

bool WorkerSession::hear_of(codec::WorkerMessage message) {
  const std::uint64_t id = message.id;
  if (!greeted_ || id >= fed_ || outcomes_[id]) return false;
  if (message.type == codec::WorkerMessage::Type::progress) {
    fractions_[id] = std::max(fractions_[id], message.fraction);
  } else if (message.type == codec::WorkerMessage::Type::failed) {
    settle(id, crash(id, describe(message), message.message));
  } else if (message.type == codec::WorkerMessage::Type::timeline) {
    take_in(id, *std::move(message.timeline));
  } else if (*message.result) {
    settle(id, *std::move(message.result));
  } else {
    settle(id, crash(id, "gave no valid result", message.result->failure().message));
  }
  return true;
}

void WorkerSession::take_in(std::size_t id, Result<Timeline> timeline) {
  if (!timeline) return settle(id, crash(id, "gave no valid timeline", timeline.failure().message));
  timelines_[id] = std::move(timeline).value();
  settle(id, RunResult{});
}

void WorkerSession::settle(std::size_t id, Outcome outcome) {
  conclude(id, std::move(outcome));
  if (options_.on_outcome) options_.on_outcome(id, *outcomes_[id]);
}

void WorkerSession::conclude(std::size_t id, Outcome outcome) {
  outcomes_[id] = std::move(outcome);
  fractions_[id] = 1.0;
  ++settled_;
}

void WorkerSession::report_progress() {
  if (!options_.on_progress) return;
  double done = 0.0;
  for (const double fraction : fractions_) done += std::clamp(fraction, 0.0, 1.0);
  done /= static_cast<double>(fractions_.size());
  if (done <= reported_) return;
  options_.on_progress(reported_ = done);
}

std::string WorkerSession::done_text() const {
  return std::to_string(settled_) + " of " + std::to_string(requests_.size()) +
         (requests_.size() == 1 ? " simulation done" : " simulations done");
}

bool WorkerSession::stopped_from_outside() {
  // A signal handler writes it behind the compiler's back.
  const int signal = *static_cast<volatile int*>(&interrupt_flag());
  const bool late = options_.until.passed();
  const bool cancelled = options_.cancelled != nullptr && *options_.cancelled;
  if (signal == 0 && !late && !cancelled) return false;
  // What passed here is of these simulations alone, and what is left here of the limit that was
  // given is no figure to show either.
  const std::string done = done_text();
  worker_.stop(std::chrono::milliseconds(0));
  if (signal != 0) {
    fail_rest({ExitCode::inconclusive,
               "interrupted by signal " + std::to_string(signal) + ", " + done, ""});
  } else if (cancelled) {
    fail_rest({ExitCode::inconclusive, "cancelled, " + done, ""});
  } else {
    fail_rest({ExitCode::inconclusive, "time limit reached, " + done,
               "allow more with --time-limit, or simulate less: a shorter run, fewer replicas"});
  }
  return true;
}

void WorkerSession::fail_rest(const Failure& failure) {
  for (std::size_t id = 0; id < outcomes_.size(); ++id)
    if (!outcomes_[id]) conclude(id, failure);
}

/// The worker takes requests in order, so the first ones without an outcome are those that ran, or
/// waited behind one that ran.
void WorkerSession::fail_rest_after_death() {
  const std::string ending = worker_.stop(kDyingPatience).text();
  const std::string what = "was lost: the worker " + ending;
  int running = std::max(1, options_.jobs);
  for (std::size_t id = 0; id < fed_ && running > 0; ++id) {
    if (outcomes_[id]) continue;
    settle(id, crash(id, what, worker_.log()));
    --running;
  }
  fail_rest({ExitCode::internal, "not simulated: the worker " + ending + " before, " + done_text(),
             "the failures of other seeds name the designs that were running"});
}

Failure WorkerSession::crash(std::size_t id, const std::string& what, const std::string& log) {
  const SimulationRequest& request = requests_[id];
  const std::filesystem::path path = std::filesystem::path(options_.crash_directory) /
                                     ("stallcast-crash-" + request.design->hash.substr(0, 12) +
                                      "-seed" + std::to_string(request.seed) + ".json");
  Failure failure{ExitCode::internal,
                  "the simulation with seed " + std::to_string(request.seed) + " " + what, ""};
  if (const std::string said = last_line(log); !said.empty()) failure.message += ": " + said;
  const Result<bool> saved = base::write_file(path, line_of(id) + "\n");
  if (saved) {
    failure.message += "; its design is saved in " + path.string();
    failure.hint = "replay it with: stallcast-sim < " + path.string();
  } else {
    failure.message += "; its design could not be saved: " + saved.failure().message;
  }
  return failure;
}

}  // namespace stallcast::run
