#include "engine/decide/diff/attribution.hpp"

#include <algorithm>
#include <bit>

namespace stallcast::diff {
namespace {

using Mask = std::uint64_t;

constexpr Mask bit(std::size_t i) { return Mask{1} << i; }

std::size_t movable(const std::vector<InputStep>& changes) {
  return static_cast<std::size_t>(std::count_if(
      changes.begin(), changes.end(), [](const InputStep& c) { return !c.edits.empty(); }));
}

std::string names(const std::vector<InputStep>& changes, Mask mask) {
  std::string out;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if ((mask & bit(i)) != 0) out += (out.empty() ? "" : " and ") + changes[i].said.name;
  return out;
}

/// Finds changes that make no valid design apart and makes one of them.
class Merger {
 public:
  Merger(const Design& base, const Design& head, Experiment& experiment, const FaultOf& fault)
      : base_(base), head_(head), out_(experiment), fault_(fault) {}

  void merge() {
    // A design that does not read back as it is says nothing of those between.
    if (!fault_(base_).empty() || !fault_(head_).empty()) return;
    while (merge_once()) known_.clear();
  }

  /// Why the design of `mask` cannot be built.
  const std::string& fault(Mask mask) {
    const auto [it, fresh] = known_.try_emplace(mask);
    if (fresh) it->second = fault_(apply(base_, head_, out_.changes, mask));
    return it->second;
  }

 private:
  bool merge_once() {
    const std::size_t n = movable(out_.changes);
    if (n < 2) return false;
    for (std::size_t i = 0; i < n; ++i) {
      if (fault(bit(i)).empty()) continue;
      for (std::size_t j = 0; j < n; ++j)
        if (j != i && fault(bit(i) | bit(j)).empty()) return unite(bit(i) | bit(j), bit(i));
    }
    if (n > kMostShapley) return false;
    // Few enough to look at all: the smallest that is broken, with the smallest that mends it.
    std::vector<Mask> all;
    for (Mask m = 1; m < bit(n); ++m) all.push_back(m);
    std::stable_sort(all.begin(), all.end(),
                     [](Mask a, Mask b) { return std::popcount(a) < std::popcount(b); });
    for (const Mask broken : all) {
      if (fault(broken).empty()) continue;
      for (const Mask whole : all)
        if ((whole & broken) == broken && fault(whole).empty()) return unite(whole, broken);
    }
    return false;
  }

  bool unite(Mask mask, Mask broken) {
    const std::string why = names(out_.changes, broken) + " alone: " + fault(broken);
    InputStep& first = out_.changes[static_cast<std::size_t>(std::countr_zero(mask))];
    for (std::size_t i = 0; i < out_.changes.size(); ++i) {
      InputStep& other = out_.changes[i];
      if ((mask & bit(i)) == 0 || &other == &first) continue;
      first.said.name += " and " + other.said.name;
      first.said.before += ", " + (other.said.before.empty() ? "none" : other.said.before);
      first.said.after += ", " + (other.said.after.empty() ? "none" : other.said.after);
      first.edits.insert(first.edits.end(), other.edits.begin(), other.edits.end());
      first.said.moves.insert(first.said.moves.end(), other.said.moves.begin(),
                              other.said.moves.end());
      other.edits.clear();
      other.said.name.clear();
    }
    if (first.said.together.empty()) first.said.together = why;
    std::erase_if(out_.changes, [](const InputStep& c) { return c.said.name.empty(); });
    return true;
  }

  const Design& base_;
  const Design& head_;
  Experiment& out_;
  const FaultOf& fault_;
  std::map<Mask, std::string> known_;
};

/// Values of one metric by mask.
using Values = std::map<Mask, double>;

std::vector<double> shapley(const Values& v, std::size_t n) {
  std::vector<double> factorial(n + 1, 1.0);
  for (std::size_t k = 1; k <= n; ++k) factorial[k] = factorial[k - 1] * static_cast<double>(k);
  std::vector<double> out(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (Mask s = 0; s < bit(n); ++s) {
      if ((s & bit(i)) != 0) continue;
      const auto size = static_cast<std::size_t>(std::popcount(s));
      out[i] +=
          factorial[size] * factorial[n - size - 1] / factorial[n] * (v.at(s | bit(i)) - v.at(s));
    }
  return out;
}

}  // namespace

Result<Experiment> arrange(const Design& base, const Design& head, std::vector<InputStep> changes,
                           Attribution wanted, const FaultOf& fault) {
  Experiment out;
  std::stable_partition(changes.begin(), changes.end(),
                        [](const InputStep& c) { return !c.edits.empty(); });
  out.changes = std::move(changes);
  std::size_t n = movable(out.changes);
  const bool too_many = n > kMostChanges;
  out.masks = {0, too_many ? ~Mask{0} : bit(n) - 1};
  if (n == kMostChanges) out.masks[1] = ~Mask{0};
  if (wanted == Attribution::none || n == 0) return out;
  if (too_many) {
    out.notes.push_back(std::to_string(n) + " inputs changed, and at most " +
                        std::to_string(kMostChanges) +
                        " are tried one at a time: no change is attributed");
    return out;
  }
  Merger merger(base, head, out, fault);
  merger.merge();
  n = movable(out.changes);
  out.masks[1] = n == kMostChanges ? ~Mask{0} : bit(n) - 1;
  if (wanted == Attribution::shapley && n > kMostShapley)
    return Failure{ExitCode::bad_input,
                   std::to_string(n) + " inputs changed, and Shapley values are for at most " +
                       std::to_string(kMostShapley),
                   "use --attribute oat, or compare with a design in between"};
  out.method = wanted != Attribution::automatic ? wanted
               : n <= kMostShapley              ? Attribution::shapley
                                                : Attribution::one_at_a_time;
  if (out.method == Attribution::shapley) {
    for (Mask m = 1; m + 1 < bit(n); ++m) out.masks.push_back(m);
    return out;
  }
  for (std::size_t i = 0; n > 1 && i < n; ++i) {
    if (merger.fault(bit(i)).empty())
      out.masks.push_back(bit(i));
    else
      out.notes.push_back(names(out.changes, bit(i)) +
                          " cannot be built alone: " + merger.fault(bit(i)));
  }
  return out;
}

Attributed attribute(const Experiment& experiment, std::span<const Figures> figures) {
  Attributed out;
  out.notes = experiment.notes;
  const std::size_t n = movable(experiment.changes);
  for (std::size_t i = 0; i < n; ++i) out.changes.push_back(i);
  if (experiment.method == Attribution::none || n == 0) return out;
  out.designs = experiment.masks.size();
  std::size_t lost = 0;
  for (std::size_t k = 0; k < figures.size(); ++k) {
    if (figures[k] != nullptr) continue;
    if (lost++ == 0)
      out.notes.push_back(names(experiment.changes, experiment.masks[k]) +
                          " without the rest was not simulated to its end");
  }
  if (lost > 1) out.notes.back() += ", and " + std::to_string(lost - 1) + " more";
  const bool exact = experiment.method == Attribution::shapley;
  if (figures[0] == nullptr || figures[1] == nullptr || (exact && lost > 0)) return out;
  out.method = experiment.method;

  const Mask all = experiment.masks[1];
  for (const auto& [name, metric] : *figures[0]) {
    Values v;
    for (std::size_t k = 0; k < figures.size(); ++k) {
      if (figures[k] == nullptr) continue;
      const auto found = figures[k]->find(name);
      if (found != figures[k]->end() && found->second.unit == metric.unit)
        v[experiment.masks[k]] = found->second.value;
    }
    const bool complete = exact ? v.size() == figures.size() : v.contains(0) && v.contains(all);
    if (!complete) continue;
    MetricShares shares;
    shares.interaction = v.at(all) - v.at(0);
    for (std::size_t i = 0; i < n; ++i) {
      // A change that cannot be had alone shows only in what they do together.
      const auto alone = v.find(bit(i));
      shares.alone.push_back(alone == v.end() ? 0.0 : alone->second - v.at(0));
      shares.interaction -= shares.alone.back();
    }
    shares.shares = exact ? shapley(v, n) : shares.alone;
    out.metrics.emplace(name, std::move(shares));
  }
  return out;
}

}  // namespace stallcast::diff
