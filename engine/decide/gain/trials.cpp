#include "engine/decide/gain/trials.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/decide/gain/rows.hpp"
#include "engine/decide/gain/whole_cycles.hpp"
#include "engine/decide/uncertain/draws.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::gain {
namespace {

/// Simulated designs of a small and of a large design.
constexpr std::size_t kMost = 36, kFew = 10;
/// Events of all of them together: about a second on two cores.
constexpr double kEvents = 2.5e6;
/// Histories of months that each replays: all meet the same failures.
constexpr double kHistories = 200.0;

}  // namespace

Trials::Trials(const Design& design, const Prediction& prediction, const GainOptions& options)
    : design_(design), p_(prediction), options_(options), trial_(design) {
  Design less = design_;
  uncertain::replay_less(less, kHistories, 0.0);
  const double cost = std::max(uncertain::cost_of(less, p_), 1.0);
  if (uncertain::draws_that_fit(cost) > 0)
    most_ = std::clamp(static_cast<std::size_t>(kEvents / cost), kFew, kMost);
}

bool Trials::begin() {
  std::vector<Design> as_it_is(1, design_);
  std::vector<Result<Prediction>> base = simulate(as_it_is, false);
  if (!base.front().ok()) return false;
  base_ = *std::move(base.front());
  simulated_ = 0;
  end_with_a_cycle();
  return true;
}

std::optional<Gain> Trials::begin_again() {
  std::vector<Design> one(1, trial_);
  std::vector<Result<Prediction>> other = simulate(one, true);
  if (!other.front().ok()) return std::nullopt;
  other_ = *std::move(other.front());
  return gain_between(base_, other_, options_.of);
}

/// The same work for all, so that no gain hangs on whether one save more fits into the duration.
void Trials::end_with_a_cycle() {
  const std::optional<Design> cycles = in_whole_cycles(design_, base_);
  if (!cycles || !options_.of.empty()) return;
  std::vector<Design> one(1, *cycles);
  std::vector<Result<Prediction>> found = simulate(one, false);
  const std::string steps = metric::of_job(design_.jobs.front().job.id, "steps");
  // An epoch that is shorter ends it, too.
  const double wanted = cycles->jobs.front().job.find("steps")->number;
  if (!found.front().ok() || figure_or_zero(*found.front(), steps) != wanted) return;
  trial_ = *cycles;
  base_ = *std::move(found.front());
}

std::vector<std::optional<Gain>> Trials::tried(const std::vector<Levers>& all, double strength,
                                               const Take& take) {
  std::vector<std::optional<Gain>> out(all.size());
  each_with(all, strength, [&](std::size_t i, const Prediction& found) {
    out[i] = gain_between(base_, found, options_.of);
    if (take) take(i, found);
  });
  return out;
}

std::vector<std::optional<Gain>> Trials::tried_again(const std::vector<Levers>& all) {
  std::vector<std::optional<Gain>> out(all.size());
  each_with(
      all, 1.0,
      [&](std::size_t i, const Prediction& found) {
        out[i] = gain_between(other_, found, options_.of);
      },
      true);
  return out;
}

void Trials::each_with(const std::vector<Levers>& all, double strength, const Take& take,
                       bool again) {
  std::vector<Design> designs;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Design changed = faster(trial_, all[i], strength);
    if (options_.valid && !options_.valid(changed)) continue;
    place.push_back(i);
    designs.push_back(std::move(changed));
  }
  const std::vector<Result<Prediction>> found = simulate(designs, again);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].ok()) take(place[i], *found[i]);
}

/// With the first seed, or `again` with the next.
std::vector<Result<Prediction>> Trials::simulate(std::vector<Design>& designs, bool again) {
  simulated_ += designs.size();
  predict::PredictOptions how = predict::one_run(options_.predict);
  if (!p_.seeds.empty()) how.seed = p_.seeds.front();
  if (again) how.seed = p_.seeds.size() > 1 ? p_.seeds[1] : how.seed.value_or(0) + 1;
  for (Design& design : designs) {
    design.expect.clear();
    replay_the_same(design, p_, kHistories);
  }
  return predict::predict_all(designs, how);
}

}  // namespace stallcast::gain
