#include "models/run/known_figures.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/glob.hpp"
#include "engine/base/text.hpp"
#include "engine/sim/fluid_context.hpp"
#include "models/bounds/cost.hpp"
#include "models/bounds/power.hpp"
#include "models/bounds/space.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/training.hpp"
#include "models/run/simulate.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using metric::Domain;
using Metrics = std::map<std::string, Metric>;

bool has_stragglers(const Design& design, const JobDesign& job) {
  const Component* host = design.find_host(job_params(job.job).hosts);
  const Value* slow = host == nullptr ? nullptr : host->find("slow.count");
  return slow != nullptr && slow->number > 0.0;
}

bool saves(const Design&, const JobDesign& job) { return job.checkpoint.has_value(); }
// After its run, or when it starts again.
bool restores(const Design& design, const JobDesign& job) {
  return job.checkpoint &&
         (checkpoint_params(*job.checkpoint).restore != "none" || fails_at_a_date(design, job));
}
bool may_be_bad(const Design& design, const JobDesign& job) {
  return job.checkpoint && fails_at_random(design, job) &&
         checkpoint_params(*job.checkpoint).corrupt > Fraction{};
}
bool caches(const Design&, const JobDesign& job) {
  return job.dataset && dataset_params(*job.dataset).cached();
}
bool reads(const Design&, const JobDesign& job) { return job.dataset.has_value(); }
bool has_months(const Design& design, const JobDesign& job) {
  return job.elastic || fails_at_random(design, job);
}

/// What a job has to have for its figures; of several patterns the first that fits.
struct Need {
  std::string_view figures;
  bool (*met)(const Design&, const JobDesign&);
  const char* lacks;
  const char* hint;
};

constexpr const char* kCorrupt =
    R"(say how many saves cannot be loaded, with "corrupt" of its "checkpoint")";
constexpr const char* kSave = R"(add "checkpoint": { "to": "...", "every": "30 min" } to the job)";
constexpr const char* kOften =
    R"(add "failures": [ { "id": "hosts", "type": "host", "mtbf": "5 years" } ])";
constexpr Need kNeeds[] = {
    {"checkpoint.best_interval*",
     [](const Design& design, const JobDesign& job) {
       return job.checkpoint && fails_at_random(design, job);
     },
     "failures at random that saves are for", kOften},
    {"checkpoint.*", saves, "checkpoint", kSave},
    {"restore.*", restores, "restore", kRestoreHint},
    {"restart.*", fails_at_a_date, "failure at a date",
     R"(give a failure of hosts an "at": "50 min")"},
    {"time.restart", fails_at_a_date, "failure at a date",
     R"(give a failure of hosts an "at": "50 min")"},
    {"startup", [](const Design&, const JobDesign& job) { return job.recovery.has_value(); },
     "\"recovery\"", R"(say how long the job takes to start, with "recovery")"},
    {"failures.mount",
     [](const Design& design, const JobDesign& job) {
       return fails_at_random(design, job) && job.recovery &&
              recovery_params(*job.recovery).mount > Seconds{};
     },
     "volumes to mount", R"(give its "recovery" a "mount": { "delay": "20 s" })"},
    {"failures.bad_saves", may_be_bad, "saves that may be bad", kCorrupt},
    {"failures.lost_all", may_be_bad, "saves that may be bad", kCorrupt},
    {"failures.*", fails_at_random, "failures at random", kOften},
    {"goodput.p5", has_months, "failures at random", kOften},
    {"elastic.*", [](const Design&, const JobDesign& job) { return job.elastic.has_value(); },
     "\"elastic\"", "say which GPUs it lends, with \"elastic\""},
    {"slow.*", has_stragglers, "slow hosts", R"(give its hosts "slow": { "count": 1 })"},
    {"communication.*",
     [](const Design&, const JobDesign& job) { return job.communication.has_value(); },
     "communication", "add \"communication\" to the job"},
    {"first_batch*", reads, "dataset", "add \"dataset\" to the job"},
    {"first_step*", reads, "dataset", "add \"dataset\" to the job"},
    {"throughput.*", reads, "dataset", "add \"dataset\" to the job"},
    {"epoch.*", reads, "dataset", "add \"dataset\" to the job"},
    {"cache.*", caches, "cache of its data",
     R"(give its "dataset" a "cache"; what caches of storage found is "storage.*.hit")"},
    {"run.*",
     [](const Design&, const JobDesign& job) { return job_params(job.job).whole_runs() > 0; },
     "whole run", R"(say how much the job is to do, as "run": { "epochs": 90 })"}};

/// A kind of `role` that alone reports `figure`, where some do not.
bool reported_by(Role role, std::string_view kind, std::string_view figure,
                 std::vector<std::string>& others) {
  for (const KindInfo& row : kinds(role)) {
    const bool own = std::ranges::any_of(
        row.figures, [&](std::string_view pattern) { return base::matches_glob(pattern, figure); });
    if (own && row.id == kind) return true;
    if (own) others.emplace_back(row.id);
  }
  return others.empty();
}

}  // namespace

class KnownFigures::Look {
 public:
  explicit Look(const Design& design) : design_(design) {}

  std::optional<Absence> absent(const std::string& full) {
    const metric::Name name = metric::parse(full);
    if (name.figure.empty() && full.find('*') != std::string::npos) return std::nullopt;
    switch (name.domain) {
      case Domain::any:
        return anywhere(full);
      case Domain::job:
        return of_job(name);
      case Domain::tenant:
        return of_kind(Role::tenant, design_.tenants, name);
      case Domain::storage:
        return of_storage(full, name);
      case Domain::resource:
        return of_resource(full);
      case Domain::failure:
        return of_failure(name);
      case Domain::stage:
      case Domain::pipeline:
        if (!has_order(design_)) return Absence{"stage", "add \"stages\", or \"after\" to a job"};
        return std::nullopt;
      case Domain::cost:
        return of_cost(full);
      case Domain::power:
      case Domain::space:
        if (computed(full)) return std::nullopt;
        return Absence{name.domain == Domain::power ? "power" : "rack units",
                       name.domain == Domain::power ? "give its hosts or its storage a \"power\""
                                                    : "give its hosts or its storage a \"space\"",
                       true};
      case Domain::other:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // "*.gpu.utilization": of whatever has a figure that this may be.
  std::optional<Absence> anywhere(const std::string& full) {
    std::optional<Absence> first;
    for (const auto& [domain, stem] : metric::stems())
      for (const std::string& figure : metric::figures_of(domain)) {
        const std::string one = stem + figure;
        // What a figure has in it of resources ("waited.*") is none that is asked for so.
        if (figure.find('*') != std::string::npos || !base::globs_meet(full, one)) continue;
        std::optional<Absence> absence =
            domain == Domain::resource ? of_resource(full) : absent(one);
        if (!absence) return std::nullopt;
        if (!first) first = std::move(absence);
      }
    return first;
  }

  std::optional<Absence> of_job(const metric::Name& name) {
    std::optional<Absence> first;
    bool any = false;
    for (const JobDesign& job : design_.jobs) {
      if (!base::matches_glob(name.id, job.job.id)) continue;
      any = true;
      std::optional<Absence> absence = of_job(job, name.figure);
      if (!absence) return std::nullopt;
      if (!first) first = std::move(absence);
    }
    return any ? first : Absence{"job", "name one of its \"jobs\""};
  }

  std::optional<Absence> of_job(const JobDesign& job, std::string_view figure) {
    const auto need = std::ranges::find_if(
        kNeeds, [&](const Need& n) { return base::matches_glob(n.figures, figure); });
    if (need == std::end(kNeeds)) return std::nullopt;
    if (!need->met(design_, job)) return Absence{need->lacks, need->hint};
    if (figure == "run.cost" && !costs(design_).known())
      return Absence{"price", "give its hosts or its storage a \"price\" or a \"rent\"", true};
    if (figure == "run.energy" && !powers(design_).any_power)
      return Absence{"power", "give its hosts or its storage a \"power\"", true};
    return std::nullopt;
  }

  static std::optional<Absence> of_kind(Role role, const std::vector<Component>& components,
                                        const metric::Name& name) {
    std::vector<std::string> others;
    bool any = false;
    for (const Component& component : components) {
      if (!base::matches_glob(name.id, component.id)) continue;
      any = true;
      if (reported_by(role, component.kind, name.figure, others)) return std::nullopt;
    }
    const std::string noun = role == Role::tenant ? "tenant" : "storage system";
    if (!any) return Absence{noun, "name one that it has"};
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    return Absence{noun + " that has it", "it is of type " + base::join(others, ", ")};
  }

  std::optional<Absence> of_storage(const std::string& full, const metric::Name& name) {
    if (is_of_space(full) || full.starts_with("storage.*.capacity.") ||
        full.starts_with("storage.*.wear.")) {
      if (computed(full)) return std::nullopt;
      const bool wear = name.figure.starts_with("wear.");
      const bool full_after = name.figure == "capacity.full_after";
      return Absence{wear         ? "wear of drives"
                     : full_after ? "room that fills up"
                                  : "capacity of it",
                     wear ? "say how large its drives are, and how often they may be written"
                     : full_after
                         ? "what fills it grows with time: an ingest tenant, or saves that are kept"
                         : "say how much it holds: the \"capacity\" of its parts",
                     true};
    }
    if (name.figure.starts_with("credits.")) {
      const bool known = std::ranges::any_of(design_.storage, [&](const Component& storage) {
        return base::matches_glob(name.id, storage.id) &&
               (storage.find("credits.base") != nullptr || storage.find("credits.ops") != nullptr);
      });
      if (!known) return Absence{"credits of it", "say what is left without credits: \"credits\""};
      return std::nullopt;
    }
    return of_kind(Role::storage, design_.storage, name);
  }

  std::optional<Absence> of_resource(const std::string& full) {
    std::vector<std::string> names;
    for (const auto& [known, metric] : resources()) {
      if (base::matches_glob(full, known)) return std::nullopt;
      names.push_back(known);
    }
    const std::string near = base::nearest(full, names);
    if (!near.empty()) return Absence{"resource of that name", "did you mean \"" + near + "\"?"};
    const std::string end = full.substr(full.rfind('.'));
    const auto words = base::split(full, '.');
    const std::string owner =
        words.size() > 3 ? words[0] + "." + words[1] + "." + words[2] + "." : "";
    std::vector<std::string> alike;
    for (const bool owned : {true, false}) {
      for (const std::string& known : names)
        if (known.ends_with(end) && (!owned || (!owner.empty() && known.starts_with(owner))))
          alike.push_back(known);
      if (!alike.empty()) break;
    }
    constexpr std::size_t kListed = 8;
    const bool more = alike.size() > kListed;
    if (more) alike.resize(kListed);
    return Absence{"resource of that name",
                   "it may be " + base::join(alike, ", ") + (more ? ", ..." : "")};
  }

  std::optional<Absence> of_failure(const metric::Name& name) {
    if (design_.failures.empty()) return Absence{"failure", "say what breaks, with \"failures\""};
    const bool share = name.figure == "down.share" || name.figure == "degraded.share";
    bool any = false;
    for (const Component& failure : design_.failures) {
      if (!base::matches_glob(name.id, failure.id) || failure_row(failure.kind).style.kills)
        continue;
      any = true;
      if (!share || failure.find("mtbf") != nullptr) return std::nullopt;
    }
    if (any) return Absence{"\"mtbf\" of that failure", "say how often it comes, with \"mtbf\""};
    return Absence{"failure of storage of that name",
                   "what failures of hosts cost is of jobs: \"job.*.failures.*\", or with a date "
                   "\"job.*.restart.*\""};
  }

  std::optional<Absence> of_cost(const std::string& full) {
    if (computed(full)) return std::nullopt;
    const std::string requests = metric::of_cost("requests");
    if (base::matches_glob(full, requests)) {
      Metrics paid = resources();
      add_costs(design_, costs(design_), paid);
      if (paid.contains(requests)) return std::nullopt;
    }
    if (full == requests)
      return Absence{"price of requests", "give its storage a \"price\" of its requests", true};
    const Costs all = costs(design_);
    if (!all.known())
      return Absence{"price", "give its hosts or its storage a \"price\" or a \"rent\"", true};
    if (full == metric::kCapex && !all.buys())
      return Absence{"price to buy anything", "what is rented is in \"cost.hourly\"", true};
    return Absence{"price of GPUs", "give its hosts a \"price\" or a \"rent\"", true};
  }

  bool computed(const std::string& full) {
    return std::ranges::any_of(
        from_values(), [&](const auto& one) { return base::matches_glob(full, one.first); });
  }

  // What follows from values, with any utilization of GPUs.
  const Metrics& from_values() {
    if (!values_.empty()) return values_;
    for (const JobDesign& job : design_.jobs)
      for (const std::string_view figure : {metric::kGpuUtilization, metric::kGoodput})
        values_[metric::of_job(job.job.id, figure)] = {1.0, "ratio", {}};
    for (const Component& tenant : design_.tenants)
      values_[metric::of_tenant(tenant.id, "gpu.utilization")] = {1.0, "ratio", {}};
    add_costs(design_, costs(design_), values_);
    add_power(design_, powers(design_), values_);
    add_spaces(spaces(design_), values_);
    return values_;
  }

  const Metrics& resources() {
    if (resources_.empty()) {
      Design folded = design_;  // which has the same resources
      if (const auto fold = folded.run.values.find("fold"); fold != folded.run.values.end())
        fold->second.number = 1.0;
      const auto context = sim::make_fluid_context();
      resources_ = Simulation(folded).resources(*context);
    }
    return resources_;
  }

  const Design& design_;
  Metrics resources_, values_;
};

KnownFigures::KnownFigures(const Design& design) : look_(std::make_unique<Look>(design)) {}
KnownFigures::~KnownFigures() = default;

std::optional<Absence> KnownFigures::absence_of(const std::string& metric) {
  constexpr std::string_view kMean = ".mean";
  std::optional<Absence> absence = look_->absent(metric);
  if (!absence || !metric.ends_with(kMean)) return absence;
  // "x.mean" is "x"
  const std::string of = metric.substr(0, metric.size() - kMean.size());
  return metric::is_reported(of) ? look_->absent(of) : absence;
}

}  // namespace stallcast::models
