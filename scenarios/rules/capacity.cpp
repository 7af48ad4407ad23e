#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/job_dates.hpp"
#include "models/bounds/space.hpp"
#include "models/bounds/whole_run.hpp"
#include "scenarios/rules/rules.hpp"
#include "scenarios/rules/support.hpp"
#include "stallcast/metric.hpp"

/// Whether data fit. docs/models/capacity.md.
namespace stallcast::scenarios {

namespace {

/// How long a job runs.
struct Lasting {
  std::string said;  ///< "the whole run of \"train\" takes 71 d 11 h at least"
  Seconds time;
};

/// The job that runs longest, as far as the scenario says: by its whole run if no GPU ever waits,
/// or by the horizon that its goodput is asked for.
Lasting longest(const Design& design) {
  Lasting out;
  const auto take = [&](Seconds time, const std::string& job, const char* before,
                        const char* after) {
    if (time <= out.time) return;
    out.time = time;
    out.said = before + ("\"" + job + "\"") + after +
               base::print_quantity(time.in(unit::s), Dimension::time);
  };
  const std::vector<models::JobDates> dates = models::job_dates(design);
  const models::JobOrder order(design);
  for (const models::WholeRun& run : models::whole_runs(design)) {
    const models::JobDates& job = dates[order.number_of(run.job)];
    if (job.begin > Seconds{})
      take(job.end, run.job, "the whole run of ", " ends at the earliest after ");
    else
      take(run.time(1.0), run.job, "the whole run of ", " takes at least ");
  }
  for (const JobDesign& job : design.jobs) {
    const Value* horizon = job.recovery ? job.recovery->find("horizon") : nullptr;
    if (horizon != nullptr && horizon->source.kind != Source::Kind::default_value)
      take(Seconds::from(horizon->number, unit::s), job.job.id, "the goodput of ", " is over ");
  }
  return out;
}

bool expects(const Design& design, const std::string& figure) {
  return std::any_of(design.expect.begin(), design.expect.end(),
                     [&](const Expectation& e) { return e.that.starts_with(figure); });
}

/// What is never deleted fills it while a job still runs. Who asks when it is full knows of it.
/// [docs/models/capacity.md, eq. 4]
void check_growth(const Design& design, const models::Room& space, const Lasting& run,
                  Diagnostics& report) {
  const std::string full = models::full_within(space, run.time);
  if (full.empty() || expects(design, metric::of_storage(space.storage, "capacity.full_after")))
    return;
  std::string hint = "let less of it stay (\"keep\" of saves), or ";
  const Bytes more = std::max(Bytes{}, models::come_by(space.coming, run.time) - space.less);
  if (const auto paid = space.paid_needed(more))
    hint += "raise \"" + space.size + "\" to " +
            base::print_quantity(paid->in(unit::B), Dimension::bytes);
  else if (!space.counted())
    hint += "raise \"" + space.size + "\"";
  else
    hint += "have " + base::print_quantity(space.parts_needed(more), Dimension::number) + " " +
            space.noun + ", which hold what comes until then";
  report.warn("growth", pointer_of(*design.find_storage(space.storage), space.size),
              full + ", and " + run.said, hint);
}

/// Parts of which drives last: fewer than their wear alone says where data spread wider over more
/// of them, so that less parity is written.    [docs/models/wear.md, eq. 2]
double parts_that_last(const Design& design, const models::Room& space) {
  double most = space.parts_that_last(), least = space.parts;
  const auto last = [&](double parts) {
    Design other = design;
    for (Component& storage : other.storage)
      if (storage.id == space.storage) storage.values[space.count].number = parts;
    for (const models::Room& room : models::spaces(other))
      if (room.storage == space.storage) return room.parts_that_last() <= room.parts;
    return false;
  };
  if (space.per_host || !last(most)) return most;
  while (most - least > 1.0) {
    const double middle = std::floor((least + most) / 2.0);
    (last(middle) ? most : least) = middle;
  }
  return most;
}

}  // namespace

// A plan finds what would hold them, so this stops no verb but `lint`: `run` misses its target.
void check_capacity(const Design& design, Diagnostics& report) {
  const Lasting run = longest(design);
  const std::vector<models::Room> spaces = models::spaces(design);
  for (const models::Room& space : spaces) {
    if (space.holds()) {
      check_growth(design, space, run, report);
      continue;
    }
    const Component& storage = *design.find_storage(space.storage);
    const std::string hint = models::remedy(space);
    report.warn("capacity", pointer_of(storage, space.size), models::shortage(space),
                hint.empty() ? "raise \"" + space.size + "\", or store less" : hint);
  }
  for (const models::Room& space : spaces)
    if (const std::string wear = models::wear_out(space); !wear.empty())
      report.warn(
          "endurance", pointer_of(*design.find_storage(space.storage), "endurance.dwpd"), wear,
          std::to_string(static_cast<std::int64_t>(parts_that_last(design, space))) + " " +
              space.noun + " would last; or take drives of a higher rating, or save less often");
}

void expect_room(Design& design) {
  for (const models::Room& space : models::spaces(design)) {
    const std::string room = metric::of_storage(space.storage, "capacity.");
    if (expects(design, room)) continue;
    Expectation e;
    e.id = "room on " + space.storage;
    e.that = room + "used <= 100 %";
    e.level = "error";
    e.why = "data sets, checkpoints and what tenants keep must fit";
    e.pointer = pointer_of(*design.find_storage(space.storage), space.size);
    design.expect.push_back(std::move(e));
  }
}

}  // namespace stallcast::scenarios
