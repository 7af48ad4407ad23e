#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/bounds/job_dates.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/dataset.hpp"
#include "models/contract/training.hpp"
#include "models/stage/graph.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of the stages of a pipeline.
namespace stallcast::scenarios {
namespace {

using models::StageFault;

// Sizes that differ by no more are of the same data: rounded, or with what formats add.
constexpr double kAlike = 0.1;

std::vector<std::string> jobs_of(const Design& design) {
  std::vector<std::string> out;
  for (const JobDesign& job : design.jobs) out.push_back(job.job.id);
  return out;
}

// Its own field says so, not one of its job.
bool streams(const Component& stage) {
  const Value* when = stage.find("when");
  return when != nullptr && when->text == "streaming";
}

void report_fault(const Design& design, const StageFault& fault, Diagnostics& report) {
  const std::string at = pointer_of(*fault.component, fault.key);
  switch (fault.what) {
    case StageFault::What::unknown: {
      std::vector<std::string> known = ids_of(design.stages);
      const std::vector<std::string> jobs = jobs_of(design);
      known.insert(known.end(), jobs.begin(), jobs.end());
      std::erase(known, fault.component->id);
      return report.error(
          "reference", at, "there is no stage or job \"" + fault.name + "\"",
          known.empty() ? "name one, or leave \"after\" out" : "it has " + base::join(known, ", "));
    }
    case StageFault::What::cycle:
      return report.error("rule", at, "stages wait for each other: " + fault.name,
                          "take one of them out of \"after\"");
    case StageFault::What::no_input:
      return report.error("missing", fault.component->pointer,
                          "nothing says what stage \"" + fault.component->id +
                              "\" reads: it has no \"size\" and "
                              "no \"files\", and follows no stage that writes to \"" +
                              fault.name + "\"",
                          "add \"size\": \"10 TB\", or name the stage that brings it in \"after\"");
    case StageFault::What::no_job:
      return report.error("reference", at, "there is no job \"" + fault.name + "\"",
                          design.jobs.empty() ? "the scenario has no job"
                                              : "it has " + base::join(jobs_of(design), ", "));
    case StageFault::What::twice:
      return report.error("rule", at, "job \"" + fault.name + "\" is two stages",
                          "give it one, and name that in \"after\"");
    case StageFault::What::streams_behind_job:
      return report.error("rule", at,
                          "it streams behind \"" + fault.name +
                              "\", a job, which brings nothing "
                              "before it ends",
                          streams(*fault.component)
                              ? "write \"when\": \"done\""
                              : "leave \"after_share\" of the job out: it begins when that ends");
    case StageFault::What::other_hosts:
      return report.error(
          "rule", at,
          "stage \"" + fault.component->id + "\" is at the drives of other hosts than \"" +
              fault.name + "\", which has its own on \"" + fault.hosts +
              "\": no host reaches those of another",
          "run it on \"" + fault.hosts + "\", or have another stage there that brings the data");
  }
}

// Tenants are simulated request by request: days of them take long.
void check_tenants_beside(const Design& design, const std::string& others, Diagnostics& report) {
  for (const Component& tenant : design.tenants)
    if (tenant.kind != "replay" && tenant.find("stop") == nullptr)
      report.warn("rule", tenant.pointer,
                  "tenant \"" + tenant.id + "\" goes on as long as the " + others +
                      " do, and is simulated request by request",
                  "give it a \"stop\" where the " + others + " last for more than an hour");
}

// Sizes are given twice: of what stages bring, and of the data set that it is.
void check_what_is_brought(const std::vector<models::StageNode>& nodes, Diagnostics& report) {
  struct Read {
    const models::StageNode* job;
    Bytes read, brought;
    std::vector<std::size_t> by;
  };
  std::map<std::string, std::vector<Read>> reads;  // by storage system
  for (const models::StageNode& job : nodes) {
    if (job.job == nullptr || !job.job->dataset) continue;
    const models::DatasetParams data = models::dataset_params(*job.job->dataset);
    if (!std::isfinite(data.sample_count())) continue;
    const bool sized = data.size && !data.samples;
    const Bytes all = sized ? *data.size : data.sample * data.sample_count();
    for (const models::DatasetParams::Place& place : data.places()) {
      Read one{&job, all * place.share, {}, {}};
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n].work.to != place.storage || !models::brings_data(nodes, n, job)) continue;
        one.brought += nodes[n].written / nodes[n].copies;
        one.by.push_back(n);
      }
      if (!one.by.empty()) reads[place.storage].push_back(std::move(one));
    }
  }
  for (const auto& [storage, all] : reads)
    for (const Read& one : all) {
      Bytes read;  // of all that read what these bring
      for (const Read& other : all)
        if (std::find_first_of(one.by.begin(), one.by.end(), other.by.begin(), other.by.end()) !=
            one.by.end())
          read += other.read;
      const bool less = one.brought < one.read * (1.0 - kAlike);
      if (!less && one.brought <= read * (1.0 + kAlike)) continue;
      std::vector<std::string> ids;
      for (const std::size_t n : one.by) ids.push_back("\"" + nodes[n].id + "\"");
      const auto text = [](Bytes bytes) {
        return base::print_quantity(bytes.in(unit::B), Dimension::bytes);
      };
      report.warn("rule", nodes[one.by.back()].stage->pointer,
                  (ids.size() == 1 ? "stage " : "stages ") + base::join(ids, ", ") + " bring" +
                      (ids.size() == 1 ? "s " : " ") + text(one.brought) + " to \"" + storage +
                      "\", where \"" + one.job->id + "\" behind " +
                      (ids.size() == 1 ? "it" : "them") + " reads a data set of " + text(one.read),
                  less ? "make them agree (\"size\", \"files\", \"ratio\"); what is not brought "
                         "is taken to be there already"
                       : "make them agree (\"size\", \"files\", \"ratio\"); all that is brought "
                         "takes room");
    }
}

/// Whether jobs in a row, of which one at least has a whole run, last for longer than is simulated.
bool has_long_rows(const Design& design) {
  const std::vector<models::JobDates> dates = models::job_dates(design);
  return !models::whole_runs(design).empty() &&
         std::any_of(dates.begin(), dates.end(), [](const models::JobDates& job) {
           return job.in_row > 1 && job.row > models::kDefaultHorizon;
         });
}

}  // namespace

void check_stages(const Design& design, Diagnostics& report) {
  for (const Component& stage : design.stages) {
    if (stage.kind == "train") continue;
    check_reference(stage, "from", ids_of(design.storage), "storage system", report);
    check_reference(stage, "to", ids_of(design.storage), "storage system", report);
    check_reference(stage, "hosts", ids_of(design.hosts), "host class", report);
  }
  for (const JobDesign& job : design.jobs)
    if (std::any_of(design.stages.begin(), design.stages.end(), [&](const Component& stage) {
          return stage.id == job.job.id && stage.kind != "train";
        }))
      report.error("duplicate-id", job.job.pointer + "/id",
                   "a stage and a job have the id \"" + job.job.id + "\"", "rename one of them");
  if (report.has_errors()) return;
  std::vector<StageFault> faults;
  const std::vector<models::StageNode> nodes = models::stage_graph(design, &faults);
  for (const StageFault& fault : faults) report_fault(design, fault, report);
  check_what_is_brought(nodes, report);
  if (!design.stages.empty())
    check_tenants_beside(design, "stages", report);
  else if (faults.empty() && !design.tenants.empty() && has_long_rows(design))
    check_tenants_beside(design, "jobs", report);
}

}  // namespace stallcast::scenarios
