#include "scenarios/rules.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/keys.hpp"
#include "scenarios/rules_support.hpp"
#include "stallcast/units.hpp"

namespace stallcast::scenarios {
namespace {

constexpr std::string_view kTiers[] = {"host-memory", "local-nvme"};

class Rules {
 public:
  Rules(const Design& design, Reporter& report)
      : design_(design),
        report_(report),
        hosts_(ids_of(design.hosts)),
        storage_(ids_of(design.storage)) {}

  void check() {
    for (const Component& host : design_.hosts) check_networks(host, report_);
    for (const Component& storage : design_.storage) check_storage(storage, report_);
    check_caches(design_, report_);
    check_shared_hosts();
    for (const JobDesign& job : design_.jobs) {
      check_job(job);
      check_loading(design_, job, report_);
      if (job.checkpoint) check_checkpoint(job);
    }
    for (const Component& tenant : design_.tenants) check_tenant(design_, tenant, report_);
    check_failures(design_, report_);
    for (const Expectation& e : design_.expect) check_expectation(e);
  }

 private:
  // All jobs run at the same time.
  void check_shared_hosts() {
    for (const Component& host : design_.hosts) {
      double wanted = 0.0;
      const JobDesign* last = nullptr;
      for (const JobDesign& job : design_.jobs) {
        if (host_of(design_, job) != &host) continue;
        if (last != nullptr && wanted <= gpus_of(host) &&
            wanted + accelerators(design_, job) > gpus_of(host))
          report_.error("rule", pointer_of(job.job, "hosts"),
                        "jobs \"" + last->job.id + "\" and \"" + job.job.id +
                            "\" together use more accelerators than the " +
                            base::shortest(gpus_of(host)) + " of \"" + host.id + "\"",
                        "give each job its \"accelerators\", or hosts of its own");
        wanted += accelerators(design_, job);
        last = &job;
      }
    }
  }

  void check_job(const JobDesign& job) {
    check_reference(job.job, "hosts", hosts_, "host class", report_);
    const Component* host = host_of(design_, job);
    const Value* wanted = job.job.find("accelerators");
    if (host != nullptr && wanted != nullptr) {
      const double there = number(*host, "count") * number(*host, "gpus");
      if (there > 0.0 && wanted->number > there)
        report_.error("rule", pointer_of(job.job, "accelerators"),
                      "job \"" + job.job.id + "\" uses " + base::shortest(wanted->number) +
                          " accelerators, but \"" + host->id + "\" has " +
                          base::shortest(number(*host, "count")) + " x " +
                          base::shortest(number(*host, "gpus")) + " = " + base::shortest(there),
                      "use at most " + base::shortest(there) + ", or raise the host count");
    }
    if (job.step.find("tokens") != nullptr && job.model.find("parameters") == nullptr)
      report_.error(
          "rule", job.step.pointer,
          "a step of type \"" + job.step.kind + "\" needs the number of parameters of the model",
          "add \"model\": { \"use\": \"model/llama3-70b\" } or \"parameters\": \"70B\"");
    if (job.loader && !job.dataset)
      report_.error("rule", job.loader->pointer,
                    "job \"" + job.job.id + "\" has a loader and no dataset",
                    "add \"dataset\", or remove \"loader\"");
  }

  void check_checkpoint(const JobDesign& job) {
    const Component& save = *job.checkpoint;
    check_reference(save, "to", storage_, "storage system", report_);
    if (save.kind.empty()) return;
    const Value* every = save.find("every");
    const Value* steps = save.find("every_steps");
    if ((every == nullptr) == (steps == nullptr))
      report_.error("rule", every == nullptr ? save.pointer : pointer_of(save, "every_steps"),
                    "the checkpoint of job \"" + job.job.id + "\" needs " +
                        (every == nullptr ? "\"every\" or \"every_steps\""
                                          : "one of \"every\" and \"every_steps\", not both"),
                    "write \"every\": \"30 min\" or \"every_steps\": 200");
    if (save.find("size") == nullptr && job.model.find("parameters") == nullptr)
      report_.error("rule", save.pointer,
                    "the size of a checkpoint of job \"" + job.job.id + "\" is unknown",
                    "add \"size\": \"2 TB\", or the model's \"parameters\"");
    const Value* duration = design_.run.find("duration");
    if (every != nullptr && duration != nullptr && every->number > duration->number)
      report_.warn("rule", pointer_of(save, "every"),
                   "no save falls into the " +
                       base::print_quantity(duration->number, Dimension::time) + " of the run",
                   "save more often, or lengthen \"run\": { \"duration\": ... }");
    // Shares of time are over whole runs: the interval that has not ended costs nothing yet.
    constexpr double kFewSaves = 10.0;
    if (every != nullptr && duration != nullptr && save.kind == "sync" &&
        every->number <= duration->number && duration->number < kFewSaves * every->number)
      report_.warn("rule", "/run/duration",
                   "the run lasts only " +
                       base::print_quantity(duration->number / every->number, Dimension::number) +
                       " times as long as \"every\", too short for the overhead of a long one",
                   "let it hold ten saves or more");
    check_memory(job, save);
    check_tiers(job, save);
  }

  // Snapshots in host memory: parameters x bytes per parameter, spread over the hosts of the job.
  void check_memory(const JobDesign& job, const Component& save) {
    const Component* host = host_of(design_, job);
    // Only styles that keep snapshots have buffers for them.
    if (save.find("buffers") == nullptr || host == nullptr || number(*host, "gpus") <= 0.0) return;
    double bytes = 0.0;
    for (const char* part : {"weights", "master", "momentum", "variance", "other"})
      bytes += number(job.model, std::string("state.") + part);
    bytes = number(save, "size", bytes * number(job.model, "parameters"));
    const double hosts = std::max(accelerators(design_, job) / number(*host, "gpus"), 1.0);
    const double held = number(save, "buffers", 1.0) * bytes / hosts;
    if (const Value* memory = host->find("memory.size"); memory != nullptr && held > memory->number)
      report_.warn("rule", save.pointer,
                   "the snapshots of one host, " + base::print_quantity(held, Dimension::bytes) +
                       ", do not fit in its " +
                       base::print_quantity(memory->number, Dimension::bytes) + " of memory",
                   "use more hosts, fewer \"buffers\", or \"mode\": \"sync\"");
  }

  void check_tiers(const JobDesign& job, const Component& save) {
    const Value* tiers = save.find("tiers");
    const Value* to = save.find("to");
    if (tiers == nullptr) return;
    const std::string at = pointer_of(save, "tiers");
    std::vector<std::string> names(std::begin(kTiers), std::end(kTiers));
    names.insert(names.end(), storage_.begin(), storage_.end());
    for (std::size_t i = 0; i < tiers->list.size(); ++i) {
      const std::string& tier = tiers->list[i];
      const std::string item = at + base::pointer_token(i);
      if (std::find(names.begin(), names.end(), tier) == names.end())
        report_.error("reference", item, "no checkpoint tier \"" + tier + "\"",
                      allowed_hint(tier, names));
      if (std::count(tiers->list.begin(), tiers->list.begin() + static_cast<std::ptrdiff_t>(i),
                     tier) > 0)
        report_.error("rule", item, "the tier \"" + tier + "\" is named twice", "remove one");
      const Component* host = host_of(design_, job);
      if (tier == "local-nvme" && host != nullptr && !host->kind.empty() &&
          host->find("nvme.write") == nullptr)
        report_.error("rule", item, "host class \"" + host->id + "\" has no local NVMe",
                      "add \"nvme\": { \"read\": \"12 GB/s\", \"write\": \"8 GB/s\" } to it");
    }
    if (to != nullptr && !tiers->list.empty() && tiers->list.back() != to->text &&
        std::find(storage_.begin(), storage_.end(), to->text) != storage_.end())
      report_.error("rule", at + base::pointer_token(tiers->list.size() - 1),
                    "the last tier is \"" + tiers->list.back() +
                        "\", but the checkpoint goes to \"" + to->text + "\"",
                    "end \"tiers\" with \"" + to->text + "\"");
  }

  // The metric itself is judged once it is known what the run reports.
  void check_expectation(const Expectation& e) {
    const std::string at = e.pointer + "/that";
    if (e.that.empty()) return;
    if (e.that.find_first_of("<>=") == std::string::npos) {
      report_.error("expect", at, "\"" + e.that + "\" has no comparison",
                    "write \"job.train.gpu.utilization >= 95 %\"; operators: < <= > >= ==");
      return;
    }
    const std::vector<std::string> parts = base::split(base::trim(e.that), '.');
    if (parts.size() < 2 || parts[1].find('*') != std::string::npos) return;
    std::vector<std::string> jobs;
    for (const JobDesign& job : design_.jobs) jobs.push_back(job.job.id);
    const std::tuple<std::string_view, std::string, std::vector<std::string>> kinds[] = {
        {"job", "job", jobs},
        {"storage", "storage system", storage_},
        {"tenant", "tenant", ids_of(design_.tenants)}};
    const auto kind = std::find_if(std::begin(kinds), std::end(kinds),
                                   [&](const auto& k) { return std::get<0>(k) == parts[0]; });
    if (kind == std::end(kinds)) return;
    const auto& [name, noun, ids] = *kind;
    if (std::find(ids.begin(), ids.end(), parts[1]) == ids.end())
      report_.error("reference", at, "no " + noun + " \"" + parts[1] + "\" in \"" + e.that + "\"",
                    allowed_hint(parts[1], ids));
  }

  const Design& design_;
  Reporter& report_;
  std::vector<std::string> hosts_, storage_;
};

}  // namespace

void check_rules(const Design& design, Reporter& report) { Rules(design, report).check(); }

}  // namespace stallcast::scenarios
