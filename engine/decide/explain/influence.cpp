#include "engine/decide/explain/influence.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/design_values.hpp"
#include "engine/decide/explain/inputs.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::explain {
namespace {

// Small enough that nothing else comes to limit, large compared with rounding.
constexpr double kChange = 1e-6;
// What answers less does not answer: rounding of a flow is 1e-9, over kChange.
constexpr double kNone = 5e-3;
// What answers more jumps: whole numbers of pieces end just where the value is.
constexpr double kJump = 20.0;

bool numeric(const Value& value) {
  return value.dimension != Dimension::text && value.dimension != Dimension::text_list &&
         value.dimension != Dimension::boolean;
}

/// A little less, or more; `times` as much.
double changed(const Value& value, bool more, double times = 1.0) {
  if (value.dimension != Dimension::count)
    return value.number * (1.0 + times * (more ? kChange : -kChange));
  return value.number + (more || value.number <= 1.0 ? 1.0 : -1.0);
}

/// Relative change of each figure over that of an input, `step` as a logarithm.
std::map<std::string, double> elasticities(const std::map<std::string, double>& before,
                                           const std::map<std::string, double>& after,
                                           double step) {
  std::map<std::string, double> out;
  for (const auto& [name, figure] : before)
    if (const auto found = after.find(name);
        found != after.end() && figure > 0.0 && found->second > 0.0)
      out[name] = std::log(found->second / figure) / step;
  return out;
}

bool jumps(const std::map<std::string, double>& slopes) {
  return std::ranges::any_of(slopes, [](const auto& one) { return std::abs(one.second) > kJump; });
}

}  // namespace

std::map<std::string, double> closed_forms(const Design& design) {
  std::map<std::string, double> out;
  for (const models::Derivation& d : models::bounds(design).derivations) out[d.name] = d.value;
  for (const auto& [resource, capacity] : models::capacities(design))
    out[metric::of_resource(resource, "capacity")] = capacity.amount;
  return out;
}

const std::vector<Influence>& Influences::of(const std::string& figure) {
  if (!studied_) study();
  return by_figure_[figure];
}

void Influences::study() {
  studied_ = true;
  const std::map<std::string, double> before = closed_forms(design_);
  const auto originals = base::values_of(design_);
  Design copy = design_;
  const auto inputs = inputs_of(copy);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Value& value = *inputs[i].second;
    if (!numeric(value) || !(value.number > 0.0) || inputs[i].first.starts_with("run.")) continue;
    const double was = value.number;
    std::map<std::string, std::array<double, 2>> answers;
    const auto at = [&](double number) {
      value.number = number;
      std::map<std::string, double> out = closed_forms(copy);
      value.number = was;
      return out;
    };
    for (const bool more : {false, true}) {
      const double near = changed(value, more);
      const std::map<std::string, double> after = at(near);
      std::map<std::string, double> slopes = elasticities(before, after, std::log(near / was));
      if (jumps(slopes) && value.dimension != Dimension::count) {
        const double far = changed(value, more, 2.0);
        const auto beyond = elasticities(after, at(far), std::log(far / near));
        for (auto& [name, slope] : slopes)
          if (std::abs(slope) > kJump) slope = beyond.contains(name) ? beyond.at(name) : 0.0;
      }
      for (const auto& [name, slope] : slopes)
        if (std::abs(slope) >= kNone) answers[name][more ? 1 : 0] = slope;
    }
    for (const auto& [name, answer] : answers) {
      const bool tied = answer[0] == 0.0 || answer[1] == 0.0;
      by_figure_[name].push_back(
          {inputs[i].first, originals[i].second, answer[0] == 0.0 ? answer[1] : answer[0], tied});
    }
  }
}

}  // namespace stallcast::explain
