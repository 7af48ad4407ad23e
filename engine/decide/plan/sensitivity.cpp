#include "engine/decide/plan/sensitivity.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/plan/countables.hpp"
#include "engine/decide/plan/plan.hpp"
#include "models/bounds/bounds.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/breakdown.hpp"

namespace stallcast::plan {
namespace {

/// All assumed inputs are tried as long as it takes no more events than these; for each that may be
/// shown, so many in any case.
constexpr double kEvents = 10e6;
constexpr std::size_t kTried = 2;
/// What is said where the search was stopped before all was tried.
std::string not_tried(std::size_t n, std::string_view what) {
  return base::counted(static_cast<std::int64_t>(n), what) + (n == 1 ? " was" : " were") +
         " not tried to the end: the time limit or an interrupt came first";
}

/// Less than this moves no margin that is printed.
constexpr double kNoSwing = 5e-5;
/// A run that judges an interval has at least so many.
constexpr double kSaves = 3.5;

/// Of what has no range of its own, unless a plan says otherwise.
constexpr double kSpread = 0.2;

struct Input {
  std::string path;
  Dimension dimension;
  double number;
  base::FieldLimits limits;  ///< it stays within them
  std::optional<Range> range;
  int relevance;  ///< less is more
  [[nodiscard]] Setting end(bool high, std::optional<double> spread) const;
};

base::FieldLimits limits_of(std::string_view role_id, const Component& component,
                            std::string_view key) {
  const models::RoleInfo* role = models::find_role(role_id);
  const base::FieldInfo* field =
      role == nullptr ? nullptr : models::find_field(role->role, component, key);
  return field == nullptr ? base::FieldLimits{} : field->limits;
}

/// What belongs to the resource that binds comes first, then the same component, then jobs.
int relevance(const std::string& path, const std::string& binding) {
  const std::string plain = base::plain_path(path);
  const std::size_t first = binding.find('.');
  const std::size_t second = first == std::string::npos ? first : binding.find('.', first + 1);
  std::string component = binding.substr(0, second);
  if (component.starts_with("host.")) component = "cluster.hosts." + component.substr(5);
  if (component.starts_with("job.")) component = "jobs." + component.substr(4);
  const std::string part =
      second == std::string::npos
          ? ""
          : binding.substr(second + 1, binding.find('.', second + 1) - second - 1);
  if (!part.empty() && plain.starts_with(component + "." + part + ".")) return 0;
  if (plain.starts_with(component + ".")) return 1;
  return plain.starts_with("jobs.") ? 2 : 3;
}

std::vector<Input> assumed_inputs(const Design& design, const std::string& binding,
                                  const std::vector<Axis>& axes) {
  std::vector<Input> out;
  base::for_each_component(
      design, [&](const std::string& place, std::string_view role, const Component& component) {
        for (const auto& [key, value] : component.values) {
          const std::string path = place + "." + key;
          const bool number =
              value.dimension != Dimension::text && value.dimension != Dimension::text_list &&
              value.dimension != Dimension::boolean && value.dimension != Dimension::money &&
              value.dimension != Dimension::money_rate;
          // What a profile fitted was measured.
          const std::optional<Range> range =
              value.source.kind != Source::Kind::profile ? value.range : std::nullopt;
          const bool varies =
              range ? range->high > range->low : value.source.assumption && value.number > 0.0;
          if (!number || !varies || !std::isfinite(value.number) || path.starts_with("run."))
            continue;
          const bool searched = std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) {
            return same_path(axis.about.path, path);
          });
          if (!searched)
            out.push_back({path, value.dimension, value.number, limits_of(role, component, key),
                           range, relevance(path, binding)});
        }
      });
  std::stable_sort(out.begin(), out.end(),
                   [](const Input& a, const Input& b) { return a.relevance < b.relevance; });
  return out;
}

/// `value` to six digits: 56 % of 70 % and 0.8.
double to_six_digits(double value) {
  char text[32];
  const auto end =
      std::to_chars(std::begin(text), std::end(text), value, std::chars_format::general, 6);
  std::from_chars(text, end.ptr, value);
  return value;
}

/// The input times `factor`, as a scenario writes it, in the same unit; a count moves by one at
/// least. At the limit of its field it stays there.
Setting scaled(const Input& input, double factor) {
  double value = input.number * factor;
  if (input.dimension == Dimension::count) {
    value = std::round(value);
    if (value == input.number) value += factor > 1.0 ? 1.0 : -1.0;
  }
  const base::FieldLimits& limits = input.limits;
  const bool below = value < limits.minimum || (limits.above_minimum && value <= limits.minimum);
  if (below && limits.above_minimum) return setting_of(input.number, input.dimension);
  if (below || value > limits.maximum)
    return setting_of(below ? limits.minimum : limits.maximum, input.dimension);
  if (input.dimension == Dimension::count) return setting_of(value, input.dimension);
  if (input.dimension == Dimension::ratio && input.number <= 1.0 && input.number * factor > 1.0)
    return setting_of(1.0, input.dimension);
  const std::string text = base::exact_quantity(input.number, input.dimension);
  const std::size_t blank = text.find(' ');
  if (const auto number = base::parse_number(text.substr(0, blank)))
    return Amount{to_six_digits(*number * factor),
                  blank == std::string::npos ? "" : text.substr(blank + 1)};
  return setting_of(to_six_digits(input.number * factor), input.dimension);
}

/// As far as its range goes; where it has none, or a plan says by how much, so much of itself.
Setting Input::end(bool high, std::optional<double> spread) const {
  if (range && !spread)
    return setting_of(to_six_digits(high ? range->high : range->low), dimension);
  const double by = spread.value_or(kSpread);
  return scaled(*this, high ? 1.0 + by : 1.0 - by);
}

std::vector<Change> varied(std::vector<Change> changes, const Input& input, bool high,
                           std::optional<double> spread) {
  changes.push_back({input.path, input.end(high, spread)});
  return changes;
}

const TargetMargin* same_target(const PlanPoint& point, const TargetMargin& wanted) {
  for (const TargetMargin& t : point.targets)
    if (t.id == wanted.id && t.when == wanted.when) return &t;
  return nullptr;
}

/// It misses the targets, and is no worse than the answer by what is to be had least or most of.
bool would_be_better(const PlanResult& plan, const PlanNeighbour& neighbour) {
  const PlanPoint& there = plan.points[neighbour.point];
  const std::optional<double>& other = there.objective;
  const std::optional<double>& own = plan.points[*plan.answer].objective;
  if (there.meets || !other || !own) return false;
  return plan.objective.maximize ? *other >= *own : *other <= *own;
}

}  // namespace

void vary_inputs(Designs& designs, const Search& found, std::size_t most,
                 std::optional<double> spread, PlanResult& plan) {
  const Cell& answer = *found.answer;
  const PlanPoint& point = plan.points[*plan.answer];
  const TargetMargin* target = tightest(point);
  const Result<Design>& design = designs.at(answer);
  if (most == 0 || target == nullptr || !design.ok()) return;
  // Where less is easier, what misses the targets needs less.
  const auto easier = [&](std::size_t axis) { return plan.axes[axis].falls ? "fewer" : "more"; };
  const auto harder = [&](std::size_t axis) { return plan.axes[axis].falls ? "more" : "fewer"; };
  std::vector<Input> inputs = assumed_inputs(*design, point.binding, designs.axes());
  const double events =
      predict::events_of(*design, static_cast<double>(found.seen.at(answer).events));
  const double affordable = kEvents / (2.0 * events);
  if (static_cast<double>(inputs.size()) > affordable)
    inputs.resize(
        std::min(inputs.size(), std::max(kTried * most, static_cast<std::size_t>(affordable))));
  plan.varied = static_cast<std::int64_t>(inputs.size());
  std::vector<std::vector<Change>> tries;
  for (const Input& input : inputs)
    for (const bool high : {false, true})
      tries.push_back(varied(designs.changes(answer), input, high, spread));
  // What is not a valid design is known not to be one; what was cut off may be anything.
  const auto cut = [&](const Result<Prediction>& prediction) {
    return prediction.ok() ? !designs.finished(prediction, *design)
                           : prediction.failure().exit == ExitCode::inconclusive;
  };
  struct Outcome {
    bool cut = false, misses = false;
    std::optional<double> margin = std::nullopt;
  };
  std::vector<Outcome> outcomes;
  designs.predict_each(tries, [&](const Result<Prediction>& prediction) {
    Outcome& out = outcomes.emplace_back(Outcome{.cut = cut(prediction)});
    if (!prediction.ok()) return;
    const PlanPoint there = point_of(*prediction, designs.outages());
    if (const TargetMargin* t = same_target(there, *target)) out.margin = t->margin;
    out.misses = !there.meets;
  });

  std::vector<std::pair<PlanSwing, Input>> tried;
  std::size_t cut_off = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs[i];
    const Outcome &low = outcomes[2 * i], &high = outcomes[2 * i + 1];
    if (low.cut || high.cut) {
      ++cut_off;
      continue;
    }
    PlanSwing swing;
    swing.path = input.path;
    swing.base = base::exact_quantity(input.number, input.dimension);
    swing.low = text_of(input.end(false, spread));
    swing.high = text_of(input.end(true, spread));
    swing.target = target->id;
    swing.at_low = low.margin.value_or(target->margin);
    swing.at_high = high.margin.value_or(target->margin);
    if (low.misses) swing.low_needs = easier(0);
    if (high.misses) swing.high_needs = easier(0);
    tried.emplace_back(std::move(swing), input);
  }
  std::stable_sort(tried.begin(), tried.end(),
                   [](const auto& a, const auto& b) { return a.first.swing() > b.first.swing(); });
  std::erase_if(tried, [](const auto& one) {
    const PlanSwing& swing = one.first;
    return swing.swing() < kNoSwing && swing.low_needs == "same" && swing.high_needs == "same";
  });
  if (tried.size() > most) tried.resize(most);
  plan.varied -= static_cast<std::int64_t>(cut_off);
  if (cut_off > 0) plan.notes.push_back(not_tried(cut_off, "assumed inputs"));

  // Where the targets still hold, a better neighbour that misses them may meet them, too.
  tries.clear();
  std::vector<std::pair<std::string*, const char*>> needs;
  for (auto& [swing, input] : tried)
    for (const PlanNeighbour& n : plan.neighbours)
      for (const bool high : {false, true}) {
        std::string& said = high ? swing.high_needs : swing.low_needs;
        if (n.direction > 0 || said == easier(0) || !would_be_better(plan, n)) continue;
        Cell cell = answer;
        --cell[n.axis];
        tries.push_back(varied(designs.changes(cell), input, high, spread));
        needs.emplace_back(&said, harder(n.axis));
      }
  auto need = needs.begin();
  designs.predict_each(tries, [&](const Result<Prediction>& prediction) {
    if (!cut(prediction) && prediction.ok() && prediction->verdict == Verdict::pass)
      *need->first = need->second;
    ++need;
  });
  for (auto& [swing, input] : tried) plan.tornado.push_back(std::move(swing));
}

std::vector<PlanInterval> best_intervals(Designs& designs, const Search& found, PlanResult& plan) {
  const Cell& cell = found.answer ? *found.answer : found.nearest ? found.nearest->cell : found.end;
  const auto seen = found.seen.find(cell);
  if (seen == found.seen.end()) return {};
  const Prediction& prediction = seen->second;
  const Result<Design>& design = designs.at(cell);
  std::vector<PlanInterval> out;
  std::vector<std::vector<Change>> tries;
  if (!design.ok()) return out;
  const models::Bounds bounds = models::bounds(*design);
  for (const JobDesign& job : design->jobs) {
    const std::string name = "job." + job.job.id;
    const std::string key = name + ".checkpoint.best_interval";
    if (!prediction.metrics.contains(key) || !job.checkpoint) continue;
    PlanInterval interval;
    interval.job = job.job.id;
    interval.point = static_cast<std::size_t>(std::distance(found.seen.begin(), seen));
    interval.best = figure_or_zero(prediction, key);
    interval.young = figure_or_zero(prediction, key + ".young");
    interval.daly = figure_or_zero(prediction, key + ".daly");
    interval.goodput = figure_or_zero(prediction, name + ".goodput");
    interval.best_goodput = figure_or_zero(prediction, key + ".goodput");
    for (const models::Derivation& d : bounds.derivations)
      if (d.name == name + ".checkpoint.interval") interval.every = d.value;
    const std::string path = "jobs[" + job.job.id + "].checkpoint.";
    std::vector<Change>& changes = tries.emplace_back(designs.changes(cell));
    changes.push_back({path + "every_steps", JsonLiteral{"null"}});
    changes.push_back({path + "every", setting_of(std::round(interval.best), Dimension::time)});
    const Value* steps = job.checkpoint->find("every_steps");
    if (steps != nullptr && steps->number > 0.0)
      interval.set.push_back(text_of(changes[changes.size() - 2]));
    interval.set.push_back(text_of(changes.back()));
    // The run has to be long enough for some saves.
    const Value* duration = design->run.find("duration");
    if (duration != nullptr && duration->number < kSaves * interval.best) {
      changes.push_back(
          {"run.duration", setting_of(std::ceil(kSaves * interval.best), Dimension::time)});
      interval.run = text_of(changes.back().value);
    }
    out.push_back(std::move(interval));
  }
  if (tries.empty()) return out;
  auto next = out.begin();
  designs.predict_each(tries, [&](const Result<Prediction>& made) {
    PlanInterval& interval = *next++;
    if (!designs.finished(made, *design)) {
      plan.notes.push_back("job " + interval.job + " with its best interval was not simulated to " +
                           "the end: the time limit or an interrupt came first");
      interval.job.clear();
      return;
    }
    interval.meets = made->verdict == Verdict::pass;
    interval.best_goodput = figure_or_zero(*made, "job." + interval.job + ".goodput");
  });
  std::erase_if(out, [](const PlanInterval& interval) { return interval.job.empty(); });
  return out;
}

}  // namespace stallcast::plan
