#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "stallcast/check.hpp"
#include "stallcast/client.hpp"
#include "stallcast/side_by_side.hpp"
#include "stallcast/sweep.hpp"
#include "stallcast/units.hpp"
#include "ui/app/run_report.hpp"
#include "ui/server/http.hpp"

/// What takes longer than a request: simulations in a few sessions, with a queue before them.
namespace stallcast::server {

/// What runs find.
using Found = std::variant<std::monostate, Prediction, client::RunReport, PlanResult, Explanation,
                           Diff, SweepReport, GrowthResult, SideBySide, CheckReport>;

/// What a run ended with, for all who asked for it: it says nothing of any one of them.
struct Outcome {
  Found found = {};
  Failure failure = {};     ///< when nothing was found
  Diagnostics faults = {};  ///< of the scenario
  bool partial = false;   ///< with more time there would be more: the next one who asks tries again
  std::size_t bytes = 0;  ///< that it takes, roughly
  [[nodiscard]] bool has_found() const { return found.index() > 0; }
};

/// What one asker is shown of it: a result, and its page where there is one, or a problem.
struct RunAnswer {
  Response result;  ///< status 200, or a problem
  std::string page = {};
};

/// What a task reports, and receives, while it runs.
struct RunWatch {
  std::function<void(double)> progress;  ///< 0..1, to be called now and then
  const std::atomic<bool>* unwanted = nullptr;
};

/// Done in a session's thread.
using RunTask = std::function<Outcome(client::Session&, const RunWatch&)>;
/// Done once for each text that was sent: it has places in that text, and the command that repeats
/// the request.
using View = std::function<RunAnswer(client::Session&, const Outcome&)>;

struct RunRequest {
  std::string kind;     ///< "run", "plan", ...
  std::string content;  ///< decides the outcome: what has the same is simulated once
  std::string text;     ///< decides the view: a hash of the request, and of files it is read with
  std::string sent;     ///< a hash of the request alone, which a key stands for
  std::string client;   ///< an address
  std::string key;      ///< Idempotency-Key, or ""
  RunTask task;
  View view;
};

enum class RunState { queued, running, done, failed, cancelled };
[[nodiscard]] const char* name_of(RunState state);

/// As one client sees a run.
struct RunStatus {
  std::string id;    ///< 128 random bits in hex; who has it may see and cancel the run
  std::string kind;  ///< "run", "plan", ...
  RunState state = RunState::queued;
  double progress = 0.0;
  std::string problem = {};  ///< of a failed one: what its result is, as JSON
  bool fresh = false;        ///< `submit` made it
};

struct RunLimits {
  std::size_t sessions = 2;
  std::size_t queue = 64;
  std::size_t per_client = 32;
  std::size_t results = 500;
  std::size_t results_bytes = 128 * 1024 * 1024;
  double keep_s = unit::h.scale;
};

struct RunFigures {
  std::size_t queued = 0, running = 0, kept = 0, kept_bytes = 0;
  std::map<std::pair<std::string, std::string>, std::uint64_t> ended;  ///< by kind and state
};

/// Runs asked for with the same content are one, for all who ask: their outcome is a pure function
/// of that, and everybody sees it by the own text. Each asker has an id of its own, and cancelling
/// is giving up one's own; what nobody wants any more ends. Ids are not revealed to others, and
/// nothing else leads to a run. Thread-safe.
class Runs {
 public:
  Runs(RunLimits limits, client::Settings session);
  /// Cancels everything and waits for it.
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  enum class Refusal { queue_full, too_many_of_client, key_taken, closing };

  /// A `key` that was given before with the same request leads to the id it led to; with another it
  /// is taken. `session` is of the calling thread: it shows what is there already.
  [[nodiscard]] std::variant<RunStatus, Refusal> submit(RunRequest request,
                                                        client::Session& session);
  /// nullopt when nothing (any more) has this id.
  [[nodiscard]] std::optional<RunStatus> status(const std::string& id);
  /// nullptr unless it is done or failed.
  [[nodiscard]] std::shared_ptr<const RunAnswer> result(const std::string& id);
  /// What it ended with, for what no view has; nullptr where that is not kept.
  [[nodiscard]] std::shared_ptr<const Outcome> outcome(const std::string& id);
  /// False when nothing has this id.
  bool cancel(const std::string& id);

  /// Cancels everything; takes nothing any more.
  void close();
  [[nodiscard]] RunFigures figures();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stallcast::server
