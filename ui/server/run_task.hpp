#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "ui/server/scenario_call.hpp"

/// What routes that simulate have in common: they answer with a run to look at later.
namespace stallcast::server {

/// Where a run is to be looked at, its state, and when to come back.
[[nodiscard]] Response described(const RunStatus& run, int status);

/// What a task needs of the request when that is long gone.
struct Inquiry {
  explicit Inquiry(const Call& call) : settings(call.service.settings) {}
  const ServerSettings& settings;
  ScenarioFile source;
  std::optional<Scenario> scenario = {};  ///< of the source, once it is read
  client::Question question;

  /// Why there is no result. What only the operator should know goes to the log.
  [[nodiscard]] RunAnswer refused(const Failure& failure, Diagnostics faults) const;
};

/// The parameter "draws": how many are asked for; none: as many as suit the design.
[[nodiscard]] Asked<std::optional<std::size_t>> draws_of(const Call& call);

/// A task at work.
struct Asking {
  client::Session& session;
  const RunWatch& watch;
  client::Question question;  ///< with progress, and a place for faults
  bool partial = false;       ///< as Outcome has it; set by who asks
  std::size_t bytes = 0;      ///< the same
};

/// Hash of all that was sent, query and body: what decides a report byte for byte.
[[nodiscard]] std::string text_of(const Call& call);
/// The same, with what files say now that `scenarios`, which are of this call, extend.
[[nodiscard]] std::string text_of(const Call& call, std::span<const Scenario* const> scenarios);
/// What decides a prediction of `design`, and nothing else. Lines and columns do not.
[[nodiscard]] std::string content_of(std::string_view kind, const Design& design,
                                     const client::Question& question);

/// Puts a run into the queue, or joins one of the same content. 202, 200 when its result is there,
/// or why it is refused. `text` decides what this asker is shown of it.
[[nodiscard]] Response submit(Call& call, std::string kind, std::string content, std::string text,
                              RunTask task, View view);

/// The same. `ask(asking)` gives a Result<T>, for all with the same content; `show(session,
/// found)` is what this asker is shown of it. With a content that does not begin with the text,
/// faults are told by the places they have in the own one.
template <class T, class Ask, class Show>
Response submit(Call& call, std::string kind, std::string content,
                const std::shared_ptr<const Inquiry>& task, Ask ask, Show show) {
  const bool shared = !content.starts_with(text_of(call));
  // Reports name lines of files, too.
  std::string text = task->scenario ? text_of(call, std::array{&*task->scenario}) : text_of(call);
  return submit(
      call, std::move(kind), std::move(content), std::move(text),
      [task, ask = std::move(ask)](client::Session& session, const RunWatch& watch) {
        Outcome out;
        Asking asking{session, watch, task->question};
        asking.question.on_progress = watch.progress;
        asking.question.faults = &out.faults;
        Result<T> found = ask(asking);
        out.partial = asking.partial;
        out.bytes = asking.bytes;
        if (found.ok())
          out.found = std::move(found).value();
        else
          out.failure = found.failure();
        return out;
      },
      [task, shared, show = std::move(show)](client::Session& session, const Outcome& outcome) {
        if (outcome.has_found()) return show(session, std::get<T>(outcome.found));
        Diagnostics faults = outcome.faults;
        if (shared)
          for (Diagnostic& d : faults.items()) d.position = {};
        if (task->scenario) task->scenario->locate(faults);
        return task->refused(outcome.failure, std::move(faults));
      });
}

/// As JSON and as a page.
template <class Found>
RunAnswer rendered(const Found& found, const report::ReportContext& context) {
  return {{.body = report::render(found, context, report::Format::json, {})},
          report::render(found, context, report::Format::html, {})};
}

/// What reports say with a prediction of the task's scenario.
[[nodiscard]] report::ReportContext context_of(std::string_view verb, const Inquiry& task,
                                               const std::vector<std::string>& words = {});

/// The scenario and the question of a request.
[[nodiscard]] Asked<std::shared_ptr<Inquiry>> task_of(const Call& call);

}  // namespace stallcast::server
