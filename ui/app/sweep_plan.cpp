#include "ui/app/sweep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <tuple>

#include "calibration/profile/apply.hpp"
#include "calibration/profile/profile_json.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/files.hpp"
#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/sweep/design_change.hpp"
#include "engine/decide/sweep/points.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "models/contract/version.hpp"
#include "scenarios/questions/sweep_reader.hpp"
#include "stallcast/nominal.hpp"

namespace stallcast::client {
namespace {

/// Points whose faults are looked for: of a thousand that are wrong, some tell it all.
constexpr std::size_t kMostFaultyPoints = 100;
/// Points resolved side by side and in memory at a time.
constexpr std::size_t kPointsAtATime = 256;
/// Made in some milliseconds.
constexpr double kMostAtOnce = 20'000.0;
/// Points that are resolved where nothing is to be simulated: of more, those that show a value
/// first.
constexpr std::size_t kMostLooked = 64;

class Planner {
 public:
  Planner(const SweepRequest& input, Diagnostics& faults) : input_(input), faults_(faults) {}
  /// Of a scenario that is read already.
  Planner(const Scenario& scenario, const SweepRequest& input, Diagnostics& faults)
      : input_(input), faults_(faults), scenario_(scenario) {}

  std::optional<sweep::SweepPlan> plan() {
    if (!begin()) return std::nullopt;
    return resolve(spec_, points_);
  }

  /// Resolves the first point alone. Of more points than a request should take to make, the run
  /// tells.
  void check_first() {
    if (!read_spec() || values_before_repeats() > kMostAtOnce) return;
    if (!make_points() || points_.empty()) return;
    const Resolved found = resolve_point(spec_, points_.front());
    add(found.scenario->diagnostics(), found.changes, points_.front());
  }

  /// Resolves points until each value was looked at once; few points all.
  void look() {
    if (!read_spec()) return;
    thin();
    const double values = values_before_repeats();
    const bool said = values > static_cast<double>(sweep::kMostPoints);
    if (spec_.mode != SweepMode::zip && values > kMostAtOnce && !said) return;
    if (!make_points()) return;
    const std::vector<sweep::Point> points = looked_at();
    std::vector<Resolved> found(points.size());
    base::parallel_for(found.size(), 0,
                       [&](std::size_t i) { found[i] = resolve_point(spec_, points[i]); });
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!found[i].scenario->ok())
        add(found[i].scenario->diagnostics(), found[i].changes, points[i]);
  }

 private:
  bool begin() { return read_spec() && make_points(); }

  /// Points, before those that become the same.
  [[nodiscard]] double values_before_repeats() const {
    if (spec_.samples > 0) return static_cast<double>(spec_.samples);
    double out = 1.0;
    for (const SweepAxis& axis : spec_.axes)
      out *= axis.range ? static_cast<double>(std::max<std::int64_t>(1, axis.range->n))
                        : static_cast<double>(axis.values.size());
    return out;
  }

  /// What is sampled or counted through needs no more to be looked at than its ends.
  void thin() {
    const double values = values_before_repeats();
    if (spec_.mode == SweepMode::zip || !(values > kMostAtOnce) ||
        values > static_cast<double>(sweep::kMostPoints))
      return;
    spec_.samples = std::min(spec_.samples, static_cast<std::int64_t>(kMostLooked));
    for (SweepAxis& axis : spec_.axes)
      if (axis.range) axis.range->n = std::min<std::int64_t>(axis.range->n, 2);
  }

  [[nodiscard]] std::vector<sweep::Point> looked_at() const {
    if (points_.size() <= kMostLooked) return points_;
    std::vector<sweep::Point> out;
    std::set<std::pair<std::size_t, std::string>> seen;
    for (const sweep::Point& point : points_) {
      bool first = false;
      for (std::size_t a = 0; a < point.size(); ++a)
        first = seen.insert({a, text_of(point[a].value)}).second || first;
      if (first && out.size() < kMostLooked) out.push_back(point);
    }
    return out;
  }

  /// False with faults.
  bool make_points() {
    round_counts(spec_);
    points_ = sweep::points_of(spec_, static_cast<std::uint64_t>(input_.sample_seed.value_or(0)),
                               faults_);
    if (points_.size() > input_.most_points)
      faults_.error("sweep", "/sweep",
                    "these are " + std::to_string(points_.size()) + " points, and at most " +
                        std::to_string(input_.most_points) + " are simulated here",
                    "vary less, or take a sample: latin:64");
    return !faults_.has_errors();
  }

  bool read_spec() {
    if (!read()) return false;
    SweepSpec& spec = spec_ = scenario_->questions().sweep;
    complete(spec, scenario_->parameters());
    // Without the values that are varied the scenario need not be whole.
    const bool broken =
        std::any_of(scenario_->diagnostics().items().begin(),
                    scenario_->diagnostics().items().end(), [](const Diagnostic& d) {
                      return d.severity == Severity::error &&
                             (d.pointer.starts_with("/sweep") || d.code == "syntax" ||
                              d.code == "file" || d.code == "extends");
                    });
    if (broken || (spec.axes.empty() && !scenario_->ok())) add(scenario_->diagnostics(), {}, {});
    return !faults_.has_errors();
  }

  bool read() {
    if (scenario_) return true;
    ScenarioFile file = input_.source;
    if (input_.seed) file.sets.push_back("run.seed=" + std::to_string(*input_.seed));
    if (input_.replicas) file.sets.push_back("run.replicas=" + std::to_string(*input_.replicas));
    if (!input_.profile.empty()) {
      profile_ = calibration::read_profile_file(input_.profile, faults_);
    }
    if (faults_.has_errors()) return false;
    scenario_ = Scenario::read(file, profile_ ? &profile_->profile : nullptr);
    return true;
  }

  /// What the command line says besides the scenario.
  void complete(SweepSpec& spec, std::span<const Parameter> params) {
    std::set<std::string> seen;
    for (std::string option : input_.varied) {
      const std::string path = option.substr(0, option.find('='));
      if (!seen.insert(path).second)
        faults_.error("sweep", "--vary", "\"" + path + "\" is varied twice",
                      "write all its values in one --vary: " + path + "=a,b,c");
      for (const Parameter& p : params)
        if (p.name == path) option = "params." + option;
      scenarios::add_vary(option, spec, faults_);
      if (spec.axes.empty() || !spec.axes.back().range) continue;
      for (const Parameter& p : params)
        if ("params." + p.name == spec.axes.back().path)
          spec.axes.back().range->step = p.step.value_or(0.0);
    }
    if (input_.mode.empty()) return;
    if (!scenarios::set_mode(input_.mode, spec))
      faults_.add({Severity::error,
                   "mode",
                   "",
                   {"--mode " + input_.mode, 0, 0},
                   "\"" + input_.mode + "\" is not a way to combine values",
                   "use product, zip, latin:64 or sobol:64"});
    spec.mode_pointer.clear();
    spec.mode_position = {"--mode " + input_.mode, 0, 0};
  }

  /// Ranges of counts are of whole numbers.
  void round_counts(SweepSpec& spec) const {
    std::vector<Change> changes;
    for (const SweepAxis& axis : spec.axes)
      changes.push_back({axis.path, axis.range ? axis.range->exact[0] : axis.values.front().value});
    const Scenario first = scenario_->with(changes);
    if (!first.ok()) return;
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      std::optional<SweepRange>& range = spec.axes[a].range;
      if (!range || !range->unit.empty()) continue;
      if (range->step > 0.0) {
        count_through(*range);
        continue;
      }
      bool whole = makes_counts(changes, a, *range);
      for (const auto& [path, value] : base::values_of(first.design()))
        whole = whole || (value->source.where == "--set " + text_of(changes[a]) &&
                          value->dimension == Dimension::count);
      if (!whole) continue;
      range->step = 1.0;
      count_through(*range);
    }
  }

  /// Whole steps from one end to the other without a word how many: each, as a plan takes them.
  static void count_through(SweepRange& range) {
    const double steps = std::abs(range.to - range.from) / range.step;
    const bool whole = steps == std::floor(steps) && range.from == std::floor(range.from);
    if (range.n > 0 || range.log || !whole || steps > static_cast<double>(sweep::kMostPoints))
      return;
    range.n = static_cast<std::int64_t>(steps) + 1;
  }

  /// Whether whole values of a parameter give designs, and one between them does not: it makes
  /// counts.
  [[nodiscard]] bool makes_counts(std::vector<Change> changes, std::size_t a,
                                  const SweepRange& range) const {
    constexpr double kBetween = 0.37;  // of which no usual multiple is whole
    const double whole = std::ceil(std::min(range.from, range.to));
    if (!changes[a].path.starts_with("params.") || whole + 1.0 > std::max(range.from, range.to))
      return false;
    const auto designs = [&](double value) {
      changes[a].value = Amount{value};
      return scenario_->with(changes).ok();
    };
    return designs(whole) && designs(whole + 1.0) && !designs(whole + kBetween);
  }

  struct Resolved {
    std::vector<Change> changes;
    std::optional<Scenario> scenario;
    sweep::PlannedPoint planned;  ///< its change is still open
  };

  Resolved resolve_point(const SweepSpec& spec, const sweep::Point& point) const {
    Resolved out;
    for (std::size_t a = 0; a < point.size(); ++a) {
      out.changes.push_back({spec.axes[a].path, point[a].value});
      out.planned.values.push_back(text_of(point[a].value));
    }
    out.scenario = scenario_->with(out.changes);
    if (out.scenario->ok())
      out.planned.key = sweep::key_of(out.scenario->design(), input_.draws > 0);
    return out;
  }

  std::optional<sweep::SweepPlan> resolve(const SweepSpec& spec,
                                          const std::vector<sweep::Point>& points) {
    sweep::SweepPlan plan;
    std::optional<sweep::DesignChanges> changes;
    std::size_t faulty = 0;
    for (std::size_t begin = 0; begin < points.size() && faulty < kMostFaultyPoints;
         begin += kPointsAtATime) {
      std::vector<Resolved> some(std::min(kPointsAtATime, points.size() - begin));
      base::parallel_for(some.size(), 0,
                         [&](std::size_t i) { some[i] = resolve_point(spec, points[begin + i]); });
      for (std::size_t i = 0; i < some.size() && faulty < kMostFaultyPoints; ++i) {
        Resolved& r = some[i];
        add(r.scenario->diagnostics(), r.changes, points[begin + i]);
        if (!r.scenario->ok()) ++faulty;
        if (!r.scenario->ok() || changes) continue;
        plan.scenario_id = r.scenario->design().id;
        for (const Expectation& e : r.scenario->design().expect)
          if (e.confidence && input_.draws == 0)
            faults_.add({Severity::warning, "expect", e.pointer, base::position_of(e.where),
                         only_draws_judge(e.id), "give --draws 32"});
        changes.emplace(r.scenario->design(), input_.draws > 0);
      }
      if (faults_.has_errors()) continue;
      base::parallel_for(some.size(), 0, [&](std::size_t i) {
        some[i].planned.change = changes->change_to(some[i].scenario->design());
        some[i].scenario.reset();  // here, where all cores are at work
      });
      for (Resolved& r : some) plan.points.push_back(std::move(r.planned));
    }
    if (faults_.has_errors() || !changes) return std::nullopt;
    plan.scenario_file = input_.source.file;
    plan.version = input_.version;
    plan.model_version = models::kVersion;
    plan.base = changes->base();
    plan.draws = input_.draws;
    for (const SweepAxis& axis : spec.axes) plan.axes.push_back(axis.path);
    if (profile_) {
      plan.profile_file = input_.profile;
      plan.profile = profile_->text;
      plan.profile_sha256 = profile_->profile.sha256;
    }
    return plan;
  }

  /// Adds what is new. A fault of a varied value is one of the place where that was written; one
  /// elsewhere says at which point.
  void add(const Diagnostics& diagnostics, const std::vector<Change>& changes,
           const sweep::Point& point) {
    std::vector<std::string> sets;
    for (const Change& change : changes) sets.push_back(text_of(change));
    for (Diagnostic d : diagnostics.items()) {
      bool varied = false;
      for (std::size_t a = 0; a < sets.size(); ++a)
        if (d.position.file == "--set " + sets[a]) {
          varied = true;
          d.position = point[a].position;
          d.pointer = point[a].pointer;
          if (d.position.line == 0) d.message += " (" + sets[a] + ")";
        }
      if (!said_.insert({d.position.file, d.position.line, d.position.column, d.message}).second)
        continue;
      if (!varied && !sets.empty() && d.severity == Severity::error)
        d.message += " (with " + base::join(sets, ", ") + ")";
      faults_.add(std::move(d));
    }
  }

  const SweepRequest& input_;
  Diagnostics& faults_;
  std::optional<calibration::ProfileFile> profile_;
  SweepSpec spec_;
  std::vector<sweep::Point> points_;
  std::optional<Scenario> scenario_;
  std::set<std::tuple<std::string, int, int, std::string>> said_;
};

}  // namespace

std::optional<sweep::SweepPlan> plan_sweep(const SweepRequest& request, Diagnostics& faults) {
  return Planner(request, faults).plan();
}

void check_sweep(const SweepRequest& request, Diagnostics& faults) {
  Planner(request, faults).check_first();
}

void add_sweep_faults(const Scenario& scenario, Diagnostics& out) {
  if (scenario.questions().sweep.axes.empty()) return;
  Diagnostics faults;
  Planner(scenario, {}, faults).look();
  for (const Diagnostic& d : faults.items())
    if (d.severity == Severity::error) out.add(d);
}

Result<SweepReport> read_sweep(const sweep::Store& store, const std::string& path) {
  Result<SweepReport> sweep = store.report();
  if (sweep.ok() && !path.empty())
    if (const auto parts = sweep::Store::add_parts(path, store, *sweep); !parts.ok())
      return parts.failure();
  return sweep;
}

Result<std::function<void(Design&, std::size_t)>> draws_of(const sweep::Store& store) {
  const auto [file, text] = store.profile();
  if (text.empty()) return std::function<void(Design&, std::size_t)>();
  Diagnostics faults;
  auto profile =
      std::make_shared<const CalibrationProfile>(calibration::read_profile(text, file, faults));
  if (faults.has_errors())
    return Failure{ExitCode::bad_input,
                   "the profile of the sweep cannot be read: " + faults.items().front().message,
                   ""};
  return std::function<void(Design&, std::size_t)>(
      [profile](Design& design, std::size_t i) { calibration::apply_draw(*profile, i, design); });
}

}  // namespace stallcast::client
