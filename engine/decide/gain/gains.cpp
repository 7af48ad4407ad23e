#include "engine/decide/gain/gains.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/design_values.hpp"
#include "engine/decide/gain/levers.hpp"
#include "engine/decide/gain/rows.hpp"
#include "engine/decide/gain/targets.hpp"
#include "engine/decide/gain/together.hpp"
#include "engine/decide/gain/trials.hpp"
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
/// Values of the best part tried one by one.
constexpr std::size_t kMostValues = 8;
/// Parts that are tried with a second seed.
constexpr std::size_t kAgain = 6;
/// Parts of owners that gain this much of what all of the owners gain together say it more closely.
constexpr double kMostOfIt = 0.75;
/// More than so many say nothing.
constexpr std::size_t kFewParts = 3;

using Take = Trials::Take;

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
        trials_(design, prediction, options),
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
    if (!parts_.empty() && trials_.most() > 0 && begin()) {
      try_parts([&](const Owner& owner) { return is_gain(owner.gain, out_.noise); });
      try_again();
      look_for_pairs();
      try_values();
      try_parts([&](const Owner& owner) { return is_loss(owner.gain, out_.noise); });
      keep_owners();
      put_into_rows(p_, gains_, out_.noise, [&](const std::string& resource) {
        return part_of_resource(resource, design_, parts_);
      });
    }
    out_.simulated = trials_.simulated();
    p_.gains = out_;
    if (!targets_.empty() && trials_.most() > 0) find_targets();
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

  /// What changes the figures of missed targets.
  void find_targets() {
    if (trials_.base().metrics.empty() && !trials_.begin()) return;
    auto found = targets_.find(
        trials_.base(), trials_.most(),
        [&](const std::vector<Levers>& all, double strength, const Take& take) {
          trials_.each_with(all, strength, take);
        },
        p_);
    p_.gains->targets = std::move(found);
    p_.gains->simulated = trials_.simulated();
  }

  [[nodiscard]] double blamed(const std::string& part) const {
    const auto found = blame_.find(part);
    return found == blame_.end() ? 0.0 : found->second;
  }

  /// Everything at once, and each owner.
  bool begin() {
    if (!trials_.begin()) return false;
    Levers everything;
    for (const auto& [path, part] : parts_) {
      Owner& owner = owners_[part.owner];
      owner.blame += blamed(path);
      owner.parts.push_back(path);
      owner.levers.insert(owner.levers.end(), part.levers.begin(), part.levers.end());
      if (!part.breaks())
        everything.insert(everything.end(), part.levers.begin(), part.levers.end());
    }
    const std::vector<std::optional<Gain>> nudged = trials_.tried({everything}, kNudge);
    // Where histories leave so much open, each gain has that as noise of its own.
    if (nudged.front() && is_change(*nudged.front(), 0.0))
      out_.noise = 2.0 * std::abs(nudged.front()->time);
    out_.noise = std::max(out_.noise, kNothing);
    std::vector<std::string> order;
    for (const auto& [path, owner] : owners_) order.push_back(path);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      return owners_[a].blame > owners_[b].blame;
    });
    order.resize(std::min(order.size(), trials_.left() / 2));
    std::vector<Levers> all = {everything};
    for (const std::string& path : order) all.push_back(owners_[path].levers);
    const auto found = trials_.tried(all, 1.0, [&](std::size_t i, const Prediction& with) {
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
        for (const std::string& part : owner.parts)
          if (!hidden(part)) keep(part, owner.gain);
    }
    return true;
  }

  /// Whether a part is not tried where all of its owner is.
  [[nodiscard]] bool hidden(const std::string& part) const {
    return hidden_in(parts_.at(part).levers, owners_.at(parts_.at(part).owner).levers);
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
      for (const std::string& part : owner.parts)
        if (owner.known && owner.parts.size() > 1 && !gains_.contains(part) &&
            (which(owner) || hidden(part)))
          order.push_back(part);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      const double gain_a = owners_[parts_.at(a).owner].gain.time,
                   gain_b = owners_[parts_.at(b).owner].gain.time;
      return gain_a != gain_b ? gain_a > gain_b : blamed(a) > blamed(b);
    });
    order.resize(std::min(order.size(), trials_.left()));
    if (order.empty()) return;
    std::vector<Levers> all;
    for (const std::string& part : order) all.push_back(parts_.at(part).levers);
    const auto found = trials_.tried(all, 1.0, [&](std::size_t i, const Prediction& with) {
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
    if (order.empty() || trials_.left() < 2) return;
    const std::optional<Gain> other = trials_.begin_again();
    if (!other || std::abs(other->time) < kNothing) return;
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto& a, const auto& b) { return gains_[a].time > gains_[b].time; });
    order.resize(std::min({order.size(), kAgain, trials_.left() / 2}));
    std::vector<Levers> all;
    for (const std::string& part : order) all.push_back(parts_.at(part).levers);
    const std::vector<std::optional<Gain>> found = trials_.tried_again(all);
    double luck = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!found[i]) continue;
      Gain& gain = gains_[order[i]];
      if (gain.noise == 0.0) luck = std::max(luck, std::abs(gain.time - found[i]->time) / 2.0);
      gain = mean_of_seeds(gain, *found[i], out_.noise);
    }
    out_.noise = std::max(out_.noise, luck);
  }

  /// Whether what limits together is parts of one owner.
  [[nodiscard]] bool is_pair_of(const std::string& owner) const {
    return !out_.pair.empty() && std::ranges::all_of(out_.pair, [&](const std::string& part) {
      return part.starts_with(resource_of(owner) + ".");
    });
  }

  /// Owners that gain what none of their parts is known to gain stand for them.
  void keep_owners() {
    bool told = false;  // what limits together
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
      if (is_pair_of(path))
        gain.parts = out_.pair;
      else
        for (const auto& [part, levers] : needed_of(items_of(owner), gain, most, while_room()))
          gain.parts.push_back(resource_of(part));
      told = told || is_pair_of(path);
    }
    // Parts of several owners are a row of their own.
    if (!out_.pair.empty() && !told) gains_[out_.together.part] = out_.together;
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
      if (all.size() < std::min(kMostValues, trials_.left())) all.push_back({lever});
    const std::vector<std::optional<Gain>> found = trials_.tried(all);
    double most = top->second.time / 2.0;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] && found[i]->time > most) {
        most = found[i]->time;
        top->second.by = all[i].front().path;
      }
  }

  TryEach while_room() {
    return [this](const std::vector<Levers>& all) {
      return all.size() > std::max<std::size_t>(trials_.left(), 1)
                 ? std::vector<std::optional<Gain>>()
                 : trials_.tried(all);
    };
  }

  /// How much of a part is waited for and used.
  [[nodiscard]] double pressed(const std::string& part) const {
    double most = 0.0;
    for (const ResourceUse& use : p_.resources)
      if (part_of_resource(use.name, design_, parts_) == part)
        most = std::max(most, use.utilization());
    return most + blamed(part);
  }

  /// Which parts it is, where owners limit together: those that are pressed most, else those
  /// without which it is not gained.
  std::optional<Together> parts_of_owners(const Together& owners, double alone) {
    Items parts, foremost;
    for (const auto& [path, levers] : owners.items) {
      if (!owners_.contains(path)) continue;
      Items own = items_of(owners_.at(path));
      std::erase_if(own, [&](const auto& part) { return hidden(part.first); });
      foremost.push_back(*std::ranges::max_element(
          own, {}, [&](const auto& part) { return pressed(part.first); }));
      parts.insert(parts.end(), own.begin(), own.end());
    }
    if (parts.size() <= owners.items.size()) return std::nullopt;
    const auto enough = [&](const std::optional<Together>& few) {
      return few && few->items.size() <= kFewParts &&
             few->gain.time >= kMostOfIt * owners.gain.time;
    };
    auto few = tried_together(foremost, alone, out_.noise, while_room());
    if (!enough(few)) few = limit_together(parts, owners.gain, alone, out_.noise, while_room());
    return enough(few) ? few : std::nullopt;
  }

  void interplay(const Items& items, const Gain& all, double alone) {
    std::optional<Together> found = limit_together(items, all, alone, out_.noise, while_room());
    if (!found) return;
    if (auto parts = parts_of_owners(*found, alone)) found = std::move(parts);
    out_.pair = found->gain.parts;
    out_.together = std::move(found->gain);
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
  Trials trials_;
  const Parts parts_;
  TargetFigures targets_;
  std::map<std::string, double> blame_;  ///< by part
  std::map<std::string, Owner> owners_;
  std::map<std::string, Gain> gains_;  ///< by part
  Gains out_;
};

}  // namespace

void rank_by_gain(const Design& design, Prediction& prediction, const GainOptions& options) {
  Ranking(models::with_ports_to_match(models::with_link_rate(design)), prediction, options).run();
}

}  // namespace stallcast::gain
