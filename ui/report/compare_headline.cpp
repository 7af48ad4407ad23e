#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/text.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/compare_parts.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

using metric::Domain;

/// The designs that are best of a figure, and what it is: {"flash"}, "94.1 %". None where all are
/// alike, or where it is not known which is best.
struct Best {
  std::vector<std::string> names;
  std::string figure;
  /// "flash and disks cost least (38.8 MUSD)", of "costs least" said of one and "cost" of several.
  [[nodiscard]] std::string said(std::string_view one, std::string_view several,
                                 std::string_view rest) const {
    const auto others = std::span(names).first(names.size() - 1);
    return (others.empty() ? "" : base::join(others, ", ") + " and ") + names.back() + " " +
           std::string(names.size() == 1 ? one : several) + std::string(rest) + " (" + figure + ")";
  }
};

Best best_of(const std::vector<CompareRow>& rows, std::string_view figure,
             const std::vector<std::string>& names) {
  Best out;
  for (const CompareRow& row : rows) {
    if (row.metric != figure) continue;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i].status != "best") continue;
      if (out.names.empty()) out.figure = row.cells[i].text;
      if (row.cells[i].text != out.figure) return {};  // as good as the best, by its interval
      out.names.push_back(names[i]);
    }
    break;
  }
  return out.names.size() < names.size() ? out : Best{};
}

/// GPU utilization over all jobs, by their GPUs: those of another design that has a job of the same
/// name where they are not known, else as many each.
std::optional<Metric> busy_gpus(const SideBySide& c, const ComparedDesign& design) {
  const auto weight = [&](const std::string& job) {
    if (const auto own = design.gpus.find(job); own != design.gpus.end()) return own->second;
    for (const ComparedDesign& other : c.designs)
      if (const auto there = other.gpus.find(job); there != other.gpus.end()) return there->second;
    return 1.0;
  };
  Metric sum{0.0, "ratio", {}};
  double low = 0.0, high = 0.0, middle = 0.0, all = 0.0;
  for (const std::string& job : ids_of(design.prediction, Domain::job)) {
    const Metric* busy = find(design.prediction, metric::gpu_utilization(job));
    if (busy == nullptr) continue;
    const double gpus = weight(job);
    const auto ends = busy->ci90.value_or(std::pair{busy->value, busy->value});
    sum.value += gpus * busy->value;
    low += gpus * ends.first, high += gpus * ends.second;
    middle += gpus * busy->median.value_or(busy->value);
    all += gpus;
  }
  if (!(all > 0.0)) return std::nullopt;
  sum.value /= all;
  sum.ci90 = {low / all, high / all};
  sum.median = middle / all;
  return sum;
}

/// The one of the designs `of` that keeps GPUs busiest; none where another may.
Best busiest(const SideBySide& c, const std::vector<std::size_t>& of,
             const std::vector<std::string>& names) {
  std::vector<std::optional<Metric>> busy;
  for (const std::size_t i : of) busy.push_back(busy_gpus(c, c.designs[i]));
  const auto best = std::max_element(busy.begin(), busy.end(), [](const auto& a, const auto& b) {
    return (a ? a->value : -1.0) < (b ? b->value : -1.0);
  });
  if (!*best || busy.size() < 2) return {};
  const std::string said = print_end((*best)->value, "ratio");
  std::size_t known = 0;
  for (auto one = busy.begin(); one != busy.end(); ++one) {
    if (!*one) continue;
    ++known;
    const bool alike = reaches(**one, (*best)->value) || print_end((*one)->value, "ratio") == said;
    if (one != best && alike) return {};
  }
  const auto place = static_cast<std::size_t>(best - busy.begin());
  return known < 2 ? Best{} : Best{{names[place]}, said};
}

}  // namespace

std::string compare_headline(const SideBySide& comparison) {
  const std::vector<std::string> all = compare_names(comparison);
  std::vector<std::string> bounds;  // what bounds allow at best tells nothing apart
  for (std::size_t i = 0; i < all.size(); ++i)
    if (comparison.designs[i].prediction.method == "estimate") bounds.push_back(all[i]);
  if (!bounds.empty())
    return "not decided: figures of " + base::join(bounds, ", ") +
           " are those of bounds alone, nothing was simulated";
  bool asked = false;
  std::vector<std::size_t> of;  // those that meet their targets
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Verdict verdict = comparison.designs[i].prediction.verdict;
    asked = asked || verdict != Verdict::none;
    if (verdict == Verdict::pass) of.push_back(i);
  }
  const std::size_t met = of.size();
  const bool some = met > 0 && met < all.size();
  std::string out;
  if (asked)
    out = (met == all.size() ? "all " + std::to_string(met)
                             : std::to_string(met) + " of " + std::to_string(all.size())) +
          (met == 1 && all.size() > 1 ? " meets its targets" : " meet their targets");
  // The best of one is no news, but which one it is.
  if (some && met == 1) return out + ": " + all[of.front()];
  if (!some) {
    of.resize(all.size());
    std::iota(of.begin(), of.end(), std::size_t{0});
  }
  SideBySide those;
  std::vector<std::string> names;
  for (const std::size_t i : of) {
    those.designs.push_back(comparison.designs[i]);
    names.push_back(all[i]);
  }
  const std::vector<CompareRow> rows = compare_rows(those);
  // What is rented costs nothing to buy.
  Best cheapest = best_of(rows, metric::kHourlyCost, names);
  const Best to_buy = best_of(rows, metric::kCapex, names);
  if (to_buy.names == cheapest.names) cheapest = to_buy;
  struct Row {
    Best best;
    std::string_view one, several, rest;
  };
  const Row said[] = {
      {busiest(comparison, of, names), "keeps", "keep", " GPUs busiest"},
      {best_of(rows, "checkpoint.stall", names), "stalls", "stall", " least for a save"},
      {cheapest, "costs", "cost", " least"},
      {best_of(rows, metric::kPower, names), "draws", "draw", " least"}};
  std::string_view lead = some ? "of these, " : "";
  for (const Row& row : said) {
    if (row.best.names.empty()) continue;
    out += (out.empty() ? "" : "; ") + std::string(lead) +
           row.best.said(row.one, row.several, row.rest);
    lead = "";
  }
  return out.empty() ? "no figure tells them apart" : out;
}

}  // namespace stallcast::report
