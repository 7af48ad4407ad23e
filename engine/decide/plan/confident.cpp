#include "engine/decide/plan/confident.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "engine/decide/uncertain/chances.hpp"
#include "engine/decide/uncertain/inputs.hpp"

namespace stallcast::plan {
namespace {

/// Draws of a design that are simulated before it is asked whether they rule it out.
constexpr std::size_t kFirstDraws = 16;

/// What is to hold in a share of all cases.
struct Need {
  std::string target;  ///< its id; "": every error-level target
  double share = 0.9;
};

/// That all hold in the share that is asked for, and what a target asks for beyond it.
std::vector<Need> needs_of(const Design& design, const ConfidenceQuestion& question) {
  std::vector<Need> out;
  if (question.share) out.push_back({"", *question.share});
  for (const Expectation& e : design.expect)
    if (e.level != "warn" && e.confidence.value_or(0) > question.share.value_or(0))
      out.push_back({e.id, *e.confidence});
  return out;
}

/// What the draws of one design say, as it is and with each outage.
struct Tally {
  std::size_t draws = 0;                     ///< that could be built
  std::vector<double> probability = {};      ///< of each need
  std::map<std::string, double> holds = {};  ///< each target, by its id
  bool whole = false;                        ///< all draws were made: fewer rule a design out
  bool as_it_is = true;  ///< the targets that no draws judge hold in the design as it is
};

class Drawn {
 public:
  Drawn(Designs& designs, const ConfidenceQuestion& question, std::vector<Need> needs,
        std::size_t draws)
      : designs_(designs), question_(question), needs_(std::move(needs)), draws_(draws) {}

  /// Predictions of the cells as they are, with the verdict of their draws.
  std::vector<Result<Prediction>> evaluate(std::span<const Cell> cells) {
    std::vector<Result<Prediction>> out = designs_.predict(cells);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!out[i].ok()) continue;
      Tally& tally = tallies_[cells[i]];
      tally.as_it_is = question_.share || others_hold(*out[i]);
      if (const std::optional<Failure> failed = draw(cells[i])) {
        tallies_.erase(cells[i]);
        out[i] = *failed;
      } else {
        out[i]->verdict = meets(tally) ? Verdict::pass : Verdict::fail;
      }
    }
    return out;
  }

  /// All draws of a cell, also of one that fewer rule out.
  std::optional<Failure> complete(const Cell& cell) {
    return tallies_[cell].whole ? std::nullopt : judge(cell, draws_);
  }

  [[nodiscard]] const std::map<Cell, Tally>& tallies() const { return tallies_; }
  [[nodiscard]] const std::vector<Need>& needs() const { return needs_; }

  [[nodiscard]] bool meets(const Tally& tally) const {
    bool out = tally.whole && tally.as_it_is;
    for (std::size_t need = 0; need < needs_.size(); ++need)
      out = out && tally.probability[need] >= needs_[need].share;
    return out;
  }

  /// The place of what is furthest from its share.
  [[nodiscard]] std::size_t decisive(const Tally& tally) const {
    std::size_t out = 0;
    const auto spare = [&](std::size_t need) {
      return tally.probability[need] - needs_[need].share;
    };
    for (std::size_t need = 1; need < needs_.size(); ++need)
      if (spare(need) < spare(out)) out = need;
    return out;
  }

 private:
  static bool others_hold(const Prediction& as_it_is) {
    return std::ranges::all_of(as_it_is.assertions, [](const AssertionOutcome& a) {
      return a.level == "warn" || a.confidence || a.status == "pass";
    });
  }

  /// As many draws of a cell as decide it.
  std::optional<Failure> draw(const Cell& cell) {
    if (tallies_[cell].whole) return std::nullopt;
    if (draws_ > kFirstDraws) {
      if (std::optional<Failure> failed = judge(cell, kFirstDraws)) return failed;
      if (ruled_out(tallies_[cell])) return std::nullopt;
    }
    return judge(cell, draws_);
  }

  /// Whether a need would be missed if it held in all draws that are left.
  [[nodiscard]] bool ruled_out(const Tally& tally) const {
    const auto made = static_cast<double>(tally.draws),
               left = static_cast<double>(draws_ - kFirstDraws);
    for (std::size_t need = 0; need < needs_.size(); ++need)
      if (tally.probability[need] * made + left < needs_[need].share * (made + left)) return true;
    return false;
  }

  /// What the first `count` draws say of a cell: the probabilities that a run with as many has of
  /// its targets. With a part down they are those of a run with that down; in a draw they share
  /// seeds and model with the design as it is, so that all hold in both as often as where they do
  /// so more rarely.    [docs/models/uncertainty.md, eq. 5, 5b]
  std::optional<Failure> judge(const Cell& cell, std::size_t count) {
    uncertain::DrawOptions how{.predict = designs_.options(), .draws = count};
    how.valid = question_.help.valid;
    how.vary = question_.help.vary;
    const std::vector<Design> variants = designs_.variants(cell);
    const std::vector<Result<Prediction>> as_run = designs_.as_run(variants);
    std::map<std::size_t, double> together;
    Tally& tally = tallies_[cell];
    tally.holds.clear();
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (!as_run[v].ok()) return as_run[v].failure();
      const uncertain::DrawnDesigns draws =
          uncertain::simulated_draws(variants[v], *as_run[v], how);
      if (draws.cut_off > 0)
        return Failure{ExitCode::inconclusive, "the time limit came before all draws had ended",
                       "raise --time-limit"};
      // A design of which hardly a draw can be built does not meet its targets.
      const uncertain::Chances found = draws.too_few()
                                           ? uncertain::Chances{}
                                           : uncertain::chances_of(variants[v], *as_run[v], draws);
      const std::string when = v == 0 ? "" : outage_suffix(designs_.outages()[v - 1]);
      for (const auto& [id, holds] : found.each) tally.holds[id + when] = holds;
      if (v == 0) together = found.together;
      std::map<std::size_t, double> both;
      for (const auto& [draw, holds] : found.together)
        if (const auto known = together.find(draw); known != together.end())
          both.emplace(draw, std::min(known->second, holds));
      together = std::move(both);
    }
    tally.draws = together.size();
    tally.whole = count >= draws_;
    tally.probability.clear();
    for (const Need& need : needs_)
      tally.probability.push_back(need.target.empty() ? mean_of(together)
                                                      : least(tally, need.target));
    return std::nullopt;
  }

  static double mean_of(const std::map<std::size_t, double>& together) {
    return uncertain::Chances{.together = together}.all_hold().value_or(0.0);
  }

  /// How often a target holds, as it is or with what is worst for it down. One that a draw has no
  /// figure of holds for sure in none.
  [[nodiscard]] double least(const Tally& tally, const std::string& target) const {
    const auto of = [&](const std::string& id) {
      const auto found = tally.holds.find(id);
      return found == tally.holds.end() ? 0.0 : found->second;
    };
    double out = of(target);
    for (const PartDown& outage : designs_.outages())
      out = std::min(out, of(target + outage_suffix(outage)));
    return out;
  }

  Designs& designs_;
  const ConfidenceQuestion& question_;
  std::vector<Need> needs_;
  std::size_t draws_;
  std::map<Cell, Tally> tallies_;
};

/// Puts what all draws said of a design into its targets; what fewer rule out stays open.
void judge(const Tally& tally, Prediction& prediction) {
  for (AssertionOutcome& a : prediction.assertions) {
    const auto holds = tally.holds.find(a.id);
    if (tally.whole && holds != tally.holds.end()) predict::judge_drawn(holds->second, a);
  }
  predict::leave_open(prediction.assertions);
}

/// The target that holds least often by itself, and how often; "" without any.
std::pair<std::string, double> least_sure(const Tally& tally, const Prediction& prediction) {
  std::pair<std::string, double> out;
  for (const AssertionOutcome& a : prediction.assertions)
    if (const auto holds = tally.holds.find(a.id); holds != tally.holds.end() && a.level != "warn")
      if (out.first.empty() || holds->second < out.second) out = *holds;
  return out;
}

/// As many as a run of a design gets; enough for a share of them to be one.
std::size_t draws_for(Designs& designs, const Cell& cell, const Prediction& as_it_is) {
  return std::max(uncertain::kFewestForTargets,
                  uncertain::draws_of_a_run(*designs.at(cell), as_it_is));
}

Result<ConfidentPlan> plan_with(std::size_t draws, Designs& designs, const Problem& nominal,
                                const Search& found, const ConfidenceQuestion& question,
                                Search& judged) {
  ConfidentPlan out;
  const Cell& start = *found.answer;
  const Design as_it_is = *designs.at(start);
  out.inputs = uncertain::input_count(as_it_is);
  if (question.help.vary) out.fitted = uncertain::fitted_count(as_it_is);
  out.draws = draws;
  Drawn drawn(designs, question, needs_of(as_it_is, question), out.draws);
  const auto [least, most] = std::ranges::minmax(drawn.needs(), {}, &Need::share);
  out.asked = most.share;
  out.least_asked = least.share;
  Problem problem = nominal;
  problem.bound = {};                     // of the design as it is: a draw may be better
  if (!problem.most) problem.checks = 0;  // there what misses says little of what lies beyond
  for (std::size_t a = 0; a < problem.axes.size(); ++a) problem.axes[a].start = start[a];
  problem.standing = [&](const Prediction& p) {
    if (p.verdict == Verdict::pass) return Standing::meets;
    return nominal.standing(p) == Standing::too_much ? Standing::too_much : Standing::misses;
  };
  Result<Search> again =
      search(problem, [&](std::span<const Cell> cells) { return drawn.evaluate(cells); });
  if (!again.ok()) return again.failure();
  judged = *std::move(again);
  out.status = judged.status;
  const Cell* answer = judged.answer ? &*judged.answer : nullptr;
  // The search may not have come by the nominal answer: what draws say of it is asked for, too.
  if (!drawn.tallies().contains(start))
    if (Result<Prediction> own = std::move(drawn.evaluate({&start, 1}).front()); own.ok())
      judged.seen.insert_or_assign(start, *std::move(own));
  // What is told of: the answers, and why nothing smaller does.
  std::vector<Cell> told = {start};
  if (answer != nullptr) {
    told.push_back(*answer);
    for (std::size_t a = 0; a < answer->size(); ++a)
      if (Cell less = *answer; less[a]-- > 0) told.push_back(std::move(less));
  }
  for (const Cell& cell : told)
    if (drawn.tallies().contains(cell)) (void)drawn.complete(cell);
  for (const auto& [cell, tally] : drawn.tallies()) {
    if (cell == start) out.nominal = out.points.size();
    if (answer != nullptr && cell == *answer) out.answer = out.points.size();
    DrawnPoint point;
    point.count = std::llround(problem.axes.front().numbers[cell.front()]);
    point.values = texts_of(problem.axes, cell);
    point.draws = tally.draws;
    point.ruled_out = !tally.whole;
    const std::size_t decisive = drawn.decisive(tally);
    point.target = drawn.needs()[decisive].target;
    point.asked = drawn.needs()[decisive].share;
    point.probability = tally.probability[decisive];
    point.meets = drawn.meets(tally);
    out.points.push_back(std::move(point));
    if (const auto seen = judged.seen.find(cell); seen != judged.seen.end()) {
      judge(tally, seen->second);
      if (DrawnPoint& told = out.points.back(); told.target.empty())
        std::tie(told.least, told.least_probability) = least_sure(tally, seen->second);
    }
  }
  for (const auto& [cell, as_it_is] : found.seen)
    if (const auto [at, fresh] = judged.seen.emplace(cell, as_it_is);
        fresh && as_it_is.verdict == Verdict::pass)
      predict::leave_open(at->second);
  return out;
}

}  // namespace

Result<ConfidentPlan> confident_plan(Designs& designs, const Problem& nominal, const Search& found,
                                     const ConfidenceQuestion& question, Search& judged) {
  const auto with = [&](std::size_t draws) {
    return plan_with(draws, designs, nominal, found, question, judged);
  };
  if (question.draws) return with(static_cast<std::size_t>(*question.draws));
  std::size_t draws = draws_for(designs, *found.answer, found.seen.at(*found.answer));
  Result<ConfidentPlan> out = with(draws);
  // A run of the answer may get more draws than one of the nominal design, or fewer.
  const auto own = [&] {
    return out.ok() && judged.answer
               ? draws_for(designs, *judged.answer, judged.seen.at(*judged.answer))
               : draws;
  };
  if (own() != draws) out = with(draws = own());
  if (own() != draws)
    judged.notes.push_back("judged by " + std::to_string(draws) + " draws, of which a run of " +
                           "the answer takes " + std::to_string(own()) + ": --draws " +
                           std::to_string(draws) + " for both");
  return out;
}

}  // namespace stallcast::plan
