#include "engine/decide/sweep/kept_metrics.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/flat_json.hpp"
#include "engine/runtime/codec/json_text.hpp"

namespace stallcast::sweep {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The figures of a metric: value, unit, and perhaps its intervals.
std::optional<Metric> metric_of(const base::FlatValue& list) {
  std::array<double, 7> numbers;
  numbers.fill(kNone);
  if (!list.is_array() || (list.size() != 2 && list.size() != 4 && list.size() != 7))
    return std::nullopt;
  Metric out;
  std::size_t at = 0;
  for (const base::FlatValue& item : list) {
    if (at == 1 ? !item.is_text() : !item.is_number() && !item.is_null()) return std::nullopt;
    if (at == 1) out.unit = item.text();
    if (item.is_number()) numbers[at] = item.number();
    ++at;
  }
  const auto [value, unit, low95, high95, median, low90, high90] = numbers;
  out.value = value;
  if (!std::isnan(low95)) out.ci95 = std::pair{low95, high95};
  if (list.size() == numbers.size()) {
    out.median = median;
    out.ci90 = std::pair{low90, high90};
  }
  return out;
}

void add(codec::JsonText& out, double value) {
  if (std::isfinite(value))
    out.number(value);
  else
    out.null();
}

}  // namespace

std::string metrics_text(const std::map<std::string, Metric>& metrics) {
  codec::JsonText out;
  out.begin_object();
  for (const auto& [name, metric] : metrics) {
    const bool drawn = metric.median && metric.ci90;
    out.key(name);
    out.begin_array();
    add(out, metric.value);
    out.text(metric.unit);
    if (metric.ci95 || drawn) {
      const auto [low, high] = metric.ci95.value_or(std::pair{kNone, kNone});
      add(out, low), add(out, high);
    }
    if (drawn)
      add(out, *metric.median), add(out, metric.ci90->first), add(out, metric.ci90->second);
    out.end_array();
  }
  out.end_object();
  return out.take();
}

std::optional<std::map<std::string, Metric>> read_metrics(const std::string& text) {
  const auto json = base::FlatJson::read(text);
  if (!json || !json->root().is_object()) return std::nullopt;
  std::map<std::string, Metric> out;
  bool whole = true;
  json->root().each_member([&](std::string_view name, const base::FlatValue& list) {
    std::optional<Metric> metric = metric_of(list);
    whole = whole && metric;
    if (metric) out.emplace_hint(out.end(), name, *std::move(metric));  // they are sorted
  });
  if (!whole) return std::nullopt;
  return out;
}

}  // namespace stallcast::sweep
