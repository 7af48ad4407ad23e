#include "engine/decide/gain/gains.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/design_values.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/gain/levers.hpp"
#include "engine/decide/gain/rows.hpp"
#include "engine/decide/gain/targets.hpp"
#include "engine/decide/gain/whole_cycles.hpp"
#include "engine/decide/uncertain/draws.hpp"
#include "models/contract/fabric.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/limit.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::gain {
namespace {

/// Less of the time than this is nothing to act on.
constexpr double kNothing = 0.0005;
/// A change of everything by so little shows what a simulation answers to any change.
constexpr double kNudge = 1e-6;
/// Simulated designs of a small and of a large design, and values of the best part tried one by
/// one.
constexpr std::size_t kMost = 36, kFew = 10, kMostValues = 8;
/// Parts that are tried with a second seed.
constexpr std::size_t kAgain = 6;
/// Events of all of them together: about a second on two cores.
constexpr double kEvents = 2.5e6;
/// Histories of months that each replays: all meet the same failures.
constexpr double kHistories = 200.0;
/// Parts that gain so much more together than the best alone limit together.
constexpr double kTogether = 2.0;

using Take = TargetFigures::Take;

/// `prediction` as if nothing but tenants were in it.
Prediction of_tenants(Prediction prediction) {
  prediction.breakdown.clear();
  return prediction;
}

class Ranking {
 public:
  Ranking(const Design& design, Prediction& prediction, const GainOptions& options)
      : design_(design),
        p_(prediction),
        options_(options),
        parts_(parts_of(design, options.of.empty() ? prediction : of_tenants(prediction))),
        targets_(design, prediction) {
    for (const Bottleneck& b : p_.bottlenecks)
      blame_[part_of_resource(b.resource, design_, parts_)] += b.blamed_share;
    // Nobody waits for what failures cost, and a barrier is no resource: tried by their shares.
    for (const auto& [job, shares] : p_.breakdown)
      for (const auto& [cause, part] : {std::pair("restart", ".failures"), {"sync", ".barrier"}})
        if (const auto lost = shares.find(cause); lost != shares.end())
          if (const auto path = base::component_path("job", job) + part; parts_.contains(path))
            blame_[path] += lost->second / std::max(waiting_share(p_), kNothing);
  }

  void run() {
    out_.left_out = parts_.size();
    Design trial = design_;
    uncertain::replay_less(trial, kHistories, 0.0);
    const double cost = std::max(uncertain::cost_of(trial, p_), 1.0);
    if (uncertain::draws_that_fit(cost) > 0)
      most_ = std::clamp(static_cast<std::size_t>(kEvents / cost), kFew, kMost);
    if (!parts_.empty() && most_ > 0 && begin()) {
      try_parts([&](const Owner& owner) { return is_gain(owner.gain, out_.noise); });
      try_again();
      try_values();
      look_for_pairs();
      try_parts([&](const Owner& owner) { return is_loss(owner.gain, out_.noise); });
      keep_owners();
      put_into_rows(p_, gains_, out_.noise, [&](const std::string& resource) {
        return part_of_resource(resource, design_, parts_);
      });
    }
    p_.gains = out_;
    if (!targets_.empty() && most_ > 0) find_targets();
    predict::name_limits(p_);
  }

 private:
  struct Owner {
    std::vector<std::string> parts;
    Levers levers;
    double blame = 0.0;
    Gain gain;
    bool known = false;
  };

  /// What these gain, each alone; none for what cannot be built or did not end.
  std::vector<std::optional<Gain>> tried(const std::vector<Levers>& all, double strength = 1.0,
                                         bool again = false, const Take& take = {}) {
    std::vector<std::optional<Gain>> out(all.size());
    each_with(all, strength, again, [&](std::size_t i, const Prediction& found) {
      out[i] = gain_between(again ? other_ : base_, found, options_.of);
      if (take) take(i, found);
    });
    return out;
  }

  void each_with(const std::vector<Levers>& all, double strength, bool again, const Take& take) {
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

  /// What changes the figures of missed targets.
  void find_targets() {
    if (base_.metrics.empty() && !begin_with_base()) return;
    auto found = targets_.find(
        base_, most_,
        [&](const std::vector<Levers>& all, double strength, const Take& take) {
          each_with(all, strength, false, take);
        },
        p_);
    p_.gains->targets = std::move(found);
    p_.gains->simulated = out_.simulated;
  }

  /// With the first seed, or `again` with the next.
  std::vector<Result<Prediction>> simulate(std::vector<Design>& designs, bool again = false) {
    out_.simulated += designs.size();
    predict::PredictOptions how = predict::one_run(options_.predict);
    if (!p_.seeds.empty()) how.seed = p_.seeds.front();
    if (again) how.seed = p_.seeds.size() > 1 ? p_.seeds[1] : how.seed.value_or(0) + 1;
    for (Design& design : designs) {
      design.expect.clear();
      replay_the_same(design, p_, kHistories);
    }
    return predict::predict_all(designs, how);
  }

  [[nodiscard]] std::size_t left() const { return most_ - std::min(most_, out_.simulated); }

  [[nodiscard]] double blamed(const std::string& part) const {
    const auto found = blame_.find(part);
    return found == blame_.end() ? 0.0 : found->second;
  }

  /// The same work for all, so that no gain hangs on whether one save more fits into the duration.
  void end_with_a_cycle() {
    const std::optional<Design> cycles = in_whole_cycles(design_, base_);
    if (!cycles || !options_.of.empty()) return;
    std::vector<Design> one(1, *cycles);
    std::vector<Result<Prediction>> found = simulate(one);
    const std::string steps = metric::of_job(design_.jobs.front().job.id, "steps");
    // An epoch that is shorter ends it, too.
    const double wanted = cycles->jobs.front().job.find("steps")->number;
    if (!found.front().ok() || figure_or_zero(*found.front(), steps) != wanted) return;
    trial_ = *cycles;
    base_ = *std::move(found.front());
  }

  bool begin_with_base() {
    std::vector<Design> as_it_is(1, design_);
    std::vector<Result<Prediction>> base = simulate(as_it_is);
    if (!base.front().ok()) return false;
    base_ = *std::move(base.front());
    out_.simulated = 0;  // of what is changed
    end_with_a_cycle();
    return true;
  }

  /// Everything at once, and each owner.
  bool begin() {
    if (!begin_with_base()) return false;
    Levers everything;
    for (const auto& [path, part] : parts_) {
      Owner& owner = owners_[part.owner];
      owner.blame += blamed(path);
      owner.parts.push_back(path);
      owner.levers.insert(owner.levers.end(), part.levers.begin(), part.levers.end());
      if (!part.breaks())
        everything.insert(everything.end(), part.levers.begin(), part.levers.end());
    }
    const std::vector<std::optional<Gain>> nudged = tried({everything}, kNudge);
    // Where histories leave so much open, each gain has that as noise of its own.
    if (nudged.front() && is_change(*nudged.front(), 0.0))
      out_.noise = 2.0 * std::abs(nudged.front()->time);
    out_.noise = std::max(out_.noise, kNothing);
    std::vector<std::string> order;
    for (const auto& [path, owner] : owners_) order.push_back(path);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      return owners_[a].blame > owners_[b].blame;
    });
    order.resize(std::min(order.size(), left() / 2));
    std::vector<Levers> all = {everything};
    for (const std::string& path : order) all.push_back(owners_[path].levers);
    const auto found = tried(all, 1.0, false, [&](std::size_t i, const Prediction& with) {
      if (i > 0) targets_.add(order[i - 1], all[i], with);
    });
    if (found.front()) out_.all = *found.front();
    for (std::size_t i = 0; i < order.size(); ++i) {
      Owner& owner = owners_[order[i]];
      if (!found[i + 1]) continue;
      owner.gain = *found[i + 1];
      owner.known = true;
      // Where all of it changes nothing, no part of it does. A loss says nothing of its parts.
      if (owner.parts.size() == 1 || !is_change(owner.gain, out_.noise))
        for (const std::string& part : owner.parts) keep(part, owner.gain);
    }
    return true;
  }

  void keep(const std::string& part, Gain gain) {
    gain.part = part;
    gains_[part] = gain;
    out_.left_out -= out_.left_out > 0 ? 1 : 0;
  }

  /// The parts of owners that `which` holds for, as many as are left.
  template <class Which>
  void try_parts(Which which) {
    std::vector<std::string> order;
    for (const auto& [path, owner] : owners_)
      if (owner.known && owner.parts.size() > 1 && which(owner))
        order.insert(order.end(), owner.parts.begin(), owner.parts.end());
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      const double gain_a = owners_[parts_.at(a).owner].gain.time,
                   gain_b = owners_[parts_.at(b).owner].gain.time;
      return gain_a != gain_b ? gain_a > gain_b : blamed(a) > blamed(b);
    });
    order.resize(std::min(order.size(), left()));
    if (order.empty()) return;
    std::vector<Levers> all;
    for (const std::string& part : order) all.push_back(parts_.at(part).levers);
    const auto found = tried(all, 1.0, false, [&](std::size_t i, const Prediction& with) {
      targets_.add(order[i], all[i], with);
    });
    for (std::size_t i = 0; i < order.size(); ++i)
      if (found[i]) keep(order[i], *found[i]);
  }

  /// The best parts with another seed, where draws matter: a gain is the mean of both, one that
  /// only one of them has is none, and half of what they differ by is noise of all.
  void try_again() {
    std::vector<std::string> order;
    for (const auto& [part, gain] : gains_)
      if (is_gain(gain, out_.noise)) order.push_back(part);
    if (order.empty() || left() < 2) return;
    std::vector<Design> one(1, trial_);
    std::vector<Result<Prediction>> other = simulate(one, true);
    if (!other.front().ok()) return;
    other_ = *std::move(other.front());
    if (std::abs(gain_between(base_, other_, options_.of).time) < kNothing) return;
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto& a, const auto& b) { return gains_[a].time > gains_[b].time; });
    order.resize(std::min({order.size(), kAgain, left() / 2}));
    std::vector<Levers> all;
    for (const std::string& part : order) all.push_back(parts_.at(part).levers);
    const std::vector<std::optional<Gain>> found = tried(all, 1.0, true);
    double luck = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!found[i]) continue;
      Gain& gain = gains_[order[i]];
      if (gain.noise == 0.0) luck = std::max(luck, std::abs(gain.time - found[i]->time) / 2.0);
      gain = mean_of_seeds(gain, *found[i], out_.noise);
    }
    out_.noise = std::max(out_.noise, luck);
  }

  /// Owners that gain what none of their parts is known to gain stand for them.
  void keep_owners() {
    for (const auto& [path, owner] : owners_) {
      if (!owner.known || owner.parts.size() < 2 || !is_gain(owner.gain, out_.noise)) continue;
      double most = out_.noise;
      for (const std::string& part : owner.parts)
        if (const auto found = gains_.find(part);
            found != gains_.end() && is_gain(found->second, most))
          most = found->second.time;
      if (owner.gain.time < kTogether * most) continue;
      Gain& gain = gains_[path] = owner.gain;
      gain.part = path;
      if (!out_.pair.empty() && out_.pair.front().starts_with(resource_of(path) + "."))
        gain.parts = out_.pair;
      else
        for (const auto& [part, levers] : needed_of(items_of(owner), gain, most))
          gain.parts.push_back(resource_of(part));
    }
  }

  [[nodiscard]] auto best() {
    const auto worth = [&](const auto& g) {
      return std::tuple(!is_lending(g.first), is_gain(g.second, out_.noise), g.second.time);
    };
    return std::ranges::max_element(gains_, {}, worth);
  }

  /// Which value of the best part it is.
  void try_values() {
    const auto top = best();
    if (top == gains_.end() || !is_gain(top->second, out_.noise)) return;
    const Levers& levers = parts_.at(top->first).levers;
    if (levers.size() == 1) {
      top->second.by = levers.front().path;
      return;
    }
    std::vector<Levers> all;
    for (const Lever& lever : levers)
      if (all.size() < std::min(kMostValues, left())) all.push_back({lever});
    const std::vector<std::optional<Gain>> found = tried(all);
    double most = top->second.time / 2.0;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] && found[i]->time > most) {
        most = found[i]->time;
        top->second.by = all[i].front().path;
      }
  }

  /// Of several that gain `all` together and little alone, those without which it is not gained.
  Items needed_of(const Items& items, const Gain& all, double alone) {
    Items needed;
    if (items.size() < 2 || items.size() > left()) return needed;
    const std::vector<std::optional<Gain>> rest = tried(without_each(items));
    for (std::size_t i = 0; i < items.size(); ++i)
      if (rest[i] && all.time - rest[i]->time > (all.time - alone) / 2.0)
        needed.push_back(items[i]);
    return needed;
  }

  void interplay(const Items& items, const Gain& all, double alone) {
    const Items needed = needed_of(items, all, alone);
    if (needed.size() < 2) return;
    const std::optional<Gain> found = tried({levers_of(needed)}).front();
    if (!found || found->time < kTogether * alone || !is_gain(*found, out_.noise)) return;
    for (const auto& [path, levers] : needed) out_.pair.push_back(resource_of(path));
    out_.together = *found;
    out_.together.part = base::join(out_.pair, ", ");
  }

  /// Where nothing alone gives what all of it gives.
  void look_for_pairs() {
    const auto top = best();
    const bool any = top != gains_.end() && is_gain(top->second, 0.0);
    const double alone = any ? std::max(0.0, top->second.time) : 0.0;
    Items items;
    const Owner* widest = nullptr;
    for (const auto& [path, owner] : owners_) {
      if (!owner.known || parts_.at(owner.parts.front()).breaks()) continue;
      items.emplace_back(path, owner.levers);
      if (widest == nullptr || owner.gain.time > widest->gain.time) widest = &owner;
    }
    double sum = 0.0, parts = 0.0;
    for (const auto& [path, owner] : owners_)
      if (!is_lending(path) && is_gain(owner.gain, 0.0)) sum += owner.gain.time;
    const auto more = [&](const Gain& all, double apart) {
      return is_gain(all, std::max(kTogether * alone, 2.0 * out_.noise)) && all.time > 1.5 * apart;
    };
    if (more(out_.all, sum)) return interplay(items, out_.all, alone);
    if (widest == nullptr || widest->parts.size() < 2) return;
    for (const std::string& path : widest->parts)
      if (gains_.contains(path) && is_gain(gains_.at(path), 0.0)) parts += gains_.at(path).time;
    if (more(widest->gain, parts)) interplay(items_of(*widest), widest->gain, alone);
  }

  [[nodiscard]] Items items_of(const Owner& owner) const {
    Items out;
    for (const std::string& path : owner.parts) out.emplace_back(path, parts_.at(path).levers);
    return out;
  }

  const Design& design_;
  Prediction& p_;
  const GainOptions& options_;
  const Parts parts_;
  TargetFigures targets_;
  std::map<std::string, double> blame_;  ///< by part
  std::map<std::string, Owner> owners_;
  std::map<std::string, Gain> gains_;  ///< by part
  std::size_t most_ = 0;
  Design trial_ = design_;   ///< what is changed: the design, or it in whole cycles
  Prediction base_, other_;  ///< of that as it is, with one seed and with another
  Gains out_;
};

}  // namespace

void rank_by_gain(const Design& design, Prediction& prediction, const GainOptions& options) {
  Ranking(models::with_ports_to_match(models::with_link_rate(design)), prediction, options).run();
}

}  // namespace stallcast::gain
