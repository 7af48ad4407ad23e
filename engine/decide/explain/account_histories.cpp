#include <cmath>
#include <numeric>

#include "engine/base/accelerators.hpp"
#include "engine/decide/explain/account.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/rows.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/units.hpp"

/// What histories of failures and of lent GPUs say, by the fields that set it. They are walked, and
/// closed forms of their means come near: the rest is told.
namespace stallcast::explain {
namespace {

constexpr const char* kPage = "docs/models/failures.md";
constexpr const char* kElasticPage = "docs/models/elastic.md";
constexpr const char* kLuck = "luck of these histories";

/// That more are there than `most`, of a Poisson number of this mean.
double more_than(double most, double mean) {
  double chance = std::exp(-mean), sum = chance;
  for (double n = 1.0; n <= most; n += 1.0) {
    chance *= mean / n;
    sum += chance;
  }
  return std::max(0.0, 1.0 - sum);
}

}  // namespace

void Account::explain_histories(ExplainNode& node) {
  if (key_.starts_with("elastic."))
    explain_lending(node);
  else if (key_ == "failures.count")
    explain_failure_count(node);
  else if (key_ == "failures.time")
    explain_history_time(node);
  else if (key_ == "failures.lost_work")
    explain_lost_work(node);
  else if (key_ == "failures.restart")
    explain_way_back(node);
  else if (key_ == "failures.waiting.share")
    explain_waiting(node);
  else if (key_ == "failures.lost.share")
    explain_share(node, "lost_work",
                  "less with saves more often (checkpoint.best_interval), or fewer failures");
  else if (key_ == "failures.restart.share")
    explain_share(node, "restart", "less with a shorter way back, or fewer failures");
  else if (key_.starts_with("failures.bad_saves") || key_ == "failures.lost_all")
    explain_bad_saves(node);
  else if (key_ == "goodput.p5" && has(job_ + std::string(metric::kGoodput))) {
    node.note = "19 of 20 histories reach it: the mean of all, and the luck of one";
    node.reference = "docs/models/uncertainty.md, eq. 15";
    node.children.push_back(part(job_ + std::string(metric::kGoodput), ""));
  }
}

bool Account::add_input(ExplainNode& made, const std::string& field, const std::string& symbol) {
  const std::string path = input(field);
  if (!forms_.known(path) || forms_.tree(path).value == 0.0) return false;
  add_form(made, path, symbol);
  return true;
}

void Account::accept_with_rest(ExplainNode& node, ExplainNode made, const std::string& why) const {
  made.unit = node.unit;
  const std::optional<double> sum = evaluated(made);
  if (!sum) return;
  if (const double left = node.value - *sum; std::abs(left) > kExact * std::abs(node.value))
    add_rest(made, left, why);
  accept(node, std::move(made));
}

// [docs/models/failures.md, eq. 1]
std::vector<Account::Source> Account::sources() {
  const std::string mtbf = job_ + "failures.mtbf";
  std::vector<Source> out;
  if (!forms_.known(mtbf)) return out;
  const ExplainNode tree = forms_.tree(mtbf);
  for (std::size_t i = 0; i + 1 < tree.children.size(); i += 2)
    for (const Component& failure : forms_.design().failures)
      if (tree.children[i + 1].name == "failures[" + failure.id + "].mtbf")
        out.push_back({&failure, tree.children[i], tree.children[i + 1]});
  return out;
}

// Each kind comes as often as the time holds its M = mtbf / n.
void Account::explain_failure_count(ExplainNode& node) {
  ExplainNode made;
  made.reference = "docs/models/failures.md, eq. 1";
  for (Source& source : sources()) {
    const std::string symbol = "f" + std::to_string(made.children.size() + 1);
    ExplainNode each;
    each.equation = "time * n / mtbf";
    each.reference = made.reference;
    each.children = {read(job_ + "failures.time", "time", "of a history"), source.units,
                     source.mtbf};
    each.children[1].symbol = "n", each.children[2].symbol = "mtbf";
    ExplainNode child = simulated(job_ + "failures.count, " + source.failure->id,
                                  evaluated(each).value_or(0.0), node.unit);
    child.symbol = symbol;
    accept(child, std::move(each));
    made.equation += (made.equation.empty() ? "" : " + ") + symbol;
    made.children.push_back(std::move(child));
  }
  accept_with_rest(
      node, std::move(made),
      std::string(kLuck) +
          (has(job_ + "elastic.time") ? ", less what hits GPUs while they are lent" : ""));
  node.note = "mean over the histories; fewer with a longer mtbf, or fewer parts that fail";
}

// Of a whole run until all its work is kept.    [docs/models/whole-run.md, eq. 6]
void Account::explain_history_time(ExplainNode& node) {
  ExplainNode made;
  if (const std::string horizon = input("recovery.horizon");
      forms_.known(horizon) &&
      std::abs(forms_.tree(horizon).value - node.value) <= kExact * node.value) {
    made.equation = "horizon";
    add_form(made, horizon, "horizon");
  } else if (has(job_ + "run.time")) {
    explain_run_time(made.children.emplace_back(read(job_ + "run.time", "run")));
    made.equation = "run";
    node.note = "until all work of the whole run is kept, mean over the histories";
    return accept_with_rest(node, std::move(made), "what comes once is in no history");
  } else if (forms_.known(input("elastic.period"))) {
    made.equation = "period * periods";
    add_form(made, input("elastic.period"), "period");
    made.children.push_back(
        constant("periods", std::round(node.value / made.children.front().value), "count"));
    node.note = "recovery.horizon, rounded up to whole periods";
  }
  made.reference = kPage;
  accept(node, std::move(made));
}

// Of the time that the job has its GPUs.
void Account::explain_share(ExplainNode& node, const char* each, const char* note) {
  ExplainNode made;
  made.reference = kPage;
  made.equation = std::string("failures * ") + each + " / time";
  made.children.push_back(part(job_ + "failures.count", "failures"));
  made.children.push_back(part(job_ + "failures." + each, each));
  made.children.push_back(part(job_ + "failures.time", "time"));
  if (const std::string lent = job_ + "elastic.lent.share"; value(lent) > 0.0) {
    made.equation = std::string("failures * ") + each + " / (time * (1 - lent))";
    made.children.push_back(read(lent, "lent", "others have the GPUs"));
    accept_with_rest(node, std::move(made),
                     "while some are lent a failure costs the time of the GPUs that are left");
  } else {
    accept(node, std::move(made));
  }
  node.note = note;
}

// Half an interval, until a save has arrived, and intervals whose saves are bad.
//    [docs/models/failures.md, eq. 4, 9]
void Account::explain_lost_work(ExplainNode& node) {
  ExplainNode made;
  made.reference = "docs/models/failures.md, eq. 4";
  std::string every;
  if (add_input(made, "checkpoint.every", "every")) {
    every = "every";
  } else if (add_input(made, "checkpoint.every_steps", "steps")) {
    made.children.push_back(read(job_ + "step.time", "step"));
    every = "steps * step";
  } else {
    return explain_failure(node, "lost", "it saves nothing: all work since the start");
  }
  // A failure while a save is on its way goes back to the one before it.
  const std::string stalls = job_ + "checkpoint.stall", arrives = job_ + "checkpoint.duration";
  std::string work = every;
  if (value(stalls) > 0.0) {
    work = "(" + every + " - stall)";
    made.children.push_back(read(stalls, "stall", "of the interval, no work"));
  }
  made.equation = work + " / 2";
  if (value(arrives) > 0.0) {
    made.equation = work + " * (" + work + " / 2 + arrives) / " +
                    (every == "every" ? every : "(" + every + ")");
    made.children.push_back(read(arrives, "arrives", "until a save can be gone back to"));
  }
  if (add_input(made, "checkpoint.corrupt", "bad")) {
    made.equation += " + " + every + " * bad / (1 - bad)";
    made.reference = "docs/models/failures.md, eq. 9";
  }
  accept_with_rest(node, std::move(made),
                   std::string("saves in nearer tiers are newer, drains to farther ones and saves "
                               "that are all bad older; failures before the next save; ") +
                       kLuck);
  node.note = "work since the save that is gone back to, of a failure; less with saves more often";
}

// [docs/models/failures.md, eq. 14]
void Account::explain_way_back(ExplainNode& node) {
  ExplainNode made;
  made.reference = "docs/models/failures.md, eq. 14";
  const auto add = [&](const char* field, const char* symbol) {
    if (add_input(made, field, symbol))
      made.equation += (made.equation.empty() ? "" : " + ") + std::string(symbol);
  };
  add("recovery.detect", "detect");
  double all = 0.0, hosts = 0.0;
  for (const Source& source : sources()) {
    const double rate = source.units.value / source.mtbf.value;
    all += rate;
    if (models::failure_row(source.failure->kind).style.scope != models::Scope::process)
      hosts += rate;
  }
  if (hosts > 0.0 && add_input(made, "recovery.replace", "replace")) {
    made.equation += made.equation.empty() ? "replace" : " + replace";
    if (hosts < all) {
      made.equation += " * hosts";
      made.children.push_back(
          constant("hosts", hosts / all, "ratio", "of the failures take hosts"));
    }
  }
  if (const std::string mount = job_ + "failures.mount"; value(mount) > 0.0) {
    made.equation += made.equation.empty() ? "mount" : " + mount";
    made.children.push_back(part(mount, "mount"));
  }
  add("recovery.start", "start");
  add("recovery.init", "init");
  if (!add_input(made, "recovery.restore", "restore") && value(job_ + "restore.duration") > 0.0)
    made.children.push_back(part(job_ + "restore.duration", "restore"));
  if (!made.children.empty() && made.children.back().symbol == "restore")
    made.equation += made.equation.empty() ? "restore" : " + restore";
  const bool restores = made.equation.ends_with("restore");
  accept_with_rest(
      node, std::move(made),
      std::string(restores ? "nearer copies that are quicker to read, " : "to read the state, ") +
          "saves that were tried in vain, the first batch, and failures on the way");
  node.note = "from a failure until it computes again, but for waiting for hosts";
}

// More hosts are repaired at one time than there are spares.
void Account::explain_waiting(ExplainNode& node) {
  node.reference = kPage;
  if (!forms_.known(input("recovery.spares"))) {
    node.note =
        "hosts that failed are there again at once: no spares are given "
        "(recovery.spares), so as many as it takes are taken for granted";
    return;
  }
  ExplainNode made;
  made.reference = kPage;
  double mean = 0.0;
  ExplainNode repaired;
  for (Source& source : sources()) {
    const models::FailureRow& row = models::failure_row(source.failure->kind);
    if (row.style.scope == models::Scope::process) continue;
    const models::FailureParams p = row.params(*source.failure);
    // A rack, or a host that takes its own along, takes a group; each of it is repaired.
    const double group = static_cast<double>(p.group), alone = 1.0 - p.correlated.in(unit::ratio);
    const double each =
        row.style.scope == models::Scope::rack ? group : alone + group * (1.0 - alone);
    mean += each * p.repair.in(unit::s)*source.units.value / source.mtbf.value;
    for (const char* field : {"repair", "mtbf"})
      add_form(repaired, "failures[" + source.failure->id + "]." + field, "");
  }
  ExplainNode short_of = constant("short", 0.0, "ratio");
  short_of.name = job_ + "failures.more_repaired_than_spares";
  add_form(short_of, input("recovery.spares"), "");
  short_of.value = more_than(short_of.children.back().value, mean);
  short_of.note = "Poisson: " + std::to_string(mean).substr(0, 5) +
                  " hosts are repaired at one time on average";
  for (ExplainNode& each : repaired.children) short_of.children.push_back(std::move(each));
  made.equation = "short";
  made.children.push_back(std::move(short_of));
  accept_with_rest(node, std::move(made),
                   "less the time to notice a failure; hosts of a group fail together; a history "
                   "begins with all of them; " +
                       std::string(kLuck));
  node.note = "less with more recovery.spares, or a shorter repair";
}

// [docs/models/failures.md, eq. 9, 10]
void Account::explain_bad_saves(ExplainNode& node) {
  ExplainNode made;
  if (!add_input(made, "checkpoint.corrupt", "bad")) return;
  const bool all = key_ == "failures.lost_all";
  made.reference = std::string(kPage) + (all ? ", eq. 10" : ", eq. 9");
  if (!all) {
    made.equation = "bad / (1 - bad)";
  } else {
    if (!add_input(made, "checkpoint.keep.last", "keep")) return;
    made.equation = "failures * pow(bad, keep)";
    made.children.push_back(read(job_ + "failures.count", "failures"));
  }
  accept_with_rest(
      node, std::move(made),
      "failures before the first saves, saves that are spared, and " + std::string(kLuck));
  node.note = all ? "times in a history that all saves that are kept are bad: less with more of "
                    "them (checkpoint.keep.last), or checkpoint.verify"
                  : "tried in vain at a failure: none with checkpoint.verify";
}

void Account::explain_lending(ExplainNode& node) {
  ExplainNode made;
  made.reference = kElasticPage;
  const std::string stem = job_ + "elastic.";
  const auto gpus = [&] {
    for (const JobDesign& job : forms_.design().jobs)
      if (metric::of_job(job.job.id) == job_)
        made.children.push_back(
            constant("gpus", base::accelerators(forms_.design(), job), "count", "of the job"));
  };
  std::string why = "saves and restarts are not as long in both directions; what failures hit";
  if (key_ == "elastic.time") return explain_history_time(node);
  if (key_.ends_with(".gpu_hours")) {
    made.equation = "gpus * time * share / hour";
    gpus();
    made.children.push_back(part(stem + "time", "time"));
    made.children.push_back(
        part(stem + (key_.starts_with("elastic.lent") ? "lent" : "lost") + ".share", "share"));
    made.children.push_back(constant("hour", unit::h.scale, "s"));
  } else if (key_ == "elastic.shifts") {
    made.equation = "2 * time / period";
    made.children.push_back(part(stem + "time", "time"));
    add_form(made, input("elastic.period"), "period");
    why = "periods that are cut off";
  } else if (key_ == "elastic.lent.share") {
    made.reference += ", eq. 1";
    made.equation = "lent / gpus * busy / period";
    add_form(made, input("elastic.gpus"), "lent");
    gpus();
    add_form(made, input("elastic.busy"), "busy");
    add_form(made, input("elastic.period"), "period");
    why = "saves before going and coming, and periods that are cut off";
  } else if (key_ == "elastic.lost.share") {
    made.reference += ", eq. 3";
    made.equation = "shifts / 2 * (2 - lent / gpus) * (save + restart) / time";
    made.children.push_back(part(stem + "shifts", "shifts"));
    add_form(made, input("elastic.gpus"), "lent");
    gpus();
    made.children.push_back(part(stem + "shift.save", "save"));
    made.children.push_back(part(stem + "shift.restart", "restart"));
    made.children.push_back(part(stem + "time", "time"));
    node.note = "less with a longer period, or shorter saves and starts";
  } else if (key_ == "elastic.trained.share") {
    made.equation = "goodput * (1 - lent)";
    made.children.push_back(part(job_ + std::string(metric::kGoodput), "goodput"));
    made.children.push_back(part(stem + "lent.share", "lent"));
  } else if (key_ == "elastic.shift.save") {
    made.equation = "save";
    made.children.push_back(part(job_ + "checkpoint.duration", "save"));
    why = "another tier is quicker, and a mean of other saves";
  } else if (key_ == "elastic.shift.restart") {
    made.reference += ", eq. 2";
    for (const char* field : {"elastic.stop", "recovery.start", "recovery.init"}) {
      const std::string symbol = std::string(field).substr(std::string(field).find('.') + 1);
      if (add_input(made, field, symbol))
        made.equation += (made.equation.empty() ? "" : " + ") + symbol;
    }
    why = "volumes, reading the state, and the first batch";
  }
  accept_with_rest(node, std::move(made), why);
}

}  // namespace stallcast::explain
