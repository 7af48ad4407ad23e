#include "engine/decide/plan/axes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/plan/axis_values.hpp"
#include "engine/decide/plan/countables.hpp"

namespace stallcast::plan {
namespace {

/// A count that stands for "any number": this many times the bound, or the present one.
constexpr std::int64_t kBoundFactor = 64, kSmallestInfinity = 4096;
constexpr std::int64_t kFactor = 16, kSmallest = 64;

/// Numbers that differ by less are written as one.
constexpr double kSame = 1e-12;

/// What an axis does to a design.
struct Meaning {
  std::vector<std::string> changed;  ///< paths of values
  int direction = 0;  ///< +1: a larger value is expected never to hurt, -1: a smaller one, 0: none
  Dimension dimension = Dimension::number;
  bool itself = false;  ///< the last of `changed` is the number that is searched, not made of it
  /// Places of the values that `direction` leads from and to; none: the present design.
  std::optional<std::size_t> from = std::nullopt, to = std::nullopt;
};

bool helps(std::string_view path, Dimension dimension) {
  if (const Countable* countable = countable_at(path)) return countable->what.helps;
  const bool hardware = path.starts_with("storage[") || path.starts_with("cluster.hosts[") ||
                        path.starts_with("cluster.fabric");
  return hardware && (dimension == Dimension::rate || dimension == Dimension::op_rate);
}

class AxisMaker {
 public:
  AxisMaker(const PlanSpec& spec, const Design& design, const models::Bounds& bounds,
            const RedesignAll& redesign)
      : spec_(spec), design_(design), bounds_(bounds), redesign_(redesign) {
    for (const auto& [path, value] : base::values_of(design)) values_[path] = value;
  }

  Result<Axis> make(PlanDimension wanted) {
    const Result<std::optional<std::string>> shortcut = shortcut_path(wanted.axis.path, design_);
    if (!shortcut.ok()) return shortcut.failure();
    if (*shortcut) wanted.axis.path = **shortcut;
    Axis axis;
    axis.listed = !wanted.axis.values.empty();
    axis.about.path = wanted.axis.path;
    for (const auto& [path, value] : values_)
      if (same_path(path, wanted.axis.path)) axis.about.path = path;
    std::string counted = axis.about.path;
    // A parameter that counts something may be searched as that would be.
    if (counted.starts_with("params.") && wanted.axis.values.empty() && !wanted.axis.range) {
      axis.values = {Amount{1.0}, Amount{2.0}};
      const Result<Meaning> drives = meaning_of(axis);
      if (!drives.ok()) return drives.failure();
      for (const std::string& path : drives->changed)
        if (countable_at(path) != nullptr) counted = path;
    }
    Result<std::vector<Setting>> values = values_of(wanted, counted, axis.about.open);
    if (!values.ok()) return values.failure();
    axis.values = std::move(values).value();
    Result<Meaning> meaning = meaning_of(axis);
    if (!meaning.ok()) return meaning.failure();
    if (const auto failure = number(axis, *meaning)) return *failure;
    turn(axis, *meaning);
    name(axis, *meaning);
    order(axis, *meaning);
    start(axis, *meaning, present_of(axis, wanted.present));
    axis.about.asked = over_text(wanted, axis.about.name);
    axis.about.unit = wanted.unit;
    axis.about.candidates = static_cast<std::int64_t>(axis.size());
    axis.about.from = text_of(axis.values.front());
    axis.about.to = text_of(axis.values.back());
    return axis;
  }

  /// Of what `make` refused: the listed value that cannot be read.
  [[nodiscard]] std::optional<std::size_t> unreadable() const { return unreadable_; }

 private:
  [[nodiscard]] const Value* current(const std::string& path) const {
    const auto found = values_.find(path);
    return found == values_.end() ? nullptr : found->second;
  }

  /// The fluid bound, for what the bounds count.
  [[nodiscard]] std::optional<std::int64_t> bound_of(const std::string& path) const {
    const Countable* countable = countable_at(path);
    if (countable == nullptr || path != default_path(design_, bounds_.storage)) return std::nullopt;
    if (!std::isfinite(bounds_.osts_required)) return 1;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(bounds_.osts_required)));
  }

  /// `open` is set where more may lie beyond the range.
  Result<std::vector<Setting>> values_of(const PlanDimension& wanted, const std::string& path,
                                         bool& open) {
    if (!wanted.axis.values.empty()) return listed_values(wanted, unreadable_);
    const Value* now = current(path);
    const bool count = now != nullptr && now->dimension == Dimension::count;
    const Countable* counted = countable_at(path);
    std::optional<SweepRange> range = wanted.axis.range;
    if (!range) {
      if (path.find('.') == std::string::npos) {
        std::vector<std::string> names;
        for (const Countable& c : countables()) names.emplace_back(c.what.shortcut);
        const std::string near = base::nearest(wanted.axis.path, names);
        return Failure{ExitCode::bad_input, "\"" + wanted.axis.path + "\" is not a known count",
                       (near.empty() ? "" : "did you mean \"" + near + "\"? ") +
                           "known: " + base::join(names, ", ") +
                           "; or write a parameter of the scenario, or a path"};
      }
      if (!count && counted == nullptr)
        return Failure{ExitCode::bad_input, "\"" + wanted.axis.path + "\" does not say its values",
                       "write \"from\" and \"to\", or list them"};
      if (now != nullptr && !count)
        return Failure{ExitCode::bad_input,
                       "\"" + wanted.axis.path + "\" is not a count: say from what to what",
                       "write { \"from\": \"64 GB\", \"to\": \"1 TB\", \"n\": 16 }"};
      const std::int64_t present =
          now != nullptr ? std::max<std::int64_t>(1, static_cast<std::int64_t>(now->number)) : 1;
      const std::optional<std::int64_t> bound = bound_of(path);
      range.emplace();
      range->from = 1.0;
      range->to = static_cast<double>(bound ? std::max(kSmallestInfinity, kBoundFactor * *bound)
                                      : counted != nullptr && counted->what.most > 0
                                          ? counted->what.most
                                          : std::max(kSmallest, kFactor * present));
    }
    const bool all = counted != nullptr && counted->what.most > 0 &&
                     range->to >= static_cast<double>(counted->what.most);
    open = !all && !wanted.axis.path.starts_with("params.");
    return axis_values(*range, wanted, count || range->unit.empty());
  }

  Result<Meaning> meaning_of(const Axis& axis) {
    Meaning out;
    std::optional<Failure> failure;
    const auto design_at = [&](std::size_t place) {
      std::map<std::string, Value> made;
      if (const Result<Design> design = with({axis.about.path, axis.values[place]}); !design.ok())
        failure = failure ? failure : design.failure();
      else
        for (const auto& [path, value] : base::values_of(*design)) made.emplace(path, *value);
      return made;
    };
    std::size_t from = 0, to = axis.size() - 1;
    std::map<std::string, Value> first = design_at(from), last = design_at(to);
    if (first.empty() && last.empty()) {
      if (axis.listed) unreadable_ = 0;
      return failure_of(axis, *failure);
    }
    // Where an end is no valid design, a value nearer to the other end may be one.
    while (first.empty() && to - from > 1) first = design_at(from += (to - from + 1) / 2);
    while (last.empty() && to - from > 1) last = design_at(to -= (to - from + 1) / 2);
    if (!first.empty()) out.from = from;
    if (!last.empty()) out.to = to;
    std::map<std::string, Value> present;
    for (const auto& [path, value] : values_) present.emplace(path, *value);
    const std::map<std::string, Value>& a = first.empty() ? present : first;
    const std::map<std::string, Value>& b = last.empty() ? present : last;
    int direction = 2;  // not known yet
    for (const auto& [path, value] : b) {
      const auto before = a.find(path);
      if (before != a.end() && before->second.number == value.number &&
          before->second.text == value.text)
        continue;
      out.changed.push_back(path);
      out.dimension = value.dimension;
      const auto tried = last.empty() ? first.find(path) : last.find(path);
      const auto wanted =
          base::parse_quantity(text_of(axis.values[last.empty() ? from : to]), Dimension::number);
      out.itself = wanted.value && tried->second.number == *wanted.value;
      const int sign = before != a.end() && value.number < before->second.number ? -1 : 1;
      if (!helps(path, value.dimension) || (direction != 2 && direction != sign))
        direction = 0;
      else if (direction == 2)
        direction = sign;
    }
    if (out.changed.empty())
      if (const Value* now = current(axis.about.path)) {
        out.changed.push_back(axis.about.path);
        out.dimension = now->dimension;
      }
    out.direction = direction == 2 ? 0 : direction;
    return out;
  }

  [[nodiscard]] static Failure failure_of(const Axis& axis, Failure failure) {
    if (axis.listed)
      failure.message = "\"" + base::plain_path(axis.about.path) + "\": " + without_place(failure);
    return failure;
  }

  [[nodiscard]] Result<Design> with(const Change& one) const { return redesign_({&one, 1}); }

  /// A value may make no design, for others; what cannot be read is none at all.
  std::optional<Failure> number(Axis& axis, const Meaning& meaning) {
    // A parameter may carry the unit of what it sets: "10 s".
    const bool direct =
        (meaning.changed.size() == 1 && meaning.changed.front() == axis.about.path) ||
        std::none_of(axis.values.begin(), axis.values.end(), [](const Setting& written) {
          return base::parse_quantity(text_of(written), Dimension::number).value.has_value();
        });
    for (const Setting& written : axis.values) {
      const std::string text = text_of(written);
      auto parsed = base::parse_quantity(text, direct ? meaning.dimension : Dimension::number);
      if (!parsed.value)
        if (const Result<Design> made = with({axis.about.path, written}); !made.ok()) {
          unreadable_ = axis.numbers.size();
          return failure_of(axis, made.failure());
        }
      if (!parsed.value) parsed = base::parse_quantity(text, Dimension::number);
      axis.numbers.push_back(parsed.value.value_or(0.0));
    }
    axis.dimension = direct ? meaning.dimension : Dimension::number;
    return std::nullopt;
  }

  /// From what one design has beyond the other to what a larger value does.
  void turn(const Axis& axis, Meaning& meaning) const {
    const Value* now = current(axis.about.path);
    const auto number = [&](std::optional<std::size_t> place) -> std::optional<double> {
      if (place) return axis.numbers[*place];
      return now != nullptr ? std::optional(now->number) : std::nullopt;
    };
    const std::optional<double> from = number(meaning.from), to = number(meaning.to);
    if (!from || !to)
      meaning.direction = 0;
    else if (*to < *from)
      meaning.direction = -meaning.direction;
  }

  void name(Axis& axis, const Meaning& meaning) const {
    PlanAxis& about = axis.about;
    const bool parameter = about.path.starts_with("params.");
    about.name = parameter ? about.path.substr(7) : base::plain_path(about.path);
    const std::string* counted = nullptr;
    for (const std::string& path : meaning.changed)
      if (counted == nullptr && countable_at(path) != nullptr) counted = &path;
    if (counted != nullptr && (!parameter || (meaning.changed.size() == 1 && meaning.itself))) {
      const Countable& c = *countable_at(*counted);
      about.noun = c.what.noun;
      about.owner = owner_of(*counted);
      const std::string place = base::plain_path(std::string(c.prefix) + id_in(*counted) + "].");
      if (meaning.dimension == Dimension::count)
        about.metric = place + base::key_of(c.what.noun) + ".required";
      if (about.metric.starts_with("cluster.hosts."))
        about.metric = "host." + about.metric.substr(14);
      if (about.metric.starts_with("jobs.")) about.metric = "job." + about.metric.substr(5);
      return;
    }
    about.noun = about.name.substr(about.name.rfind('.') + 1);
    if (!meaning.changed.empty()) about.owner = owner_of(meaning.changed.front());
    if (parameter) about.owner = "";
  }

  /// Easier values last, where that is known.
  void order(Axis& axis, const Meaning& meaning) const {
    PlanAxis& about = axis.about;
    const bool whole =
        std::all_of(axis.numbers.begin(), axis.numbers.end(), [](double v) { return v > 0.0; });
    int direction = whole ? meaning.direction : 0;
    const bool most = !spec_.maximize.empty() && (same_path(spec_.maximize, about.path) ||
                                                  same_path(spec_.maximize, about.name) ||
                                                  about.path == wanted_path(spec_.maximize));
    // More hosts ask more of the storage.
    if (most && whole && !meaning.changed.empty())
      if (const Countable* c = countable_at(meaning.changed.front());
          c != nullptr && c->prefix == "cluster.hosts[" && !c->what.helps &&
          meaning.changed.size() == 1)
        direction = -1;
    about.ordered = direction != 0;
    about.falls = direction < 0;
    std::vector<std::size_t> by(axis.size());
    for (std::size_t i = 0; i < by.size(); ++i) by[i] = i;
    if (direction != 0)
      std::stable_sort(by.begin(), by.end(), [&](std::size_t i, std::size_t j) {
        return direction > 0 ? axis.numbers[i] < axis.numbers[j]
                             : axis.numbers[i] > axis.numbers[j];
      });
    Axis sorted = axis;
    for (std::size_t i = 0; i < by.size(); ++i) {
      sorted.values[i] = axis.values[by[i]];
      sorted.numbers[i] = axis.numbers[by[i]];
    }
    axis = std::move(sorted);
  }

  [[nodiscard]] std::string wanted_path(const std::string& name) const {
    const auto path = shortcut_path(name, design_);
    return path.ok() && *path ? **path : name;
  }

  /// At the fluid bound, else at what the scenario says.
  void start(Axis& axis, const Meaning& meaning, const std::optional<double>& present) const {
    double from = axis.numbers.front();
    axis.about.bounded = false;
    const std::string path = meaning.changed.size() == 1 ? meaning.changed.front() : "";
    if (const auto bound = bound_of(path); bound && axis.about.ordered)
      from = static_cast<double>(*bound), axis.about.bounded = true;
    else if (present)
      from = *present;
    while (axis.start + 1 < axis.size() &&
           (axis.about.falls ? axis.numbers[axis.start] > from : axis.numbers[axis.start] < from))
      ++axis.start;
    for (std::size_t i = 0; present && i < axis.size() && !axis.present; ++i)
      if (axis.numbers[i] > 0.0 && std::abs(axis.numbers[i] / *present - 1.0) < kSame)
        axis.present = i;
  }

  /// What the scenario has of it, as a number of the axis; none of texts, and of what it lacks.
  [[nodiscard]] std::optional<double> present_of(const Axis& axis,
                                                 const std::optional<Setting>& parameter) const {
    if (const Value* now = current(axis.about.path)) return now->number;
    if (!parameter) return std::nullopt;
    const std::string text = text_of(*parameter);
    const auto parsed = base::parse_quantity(text, axis.dimension);
    return parsed.value ? parsed.value : base::parse_quantity(text, Dimension::number).value;
  }

  const PlanSpec& spec_;
  const Design& design_;
  const models::Bounds& bounds_;
  const RedesignAll& redesign_;
  std::map<std::string, const Value*> values_;
  std::optional<std::size_t> unreadable_;
};

/// The storage system to size: the one asked for, else the one the bounds study, else the first.
Result<std::string> default_axis(const PlanSpec& spec, const Design& design,
                                 const models::Bounds& bounds) {
  const Component* storage =
      design.find_storage(spec.storage.empty() ? bounds.storage : spec.storage);
  if (storage == nullptr && spec.storage.empty() && !design.storage.empty())
    storage = &design.storage.front();
  if (storage == nullptr) {
    std::string known;
    for (const Component& s : design.storage) known += (known.empty() ? "" : ", ") + s.id;
    return Failure{ExitCode::bad_input,
                   spec.storage.empty() ? "the scenario has no storage to plan"
                                        : "no storage is named \"" + spec.storage + "\"",
                   known.empty() ? "" : "known: " + known};
  }
  std::string path = default_path(design, storage->id);
  if (path.empty())
    return Failure{
        ExitCode::bad_input,
        "plan cannot count anything of storage \"" + storage->id + "\" (" + storage->kind + ")",
        "say what to search, with \"plan\": { \"over\": ... } or --over PATH=from..to"};
  return path;
}

}  // namespace

Result<std::vector<Axis>> make_axes(const PlanSpec& spec, const Design& design,
                                    const models::Bounds& bounds, const RedesignAll& redesign,
                                    std::optional<std::size_t>* unreadable) {
  AxisMaker maker(spec, design, bounds, redesign);
  std::vector<PlanDimension> over = spec.over;
  if (over.empty()) {
    PlanDimension one;
    if (!spec.maximize.empty()) {
      one.axis.path = spec.maximize;
    } else {
      const Result<std::string> path = default_axis(spec, design, bounds);
      if (!path.ok()) return path.failure();
      one.axis.path = *path;
    }
    over.push_back(std::move(one));
  }
  std::vector<Axis> out;
  for (PlanDimension& dimension : over) {
    Result<Axis> axis = maker.make(std::move(dimension));
    if (unreadable != nullptr) *unreadable = maker.unreadable();
    if (!axis.ok()) return axis.failure();
    for (const Axis& other : out)
      if (other.about.path == axis->about.path)
        return Failure{ExitCode::bad_input, "\"" + other.about.name + "\" is searched twice",
                       "name it once"};
    out.push_back(std::move(axis).value());
  }
  tell_apart(out);
  return out;
}

}  // namespace stallcast::plan
