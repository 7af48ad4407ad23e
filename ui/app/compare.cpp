#include "ui/app/compare.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "engine/base/accelerators.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/deadline.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/overview/overview.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::client {
namespace {

/// Of what differs in the work, so much is named.
constexpr std::size_t kNamed = 3;

/// "dgx-h100" of "host/dgx-h100".
std::string product_of(const Component& component) {
  return component.product.substr(component.product.rfind('/') + 1);
}

/// "48 OSTs, 12 OSSs": what is counted of it.
std::string counts_of(const Component& component) {
  const models::KindInfo* kind = models::find_kind(models::Role::storage, component.kind);
  std::string out;
  if (kind == nullptr) return out;
  for (const models::Count& count : kind->counts)
    if (const Value* value = component.find(count.field))
      out += (out.empty() ? "" : ", ") +
             base::counted(static_cast<std::int64_t>(value->number), count.noun);
  return out;
}

const std::string kCacheOf = "cache of ", kSavesOf = "saves ", kFailure = "failure ",
                  kRecovery = "recovery ", kLends = "lends ";

/// Rows that are there only where designs differ.
bool only_apart(const std::string& row) {
  return std::ranges::any_of(std::array{kCacheOf, kSavesOf, kFailure, kRecovery, kLends},
                             [&](const std::string& name) { return row.starts_with(name); });
}

using JobPart = std::optional<Component> JobDesign::*;
using Designs = std::span<const Design* const>;

const Component* part_in(const Design& design, const std::string& job, JobPart part) {
  for (const JobDesign& one : design.jobs)
    if (one.job.id == job && one.*part) return &*(one.*part);
  return nullptr;
}

/// "spares 2, detect 1 min": what somebody set of a part of a job, and not alike in all designs.
std::vector<std::string> set_apart(const Component& component, const std::string& job, JobPart part,
                                   Designs all) {
  std::vector<std::string> out;
  for (const auto& [key, value] : component.values) {
    std::set<std::string> texts;
    bool given = false;
    for (const Design* design : all) {
      const Component* other = part_in(*design, job, part);
      const Value* there = other == nullptr ? nullptr : other->find(key);
      texts.insert(there == nullptr ? "" : base::written(*there));
      given = given || (there != nullptr && there->source.kind != Source::Kind::default_value);
    }
    if (given && texts.size() > 1) out.push_back(key + " " + base::written(value));
  }
  return out;
}

/// "nvme, lru, 6 TB, warm"; "" where nothing is kept.
std::string cache_of(const Component& dataset) {
  const Value *policy = dataset.find("cache.policy"), *medium = dataset.find("cache.medium");
  if (policy == nullptr || policy->text == "none") return "";
  std::string out = (medium == nullptr ? "memory" : medium->text) + ", " + policy->text;
  if (const Value* size = dataset.find("cache.size")) out += ", " + base::written(*size);
  const Value* warm = dataset.find("cache.warm");
  if (warm != nullptr && warm->number != 0.0) out += ", warm";
  return out;
}

/// "async to host-memory, fs".
std::string saves_of(const Component& checkpoint) {
  const Value *to = checkpoint.find("to"), *tiers = checkpoint.find("tiers");
  std::string out = checkpoint.kind + " to ";
  if (tiers == nullptr || tiers->list.empty()) return out + (to == nullptr ? "" : to->text);
  return out + base::join(tiers->list, ", ");
}

/// "server of fs, at 100 s", "host, mtbf 50000 h".
std::string failure_of(const Component& failure) {
  const Value *on = failure.find("on"), *part = failure.find("part");
  std::string out = on == nullptr     ? failure.kind
                    : part == nullptr ? "of " + on->text
                                      : part->text + " of " + on->text;
  for (const char* key : {"at", "mtbf"})
    if (const Value* when = failure.find(key))
      out += std::string(", ") + key + " " + base::written(*when);
  return out;
}

std::vector<std::pair<std::string, std::string>> plant_of(const Design& design, Designs all) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Component& host : design.hosts) {
    const Value* count = host.find("count");
    std::string text = count == nullptr ? "" : base::written(*count) + " x ";
    text += host.product.empty() ? "host" : product_of(host);
    if (const overview::GpuCount gpus = overview::gpus_of(design, host); gpus.all > 0.0)
      text += ", " + base::with_noun(gpus.text(), "GPUs");
    out.emplace_back("hosts " + host.id, text);
  }
  for (const Component& storage : design.storage) {
    const std::string counts = counts_of(storage), product = product_of(storage);
    out.emplace_back("storage " + storage.id, storage.kind +
                                                  (product.empty() ? "" : " (" + product + ")") +
                                                  (counts.empty() ? "" : ", " + counts));
  }
  for (const JobDesign& job : design.jobs)
    if (const std::string cache = job.dataset ? cache_of(*job.dataset) : ""; !cache.empty())
      out.emplace_back(kCacheOf + job.job.id, cache);
  for (const JobDesign& job : design.jobs)
    if (job.checkpoint) out.emplace_back(kSavesOf + job.job.id, saves_of(*job.checkpoint));
  for (const auto& [name, part] :
       {std::pair{kRecovery, &JobDesign::recovery}, std::pair{kLends, &JobDesign::elastic}})
    for (const JobDesign& job : design.jobs)
      if (job.*part)
        if (const auto set = set_apart(*(job.*part), job.job.id, part, all); !set.empty())
          out.emplace_back(name + job.job.id, base::join(set, ", "));
  for (const Component& failure : design.failures)
    out.emplace_back(kFailure + failure.id, failure_of(failure));
  return out;
}

/// Saves, failures and what follows them are not what tells designs apart that have the same.
void drop_common(std::vector<ComparedDesign>& designs) {
  const std::vector<std::pair<std::string, std::string>> first = designs.front().plant;
  for (const auto& row : first) {
    if (!only_apart(row.first)) continue;
    if (std::all_of(designs.begin(), designs.end(), [&](const ComparedDesign& design) {
          return std::find(design.plant.begin(), design.plant.end(), row) != design.plant.end();
        }))
      for (ComparedDesign& design : designs) std::erase(design.plant, row);
  }
}

std::map<std::string, double> gpus_by_job(const Design& design) {
  std::map<std::string, double> out;
  for (const JobDesign& job : design.jobs)
    if (const double ranks = base::accelerators(design, job); ranks > 0.0) out[job.job.id] = ranks;
  return out;
}

/// Where a data set lies, and what is kept of it near the job, are what a design is made of.
bool is_work(std::string_view key) {
  return key != "on" && key != "to" && key != "hosts" && !key.starts_with("also.") &&
         !key.starts_with("cache.");
}

/// What a job is to do, whatever it does it on: values by path.
std::map<std::string, std::string> work_of(const JobDesign& job) {
  std::map<std::string, std::string> out;
  const auto add = [&](const std::string& part, const Component& component) {
    out[part] = component.kind;
    for (const auto& [key, value] : component.values)
      if (is_work(key)) out[part + "." + key] = base::written(value);
  };
  add("model", job.model);
  add("step", job.step);
  if (job.dataset) add("dataset", *job.dataset);
  if (job.checkpoint)
    for (const char* key : {"every", "every_steps", "size"})
      if (const Value* value = job.checkpoint->find(key))
        out[std::string("checkpoint.") + key] = base::written(*value);
  return out;
}

/// "dataset.sample 110 kB for 8 MiB", of each value of `there` that is another than `here`.
void name_values(const JobDesign& here, const JobDesign& there, const std::string& place,
                 std::vector<std::string>& out) {
  const auto first = work_of(here), other = work_of(there);
  for (const auto& [path, value] : first) {
    const auto found = other.find(path);
    const std::string now = found == other.end() ? "none" : found->second;
    if (now != value) out.push_back(place + path + " " + now + " for " + value);
  }
  for (const auto& [path, value] : other)
    if (!first.contains(path)) out.push_back(place + path + " " + value + " for none");
}

const std::string& id_of(const JobDesign& job) { return job.job.id; }
const std::string& id_of(const Component& component) { return component.id; }

/// "jobs[tune] added": of those that one design alone has.
template <typename Owner>
void name_lone(const std::vector<Owner>& here, const std::vector<Owner>& there,
               const std::string& list, std::vector<std::string>& out) {
  const auto lacks = [](const std::vector<Owner>& owners, const std::string& id) {
    return std::none_of(owners.begin(), owners.end(),
                        [&](const Owner& owner) { return id_of(owner) == id; });
  };
  for (const Owner& owner : there)
    if (lacks(here, id_of(owner))) out.push_back(list + "[" + id_of(owner) + "] added");
  for (const Owner& owner : here)
    if (lacks(there, id_of(owner))) out.push_back(list + "[" + id_of(owner) + "] removed");
}

/// "mine.json does other work: dataset.sample 110 kB for 8 MiB, and 3 more"; "" where it does not.
std::string other_work(const DiffInput& first, const DiffInput& other) {
  if (!first.scenario || !other.scenario) return "";
  const Design &here = first.scenario->design(), &there = other.scenario->design();
  std::vector<std::string> said;
  if (here.jobs.size() == 1 && there.jobs.size() == 1) {  // the same one, whatever it is called
    name_values(here.jobs.front(), there.jobs.front(), "", said);
  } else {
    name_lone(here.jobs, there.jobs, "jobs", said);
    for (const JobDesign& job : there.jobs)
      for (const JobDesign& before : here.jobs)
        if (before.job.id == job.job.id) name_values(before, job, job.job.id + ".", said);
  }
  name_lone(here.tenants, there.tenants, "tenants", said);
  name_lone(here.failures, there.failures, "failures", said);
  if (said.empty()) return "";
  const std::size_t named = std::min(said.size(), kNamed);
  return other.name + " does other work than " + first.name + ": " +
         base::join(std::span(said).first(named), ", ") +
         (said.size() > named ? ", and " + std::to_string(said.size() - named) + " more" : "");
}

/// What simulations warned of, each once with the designs that it is of.
std::vector<std::string> warnings_of(std::span<const ComparedDesign> designs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;
  for (const ComparedDesign& design : designs)
    for (const std::string& warning : design.prediction.warnings) {
      auto known = std::find_if(said.begin(), said.end(),
                                [&](const auto& one) { return one.first == warning; });
      if (known == said.end()) known = said.insert(said.end(), {warning, {}});
      if (known->second.empty() || known->second.back() != design.name)
        known->second.push_back(design.name);
    }
  std::vector<std::string> out;
  for (const auto& [warning, names] : said)
    out.push_back((names.size() > 1 && names.size() == designs.size() ? "all of them"
                                                                      : base::join(names, ", ")) +
                  ": " + warning);
  return out;
}

}  // namespace

Result<SideBySide> compare(Session& session, std::span<const DiffInput> inputs,
                           const RunQuestion& wanted, std::size_t& failed) {
  SideBySide out;
  const base::Deadline until = base::Deadline::in(wanted.predict.time_limit_s);
  std::vector<const Design*> designs;
  for (const DiffInput& input : inputs)
    if (!input.result) designs.push_back(&input.scenario->design());
  for (failed = 0; failed < inputs.size(); ++failed) {
    const DiffInput& input = inputs[failed];
    ComparedDesign& design = out.designs.emplace_back();
    design.name = input.name;
    if (input.result) {
      design.prediction = input.result->prediction;
      continue;
    }
    design.plant = plant_of(input.scenario->design(), designs);
    design.gpus = gpus_by_job(input.scenario->design());
    RunQuestion question = wanted;
    question.predict.time_limit_s = until.left_s();
    if (wanted.predict.on_progress)
      question.predict.on_progress = [&, done = failed](double share) {
        wanted.predict.on_progress((static_cast<double>(done) + share) /
                                   static_cast<double>(inputs.size()));
      };
    Result<RunReport> found = run_report(session, *input.scenario, question);
    const bool cut_off = !found.ok() && found.failure().exit == ExitCode::inconclusive;
    if (!found.ok() && !(cut_off && wanted.bounds)) return found.failure();
    design.prediction = cut_off ? bounds_alone(session, input.scenario->design(), found.failure())
                                : std::move(found).value().prediction;
    if (const std::string note = other_work(inputs.front(), input); !note.empty())
      out.notes.push_back(note);
  }
  if (!out.designs.empty()) drop_common(out.designs);
  out.warnings = warnings_of(out.designs);
  return out;
}

}  // namespace stallcast::client
