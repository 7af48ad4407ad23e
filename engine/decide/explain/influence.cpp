#include "engine/decide/explain/influence.hpp"

#include <algorithm>
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

/// Relative change of a figure over that of an input, `step` as a logarithm; 0 where there is none.
double elasticity(const std::map<std::string, double>& before,
                  const std::map<std::string, double>& after, const std::string& figure,
                  double step) {
  const auto was = before.find(figure), is = after.find(figure);
  if (was == before.end() || is == after.end() || was->second <= 0.0 || is->second <= 0.0)
    return 0.0;
  return std::log(is->second / was->second) / step;
}

bool is_capacity(const std::string& figure) {
  return figure.starts_with("resource.") && figure.ends_with(".capacity");
}

}  // namespace

double Influence::with_one(bool more) const {
  const double step = std::log(changed(*value, more) / value->number);
  return std::expm1(ways[more ? 1 : 0] * step);
}

Influences::Influences(const Design& design) : copy_(design) {
  const auto originals = base::values_of(design);
  const auto inputs = inputs_of(copy_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Value* value = inputs[i].second;
    if (numeric(*value) && value->number > 0.0 && !inputs[i].first.starts_with("run."))
      inputs_.push_back({inputs[i].first, value, originals[i].second});
  }
}

Influences::Figures Influences::evaluate(bool capacity) {
  ++evaluations_;
  Figures out;
  if (capacity)
    for (const auto& [resource, there] : models::capacities(copy_))
      out[metric::of_resource(resource, "capacity")] = there.amount;
  else
    for (const models::Derivation& d : models::bounds(copy_).derivations) out[d.name] = d.value;
  return out;
}

const Influences::Figures& Influences::before(bool capacity) {
  Figures& out = before_[capacity ? 1 : 0];
  if (out.empty()) out = evaluate(capacity);
  return out;
}

const std::vector<Influence>& Influences::of(const std::string& figure) {
  const auto [found, fresh] = by_figure_.try_emplace(figure);
  if (fresh) {
    asked_.insert(figure);
    if (!waits_) find_asked();
  }
  return found->second;
}

void Influences::find_asked() {
  waits_ = false;
  for (const bool capacity : {false, true}) {
    std::set<std::string> figures;
    for (const std::string& figure : asked_)
      if (is_capacity(figure) == capacity && before(capacity).contains(figure))
        figures.insert(figure);
    if (!figures.empty()) study(figures, capacity);
  }
  asked_.clear();
}

std::vector<Influences::Apart> Influences::apart(std::vector<Part>& parts) {
  std::vector<Apart> out;
  std::vector<std::set<std::string>> taken;
  for (Part& part : parts) {
    const auto free = std::ranges::find_if(taken, [&](const std::set<std::string>& figures) {
      return std::ranges::none_of(part.moves,
                                  [&](const std::string& name) { return figures.contains(name); });
    });
    const auto at = static_cast<std::size_t>(free - taken.begin());
    if (free == taken.end()) out.emplace_back(), taken.emplace_back();
    out[at].push_back(&part);
    taken[at].insert(part.moves.begin(), part.moves.end());
  }
  return out;
}

void Influences::study(const std::set<std::string>& figures, bool capacity) {
  std::vector<Part> parts, single;
  const auto add = [&](std::vector<Part>& several, std::size_t first, std::size_t last,
                       const std::set<std::string>& moves) {
    if (last > first) (last - first == 1 ? single : several).push_back({first, last, moves});
  };
  add(parts, 0, inputs_.size(), figures);
  while (!parts.empty()) {
    for (const Apart& some : apart(parts)) find_moved(some, capacity);
    std::vector<Part> halves;
    for (const Part& part : parts) {
      if (part.moves.empty()) continue;
      const std::size_t middle = part.first + (part.last - part.first) / 2;
      add(halves, part.first, middle, part.moves);
      add(halves, middle, part.last, part.moves);
    }
    parts = std::move(halves);
  }
  std::ranges::sort(single, {}, &Part::first);
  for (const Apart& some : apart(single)) find_answers(some, capacity);
  for (const Part& part : single) {
    const Input& input = inputs_[part.first];
    for (const auto& [name, answer] : part.answers) {
      const bool tied = answer[0] == 0.0 || answer[1] == 0.0;
      by_figure_[name].push_back(
          {input.path, input.original, answer[0] == 0.0 ? answer[1] : answer[0], tied, answer});
    }
  }
}

void Influences::find_moved(const Apart& parts, bool capacity) {
  std::set<std::string> moved;
  for (const bool more : {false, true}) {
    // Each by a part of its own, so that no two of them make up for each other.
    for (const Part* part : parts)
      for (std::size_t i = part->first; i < part->last; ++i) {
        const double own = static_cast<double>(i) * std::numbers::phi;
        inputs_[i].value->number = changed(*inputs_[i].original, more, 1.0 + own - std::floor(own));
      }
    const Figures after = evaluate(capacity);
    for (const Part* part : parts) {
      for (std::size_t i = part->first; i < part->last; ++i)
        inputs_[i].value->number = inputs_[i].original->number;
      for (const std::string& name : part->moves)
        if (const auto found = after.find(name);
            found == after.end() || found->second != before(capacity).at(name))
          moved.insert(name);
    }
  }
  for (Part* part : parts)
    std::erase_if(part->moves, [&](const std::string& name) { return !moved.contains(name); });
}

void Influences::find_answers(const Apart& parts, bool capacity) {
  const auto at = [&](const Apart& some, bool more, double times) {
    for (const Part* part : some) {
      const Input& input = inputs_[part->first];
      input.value->number = changed(*input.original, more, times);
    }
    Figures out = evaluate(capacity);
    for (const Part* part : some)
      inputs_[part->first].value->number = inputs_[part->first].original->number;
    return out;
  };
  for (const bool more : {false, true}) {
    const Figures near = at(parts, more, 1.0);
    Apart jumping;
    for (Part* part : parts) {
      const Value& was = *inputs_[part->first].original;
      const double step = std::log(changed(was, more) / was.number);
      bool jumps = false;
      for (const std::string& name : part->moves) {
        const double slope = elasticity(before(capacity), near, name, step);
        jumps = jumps || (std::abs(slope) > kJump && was.dimension != Dimension::count);
        if (std::abs(slope) >= kNone) part->answers[name][more ? 1 : 0] = slope;
      }
      if (jumps) jumping.push_back(part);
    }
    if (jumping.empty()) continue;
    const Figures far = at(jumping, more, 2.0);
    for (Part* part : jumping) {
      const Value& was = *inputs_[part->first].original;
      const double step = std::log(changed(was, more, 2.0) / changed(was, more));
      for (auto& [name, answer] : part->answers) {
        double& slope = answer[more ? 1 : 0];
        if (std::abs(slope) <= kJump) continue;
        slope = elasticity(near, far, name, step);
        if (std::abs(slope) < kNone) slope = 0.0;
      }
    }
  }
  // What answers neither to less nor to more after all does not answer.
  for (Part* part : parts)
    std::erase_if(part->answers,
                  [](const auto& one) { return one.second[0] == 0.0 && one.second[1] == 0.0; });
}

}  // namespace stallcast::explain
