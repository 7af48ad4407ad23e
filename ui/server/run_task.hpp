#pragma once

#include <memory>
#include <string>

#include "ui/server/scenario_call.hpp"

/// What routes that simulate have in common: they answer with a run to look at later.
namespace stallcast::server {

/// Where a run is to be looked at, its state, and when to come back.
[[nodiscard]] Response described(const RunStatus& run, int status);

/// Puts `task` into the queue, or joins a run of the same content. 202, 200 when its result is
/// there, or why it is refused.
[[nodiscard]] Response submit(Call& call, const std::string& kind, RunTask task);

/// What a task needs of the request when that is long gone.
struct Task {
  explicit Task(const Call& call) : settings(call.service.settings), tools(call.service.tools) {}
  const Settings& settings;
  const Tools& tools;
  client::Source source;
  client::Question question;

  /// The result `ask` has, rendered; else the problem.
  template <class Ask, class Show>
  RunResult answer(client::Session& session, const Watch& watch, const Ask& ask, const Show& show) {
    Diagnostics faults;
    question.on_progress = watch.progress;
    question.faults = &faults;
    auto found = ask(session, question);
    if (found.ok()) return show(*found);
    session.locate(source, faults);
    return {refused(found.failure(), std::move(faults))};
  }

  /// Why there is no result. What only the operator should know goes to the log.
  [[nodiscard]] Response refused(const Failure& failure, Diagnostics faults) const;

  /// As JSON and as a page.
  template <class Found>
  RunResult rendered(const Found& found, const report::Context& context) const {
    return {{.body = report::render(found, context, report::Format::json, {})},
            report::render(found, context, report::Format::html, {})};
  }
};

/// The scenario and the question of a request.
[[nodiscard]] Asked<std::shared_ptr<Task>> task_of(const Call& call);

}  // namespace stallcast::server
