#include "ui/app/sweep_diff.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/glob.hpp"
#include "engine/decide/diff/change_list.hpp"
#include "engine/decide/diff/compare_sides.hpp"
#include "engine/decide/sweep/store.hpp"
#include "ui/app/sweep_plan.hpp"

namespace stallcast::client {
namespace {

bool is_same(const InputChange& a, const InputChange& b) {
  return a.name == b.name && a.before == b.before && a.after == b.after;
}

/// Inputs that differ between the designs of points that both sweeps have.
Result<std::vector<SweepInputChange>> sweep_inputs(const sweep::Store& base,
                                                   const sweep::Store& head,
                                                   const std::vector<SweepPair>& pairs) {
  constexpr std::size_t kAtATime = 256;
  std::vector<std::string> base_keys, head_keys;
  for (const SweepPair& pair : pairs)
    if (pair.base_key != pair.head_key) {
      base_keys.push_back(pair.base_key);
      head_keys.push_back(pair.head_key);
    }
  std::vector<SweepInputChange> out;
  for (std::size_t from = 0; from < base_keys.size(); from += kAtATime) {
    const std::size_t n = std::min(kAtATime, base_keys.size() - from);
    const auto was = base.designs(std::span(base_keys).subspan(from, n), 0);
    if (!was.ok()) return was.failure();
    const auto is = head.designs(std::span(head_keys).subspan(from, n), 0);
    if (!is.ok()) return is.failure();
    for (std::size_t k = 0; k < n; ++k)
      for (diff::InputStep& change : diff::changes((*was)[k], (*is)[k])) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const SweepInputChange& known) {
          return is_same(known.change, change.said);
        });
        if (same != out.end())
          ++same->points;
        else
          out.push_back({std::move(change.said), 1});
      }
  }
  return out;
}

bool has_metric(const SweepReport& report, const std::string& pattern) {
  for (const SweepRow& row : report.rows)
    if (row.outcome)
      for (const auto& [name, metric] : row.outcome->metrics)
        if (base::matches_metric(pattern, name)) return true;
  return false;
}

}  // namespace

Result<std::optional<SweepDiff>> diff_sweeps(const std::string& base, const std::string& head,
                                             const DiffQuestion& question) {
  std::vector<sweep::Store> stores;
  std::vector<SweepReport> reports;
  for (const std::string& path : {base, head}) {
    Result<sweep::Store> store = sweep::Store::open(path, true);
    if (!store.ok()) return store.failure();
    Result<SweepReport> report = read_sweep(*store, path);
    if (!report.ok()) return report.failure();
    stores.push_back(std::move(*store));
    reports.push_back(std::move(*report));
  }
  if (question.metrics != "*" && !has_metric(reports[0], question.metrics) &&
      !has_metric(reports[1], question.metrics))
    return std::optional<SweepDiff>();
  SweepDiff found = diff::compare(reports[0], reports[1], {question.metrics, question.min_change});
  found.base = base;
  found.head = head;
  auto inputs = sweep_inputs(stores[0], stores[1], found.pairs);
  if (!inputs.ok()) return inputs.failure();
  found.inputs = std::move(*inputs);
  return std::optional(std::move(found));
}

}  // namespace stallcast::client
