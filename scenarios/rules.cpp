#include "scenarios/rules.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/keys.hpp"
#include "stallcast/units.hpp"

namespace stallcast::scenarios {
namespace {

// The fastest port on the market is 1.6 Tb/s (ConnectX-9); a single NIC or server network above
// four times 800 Gb/s is nearly always bytes written for bits.
constexpr Rate kImplausibleNic = Rate::from(3.2, unit::Tbps);
// Fields that say how large a piece of many samples is.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"shard", "shard"},
                                                                    {"row_group", "row group"}};
constexpr std::string_view kTiers[] = {"host-memory", "local-nvme"};

std::string pointer_of(const Component& component, std::string_view key) {
  std::string out = component.pointer;
  for (const std::string& part : base::split(key, '.')) out += base::pointer_token(part);
  return out;
}

double number(const Component& component, std::string_view key, double fallback = 0.0) {
  const Value* value = component.find(key);
  return value == nullptr ? fallback : value->number;
}

std::vector<std::string> ids_of(const std::vector<Component>& components) {
  std::vector<std::string> out;
  for (const Component& c : components) out.push_back(c.id);
  return out;
}

class Rules {
 public:
  Rules(const Design& design, Reporter& report)
      : design_(design),
        report_(report),
        hosts_(ids_of(design.hosts)),
        storage_(ids_of(design.storage)) {}

  void check() {
    for (const Component& host : design_.hosts) check_networks(host);
    for (const Component& storage : design_.storage) check_storage(storage);
    check_shared_hosts();
    for (const JobDesign& job : design_.jobs) {
      check_job(job);
      if (job.loader && job.dataset) check_loader(job);
      if (job.dataset) check_dataset(job);
      if (job.checkpoint) check_checkpoint(job);
    }
    for (const Expectation& e : design_.expect) check_expectation(e);
  }

 private:
  // The component `key` refers to must exist.
  bool refers(const Component& from, std::string_view key, const std::vector<std::string>& ids,
              const std::string& what) {
    const Value* value = from.find(key);
    if (value == nullptr) return false;
    if (std::find(ids.begin(), ids.end(), value->text) != ids.end()) return true;
    report_.error("reference", pointer_of(from, key), "no " + what + " \"" + value->text + "\"",
                  ids.empty()
                      ? "add it under \"" +
                            std::string(what == "host class" ? "cluster.hosts" : "storage") + "\""
                      : allowed_hint(value->text, ids));
    return false;
  }

  // Every rate of a "nic": bytes written for bits are eight times too fast.
  void check_networks(const Component& component) {
    for (const auto& [key, value] : component.values) {
      const std::vector<std::string> parts = base::split(key, '.');
      if (value.dimension != Dimension::rate || value.number <= kImplausibleNic.in(unit::Bps) ||
          std::find(parts.begin(), parts.end(), "nic") == parts.end())
        continue;
      report_.warn("unit-slip", pointer_of(component, key),
                   "a network of " + base::print_quantity(value.number, Dimension::rate) +
                       " is beyond any product",
                   "GB/s are bytes and Gb/s are bits: did you mean \"" +
                       base::shortest(value.number / 1e9) + " Gb/s\"?");
    }
  }

  void check_storage(const Component& storage) {
    check_networks(storage);
    const bool lustre = storage.find("ost.count") != nullptr;
    const double targets = number(storage, lustre ? "ost.count" : "target.count");
    const std::string noun = lustre ? "OST" : "target", servers = lustre ? "oss" : "server";
    for (const std::string& key : {std::string("stripe.count"), servers + ".count"})
      if (targets > 0.0 && number(storage, key) > targets)
        report_.warn("rule", pointer_of(storage, key),
                     "storage \"" + storage.id + "\" has " + base::shortest(targets) + " " + noun +
                         "s, fewer than \"" + key + "\"",
                     key == "stripe.count"
                         ? "files lie on all " + noun + "s at most"
                         : "each " + (lustre ? "OSS" : servers) + " serves at least one " + noun);
  }

  [[nodiscard]] const Component* host_of(const JobDesign& job) const {
    const Value* hosts = job.job.find("hosts");
    return hosts == nullptr ? nullptr : design_.find_host(hosts->text);
  }
  static double gpus_of(const Component& host) {
    return number(host, "count") * number(host, "gpus");
  }
  // 0 when unknown.
  [[nodiscard]] double accelerators(const JobDesign& job) const {
    const Component* host = host_of(job);
    return number(job.job, "accelerators", host == nullptr ? 0.0 : gpus_of(*host));
  }

  // All jobs run at the same time.
  void check_shared_hosts() {
    for (const Component& host : design_.hosts) {
      double wanted = 0.0;
      const JobDesign* last = nullptr;
      for (const JobDesign& job : design_.jobs) {
        if (host_of(job) != &host) continue;
        if (last != nullptr && wanted <= gpus_of(host) &&
            wanted + accelerators(job) > gpus_of(host))
          report_.error("rule", pointer_of(job.job, "hosts"),
                        "jobs \"" + last->job.id + "\" and \"" + job.job.id +
                            "\" together use more accelerators than the " +
                            base::shortest(gpus_of(host)) + " of \"" + host.id + "\"",
                        "give each job its \"accelerators\", or hosts of its own");
        wanted += accelerators(job);
        last = &job;
      }
    }
  }

  void check_loader(const JobDesign& job) {
    const Component& loader = *job.loader;
    const Component& data = *job.dataset;
    const Component* host = host_of(job);
    if (host == nullptr || loader.kind.empty() || data.kind.empty()) return;
    const double per_host =
        number(loader, "workers") * std::min(number(*host, "gpus"), accelerators(job));
    const double cores = number(*host, "cpu.cores");
    if (cores > 0.0 && per_host > cores)
      report_.warn("rule", pointer_of(loader, "workers"),
                   base::shortest(per_host) + " workers share the " + base::shortest(cores) +
                       " cores of one host",
                   "\"workers\" is per GPU; lower it, or raise \"cpu\": { \"cores\": ... }");
    const double sample = number(data, "sample");
    const double samples =
        number(data, "samples", sample > 0.0 ? number(data, "size") / sample : 0.0);
    const double batch = accelerators(job) * number(loader, "batch");
    if (job.job.find("steps") == nullptr && samples > 0.0 && samples < batch)
      report_.error("rule", data.pointer,
                    "the data set has " + base::shortest(std::floor(samples)) +
                        " samples, too few for one step of " + base::shortest(batch),
                    "a step takes accelerators x batch samples");
    const Value* shard = data.find("shard");
    const double workers = std::max(number(loader, "workers"), 1.0) * accelerators(job);
    if (shard != nullptr && shard->number > 0.0 && samples > 0.0 &&
        samples * sample / shard->number < workers)
      report_.warn("rule", pointer_of(data, "shard"),
                   "there are fewer shards than the " + base::shortest(workers) + " loader workers",
                   "workers without a shard read nothing; use smaller shards or fewer workers");
    if (number(data, "sample_stdev") > 2.0 * sample && sample > 0.0)
      report_.warn("unit-slip", pointer_of(data, "sample_stdev"),
                   "the standard deviation is more than twice the sample",
                   "check the units of \"sample\" and \"sample_stdev\"");
  }

  void check_job(const JobDesign& job) {
    refers(job.job, "hosts", hosts_, "host class");
    const Component* host = host_of(job);
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

  void check_dataset(const JobDesign& job) {
    const Component& data = *job.dataset;
    refers(data, "on", storage_, "storage system");
    if (data.kind.empty()) return;
    const Value* samples = data.find("samples");
    const Value* size = data.find("size");
    const Value* sample = data.find("sample");
    if (samples == nullptr && size == nullptr)
      report_.error(
          "rule", data.pointer,
          "the dataset of job \"" + job.job.id + "\" has neither \"size\" nor \"samples\"",
          "add \"size\": \"20 TB\" or \"samples\": 1000000");
    if (samples != nullptr && size != nullptr && sample != nullptr) {
      const double product = samples->number * sample->number;
      if (product > 1.01 * size->number || product < 0.99 * size->number)
        report_.error("rule", pointer_of(data, "size"),
                      "the dataset has two sizes: \"size\" is " +
                          base::print_quantity(size->number, Dimension::bytes) +
                          ", \"samples\" x \"sample\" is " +
                          base::print_quantity(product, Dimension::bytes),
                      "give \"size\" or \"samples\", not both");
    }
    if (size != nullptr && sample != nullptr && size->number < sample->number)
      report_.error("rule", pointer_of(data, "size"), "the dataset is smaller than one sample",
                    "\"size\" is of the whole data set, \"sample\" of one sample");
    for (const auto& [key, noun] : kUnits) {
      const Value* unit = data.find(key);
      if (unit != nullptr && sample != nullptr && unit->number < sample->number)
        report_.error("rule", pointer_of(data, key),
                      "a " + std::string(noun) + " is smaller than one sample",
                      "raise \"" + std::string(key) + "\", or correct the unit of \"sample\"");
      if (unit != nullptr && size != nullptr && unit->number > size->number)
        report_.warn("rule", pointer_of(data, key),
                     "a " + std::string(noun) + " is larger than the data set",
                     "all workers read one file; lower \"" + std::string(key) + "\"");
    }
  }

  void check_checkpoint(const JobDesign& job) {
    const Component& save = *job.checkpoint;
    refers(save, "to", storage_, "storage system");
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
    const Component* host = host_of(job);
    // Only styles that keep snapshots have buffers for them.
    if (save.find("buffers") == nullptr || host == nullptr || number(*host, "gpus") <= 0.0) return;
    double bytes = 0.0;
    for (const char* part : {"weights", "master", "momentum", "variance", "other"})
      bytes += number(job.model, std::string("state.") + part);
    bytes = number(save, "size", bytes * number(job.model, "parameters"));
    const double hosts = std::max(accelerators(job) / number(*host, "gpus"), 1.0);
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
      const Component* host = host_of(job);
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
    const bool job = parts[0] == "job";
    if (!job && parts[0] != "storage") return;
    const std::vector<std::string>& ids = job ? jobs : storage_;
    if (std::find(ids.begin(), ids.end(), parts[1]) == ids.end())
      report_.error("reference", at,
                    std::string("no ") + (job ? "job" : "storage system") + " \"" + parts[1] +
                        "\" in \"" + e.that + "\"",
                    allowed_hint(parts[1], ids));
  }

  const Design& design_;
  Reporter& report_;
  std::vector<std::string> hosts_, storage_;
};

}  // namespace

void check_rules(const Design& design, Reporter& report) { Rules(design, report).check(); }

}  // namespace stallcast::scenarios
