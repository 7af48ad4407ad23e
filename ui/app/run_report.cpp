#include "ui/app/run_report.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/decide/uncertain/outcomes.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "stallcast/nominal.hpp"

namespace stallcast::client {
namespace {

/// About how many simulations the steps of a report are.
constexpr double kOfGains = 10.0, kOfAdvice = 5.0, kOfSurroundings = 10.0, kOfTimeline = 1.0,
                 kOfDraws = 32.0, kOfReplicas = 3.0;

/// Shares one time limit and one progress among the steps of a report, which come in turn: of the
/// progress each has a part as large as its number in `costs`.
class Steps {
 public:
  Steps(const Question& all, std::vector<double> costs)
      : all_(all),
        costs_(std::move(costs)),
        whole_(std::accumulate(costs_.begin(), costs_.end(), 0.0)) {}

  /// The question of the next step; after the first, nullopt when the time is up or somebody
  /// interrupted.
  std::optional<Question> next() {
    Question out = all_;
    out.time_limit_s = until_.left_s();
    const auto share = [this, before = before_, cost = costs_[done_]](double done) {
      all_.on_progress((before + cost * done) / whole_);
    };
    if (all_.on_progress) out.on_progress = share;
    skip();
    if (done_ > 1 && (out.time_limit_s <= 0.0 || run::interrupt_flag() != 0)) return std::nullopt;
    return out;
  }
  void skip() { before_ += costs_[done_++]; }

 private:
  const Question& all_;
  base::Deadline until_ = base::Deadline::in(all_.time_limit_s);
  std::vector<double> costs_;
  double whole_, before_ = 0.0;
  std::size_t done_ = 0;
};

double draws_of(const RunQuestion& wanted) {
  if (wanted.draws) return static_cast<double>(*wanted.draws);
  if (!wanted.known) return kOfDraws;
  // At least one: where all are too many, that takes no time.
  return std::max(1.0,
                  static_cast<double>(uncertain::draws_that_fit(
                      static_cast<double>(wanted.known->events) /
                      static_cast<double>(std::max<std::size_t>(1, wanted.known->seeds.size())))));
}

/// What limits a design is what its missed targets wait for, and only draws tell which are missed;
/// the figures stay those of the design as it is.
void judge_confidence(Session& session, const Design& design, const Question& question,
                      Explanation& explanation) {
  Prediction& prediction = *explanation.prediction;
  Result<Uncertainty> found = session.uncertainty(design, prediction, std::nullopt, question);
  if (!found.ok()) return;
  Prediction judged = prediction;
  uncertain::attach(std::move(found).value(), design, judged);
  prediction.assertions = std::move(judged.assertions);
  prediction.verdict = judged.verdict;
  prediction.warnings = std::move(judged.warnings);
}

}  // namespace

static_assert(kFewestDraws == uncertain::kFewest);

Result<RunReport> run_report(Session& session, const Scenario& scenario,
                             const RunQuestion& wanted) {
  const Design& design = wanted.design ? *wanted.design : scenario.design();
  const bool drawn = wanted.draws.value_or(1) > 0;
  std::vector<double> costs{wanted.known ? 0.0 : kOfReplicas};
  if (wanted.gains) costs.push_back(kOfGains);
  if (drawn) costs.push_back(draws_of(wanted));
  if (wanted.advise) costs.push_back(kOfAdvice);
  if (wanted.around) costs.push_back(kOfSurroundings);
  if (wanted.timeline) costs.push_back(kOfTimeline);
  Steps steps(wanted.predict, std::move(costs));
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
  predict::leave_open(out.prediction);
  const bool cut_off = out.prediction.uncertainty && out.prediction.uncertainty->cut_off > 0;
  for (const AssertionOutcome& a : out.prediction.assertions)
    if (a.confidence && !a.probability && !cut_off)
      out.prediction.warnings.push_back(only_draws_judge(a.id));
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

Prediction bounds_alone(const Session& session, const Design& design, const Failure& why) {
  Prediction out = session.estimate(design);
  out.verdict = Verdict::inconclusive;
  out.warnings.insert(out.warnings.begin(),
                      "partial: " + why.message + "; figures are those of bounds alone");
  return out;
}

Result<Explanation> explain_report(Session& session, const Scenario& scenario,
                                   const ExplainQuestion& wanted) {
  const Design& design = scenario.design();
  std::vector<double> costs{kOfReplicas};
  const bool drawn = uncertain::asks_for_confidence(design);
  if (wanted.simulate && wanted.what_ifs > 0) {
    costs.push_back(kOfGains);
    if (drawn) costs.push_back(kOfDraws);
    costs.push_back(static_cast<double>(wanted.what_ifs));
  }
  Steps steps(wanted.predict, std::move(costs));
  Result<Explanation> found =
      session.explain(design, wanted.metrics, wanted.simulate, *steps.next());
  if (!found.ok() || !found->prediction) return found;
  if (wanted.what_ifs == 0) {
    predict::leave_open(*found->prediction);
    return found;
  }
  if (const auto question = steps.next())
    session.rank_by_gain(design, *found->prediction, *question);
  if (drawn)
    if (const auto question = steps.next()) judge_confidence(session, design, *question, *found);
  predict::leave_open(*found->prediction);
  if (const auto question = steps.next())
    found->what_ifs =
        session.what_ifs(scenario, design, *found->prediction, wanted.what_ifs, *question);
  return found;
}

}  // namespace stallcast::client
