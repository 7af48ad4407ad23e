#include "engine/decide/plan/confident.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/decide/uncertain/inputs.hpp"
#include "engine/decide/uncertain/outcomes.hpp"

namespace stallcast::plan {
namespace {

/// Draws of a design that are simulated before it is asked whether they decide.
constexpr std::size_t kAtATimeDraws = 16;

/// What is to hold in a share of the draws.
struct Need {
  std::string target;  ///< its id; "": every error-level target
  double share = 0.9;
};

/// In a draw, of which there is a prediction as it is and one with each outage.
bool holds(const Need& need, std::span<const Result<Prediction>> drawn) {
  return std::ranges::all_of(drawn, [&](const Result<Prediction>& one) {
    // What a target asks for may be missing in a draw: then it does not hold.
    if (!one.ok()) return false;
    if (need.target.empty()) return one->verdict == Verdict::pass;
    const auto a = std::ranges::find(one->assertions, need.target, &AssertionOutcome::id);
    return a != one->assertions.end() && a->status == "pass";
  });
}

/// That all hold in the share that is asked for, and what a target asks for beyond it.
std::vector<Need> needs_of(const Design& design, const ConfidenceQuestion& question) {
  std::vector<Need> out;
  if (question.share) out.push_back({"", *question.share});
  for (const Expectation& e : design.expect)
    if (e.level != "warn" && e.confidence.value_or(0) > question.share.value_or(0))
      out.push_back({e.id, *e.confidence});
  return out;
}

/// How the draws of one design came out.
struct Tally {
  std::size_t made = 0;               ///< draws looked at
  std::size_t broken = 0;             ///< of them, no valid design
  std::vector<std::size_t> met = {};  ///< of the others, for each need
  bool as_it_is = true;  ///< the targets that no draws judge hold in the design as it is
  /// That all targets hold together, as `run` has them; once judged.
  std::optional<double> probability = std::nullopt;
  std::map<std::string, double> holds = {};  ///< each target, by its id; once judged
  bool sure = false;  ///< `run` judges each target with a confidence of its own as met
  [[nodiscard]] std::size_t missed(std::size_t need) const { return made - broken - met[need]; }
};

class Drawn {
 public:
  Drawn(Designs& designs, const ConfidenceQuestion& question, std::vector<Need> needs,
        std::size_t draws)
      : designs_(designs), question_(question), needs_(std::move(needs)), draws_(draws) {}

  /// Predictions of the cells as they are, with the verdict of their draws.
  std::vector<Result<Prediction>> evaluate(std::span<const Cell> cells) {
    std::vector<Result<Prediction>> out = designs_.predict(cells);
    std::vector<Cell> open;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!out[i].ok()) continue;
      open.push_back(cells[i]);
      if (!question_.share) of(cells[i]).as_it_is = others_hold(*out[i]);
    }
    std::optional<Failure> failed;
    while (!open.empty() && !failed) {
      failed = advance(open);
      std::erase_if(open, [&](const Cell& cell) { return decided(of(cell)); });
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!out[i].ok()) continue;
      if (!failed && hold(of(cells[i]))) failed = judge(cells[i], *out[i]);
      if (failed)
        out[i] = *failed;
      else
        out[i]->verdict = meets(of(cells[i])) ? Verdict::pass : Verdict::fail;
    }
    return out;
  }

  /// All draws of a cell, also those that could decide nothing any more.
  std::optional<Failure> complete(const Cell& cell) {
    while (of(cell).made < draws_)
      if (std::optional<Failure> failed = advance({cell})) return failed;
    return std::nullopt;
  }

  [[nodiscard]] const std::map<Cell, Tally>& tallies() const { return tallies_; }
  [[nodiscard]] bool meets(const Tally& tally) const { return hold(tally) && tally.sure; }

  /// The place of what is furthest from its share.
  [[nodiscard]] std::size_t decisive(const Tally& tally) const {
    std::size_t out = 0;
    const auto spare = [&](std::size_t need) {
      return static_cast<double>(tally.met[need]) - static_cast<double>(needed(tally, need));
    };
    for (std::size_t need = 1; need < needs_.size(); ++need)
      if (spare(need) < spare(out)) out = need;
    return out;
  }
  [[nodiscard]] const std::vector<Need>& needs() const { return needs_; }

 private:
  [[nodiscard]] Tally& of(const Cell& cell) {
    Tally& tally = tallies_[cell];
    tally.met.resize(needs_.size(), 0);
    return tally;
  }

  static bool others_hold(const Prediction& as_it_is) {
    return std::ranges::all_of(as_it_is.assertions, [](const AssertionOutcome& a) {
      return a.level == "warn" || a.confidence || a.status == "pass";
    });
  }

  /// A design of which no draw can be built does not meet its targets.
  [[nodiscard]] bool hold(const Tally& tally) const {
    if (!tally.as_it_is) return false;
    for (std::size_t need = 0; need < needs_.size(); ++need)
      if (tally.met[need] == 0 || tally.missed(need) > allowed(tally, need)) return false;
    return true;
  }

  /// The draws of a cell in which the targets hold, judged as `run` does: with what seeds and the
  /// model leave open.  [docs/models/uncertainty.md, eq. 5]
  std::optional<Failure> judge(const Cell& cell, const Prediction& as_it_is) {
    Tally& tally = of(cell);
    if (tally.probability) return std::nullopt;
    if (std::optional<Failure> failed = complete(cell)) return failed;
    const Design& design = *designs_.at(cell);
    uncertain::DrawOptions how{.predict = designs_.options(), .draws = draws_};
    how.valid = question_.help.valid;
    how.vary = question_.help.vary;
    const Result<Uncertainty> found = uncertain::outcomes(design, as_it_is, how);
    if (!found.ok()) return found.failure();
    if (found->cut_off > 0)
      return Failure{ExitCode::inconclusive, "the time limit came before all draws had ended",
                     "raise --time-limit"};
    tally.sure = true;
    tally.probability = found->all_hold.value_or(1.0);
    tally.holds = found->probability;
    for (const Expectation& e : design.expect) {
      const auto holds = found->probability.find(e.id);
      if (e.level == "warn" || holds == found->probability.end()) continue;
      tally.sure = tally.sure && holds->second >= e.confidence.value_or(0.0);
    }
    return std::nullopt;
  }

  /// In how many draws a need of a design has to hold, of those that can be built.
  [[nodiscard]] std::size_t needed(const Tally& tally, std::size_t need) const {
    const auto usable = static_cast<double>(draws_ - tally.broken);
    return static_cast<std::size_t>(std::ceil(usable * needs_[need].share - 1e-9));
  }
  [[nodiscard]] std::size_t allowed(const Tally& tally, std::size_t need) const {
    return draws_ - tally.broken - needed(tally, need);
  }
  [[nodiscard]] bool decided(const Tally& tally) const {
    bool all = true;
    for (std::size_t need = 0; need < needs_.size(); ++need) {
      if (tally.missed(need) > allowed(tally, need)) return true;
      all = all && tally.met[need] >= needed(tally, need);
    }
    return all || tally.made >= draws_;
  }

  /// Some more draws of each of `cells`, in one batch.
  std::optional<Failure> advance(const std::vector<Cell>& cells) {
    struct Place {
      const Cell* cell;
      std::size_t first, count;  ///< of the designs: as it is, and with each outage
    };
    std::vector<Design> batch;
    std::vector<Place> places;
    for (const Cell& cell : cells) {
      std::vector<std::vector<Design>>& drawn = drawn_of(cell);
      Tally& tally = of(cell);
      const std::size_t end = std::min(draws_, tally.made + kAtATimeDraws);
      for (std::size_t d = tally.made; d < end; ++d) {
        const bool valid = !drawn[d].empty();
        if (!valid) ++tally.broken;
        if (valid) places.push_back({&cell, batch.size(), drawn[d].size()});
        std::move(drawn[d].begin(), drawn[d].end(), std::back_inserter(batch));
        drawn[d].clear();
      }
      tally.made = end;
    }
    const std::vector<Result<Prediction>> found = designs_.once(batch);
    for (const Place& place : places) {
      const auto drawn = std::span(found).subspan(place.first, place.count);
      for (const Result<Prediction>& one : drawn)
        if (!one.ok() && one.failure().exit != ExitCode::bad_input) return one.failure();
      for (std::size_t need = 0; need < needs_.size(); ++need)
        if (holds(needs_[need], drawn)) ++of(*place.cell).met[need];
    }
    return std::nullopt;
  }

  /// Each draw of a cell, as it is and with each outage; none where one of them cannot be built.
  std::vector<std::vector<Design>>& drawn_of(const Cell& cell) {
    const auto known = pending_.find(cell);
    if (known != pending_.end()) return known->second;
    std::vector<std::vector<Design>> out(draws_);
    std::vector<bool> broken(draws_, false);
    for (const Design& design : designs_.variants(cell)) {
      std::vector<Design> drawn = uncertain::draws_of(design, draws_);
      for (std::size_t d = 0; d < draws_; ++d) {
        const DrawHelp& help = question_.help;
        if (help.vary) help.vary(drawn[d], d);
        if (help.valid && !help.valid(drawn[d])) broken[d] = true;
        out[d].push_back(std::move(drawn[d]));
      }
    }
    for (std::size_t d = 0; d < draws_; ++d)
      if (broken[d]) out[d].clear();
    return pending_.emplace(cell, std::move(out)).first->second;
  }

  Designs& designs_;
  const ConfidenceQuestion& question_;
  std::vector<Need> needs_;
  std::size_t draws_;
  std::map<Cell, Tally> tallies_;
  std::map<Cell, std::vector<std::vector<Design>>> pending_;
};

/// Puts what draws said of a design into its targets; what they did not come to say stays open.
void judge(const Tally& tally, Prediction& prediction) {
  for (AssertionOutcome& a : prediction.assertions) {
    const auto holds = tally.holds.find(a.id);
    if (holds != tally.holds.end()) predict::judge_drawn(holds->second, a);
  }
  predict::leave_open(prediction.assertions);
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
  for (const Cell* cell : {answer, &start})
    if (cell != nullptr && drawn.tallies().contains(*cell)) (void)drawn.complete(*cell);
  for (const auto& [cell, tally] : drawn.tallies()) {
    if (cell == start) out.nominal = out.points.size();
    if (answer != nullptr && cell == *answer) out.answer = out.points.size();
    DrawnPoint point;
    point.count = std::llround(problem.axes.front().numbers[cell.front()]);
    point.values = texts_of(problem.axes, cell);
    point.draws = tally.made - tally.broken;
    const std::size_t decisive = drawn.decisive(tally);
    point.met = tally.met[decisive];
    point.target = drawn.needs()[decisive].target;
    point.probability = tally.probability;
    point.meets = drawn.meets(tally);
    out.points.push_back(std::move(point));
    if (const auto seen = judged.seen.find(cell); seen != judged.seen.end())
      judge(tally, seen->second);
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
