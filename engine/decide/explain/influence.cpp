#include "engine/decide/explain/influence.hpp"

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

bool numeric(const Value& value) {
  return value.dimension != Dimension::text && value.dimension != Dimension::text_list &&
         value.dimension != Dimension::boolean;
}

/// A little less, or more.
double changed(const Value& value, bool more) {
  if (value.dimension != Dimension::count)
    return value.number * (1.0 + (more ? kChange : -kChange));
  return value.number + (more || value.number <= 1.0 ? 1.0 : -1.0);
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
    for (const bool more : {false, true}) {
      value.number = changed(value, more);
      const double step = std::log(value.number / was);
      const std::map<std::string, double> after = closed_forms(copy);
      value.number = was;
      for (const auto& [name, figure] : before)
        if (const auto found = after.find(name);
            found != after.end() && figure > 0.0 && found->second > 0.0)
          if (const double e = std::log(found->second / figure) / step; std::abs(e) >= kNone)
            answers[name][more ? 1 : 0] = e;
    }
    for (const auto& [name, answer] : answers) {
      const bool tied = answer[0] == 0.0 || answer[1] == 0.0;
      by_figure_[name].push_back(
          {inputs[i].first, originals[i].second, answer[0] == 0.0 ? answer[1] : answer[0], tied});
    }
  }
}

}  // namespace stallcast::explain
