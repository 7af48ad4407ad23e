#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/glob.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/diff/compare_sides.hpp"
#include "engine/decide/predict/compare.hpp"

namespace stallcast::diff {
namespace {

/// "storage.oss.count=8, ..." in the order of `axes`.
std::string name_of(const SweepReport& sweep, const SweepRow& row) {
  std::string out;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a)
    out += (out.empty() ? "" : ", ") + sweep.axes[a] + "=" + row.values[a];
  return out.empty() ? "the only point" : out;
}

/// The same for the same values, however they are written and in whatever order the axes stand.
std::string values_key(const SweepReport& sweep, const SweepRow& row) {
  std::vector<std::string> parts;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    const auto& number = a < row.numbers.size() ? row.numbers[a] : std::nullopt;
    parts.push_back(sweep.axes[a] + "=" +
                    (number ? base::shortest(number->value) + number->unit : row.values[a]));
  }
  std::sort(parts.begin(), parts.end());
  return base::join(parts, "\n");
}

bool same_axes(const SweepReport& a, const SweepReport& b) {
  return std::set<std::string>(a.axes.begin(), a.axes.end()) ==
         std::set<std::string>(b.axes.begin(), b.axes.end());
}

class Comparison {
 public:
  Comparison(const SweepReport& base, const SweepReport& head, const ComparedMetrics& scope)
      : base_(base), head_(head), scope_(scope) {}

  SweepDiff run() {
    const bool by_values = same_axes(base_, head_);
    out_.matched_by = by_values ? "values" : "design";
    const auto key = [&](const SweepReport& sweep, const SweepRow& row) {
      return by_values ? values_key(sweep, row) : row.key;
    };
    std::map<std::string, const SweepRow*> others;
    for (const SweepRow& row : base_.rows) others.emplace(key(base_, row), &row);
    std::set<std::string> seen;
    for (const SweepRow& row : head_.rows) {
      const std::string k = key(head_, row);
      if (!seen.insert(k).second) continue;
      const auto other = others.find(k);
      if (other == others.end())
        out_.only_head.push_back(name_of(head_, row));
      else
        compare(*other->second, row);
    }
    for (const SweepRow& row : base_.rows)
      if (!seen.contains(key(base_, row))) out_.only_base.push_back(name_of(base_, row));
    for (auto& [name, change] : metrics_)
      if (change.worse + change.better + change.changed > 0)
        out_.metrics.push_back(std::move(change));
    std::stable_sort(out_.metrics.begin(), out_.metrics.end(),
                     [](const SweepMetricChange& a, const SweepMetricChange& b) {
                       return a.worse + a.better + a.changed > b.worse + b.better + b.changed;
                     });
    warn();
    return std::move(out_);
  }

 private:
  void compare(const SweepRow& before, const SweepRow& after) {
    SweepPair pair{name_of(head_, after), before.key, after.key};
    const bool done = before.outcome && after.outcome;
    if (!done || before.outcome->failed || after.outcome->failed) {
      ++(done ? out_.failed : out_.unfinished);
      out_.pairs.push_back(std::move(pair));
      return;
    }
    pair.before = before.outcome->verdict;
    pair.after = after.outcome->verdict;
    if (pair.before != pair.after) {
      out_.now_meet += pair.after == Verdict::pass ? 1U : 0U;
      out_.now_miss += pair.after == Verdict::fail ? 1U : 0U;
    }
    const std::vector<Tolerance> tolerances = {{"*", scope_.min_change}};
    for (MetricChange& m :
         predict::compare_all(before.outcome->metrics, after.outcome->metrics, tolerances)) {
      if (!base::matches_metric(scope_.metrics, m.metric)) continue;
      SweepMetricChange& all = metrics_[m.metric];
      all.metric = m.metric;
      ++(m.effect == Effect::worse    ? all.worse
         : m.effect == Effect::better ? all.better
         : m.effect == Effect::none   ? all.same
                                      : all.changed);
      if (m.effect == Effect::none) continue;
      if (all.point.empty() || std::abs(m.difference()) > std::abs(all.most.difference())) {
        all.most = m;
        all.point = pair.point;
      }
      pair.metrics.push_back(std::move(m));
    }
    out_.pairs.push_back(std::move(pair));
  }

  void warn() {
    if (base_.model_version != head_.model_version)
      out_.warnings.push_back("predicted by models " + base_.model_version + " and " +
                              head_.model_version + ": part of the difference may be theirs");
    if (base_.profile_sha256 != head_.profile_sha256)
      out_.warnings.push_back(
          "predicted with different calibration profiles: part of the difference may be theirs");
    for (const auto& [n, what] :
         {std::pair{out_.unfinished, " not simulated yet in one of the sweeps"},
          {out_.failed, " failed in one of the sweeps"}})
      if (n > 0)
        out_.warnings.push_back(std::to_string(n) + (n == 1 ? " point" : " points") + what);
    if (out_.pairs.empty())
      out_.warnings.push_back(
          "the sweeps have no point in common: they vary other things, or other values");
  }

  const SweepReport& base_;
  const SweepReport& head_;
  const ComparedMetrics& scope_;
  SweepDiff out_;
  std::map<std::string, SweepMetricChange> metrics_;
};

}  // namespace

SweepDiff compare(const SweepReport& base, const SweepReport& head, const ComparedMetrics& scope) {
  SweepDiff out = Comparison(base, head, scope).run();
  out.base_scenario = base.scenario_id;
  out.head_scenario = head.scenario_id;
  return out;
}

}  // namespace stallcast::diff
