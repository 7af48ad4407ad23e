#include "engine/decide/uncertain/chances.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/assertion.hpp"
#include "engine/base/glob.hpp"
#include "engine/decide/predict/student.hpp"
#include "engine/decide/uncertain/discrepancy.hpp"
#include "engine/decide/uncertain/lucky.hpp"
#include "engine/decide/uncertain/possible.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "engine/decide/uncertain/scale.hpp"
#include "engine/decide/uncertain/together.hpp"
#include "engine/decide/uncertain/widths.hpp"

namespace stallcast::uncertain {
namespace {

class Judge {
 public:
  Judge(const Design& design, const Prediction& nominal, const DrawnDesigns& draws)
      : design_(design), nominal_(nominal), draws_(draws), limits_(draws.designs, nominal) {}

  Chances make() {
    out_.draws = draws_.predictions.size();
    out_.cut_off = draws_.cut_off;
    if (out_.cut_off > 0) return std::move(out_);
    for (const AssertionOutcome& asked : nominal_.assertions) {
      const Result<base::Assertion> assertion = base::parse_assertion(asked.that);
      if (assertion.ok() && asked.limit) add(asked, *assertion);
    }
    for (const auto& [draw, targets] : together_) out_.together[draw] = targets.share();
    return std::move(out_);
  }

 private:
  /// Share of the draws in which a target holds, each with its luck, blurred by seeds and model.
  void add(const AssertionOutcome& asked, const base::Assertion& assertion) {
    const std::vector<const AssertionOutcome*> drawn = judged(asked.id);
    double least = HUGE_VAL, most = -HUGE_VAL;
    bool whole = true;
    for (const AssertionOutcome* a : drawn) {
      whole = whole && a != nullptr;
      if (a != nullptr) least = std::min(least, a->value), most = std::max(most, a->value);
    }
    const std::vector<std::string> of = metrics_of(asked, assertion);
    // One scale whatever the limit is: a stricter target is not more probable.
    const std::string& named = of.empty() ? asked.metric : of.front();
    const ErrorScale scale = ErrorScale::of(
        named, asked.unit, least, most, true,
        of.size() == 1 ? whole_of(named, design_, draws_.predictions) : std::optional<double>());
    const double blur = blur_of(of, scale);
    const Possible possible = of.size() == 1 ? limits_.of(of.front()) : Possible{};
    // A target of several metrics shares nothing that could be told.
    const SharedSource source =
        of.size() == 1 ? shared_source(of.front(), design_) : SharedSource{"target " + asked.id};
    double sum = 0.0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      std::vector<Held> by_luck;
      if (drawn[i] == nullptr || assertion.op == "==")
        by_luck = {{0.0, drawn[i] != nullptr && drawn[i]->status == "pass" ? 1.0 : 0.0}};
      else
        for (const double factor : luck_of(draws_.predictions[i], of))
          by_luck.push_back(held(assertion.op, drawn[i]->value * factor, *asked.limit,
                                 asked.upper.value_or(*asked.limit), scale, blur, possible));
      double holds = 0.0;
      for (const Held& one : by_luck) holds += one.share() / static_cast<double>(by_luck.size());
      sum += holds;
      if (asked.level != "warn") together_[draws_.which[i]].add(source, std::move(by_luck));
    }
    if (whole) out_.each[asked.id] = sum / static_cast<double>(drawn.size());
  }

  /// What became of a target in each draw; none where it has no such figure.
  [[nodiscard]] std::vector<const AssertionOutcome*> judged(const std::string& id) const {
    std::vector<const AssertionOutcome*> out;
    for (const Prediction& draw : draws_.predictions) {
      const auto a = std::ranges::find(draw.assertions, id, &AssertionOutcome::id);
      out.push_back(
          a != draw.assertions.end() && a->is_known() && std::isfinite(a->value) ? &*a : nullptr);
    }
    return out;
  }

  /// What a target is about: the metric that decides, or all that its statistic is of.
  [[nodiscard]] std::vector<std::string> metrics_of(const AssertionOutcome& asked,
                                                    const base::Assertion& assertion) const {
    if (nominal_.metrics.contains(asked.metric)) return {asked.metric};
    std::vector<std::string> out;
    for (const auto& [name, metric] : nominal_.metrics)
      if (base::matches_metric(assertion.metric, name)) out.push_back(name);
    return out;
  }

  /// Standard deviation of what neither draw nor input explains; a statistic is as unsure as the
  /// least sure of its metrics.
  [[nodiscard]] double blur_of(const std::vector<std::string>& names,
                               const ErrorScale& scale) const {
    double out = 0.0;
    for (const std::string& name : names) {
      const double model = scale.kind == ErrorScale::Kind::linear
                               ? 0.0
                               : discrepancy_of(name, design_, draws_.predictions);
      const double seeds = seeds_half(nominal_.metrics.at(name), nominal_.seeds.size(), scale);
      out = std::max(out, std::hypot(seeds, model) / kStandardNine);
    }
    return out;
  }

  const Design& design_;
  const Prediction& nominal_;
  const DrawnDesigns& draws_;
  const OwnLimits limits_;
  std::map<std::size_t, HeldTogether> together_;  ///< by number of the draw
  Chances out_;
};

}  // namespace

std::optional<double> Chances::all_hold() const {
  if (together.empty()) return std::nullopt;
  std::vector<double> all;
  for (const auto& [draw, holds] : together) all.push_back(holds);
  return predict::mean(all);
}

Chances chances_of(const Design& design, const Prediction& nominal, const DrawnDesigns& draws) {
  return Judge(design, nominal, draws).make();
}

}  // namespace stallcast::uncertain
