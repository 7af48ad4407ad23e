#include "engine/decide/plan/reason.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/assertion.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/plan/advice.hpp"
#include "engine/decide/plan/countables.hpp"
#include "engine/decide/plan/plan.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

/// A word in the name of a resource, and what it gives. The first that is in it decides.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kGiven = {
    {{"compute", "compute"},
     {"capacity", "capacity"},
     {"wear", "wear"},
     {"mdt", "metadata"},
     {"mds", "metadata"},
     {"meta", "metadata"},
     {"metadata", "metadata"},
     {"namenode", "metadata"},
     {"open", "metadata"},
     {"directory", "metadata"},
     {"prefixes", "operations"},
     {"requests", "operations"},
     {"iops", "operations"},
     {"ops", "operations"},
     {"limit", "operations"},
     {"limit_operations", "operations"},
     {"first_byte", "operations"},
     {"cpu", "cores"},
     {"loader", "cores"},
     {"serialize", "cores"},
     {"barrier", "time"},
     {"failures", "time"},
     {"elastic", "time"},
     {"spares", "time"},
     {"", "bandwidth"}}};

/// What a target is short of: of money, power and room in racks, which no resource gives.
std::string_view short_of(const TargetMargin& missed, std::string_view resource) {
  const auto parsed = base::parse_assertion(missed.that);
  if (!parsed.ok()) return given_by(resource);
  switch (metric::parse(parsed->metric).domain) {
    case metric::Domain::cost:
      return "budget";
    case metric::Domain::power:
      return "power";
    case metric::Domain::space:
      return "space";
    default:
      return given_by(resource);
  }
}

bool is_budget(std::string_view by) { return by == "budget" || by == "power" || by == "space"; }

}  // namespace

std::string_view given_by(std::string_view resource) {
  if (resource.empty()) return "time";
  const std::vector<std::string> words = base::split(resource, '.');
  for (const auto& [word, given] : kGiven)
    if (word.empty() || std::find(words.begin(), words.end(), word) != words.end()) return given;
  return "time";
}

PlanReason missed_by(const PlanPoint& point, const TargetMargin& missed, std::string values) {
  std::string by(short_of(missed, point.binding));
  // The point names what binds its tightest target, which no budget is that is not it.
  const bool named = !is_budget(by) || tightest(point)->name() == missed.name();
  return {std::move(by), named ? point.binding : "", missed, std::move(values)};
}

std::string relieved_by(const Prediction& larger, const Prediction& smaller,
                        const std::string& named) {
  constexpr double kMore = 1e-3;
  const auto capacity = [](const Prediction& p, const std::string& resource) {
    const auto use = std::ranges::find(p.resources, resource, &ResourceUse::name);
    return use == p.resources.end() || !std::isfinite(use->capacity) ? 0.0 : use->capacity;
  };
  const auto grows = [&](const std::string& resource) {
    const double before = capacity(smaller, resource);
    return before > 0.0 && capacity(larger, resource) > (1.0 + kMore) * before;
  };
  // Of a limit of storage that is no resource, as a provisioned rate, nothing is known: it may
  // grow.
  const bool unknown = named.starts_with("storage.") && !(capacity(smaller, named) > 0.0);
  if (unknown || grows(named)) return named;
  for (const Bottleneck& b : smaller.bottlenecks) {
    const bool gains = b.gain && smaller.gains && b.gain->time >= smaller.gains->noise;
    if ((gains || b.blamed_share > 0.0) && grows(b.resource)) return b.resource;
  }
  return "";
}

namespace {

/// How long a unit of what the metric counts takes: a run, a step, a sample; 0 of other metrics.
double time_each(const std::string& name, double value) {
  const std::string_view figure = metric::parse(name).figure;
  if (figure == "run.days") return metric::to_base(value, metric::unit_said(name));
  if (figure == "run.time" || figure.ends_with("step.time")) return value;
  return figure.starts_with("throughput.") && value > 0.0 ? 1.0 / value : 0.0;
}

}  // namespace

bool computes_less(const Prediction& larger, const Prediction& smaller, const std::string& id) {
  const auto missed = std::ranges::find(smaller.assertions, id, &AssertionOutcome::id);
  if (missed == smaller.assertions.end()) return false;
  const auto after = larger.metrics.find(missed->metric);
  if (after == larger.metrics.end()) return false;
  const std::string job(metric::parse(missed->metric).id);
  const double before_s = time_each(missed->metric, missed->value),
               after_s = time_each(missed->metric, after->second.value);
  const auto compute = [&](const Prediction& p) {
    const auto shares = p.breakdown.find(job);
    if (shares == p.breakdown.end()) return 0.0;
    const auto found = shares->second.find(std::string(kCompute));
    return found == shares->second.end() ? 0.0 : found->second;
  };
  const double computed = before_s * compute(smaller) - after_s * compute(larger);
  return before_s > after_s && after_s > 0.0 && computed > 0.5 * (before_s - after_s);
}

const PlanNeighbour* deciding_neighbour(const PlanResult& plan) {
  const PlanNeighbour* out = nullptr;
  const auto better = [&](const PlanNeighbour& n) {
    if (!plan.answer) return false;
    const std::optional<double>&own = plan.points[*plan.answer].objective,
          &other = plan.points[n.point].objective;
    return own && other && (plan.objective.maximize ? *other > *own : *other < *own);
  };
  for (const PlanNeighbour& n : plan.neighbours) {
    const PlanPoint& smaller = plan.points[n.point];
    if (n.direction > 0 || smaller.meets || tightest(smaller) == nullptr) continue;
    if (out == nullptr || (better(n) && !better(*out)) ||
        (better(n) == better(*out) && n.axis < out->axis))
      out = &n;
  }
  return out;
}

const TargetMargin& deciding_miss(const PlanResult& plan, const PlanPoint& neighbour) {
  if (plan.axes.size() > 1)
    for (const TargetMargin& t : neighbour.targets)
      if (t.status == "fail" && is_budget(short_of(t, ""))) return t;
  return *tightest(neighbour);
}

std::optional<PlanReason> reason_of(const PlanResult& plan, const std::string& relieved) {
  const PlanNeighbour* of = deciding_neighbour(plan);
  if (of == nullptr) return std::nullopt;
  const PlanPoint& smaller = plan.points[of->point];
  const TargetMargin& missed = deciding_miss(plan, smaller);
  PlanReason out =
      missed_by(smaller, missed, base::counted(plan.axes[of->axis], smaller.values[of->axis]));
  // Room, wear and money have a name already; of all else, what the larger design has more of
  // relieves it.
  if (relieved.empty() || out.by == "capacity" || out.by == "wear" || is_budget(out.by)) return out;
  out.by = std::string(given_by(relieved));
  out.resource = relieved == kCompute ? "" : relieved;
  return out;
}

namespace {

/// What of `limiter` was not searched, as `--over` takes it; "" where nothing counts it.
std::string unsearched(const Design& design, const PlanResult& plan, const std::string& limiter,
                       const std::function<bool(const std::string&)>& follows) {
  const std::optional<Proposal> more = doubled(design, plan.prediction, limiter);
  if (!more || (more->buys() && follows(more->count->pointer))) return "";
  const std::string& path = more->change.path;
  const Countable* known = countable_at(path);
  if (known == nullptr && !more->buys()) return "";
  if (std::any_of(plan.axes.begin(), plan.axes.end(),
                  [&](const PlanAxis& axis) { return same_path(axis.path, path); }))
    return "";
  if (known == nullptr) return base::plain_path(path);
  const std::string over(known->what.shortcut);
  return shortcut_path(over, design).ok() ? over : over + ":" + id_in(path);
}

std::string note_of(const std::string& target, const std::string& limiter, bool waited,
                    const std::string& over) {
  if (over.empty()) return "";
  return "target " + target + (waited ? " " : " is ") + label::limits(limiter, waited) +
         "; not searched: --over " + over;
}

}  // namespace

std::string unsearched_note(const Design& design, const PlanResult& plan,
                            const std::function<bool(const std::string&)>& follows) {
  for (const AssertionOutcome& missed : plan.prediction.assertions) {
    if (missed.status == "pass" || missed.level == "warn") continue;
    if (std::string note = note_of(missed.id, missed.limited_by, missed.waited,
                                   unsearched(design, plan, missed.limited_by, follows));
        !note.empty())
      return note;
  }
  // What holds may not with a part down, and what limits a target may be more than what it waits
  // for.
  const std::size_t shown = plan.answer.value_or(plan.nearest ? plan.nearest->point : plan.end);
  if (shown >= plan.points.size()) return "";
  const PlanPoint& point = plan.points[shown];
  const TargetMargin* missed = tightest(point);
  if (missed == nullptr || missed->status == "pass") return "";
  return note_of(missed->name(), point.binding, point.waited,
                 unsearched(design, plan, point.binding, follows));
}

std::string non_monotone_note(const PlanResult& plan, const std::optional<PlanPoint>& beyond) {
  const bool falls = plan.axes.front().falls;
  const std::string further = falls ? "smaller" : "larger";
  const std::string before = falls ? "larger" : "smaller";
  std::string out = falls ? "less is not always easier here: " : "more is not always better here: ";
  if (!beyond)
    return out + "a " + before + " design meets the targets, but a " + further +
           " one between it and the answer misses them";
  out += "the answer meets the targets, but a " + further + " design (" +
         base::counted(plan, *beyond) + ") ";
  const std::vector<std::string> missed = beyond->missed();
  return out + (beyond->inconclusive ? "may miss " : "misses ") +
         (missed.empty() ? "them" : base::join(missed, " and "));
}

std::vector<std::string> notes_of_ends(const PlanResult& plan) {
  std::vector<std::string> out;
  if (!plan.answer) return out;
  const PlanPoint& answer = plan.points[*plan.answer];
  for (const PlanNeighbour& n : plan.neighbours) {
    const PlanAxis& axis = plan.axes[n.axis];
    const std::string& value = answer.values[n.axis];
    const std::optional<double>& other = plan.points[n.point].objective;
    const bool least = base::is_counted(axis, value) && (value == "0" || value == "1");
    const bool at_end = axis.from != axis.to && (value == axis.from || value == axis.to);
    if (!at_end || least || !answer.objective || !other) continue;
    if (plan.objective.maximize ? *other < *answer.objective : *other > *answer.objective)
      out.push_back(plan.objective.name +
                    (plan.objective.maximize ? " still rises" : " still falls") + " at " +
                    base::counted(axis, value) +
                    ", an end of what was searched: a wider --over looks further");
  }
  return out;
}

}  // namespace stallcast::plan
