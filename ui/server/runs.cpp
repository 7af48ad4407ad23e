#include "ui/server/runs.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <list>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "ui/server/problem.hpp"

namespace stallcast::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostIds = 1000;  ///< of one run
constexpr std::size_t kMostTexts = 4;   ///< of one run: each view keeps a body while it waits

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t n = getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (n < 0 && errno != EINTR) throw std::runtime_error("no random numbers");
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  std::string out;
  for (const unsigned char byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

/// What those see who sent one text, which is told by its hash.
struct Sight {
  std::string text;
  View view;                                ///< until there is `result`
  std::shared_ptr<const RunAnswer> result;  ///< nullptr while the run is open
  [[nodiscard]] std::size_t bytes() const {
    return text.size() + (result ? result->result.body.size() + result->page.size() : 0);
  }
};

std::shared_ptr<const RunAnswer> seen(const View& view, client::Session& session,
                                      const Outcome& outcome) {
  RunAnswer out;
  try {
    out = view(session, outcome);
  } catch (...) {
    out.result = problem(500, "the result cannot be shown", "this is a bug");
  }
  return std::make_shared<const RunAnswer>(std::move(out));
}

/// One simulation, for all who ask for it.
struct Run {
  std::string kind, content;
  RunTask task;
  RunState state = RunState::queued;
  std::atomic<double> progress = 0.0;
  std::atomic<bool> unwanted = false;
  std::deque<std::string> ids = {};  ///< of its tickets
  std::size_t wanted_by = 0;         ///< of them, not given up
  std::vector<std::shared_ptr<Sight>> sights;
  std::shared_ptr<const Outcome> outcome;  ///< when it has ended and other texts may show it
  Clock::time_point ended;
  [[nodiscard]] bool open() const {
    return state == RunState::queued || state == RunState::running;
  }
  [[nodiscard]] std::shared_ptr<Sight> sight(const std::string& text) const {
    for (const auto& s : sights)
      if (s->text == text) return s;
    return nullptr;
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t out = content.size() + (outcome ? outcome->bytes : 0);
    for (const auto& s : sights) out += s->bytes();
    return out;
  }
};

/// What one asker has of it.
struct Ticket {
  std::shared_ptr<Run> run;
  std::shared_ptr<Sight> sight;
  std::string client, key, sent;
  bool given_up = false;
};

}  // namespace

const char* name_of(RunState state) {
  return state == RunState::queued    ? "queued"
         : state == RunState::running ? "running"
         : state == RunState::done    ? "done"
         : state == RunState::failed  ? "failed"
                                      : "cancelled";
}

struct Runs::Impl {
  Impl(RunLimits l, client::Settings s) : limits(l), session(std::move(s)) {
    for (std::size_t i = 0; i < limits.sessions; ++i) threads.emplace_back([this] { work(); });
  }

  /// A session belongs to its thread, and so does its worker process.
  void work() {
    client::Session own(session);
    own.warm_up();
    for (;;) {
      std::shared_ptr<Run> run;
      {
        std::unique_lock lock(mutex);
        ready.wait(lock, [this] { return closing || !queue.empty(); });
        if (queue.empty()) return;
        run = queue.front();
        queue.pop_front();
        run->state = RunState::running;
        running.emplace_back(run, &own);
      }
      auto made = std::make_shared<Outcome>();
      try {
        const auto progress = [&](double done) {
          run->progress = done;
          if (run->unwanted) own.cancel();  // one that came before the call began was not heard
        };
        *made = run->task(own, {progress, &run->unwanted});
      } catch (...) {
        *made = {.failure = {ExitCode::internal, "the simulation failed", ""}};
      }
      while (const std::shared_ptr<Sight> next = blind(run, made)) {
        auto result = seen(next->view, own, *made);
        const std::lock_guard lock(mutex);
        next->result = std::move(result);
      }
    }
  }

  /// One of those who do not see what came of the run; without any it is finished.
  std::shared_ptr<Sight> blind(const std::shared_ptr<Run>& run,
                               const std::shared_ptr<Outcome>& made) {
    const std::lock_guard lock(mutex);
    if (!run->unwanted)
      for (const auto& sight : run->sights)
        if (!sight->result) return sight;
    running.remove_if([&](const auto& r) { return r.first == run; });
    finish(run, made);
    return nullptr;
  }

  // REQUIRES of what follows: the lock is held.

  void finish(const std::shared_ptr<Run>& run, const std::shared_ptr<Outcome>& made) {
    run->task = {};
    run->ended = Clock::now();
    run->progress = 1.0;
    run->state = run->unwanted       ? RunState::cancelled
                 : made->has_found() ? RunState::done
                                     : RunState::failed;
    for (const auto& sight : run->sights) sight->view = {};
    const bool again = !made->has_found() && (made->failure.exit == ExitCode::internal ||
                                              made->failure.exit == ExitCode::inconclusive);
    if (run->unwanted || again || made->partial)
      unlist(*run);
    else if (!run->content.starts_with(run->sights.front()->text))
      run->outcome = made;
    ++ended[{run->kind, name_of(run->state)}];
    finished_bytes += run->bytes();
    finished.push_back(run);
    forget_old();
  }

  /// Nobody joins it any more.
  void unlist(const Run& run) {
    if (const auto known = by_content.find(run.content);
        known != by_content.end() && known->second.get() == &run)
      by_content.erase(known);
  }

  void forget_old() {
    const auto oldest_allowed = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(limits.keep_s));
    while (!finished.empty() &&
           (finished.size() > limits.results || finished_bytes > limits.results_bytes ||
            finished.front()->ended < oldest_allowed))
      forget(*finished.front());
  }

  void forget(Run& run) {
    while (!run.ids.empty()) forget_first_id(run);
    unlist(run);
    finished_bytes -= run.bytes();
    finished.remove_if([&](const auto& r) { return r.get() == &run; });  // may end `run`
  }

  void forget_first_id(Run& run) {
    const auto ticket = tickets.find(run.ids.front());
    if (!ticket->second.key.empty()) by_key.erase(ticket->second.key);
    tickets.erase(ticket);
    run.ids.pop_front();
  }

  RunStatus status_of(const std::string& id, const Ticket& ticket) const {
    const Run& run = *ticket.run;
    const auto& result = ticket.sight->result;
    const RunState state = ticket.given_up ? RunState::cancelled
                           : run.state == RunState::done && result && result->result.status != 200
                               ? RunState::failed
                               : run.state;
    RunStatus out{.id = id, .kind = run.kind, .state = state, .progress = run.progress};
    if (state == RunState::failed && result) out.problem = result->result.body;
    return out;
  }

  void give_up(Ticket& ticket) {
    const std::shared_ptr<Run> run = ticket.run;
    ticket.given_up = true;
    if (--run->wanted_by > 0) return;
    run->unwanted = true;
    unlist(*run);
    if (run->state == RunState::queued) {
      std::erase(queue, run);
      finish(run, std::make_shared<Outcome>());
      return;
    }
    for (auto& [r, session_of_it] : running)
      if (r == run) session_of_it->cancel();
  }

  /// The run that is joined, and what those see who sent the same text, if there are any. Beyond
  /// some texts of one content the next one is a content of its own.
  std::pair<std::shared_ptr<Run>, std::shared_ptr<Sight>> find(RunRequest& request) const {
    for (;;) {
      const auto known = by_content.find(request.content);
      if (known == by_content.end()) return {};
      auto sight = known->second->sight(request.text);
      const bool full = known->second->sights.size() >= kMostTexts;
      if (sight || !full || request.content == request.text) return {known->second, sight};
      request.content = request.text;
    }
  }

  RunLimits limits;
  client::Settings session;
  std::mutex mutex;
  std::condition_variable ready;
  bool closing = false;
  std::deque<std::shared_ptr<Run>> queue;
  std::list<std::pair<std::shared_ptr<Run>, client::Session*>> running;
  std::list<std::shared_ptr<Run>> finished;  ///< the oldest first
  std::size_t finished_bytes = 0;
  std::map<std::string, Ticket> tickets;                   ///< by id
  std::map<std::string, std::shared_ptr<Run>> by_content;  ///< that can be joined
  std::map<std::string, std::string> by_key;               ///< id by Idempotency-Key
  std::map<std::pair<std::string, std::string>, std::uint64_t> ended;
  std::vector<std::thread> threads;
};

Runs::Runs(RunLimits limits, client::Settings session)
    : impl_(std::make_unique<Impl>(limits, std::move(session))) {}

Runs::~Runs() {
  close();
  for (std::thread& thread : impl_->threads) thread.join();
}

std::variant<RunStatus, Runs::Refusal> Runs::submit(RunRequest request, client::Session& session) {
  Impl& impl = *impl_;
  std::unique_lock lock(impl.mutex);
  if (impl.closing) return Refusal::closing;
  impl.forget_old();
  if (!request.key.empty())
    if (const auto known = impl.by_key.find(request.key); known != impl.by_key.end()) {
      const auto ticket = impl.tickets.find(known->second);
      if (ticket->second.sent != request.sent) return Refusal::key_taken;
      return impl.status_of(known->second, ticket->second);
    }
  auto [run, sight] = impl.find(request);
  if (run && !run->open() && !sight) {
    // What came of it is shown without the lock; when the run is forgotten meanwhile, it is anew.
    const std::shared_ptr<const Outcome> outcome = run->outcome;
    lock.unlock();
    auto shown =
        std::make_shared<Sight>(Sight{request.text, {}, seen(request.view, session, *outcome)});
    lock.lock();
    if (impl.closing) return Refusal::closing;
    std::tie(run, sight) = impl.find(request);
    if (run && !sight && run->outcome == outcome) {
      sight = std::move(shown);
      run->sights.push_back(sight);
      impl.finished_bytes += sight->bytes();
    } else if (run && !sight && !run->open()) {
      run = nullptr;
    }
  }
  if (!run || run->open()) {
    std::size_t open = 0;
    for (const auto& [id, ticket] : impl.tickets)
      if (ticket.client == request.client && !ticket.given_up && ticket.run->open()) ++open;
    if (open >= impl.limits.per_client) return Refusal::too_many_of_client;
  }
  const bool fresh = !run;
  if (fresh) {
    if (impl.queue.size() >= impl.limits.queue) return Refusal::queue_full;
    run = std::make_shared<Run>();
    run->kind = request.kind;
    run->content = request.content;
    run->task = std::move(request.task);
    impl.by_content[run->content] = run;
    impl.queue.push_back(run);
    impl.ready.notify_one();
  }
  if (!sight) {
    sight = std::make_shared<Sight>(Sight{request.text, std::move(request.view), nullptr});
    run->sights.push_back(sight);
  }
  ++run->wanted_by;
  // One who asks again and again pushes out own ids, not the results of others.
  if (run->ids.size() >= kMostIds) {
    if (!impl.tickets.at(run->ids.front()).given_up) --run->wanted_by;
    impl.forget_first_id(*run);
  }
  const std::string id = random_id();
  run->ids.push_back(id);
  Ticket& ticket =
      impl.tickets[id] = {run, sight, request.client, request.key, request.sent, false};
  if (!request.key.empty()) impl.by_key[request.key] = id;
  RunStatus out = impl.status_of(id, ticket);
  out.fresh = fresh;
  return out;
}

std::optional<RunStatus> Runs::status(const std::string& id) {
  const std::lock_guard lock(impl_->mutex);
  const auto it = impl_->tickets.find(id);
  if (it == impl_->tickets.end()) return std::nullopt;
  return impl_->status_of(id, it->second);
}

std::shared_ptr<const RunAnswer> Runs::result(const std::string& id) {
  const std::lock_guard lock(impl_->mutex);
  const auto it = impl_->tickets.find(id);
  if (it == impl_->tickets.end() || it->second.given_up) return nullptr;
  return it->second.run->open() ? nullptr : it->second.sight->result;
}

std::shared_ptr<const Outcome> Runs::outcome(const std::string& id) {
  const std::lock_guard lock(impl_->mutex);
  const auto it = impl_->tickets.find(id);
  return it == impl_->tickets.end() || it->second.given_up ? nullptr : it->second.run->outcome;
}

bool Runs::cancel(const std::string& id) {
  const std::lock_guard lock(impl_->mutex);
  const auto it = impl_->tickets.find(id);
  if (it == impl_->tickets.end()) return false;
  if (it->second.given_up) return true;
  if (it->second.run->open()) {
    impl_->give_up(it->second);
  } else {
    std::erase(it->second.run->ids, id);
    if (!it->second.key.empty()) impl_->by_key.erase(it->second.key);
    impl_->tickets.erase(it);
  }
  return true;
}

void Runs::close() {
  const std::lock_guard lock(impl_->mutex);
  impl_->closing = true;
  std::vector<std::string> open;  // giving up may forget tickets
  for (const auto& [id, ticket] : impl_->tickets)
    if (!ticket.given_up && ticket.run->open()) open.push_back(id);
  for (const std::string& id : open)
    if (const auto it = impl_->tickets.find(id); it != impl_->tickets.end())
      impl_->give_up(it->second);
  impl_->ready.notify_all();
}

RunFigures Runs::figures() {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->queue.size(), impl_->running.size(), impl_->finished.size(), impl_->finished_bytes,
          impl_->ended};
}

}  // namespace stallcast::server
