#include "engine/decide/gain/targets.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/assertion.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/limit.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::gain {
namespace {

/// What is left of a figure that is gone: so that its logarithm is one.
constexpr double kGone = 1e-12;
/// All of an owner stands for its parts where it betters a target by so much more than each.
constexpr double kTogetherOf = 2.0;

/// A change of everything by so little shows what a simulation answers to any change: changes of
/// twice that are none.
constexpr double kNudgeOf = 1e-6;

/// Which way is better: 1 up, -1 down, 0 where that is not said.
double better_way(const AssertionOutcome& target) {
  const auto parsed = base::parse_assertion(target.that);
  if (!parsed.ok()) return 0.0;
  if (parsed->op.starts_with('<')) return -1.0;
  if (parsed->op.starts_with('>')) return 1.0;
  if (parsed->op == "in" && target.limit) return target.value < *target.limit ? 1.0 : -1.0;
  return 0.0;
}

/// A figure that is gone with the part that makes it: no work is lost where nothing fails, and all
/// useful time is the job's where none is lent.
std::optional<double> without_its_part(const Prediction& prediction, const std::string& metric) {
  const metric::Name name = metric::parse(metric);
  if (name.domain != metric::Domain::job) return std::nullopt;
  if (name.figure.starts_with("failures.lost")) return 0.0;
  if (name.figure == "elastic.trained.share")
    return figure_or_zero(prediction, metric::goodput(name.id));
  return std::nullopt;
}

}  // namespace

TargetFigures::TargetFigures(const Design& design, const Prediction& prediction) : design_(design) {
  for (const AssertionOutcome& target : prediction.assertions) {
    // Of a confidence draws judge, later.
    if (target.status == "pass" && !target.confidence) continue;
    if (!prediction.metrics.contains(target.metric) ||
        !predict::tried_by_its_figure(prediction, target.metric))
      continue;
    if (const double way = better_way(target); way != 0.0) better_[target.metric] = way;
  }
  if (empty()) return;
  parts_ = all_parts_of(design, prediction);
  for (const auto& [path, part] : parts_) {
    levers_[path] = part.levers;
    owned_[part.owner].push_back(path);
  }
  for (const auto& [owner, parts] : owned_) {
    Levers all;
    for (const std::string& part : parts) {
      const Levers& own = parts_.at(part).levers;
      all.insert(all.end(), own.begin(), own.end());
    }
    levers_[owner] = std::move(all);
  }
}

TargetFigures::Figures TargetFigures::figures_of(const Prediction& prediction) const {
  Figures out;
  for (const auto& [metric, way] : better_)
    if (const auto found = prediction.metrics.find(metric); found != prediction.metrics.end()) {
      out[metric].value = found->second.value;
      if (const auto histories = prediction.histories.find(metric);
          histories != prediction.histories.end())
        out[metric].histories = histories->second;
    } else if (const auto without = without_its_part(prediction, metric)) {
      out[metric].value = *without;
    }
  return out;
}

void TargetFigures::add(const std::string& path, const Levers& levers, const Prediction& found) {
  const auto all = levers_.find(path);
  if (all == levers_.end() || all->second.size() != levers.size()) return;
  found_[path] = figures_of(found);
  // All of an owner that has one part is that part.
  const auto owned = owned_.find(path);
  if (owned != owned_.end() && owned->second.size() == 1)
    found_[owned->second.front()] = found_[path];
}

double TargetFigures::gained(const std::string& metric, const Figures& after) const {
  const auto was = base_.find(metric), is = after.find(metric);
  if (was == base_.end() || is == after.end() || !(was->second.value > 0.0)) return 0.0;
  return better_.at(metric) * std::log(std::max(is->second.value / was->second.value, kGone));
}

double TargetFigures::noise(const std::string& metric, const Figures& after) const {
  const auto was = base_.find(metric), is = after.find(metric);
  // What is gone with its part has no luck.
  if (was == base_.end() || is == after.end() || is->second.histories.empty()) return 0.0;
  return noise_between(was->second.histories, is->second.histories);
}

bool TargetFigures::betters(const std::string& metric, const Figures& after) const {
  // Where luck moves what is nudged, each has that as noise of its own.
  const double nudged = 2.0 * std::abs(gained(metric, nudged_));
  return gained(metric, after) >= std::max({kNegligible, noise(metric, after),
                                            nudged <= 2.0 * noise(metric, nudged_) ? 0.0 : nudged});
}

double TargetFigures::best(const std::string& path) const {
  double out = 0.0;
  if (const auto found = found_.find(path); found != found_.end())
    for (const auto& [metric, way] : better_)
      if (betters(metric, found->second)) out = std::max(out, gained(metric, found->second));
  return out;
}

void TargetFigures::simulate_everything(const Simulate& simulate) {
  Levers all;
  for (const auto& [path, part] : parts_)
    if (!part.breaks()) all.insert(all.end(), part.levers.begin(), part.levers.end());
  simulate({all}, 1.0,
           [&](std::size_t, const Prediction& found) { everything_ = figures_of(found); });
  simulate({all}, kNudgeOf,
           [&](std::size_t, const Prediction& found) { nudged_ = figures_of(found); });
}

void TargetFigures::simulate_missing(std::vector<std::string> order, const Simulate& simulate) {
  std::erase_if(order, [&](const std::string& path) { return found_.contains(path); });
  order.resize(std::min(order.size(), left_));
  if (order.empty()) return;
  left_ -= order.size();
  std::vector<Levers> all;
  for (const std::string& path : order) all.push_back(levers_.at(path));
  simulate(all, 1.0, [&](std::size_t i, const Prediction& found) { add(order[i], all[i], found); });
}

std::string TargetFigures::name_of(const std::string& path, const std::string& metric,
                                   const Prediction& prediction) const {
  const auto is_of = [&](const std::string& resource) {
    return part_of_resource(resource, design_, parts_) == path;
  };
  if (std::string known = predict::known_limiter(prediction, metric); is_of(known)) return known;
  const Bottleneck* most = nullptr;
  for (const Bottleneck& row : prediction.bottlenecks) {
    if (row.gain && row.gain->part == path) return row.resource;
    if (is_of(row.resource) && (most == nullptr || row.blamed_share > most->blamed_share))
      most = &row;
  }
  return most != nullptr ? most->resource : resource_of(path);
}

TargetGain TargetFigures::most_of(const std::string& metric, const Prediction& prediction) const {
  std::string first, owner;
  double most = 0.0, of_owner = 0.0;
  const auto row = [&](const std::string& path) {
    return std::find_if(prediction.bottlenecks.begin(), prediction.bottlenecks.end(),
                        [&](const Bottleneck& b) { return b.gain && b.gain->part == path; });
  };
  for (const auto& [path, figures] : found_) {
    if (!betters(metric, figures)) continue;
    const double gain = gained(metric, figures);
    if (parts_.contains(path)) {
      // Of equals the one that is told first.
      const bool equal = std::abs(gain - most) < kNegligible * most;
      if (equal ? row(path) < row(first) : gain > most) first = path, most = gain;
    } else if (gain > of_owner) {
      owner = path, of_owner = gain;
    }
  }
  const std::string waited = predict::limiter(prediction, metric);
  const auto part = parts_.find(part_of_resource(waited, design_, parts_));
  if (of_owner > kTogetherOf * most) {
    // Of an owner whose parts were not tried, the one that was waited for.
    if (part != parts_.end() && part->second.owner == owner && !found_.contains(part->first))
      return {waited, std::nullopt};
    first = owner;
  }
  if (!first.empty())
    return {name_of(first, metric, prediction),
            found_.at(first).at(metric).value / base_.at(metric).value - 1.0};
  // Nothing alone changes it. What was waited for may be hidden behind another of the same height.
  const bool tried =
      part != parts_.end() && (found_.contains(part->first) || found_.contains(part->second.owner));
  return {tried && !betters(metric, everything_) ? "" : waited, std::nullopt};
}

std::map<std::string, TargetGain> TargetFigures::find(const Prediction& base, std::size_t most,
                                                      const Simulate& simulate,
                                                      const Prediction& prediction) {
  base_ = figures_of(base);
  left_ = most / 2;
  simulate_everything(simulate);
  // What was waited for comes first, all else by name, then by what it betters.
  std::vector<std::string> owners, parts;
  const auto add_once = [](std::vector<std::string>& list, const std::string& path) {
    if (std::find(list.begin(), list.end(), path) == list.end()) list.push_back(path);
  };
  for (const auto& [metric, way] : better_) {
    const std::string waited =
        part_of_resource(predict::limiter(prediction, metric), design_, parts_);
    if (const auto found = parts_.find(waited); found != parts_.end()) {
      add_once(owners, found->second.owner);
      add_once(parts, waited);
    }
  }
  for (const auto& [owner, own] : owned_) add_once(owners, owner);
  simulate_missing(owners, simulate);
  left_ += most - most / 2;
  std::stable_sort(owners.begin(), owners.end(),
                   [&](const auto& a, const auto& b) { return best(a) > best(b); });
  for (const std::string& owner : owners)
    for (const std::string& part : owned_.at(owner)) add_once(parts, part);
  std::erase_if(parts, [&](const auto& part) { return best(parts_.at(part).owner) <= 0.0; });
  simulate_missing(parts, simulate);
  std::map<std::string, TargetGain> out;
  for (const auto& [metric, way] : better_)
    if (base_.contains(metric) && !found_.empty()) out[metric] = most_of(metric, prediction);
  return out;
}

}  // namespace stallcast::gain
