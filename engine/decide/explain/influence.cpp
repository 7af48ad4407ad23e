#include "engine/decide/explain/influence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

Influences::Influences(const Design& design) : copy_(design) {
  const auto originals = base::values_of(design);
  const auto inputs = inputs_of(copy_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Value* value = inputs[i].second;
    if (numeric(*value) && value->number > 0.0 && !inputs[i].first.starts_with("run."))
      inputs_.push_back({inputs[i].first, value, originals[i].second});
  }
  all_.last = inputs_.size();
}

std::map<std::string, double> Influences::evaluate() {
  ++evaluations_;
  return closed_forms(copy_);
}

const std::vector<Influence>& Influences::of(const std::string& figure) {
  const auto [found, fresh] = by_figure_.try_emplace(figure);
  if (!fresh) return found->second;
  if (before_.empty()) before_ = evaluate();
  if (all_.last > 0 && before_.contains(figure)) look(all_, figure, found->second);
  return found->second;
}

void Influences::look(Range& range, const std::string& figure, std::vector<Influence>& out) {
  const bool one = range.last - range.first == 1;
  if (!range.known) {
    range.known = true;
    if (one) {
      range.answers = study(inputs_[range.first]);
    } else {
      range.moved = moved(range);
    }
  }
  if (one) {
    const auto found = range.answers.find(figure);
    if (found != range.answers.end()) out.push_back(found->second);
    return;
  }
  if (!range.moved.contains(figure)) return;
  if (range.halves.empty()) {
    const std::size_t middle = range.first + (range.last - range.first) / 2;
    range.halves.resize(2);
    range.halves[0].first = range.first, range.halves[0].last = middle;
    range.halves[1].first = middle, range.halves[1].last = range.last;
  }
  for (Range& half : range.halves) look(half, figure, out);
}

std::set<std::string> Influences::moved(const Range& range) {
  std::set<std::string> out;
  for (const bool more : {false, true}) {
    // Each by a part of its own, so that no two of them make up for each other.
    for (std::size_t i = range.first; i < range.last; ++i) {
      const double part = static_cast<double>(i) * std::numbers::phi;
      inputs_[i].value->number = changed(*inputs_[i].original, more, 1.0 + part - std::floor(part));
    }
    const std::map<std::string, double> after = evaluate();
    for (std::size_t i = range.first; i < range.last; ++i)
      inputs_[i].value->number = inputs_[i].original->number;
    for (const auto& [name, figure] : before_)
      if (const auto found = after.find(name); found == after.end() || found->second != figure)
        out.insert(name);
  }
  return out;
}

std::map<std::string, Influence> Influences::study(const Input& input) {
  Value& value = *input.value;
  const double was = value.number;
  std::map<std::string, std::array<double, 2>> answers;
  const auto at = [&](double number) {
    value.number = number;
    std::map<std::string, double> out = evaluate();
    value.number = was;
    return out;
  };
  for (const bool more : {false, true}) {
    const double near = changed(value, more);
    const std::map<std::string, double> after = at(near);
    std::map<std::string, double> slopes = elasticities(before_, after, std::log(near / was));
    if (jumps(slopes) && value.dimension != Dimension::count) {
      const double far = changed(value, more, 2.0);
      const auto beyond = elasticities(after, at(far), std::log(far / near));
      for (auto& [name, slope] : slopes)
        if (std::abs(slope) > kJump) slope = beyond.contains(name) ? beyond.at(name) : 0.0;
    }
    for (const auto& [name, slope] : slopes)
      if (std::abs(slope) >= kNone) answers[name][more ? 1 : 0] = slope;
  }
  std::map<std::string, Influence> out;
  for (const auto& [name, answer] : answers) {
    const bool tied = answer[0] == 0.0 || answer[1] == 0.0;
    out[name] = {input.path, input.original, answer[0] == 0.0 ? answer[1] : answer[0], tied};
  }
  return out;
}

}  // namespace stallcast::explain
