#include "ui/server/runs.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <string>
#include <thread>
#include <variant>

namespace runs_test {

using namespace stallcast;
using namespace stallcast::server;

namespace {

/// Runs of tasks that simulate nothing, with one session.
class Bench {
 public:
  explicit Bench(RunLimits limits = {.sessions = 1}) : runs_(limits, {.jobs = 1}) {}

  /// A request whose outcome is `content` and whose view adds `text`; its id.
  std::string ask(const std::string& content, const std::string& text, bool partial = false) {
    const auto answer = runs_.submit(
        {.kind = "run",
         .content = content,
         .text = text,
         .sent = text,
         .client = "here",
         .key = "",
         .task =
             [this, content, partial](client::Session&, const RunWatch&) {
               gate.wait();
               ++simulated;
               Prediction found;
               found.scenario_id = content;
               return Outcome{
                   .found = std::move(found), .failure = {}, .faults = {}, .partial = partial};
             },
         .view =
             [this, text](client::Session&, const Outcome& outcome) {
               ++viewed;
               const auto& found = std::get<Prediction>(outcome.found).scenario_id;
               return server::RunAnswer{{.body = found + " seen as " + text}};
             }},
        session_);
    if (const auto* refusal = std::get_if<Runs::Refusal>(&answer))
      return "refused " + std::to_string(static_cast<int>(*refusal));
    return std::get<RunStatus>(answer).id;
  }

  /// What the asker is shown, once it is there.
  std::string result_of(const std::string& id) {
    for (;;) {
      const auto status = runs_.status(id);
      if (!status) return "forgotten";
      if (status->state == RunState::cancelled) return "cancelled";
      if (status->state == RunState::done) return runs_.result(id)->result.body;
      std::this_thread::yield();
    }
  }

  void open() { opened_.set_value(); }

  std::atomic<int> simulated = 0, viewed = 0;

 private:
  std::promise<void> opened_;

 public:
  std::shared_future<void> gate = opened_.get_future().share();  ///< tasks wait for it

 private:
  client::Session session_{client::Settings{.jobs = 1}};
  Runs runs_;

 public:
  Runs& runs() { return runs_; }
};

}  // namespace

TEST_CASE("texts of one content are simulated once, and each is shown by its own view") {
  Bench bench;
  const std::string first = bench.ask("a", "mine"), second = bench.ask("a", "yours");
  const std::string again = bench.ask("a", "mine");
  bench.open();
  CHECK(bench.result_of(first) == "a seen as mine");
  CHECK(bench.result_of(second) == "a seen as yours");
  CHECK(bench.result_of(again) == "a seen as mine");
  CHECK(bench.simulated == 1);
  CHECK(bench.viewed == 2);
  // Later ones join what has ended.
  CHECK(bench.result_of(bench.ask("a", "late")) == "a seen as late");
  CHECK(bench.result_of(bench.ask("b", "mine")) == "b seen as mine");
  CHECK(bench.simulated == 2);
  CHECK(bench.viewed == 4);
}

TEST_CASE("beyond four texts of one content the next one is simulated by itself, once") {
  Bench bench;
  bench.open();
  for (const char* text : {"1", "2", "3", "4"})
    CHECK(bench.result_of(bench.ask("a", text)) == std::string("a seen as ") + text);
  CHECK(bench.simulated == 1);
  for (int i = 0; i < 2; ++i) CHECK(bench.result_of(bench.ask("a", "5")) == "a seen as 5");
  CHECK(bench.simulated == 2);
  CHECK(bench.result_of(bench.ask("a", "2")) == "a seen as 2");
  CHECK(bench.simulated == 2);
}

TEST_CASE("giving up one of two leaves the other its result, and both end what nobody wants") {
  Bench bench;
  const std::string blocker = bench.ask("first", "x");  // holds the only session
  const std::string mine = bench.ask("a", "mine"), yours = bench.ask("a", "yours");
  const std::string alone = bench.ask("b", "mine");
  CHECK(bench.runs().cancel(mine));
  CHECK(bench.runs().cancel(alone));
  bench.open();
  CHECK(bench.result_of(yours) == "a seen as yours");
  CHECK(bench.result_of(mine) == "cancelled");
  CHECK(bench.runs().result(mine) == nullptr);
  CHECK(bench.result_of(alone) == "cancelled");
  CHECK(bench.result_of(blocker) == "first seen as x");
  CHECK(bench.simulated == 2);
}

TEST_CASE("a result that time cut short is not for those who ask later") {
  Bench bench;
  bench.open();
  CHECK(bench.result_of(bench.ask("a", "mine", true)) == "a seen as mine");
  CHECK(bench.result_of(bench.ask("a", "mine")) == "a seen as mine");
  CHECK(bench.simulated == 2);
}

TEST_CASE("a full queue refuses what is new and lets join what waits") {
  Bench bench({.sessions = 1, .queue = 2, .per_client = 5});
  (void)bench.ask("0", "x");
  while (bench.runs().figures().running == 0) std::this_thread::yield();
  (void)bench.ask("1", "x");
  (void)bench.ask("2", "x");
  const auto refused = [](Runs::Refusal why) {
    return "refused " + std::to_string(static_cast<int>(why));
  };
  CHECK(bench.ask("3", "x") == refused(Runs::Refusal::queue_full));
  CHECK(bench.ask("2", "y").size() == 32);
  CHECK(bench.ask("2", "z").size() == 32);
  CHECK(bench.ask("2", "x") == refused(Runs::Refusal::too_many_of_client));
  bench.open();
}

}  // namespace runs_test
