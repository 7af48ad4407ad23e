#include "engine/decide/plan/by_figure.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/decide/plan/intervals.hpp"
#include "engine/decide/plan/users.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

using models::Role;

/// How a field goes.
enum class FigureWay {
  shorter,  ///< an interval, in proportion to the figure that is too high
  longer,   ///< the same, in inverse proportion
  half,
  twice,
  to  ///< what is written
};

struct FigureRow {
  std::span<const std::string_view> figures;  ///< of a job, with those that begin so: "goodput.p5"
  Role part;
  std::string_view field;
  FigureWay way;
  std::string_view value = {};  ///< of `to`
  std::string_view where = {};  ///< another field of the part that has to be above 0
  std::string_view from = {};   ///< what it has to be now; "" = anything
};

constexpr std::array<std::string_view, 5> kLostWork{"failures.lost_work", "failures.lost.share",
                                                    "restart.lost_work", "restart.lost_steps",
                                                    "restart.caught_up"};
/// What saves that are bad, gone or far away cost: all that counts useful work.
constexpr std::array<std::string_view, 9> kKeptWork{
    "goodput",      "run.time",          "run.days",
    "run.cost",     "failures.lost",     "failures.bad_saves",
    "restart.lost", "restart.caught_up", "cost.per_useful_gpu_hour"};
constexpr std::array<std::string_view, 1> kSaveOverhead{"checkpoint.overhead"};
constexpr std::array<std::string_view, 3> kWayBack{"failures.restart", "restart.duration",
                                                   "restart.caught_up"};
constexpr std::array<std::string_view, 4> kAllOfRun{"run.time", "run.days", "run.cost",
                                                    "elastic.trained"};

constexpr std::array kFigureRows{
    FigureRow{kLostWork, Role::checkpoint, "every", FigureWay::shorter},
    FigureRow{kLostWork, Role::checkpoint, "every_steps", FigureWay::shorter},
    FigureRow{kSaveOverhead, Role::checkpoint, "every", FigureWay::longer},
    FigureRow{kSaveOverhead, Role::checkpoint, "every_steps", FigureWay::longer},
    FigureRow{kKeptWork, Role::checkpoint, "verify", FigureWay::to, "read-back", "corrupt"},
    FigureRow{kKeptWork, Role::checkpoint, "keep.last", FigureWay::twice, "", "corrupt"},
    FigureRow{kKeptWork, Role::checkpoint, "commit", FigureWay::to, "fsync", "", "in-place"},
    FigureRow{kKeptWork, Role::checkpoint, "commit", FigureWay::to, "fsync", "", "cache"},
    FigureRow{kKeptWork, Role::checkpoint, "drain_every", FigureWay::to, "1"},
    FigureRow{kWayBack, Role::recovery, "detect", FigureWay::half},
    FigureRow{kAllOfRun, Role::elastic, "busy", FigureWay::half}};

/// Further than a limit asks for, as what is lost is not all in proportion.
constexpr double kBeyondLimit = 0.1;
/// An interval changes by no more than so many times at once.
constexpr double kMostShorter = 16.0;

bool asks_of(const FigureRow& row, std::string_view figure) {
  return std::ranges::any_of(row.figures,
                             [&](std::string_view name) { return figure.starts_with(name); });
}

/// Times the limit of what is to be less; 2 where no limit tells.
double times_too_high(const AssertionOutcome& missed) {
  if (!missed.limit || !(*missed.limit > 0.0) || !(missed.value > *missed.limit)) return 2.0;
  return std::min(missed.value / *missed.limit * (1.0 + kBeyondLimit), kMostShorter);
}

class FigureChanges {
 public:
  explicit FigureChanges(const Prediction& prediction) : prediction_(prediction) {}

  /// For a figure of `job` that misses a target, so many times too high.
  void change(const JobDesign& job, std::string_view figure, double times) {
    for (const FigureRow& row : kFigureRows)
      if (asks_of(row, figure)) apply(row, job, times);
  }

  [[nodiscard]] std::vector<Proposal> take() { return std::move(out_); }

 private:
  void apply(const FigureRow& row, const JobDesign& job, double times) {
    const std::optional<Component>& part = part_of(job, row.part);
    const Value* now = part ? part->find(row.field) : nullptr;
    const Value* where = part && !row.where.empty() ? part->find(row.where) : nullptr;
    if (now == nullptr || (!row.where.empty() && (where == nullptr || !(where->number > 0.0))) ||
        (!row.from.empty() && now->text != row.from))
      return;
    // What failures cost alone.
    if (row.part != Role::elastic && row.way != FigureWay::longer &&
        share_of(prediction_, job.job.id, "restart") < kNoticeable)
      return;
    if (row.way == FigureWay::shorter || row.way == FigureWay::longer) {
      const double factor = row.way == FigureWay::shorter ? 1.0 / times : times;
      if (auto interval = save_interval(job, row.field, now->number * factor))
        out_.push_back(*std::move(interval));
      return;
    }
    const Setting before = written(*now);
    const Setting after =
        row.way == FigureWay::to
            ? parse_setting(row.value)
            : setting_of(now->number * (row.way == FigureWay::half ? 0.5 : 2.0), now->dimension);
    if (text_of(before) == text_of(after)) return;
    const std::string name =
        std::string(models::role_info(row.part).id) + "." + std::string(row.field);
    out_.push_back(job_change(job, name, before, after));
  }

  static Setting written(const Value& value) {
    return value.dimension == Dimension::text ? parse_setting(value.text)
                                              : setting_of(value.number, value.dimension);
  }

  const Prediction& prediction_;
  std::vector<Proposal> out_;
};

}  // namespace

std::vector<Proposal> figure_changes(const Design& design, const Prediction& prediction) {
  FigureChanges changes(prediction);
  for (const JobDesign& job : design.jobs) {
    for (const AssertionOutcome& missed : prediction.assertions) {
      if (missed.status == "pass" || missed.level == "warn") continue;
      const metric::Name name = metric::parse(missed.metric);
      const bool own = name.domain == metric::Domain::job && name.id == job.job.id;
      if (own || name.domain == metric::Domain::cost)
        changes.change(job, own ? name.figure : std::string_view(missed.metric),
                       times_too_high(missed));
    }
    // As the report says: "keep more of them, or verify them".
    if (figure_or_zero(prediction, metric::of_job(job.job.id, "failures.lost_all")) > 0.0)
      changes.change(job, "failures.lost_all", 2.0);
  }
  return changes.take();
}

}  // namespace stallcast::plan
