#include "ui/app/run_report.hpp"

#include <chrono>
#include <utility>

#include "engine/decide/uncertain/outcomes.hpp"
#include "engine/runtime/run/simulate.hpp"

namespace stallcast::client {
namespace {

/// Shares one time limit and one progress among the steps of a report, which come in turn.
class Steps {
 public:
  Steps(const Question& all, std::size_t count) : all_(all), count_(count) {}

  /// The question of the next step; after the first, nullopt when the time is up or somebody
  /// interrupted.
  std::optional<Question> next() {
    Question out = all_;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    if (done_ > 0) out.time_limit_s -= spent.count();
    const auto share = [this, before = static_cast<double>(done_)](double done) {
      all_.on_progress((before + done) / static_cast<double>(count_));
    };
    if (all_.on_progress) out.on_progress = share;
    ++done_;
    if (done_ > 1 && (out.time_limit_s <= 0.0 || run::interrupt_flag() != 0)) return std::nullopt;
    return out;
  }
  void skip() { ++done_; }

 private:
  const Question& all_;
  std::size_t count_, done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

static_assert(kFewestDraws == uncertain::kFewest);

Result<RunReport> run_report(Session& session, const Scenario& scenario,
                             const RunQuestion& wanted) {
  const Design& design = wanted.design ? *wanted.design : scenario.design();
  const bool drawn = wanted.draws.value_or(1) > 0;
  Steps steps(wanted.predict, 1U + (wanted.gains ? 1U : 0U) + (drawn ? 1U : 0U) +
                                  (wanted.advise ? 1U : 0U) + (wanted.timeline ? 1U : 0U) +
                                  (wanted.around ? 1U : 0U));
  RunReport out;
  if (wanted.known) {
    out.prediction = *wanted.known;
    steps.skip();
  } else {
    Result<Prediction> found = session.predict(design, *steps.next());
    if (!found.ok()) return found.failure();
    out.prediction = std::move(found).value();
  }
  if (wanted.gains)
    if (const auto question = steps.next()) {
      session.rank_by_gain(design, out.prediction, *question);
      session.add_neighbours(design, out.prediction, *question);
    }
  if (drawn)
    if (const auto question = steps.next()) {
      Result<Uncertainty> found =
          session.uncertainty(design, out.prediction, wanted.draws, *question);
      if (found.ok())
        uncertain::attach(std::move(found).value(), design, out.prediction);
      else
        out.prediction.warnings.push_back("no interval: " + found.failure().message);
    }
  if (!out.prediction.uncertainty)
    for (const Expectation& e : design.expect)
      if (e.confidence)
        out.prediction.warnings.push_back("the target \"" + e.id +
                                          "\" asks for a confidence: only draws judge it");
  if (wanted.advise)
    if (const auto question = steps.next())
      out.prediction.alternatives =
          session.alternatives(scenario, design, out.prediction, kMostAlternatives, *question);
  if (wanted.around)
    if (const auto question = steps.next())
      session.add_surroundings(scenario, design, out.prediction, *question);
  if (wanted.timeline)
    if (const auto question = steps.next())
      out.timeline = session.overview(design, out.prediction, *question);
  return out;
}

Result<Explanation> explain_report(Session& session, const Scenario& scenario,
                                   const ExplainQuestion& wanted) {
  const Design& design = scenario.design();
  Steps steps(wanted.predict, wanted.simulate && wanted.what_ifs > 0 ? 3 : 1);
  Result<Explanation> found =
      session.explain(design, wanted.metrics, wanted.simulate, *steps.next());
  if (!found.ok() || !found->prediction || wanted.what_ifs == 0) return found;
  if (const auto question = steps.next())
    session.rank_by_gain(design, *found->prediction, *question);
  if (const auto question = steps.next())
    found->what_ifs =
        session.what_ifs(scenario, design, *found->prediction, wanted.what_ifs, *question);
  return found;
}

}  // namespace stallcast::client
