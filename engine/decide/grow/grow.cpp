#include "engine/decide/grow/grow.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/assertion.hpp"
#include "engine/decide/gain/gains.hpp"
#include "engine/decide/grow/accumulated.hpp"
#include "engine/decide/grow/loads.hpp"
#include "engine/decide/grow/trends.hpp"
#include "models/bounds/space.hpp"
#include "models/contract/capacity.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"

namespace stallcast::grow {
namespace {

/// Resources below this load in all months are not shown; no more than so many are.
constexpr double kLeastLoad = 0.2;
constexpr std::size_t kMostLoads = 8;

std::vector<std::string> headline_figures(const Prediction& p) {
  std::vector<std::string> out;
  for (const auto& [job, shares] : p.breakdown) out.push_back(metric::gpu_utilization(job));
  for (const auto& [name, value] : p.metrics) {
    const metric::Name parsed = metric::parse(name);
    const bool latency = p.breakdown.empty() && parsed.domain == metric::Domain::tenant &&
                         parsed.figure == "latency" &&
                         (parsed.statistic.empty() || parsed.statistic == "p99");
    const bool sum = name == metric::kCapex || name == metric::kHourlyCost ||
                     name == metric::kUsefulGpuHour || name == metric::kPower ||
                     name.ends_with(".run.time");
    if (latency || sum) out.push_back(name);
  }
  return out;
}

/// What `storage` is filled with fastest, in the last month before `until` in which anything comes.
std::string added_most(const std::map<int, std::vector<models::Room>>& rooms, int until,
                       const std::string& storage) {
  for (auto month = rooms.lower_bound(until); month != rooms.begin();) {
    --month;
    for (const models::Room& room : month->second)
      if (const models::Coming* most = room.comes_most();
          most != nullptr && room.storage == storage)
        return most->what;
  }
  return "";
}

/// What would hold it, and what would let less of it stay.
std::string remedy_of(const models::Room& room) {
  const std::string held = models::remedy(room);
  const models::Coming* most = room.comes_most();
  if (most == nullptr || most->less.empty()) return held;
  return most->less + (held.empty() ? "" : "; " + held);
}

class Months {
 public:
  Months(const Design& now, const GrowthSpec& spec, Trends trends, const Regrow& regrow,
         const predict::PredictOptions& options)
      : now_(now), spec_(spec), trends_(std::move(trends)), regrow_(regrow), options_(options) {}

  Result<GrowthResult> run() {
    for (int month = 0; month <= spec_.months; ++month)
      if (const auto failure = make(month)) return *failure;
    fill();
    std::set<int> first{0, spec_.months};
    for (int month = 0; month <= spec_.months; month += spec_.every) first.insert(month);
    for (const int month : trends_.steps())
      if (month <= spec_.months) first.insert({std::max(0, month - 1), month});
    if (const auto failure = simulate({first.begin(), first.end()})) return *failure;
    if (const auto failure = simulate(between())) return *failure;
    return told();
  }

 private:
  std::optional<Failure> make(int month) {
    Result<Design> design = regrow_(trends_.at(month));
    if (!design.ok()) return in_month(month, design.failure());
    std::erase_if(design->expect, [](const Expectation& e) {
      const auto parsed = base::parse_assertion(e.that);
      return e.implied() || (parsed.ok() && predict::is_plan_metric(parsed->metric));
    });
    rooms_[month] = models::spaces(*design);
    designs_.emplace(month, *std::move(design));
    return std::nullopt;
  }

  // What is added and never removed adds up, at the rate of each month: for the sums of space, and
  // for what a simulation of the month says of it.    [docs/models/growth.md, eq. 5]
  void fill() {
    std::map<int, Adding> added;
    for (const auto& [month, rooms] : rooms_) added[month] = adding(rooms);
    for (auto& [month, rooms] : rooms_) {
      const auto before = accumulated(month, trends_.steps(), [&](int m) { return added.at(m); });
      for (models::Room& room : rooms)
        if (const auto kept = before.find(room.storage); kept != before.end())
          room.stored.push_back({.what = metric::of_storage(room.storage, "growth"),
                                 .bytes = kept->second,
                                 .formula = "added in the months before",
                                 .words = added_most(rooms_, month, room.storage)});
      for (Component& storage : designs_.at(month).storage)
        if (const auto kept = before.find(storage.id); kept != before.end())
          models::add_other(storage, kept->second);
    }
  }

  std::optional<Failure> simulate(const std::vector<int>& months) {
    if (months.empty()) return std::nullopt;
    std::vector<Design> designs;
    for (const int month : months) designs.push_back(designs_.at(month));
    if (options_.run.until.passed())
      return Failure{ExitCode::inconclusive, "the time limit came before all months were simulated",
                     "raise --time-limit, or --every"};
    std::vector<Result<Prediction>> found = predict::predict_all(designs, options_);
    for (std::size_t i = 0; i < months.size(); ++i) {
      if (!found[i].ok()) return in_month(months[i], found[i].failure());
      seen_.emplace(months[i], *std::move(found[i]));
    }
    return std::nullopt;
  }

  /// What has come to its limit, in one text that differs where that does.
  [[nodiscard]] std::string standing(int month) const {
    const Prediction& p = seen_.at(month);
    std::string out;
    for (const AssertionOutcome& a : p.assertions) out += a.id + "=" + a.status + ";";
    for (const auto& [name, load] : loads_of(designs_.at(month), p))
      if (load >= 1.0) out += name + ";";
    return out;
  }

  /// Months between two that were simulated and stand differently.
  [[nodiscard]] std::vector<int> between() const {
    std::vector<int> out;
    for (auto a = seen_.begin(), b = std::next(a); b != seen_.end(); ++a, ++b)
      if (standing(a->first) != standing(b->first))
        for (int month = a->first + 1; month < b->first; ++month) out.push_back(month);
    return out;
  }

  [[nodiscard]] GrowthResult told() {
    GrowthResult out;
    out.scenario_id = now_.id;
    out.scenario_file = now_.file;
    out.until = spec_.months;
    for (const auto& [month, prediction] : seen_) out.months.push_back(month);
    out.trends = trends_.described(spec_.months);
    add_space(out);
    add_loads(out);
    add_figures(out);
    add_targets(out);
    add_warnings(out);
    std::stable_sort(out.ceilings.begin(), out.ceilings.end(),
                     [](const auto& a, const auto& b) { return a.month < b.month; });
    return out;
  }

  [[nodiscard]] const models::Room* room_in(int month, const std::string& storage) const {
    for (const models::Room& room : rooms_.at(month))
      if (room.storage == storage) return &room;
    return nullptr;
  }

  void add_space(GrowthResult& out) const {
    for (const models::Room& start : rooms_.at(0)) {
      GrowthSeries series{"space on " + start.storage, "ratio", {}};
      std::optional<int> full;
      for (int month = 0; month <= spec_.months; ++month) {
        const models::Room* room = room_in(month, start.storage);
        if (room == nullptr) continue;
        if (!full && !room->holds()) full = month;
        if (seen_.contains(month)) series.values.push_back(room->needed() / room->usable);
      }
      if (full) {
        const models::Room* last = room_in(spec_.months, start.storage);
        const bool fits = last == nullptr || last->holds();
        out.ceilings.push_back({GrowthCeiling::Kind::space, series.name, *full,
                                models::shortage(*room_in(*full, start.storage)),
                                fits ? "" : remedy_of(*last)});
      }
      out.space.push_back(std::move(series));
    }
  }

  void add_loads(GrowthResult& out) const {
    std::map<std::string, GrowthSeries> all;
    std::map<std::string, int> reached;
    std::size_t place = 0;
    for (const auto& [month, prediction] : seen_) {
      for (const auto& [name, load] : loads_of(designs_.at(month), prediction)) {
        GrowthSeries& series = all[name];
        series.values.resize(seen_.size());
        series.values[place] = load;
        if (load >= 1.0) reached.emplace(name, month);
      }
      ++place;
    }
    std::vector<std::pair<double, std::string>> order;
    for (auto& [name, series] : all) {
      series.name = name;
      series.unit = "ratio";
      double most = 0.0;
      for (const auto& value : series.values) most = std::max(most, value.value_or(0.0));
      if (most >= kLeastLoad) order.emplace_back(-most, name);
    }
    std::sort(order.begin(), order.end());
    // Of "ost.read" and "ost", which are one thing, the fuller.
    std::vector<std::pair<double, std::string>> apart;
    for (const auto& one : order)
      if (std::none_of(apart.begin(), apart.end(), [&](const auto& fuller) {
            return fuller.second.starts_with(one.second + ".") ||
                   one.second.starts_with(fuller.second + ".");
          }))
        apart.push_back(one);
    order = std::move(apart);
    if (order.size() > kMostLoads) order.resize(kMostLoads);
    for (const auto& [most, name] : order) out.loads.push_back(all[name]);
    for (const GrowthSeries& shown : out.loads) {
      const auto found = reached.find(shown.name);
      if (found == reached.end()) continue;
      const auto& [name, month] = *found;
      out.ceilings.push_back(
          {GrowthCeiling::Kind::load, name, month,
           "more is asked of the " + label::of_resource(name) + " than they can do", ""});
    }
  }

  /// A utilization as it goes on, where that of some month is another than that of what was
  /// simulated of it, which may end just before a save; "" elsewhere.    [docs/models/growth.md]
  [[nodiscard]] std::string lasting_of(const std::string& figure) const {
    const metric::Name name = metric::parse(figure);
    if (name.domain != metric::Domain::job || name.figure != metric::kGpuUtilization) return "";
    std::string lasts = metric::of_job(name.id, metric::kLastingUtilization);
    const bool any = std::ranges::any_of(
        seen_, [&](const auto& month) { return month.second.metrics.contains(lasts); });
    return any ? lasts : "";
  }

  void add_figures(GrowthResult& out) const {
    for (const std::string& name : headline_figures(seen_.begin()->second)) {
      const std::string lasts = lasting_of(name);
      const bool lasting = !lasts.empty();
      GrowthSeries series{lasting ? lasts : name, "", {}};
      for (const auto& [month, prediction] : seen_) {
        auto metric = prediction.metrics.find(series.name);
        if (lasting && metric == prediction.metrics.end()) metric = prediction.metrics.find(name);
        if (metric == prediction.metrics.end()) {
          series.values.emplace_back();
          continue;
        }
        series.unit = metric->second.unit;
        series.values.emplace_back(metric->second.value);
      }
      out.figures.push_back(std::move(series));
    }
  }

  /// What limits a target of a month, as `run` of that month would say.
  [[nodiscard]] AssertionOutcome limit_in(int month, const AssertionOutcome& target) const {
    Prediction& prediction = ranked_.try_emplace(month, seen_.at(month)).first->second;
    if (!prediction.gains)
      gain::rank_by_gain(designs_.at(month), prediction, {.predict = options_});
    for (const AssertionOutcome& a : prediction.assertions)
      if (a.id == target.id) return a;
    return target;
  }

  /// Of a month as it is `run` says as much: the interval has both sides of the limit.
  void add_undecided(const GrowthTarget& target, GrowthResult& out) const {
    const auto open = std::count(target.status.begin(), target.status.end(), "inconclusive");
    if (open == 0) return;
    if (target.level != "warn") out.unsure.push_back(target.id);
    out.notes.push_back(target.id + " is too close to call in " + std::to_string(open) + " of " +
                        std::to_string(target.status.size()) +
                        " months that were simulated: more replicas settle it (--replicas)");
  }

  void add_targets(GrowthResult& out) const {
    for (const AssertionOutcome& first : seen_.begin()->second.assertions) {
      GrowthTarget target{first.id, first.that, first.level, first.metric, first.unit, {}, {}};
      std::optional<int> missed;
      for (const auto& [month, prediction] : seen_) {
        const auto found =
            std::find_if(prediction.assertions.begin(), prediction.assertions.end(),
                         [&](const AssertionOutcome& a) { return a.id == first.id; });
        if (found == prediction.assertions.end()) {
          target.status.emplace_back("inconclusive");
          target.values.emplace_back();
          continue;
        }
        // Every month is simulated as it is, and only draws judge a confidence.
        target.status.push_back(found->confidence ? "inconclusive" : found->status);
        target.values.emplace_back(found->value);
        if (found->status != "fail" || missed) continue;
        missed = month;
        const AssertionOutcome limit = limit_in(month, *found);
        const std::string by =
            limit.limited_by.empty() ? "" : "; " + label::limits(limit.limited_by, limit.waited);
        out.ceilings.push_back(
            {GrowthCeiling::Kind::target, first.id, month,
             found->that + " is missed" + (found->confidence ? " nominally" : "") + by, ""});
      }
      if (first.confidence && first.level != "warn") {
        out.undrawn.push_back(first.id);
        out.notes.push_back(only_draws_judge(first.id) +
                            ", as \"stallcast run\" and \"stallcast plan --until\" make them");
      }
      if (!first.confidence) add_undecided(target, out);
      out.targets.push_back(std::move(target));
    }
  }

  /// Months warn of the same with figures of their own: that of the first says it.
  void add_warnings(GrowthResult& out) const {
    struct Warned {
      std::string alike, first;
      int month;
      std::size_t months;
      bool same;
    };
    std::vector<Warned> all;
    for (const auto& [month, prediction] : seen_)
      for (const std::string& warning : prediction.warnings) {
        std::string alike = warning;
        std::erase_if(alike, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
        const auto known =
            std::find_if(all.begin(), all.end(), [&](const Warned& w) { return w.alike == alike; });
        if (known == all.end()) {
          all.push_back({alike, warning, month, 1, true});
          continue;
        }
        ++known->months;
        known->same = known->same && known->first == warning;
      }
    for (const Warned& w : all) {
      const std::string others = std::to_string(w.months - 1) + " more of " +
                                 std::to_string(seen_.size()) + " months that were simulated";
      out.warnings.push_back(w.same && w.months == seen_.size() ? w.first
                             : w.months == 1 ? "month " + std::to_string(w.month) + ": " + w.first
                                             : "month " + std::to_string(w.month) +
                                                   ", and the like in " + others + ": " + w.first);
    }
  }

  const Design& now_;
  const GrowthSpec& spec_;
  Trends trends_;
  const Regrow& regrow_;
  const predict::PredictOptions& options_;
  std::map<int, Design> designs_;
  std::map<int, std::vector<models::Room>> rooms_;
  std::map<int, Prediction> seen_;
  mutable std::map<int, Prediction> ranked_;  ///< of `seen_`, with what gains
};

}  // namespace

Failure in_month(int month, Failure failure) {
  failure.message = "in month " + std::to_string(month) + ": " + failure.message;
  return failure;
}

Result<GrowthResult> grow(const Design& now, std::span<const Parameter> params,
                          const GrowthSpec& spec, const Regrow& regrow,
                          const predict::PredictOptions& options) {
  Result<Trends> trends = Trends::make(spec, now, params, regrow);
  if (!trends.ok()) return trends.failure();
  return Months(now, spec, *std::move(trends), regrow, options).run();
}

}  // namespace stallcast::grow
