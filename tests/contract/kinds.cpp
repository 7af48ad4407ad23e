#include "tests/contract/kinds.hpp"

#include <map>

#include "models/contract/registry.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/programs.hpp"

namespace stallcast::testing {
namespace {

using models::Role;

const std::map<std::string, std::vector<std::pair<const char*, const char*>>> kRequiredFields = {
    {"sync",
     {{"layout", "zero1"}, {"commit", "rename"}, {"checksum", "10 GB/s"}, {"restore.read", "own"}}},
    {"async", {{"incremental.fraction", "50 %"}, {"threads", "2"}, {"keep.last", "2"}}},
    {"cephfs", {{"osd.count", "32"}, {"server.count", "8"}, {"osd.ops", "200 kops/s"}}},
    {"chunkstore", {{"node.count", "8"}, {"node.read", "4 GB/s"}, {"node.write", "12 GB/s"}}},
    {"cxl", {{"device.count", "1"}}},
    {"nvmeof", {{"drive.count", "1"}, {"target.count", "8"}, {"depth", "8"}}},
    {"daos", {{"server.count", "8"}}},
    {"hdfs", {{"datanode.count", "16"}}},
    {"san", {{"port.count", "8"}, {"client.path", "8 GB/s"}, {"array.read", "24 GB/s"}}},
    {"beegfs", {{"target.count", "8"}}},
    {"cache", {{"over", "origin"}, {"server.count", "8"}, {"server.size", "100 GB"}}},
    {"weka", {{"backend.count", "16"}, {"client.cores", "8"}}},
    {"gpfs", {{"server.count", "8"}, {"client.prefetch", "50 GB/s"}}},
    {"local", {{"drive.count", "2"}, {"depth", "8"}}},
    {"lustre", {{"ost.count", "8"}}},
    {"nfs", {{"head.count", "8"}, {"client.nconnect", "16"}}},
    {"measured",
     {{"scope", "shared"},
      {"servers", "8"},
      {"read.law", "fifo"},
      {"read.latency", "0.3 ms"},
      {"read.rate", "4 GB/s"},
      {"read.copy", "20 GB/s"},
      {"write.law", "fifo"},
      {"write.latency", "0.3 ms"},
      {"write.rate", "4 GB/s"},
      {"write.copy", "2 GB/s"},
      {"open.per_op", "10 us"},
      {"open.cached", "20 us"},
      {"open.ops", "0.1"},
      {"limit.read", "30 GB/s"},
      {"limit.read_ops", "1 Mops/s"},
      {"limit.write", "30 GB/s"},
      {"request", "4 MiB"},
      {"write.request", "16 MiB"},
      {"jitter", "20 %"}}},
    {"s3",
     {{"server.count", "8"},
      {"server.read", "2 GB/s"},
      {"get.rate", "1 kops/s"},
      {"prefixes", "2"},
      {"connection.rate", "1 GB/s"},
      {"first_byte_spread", "2"}}},
    {"petastorm", {{"pool.workers", "4"}, {"pool.queue", "4"}}},
    {"given", {{"compute", "100 ms"}}},
    {"inference", {{"rate", "200 ops/s"}, {"weights", "8 GB"}, {"scale_every", "5 s"}}},
    {"ingest", {{"rate", "1 GB/s"}}},
    {"tracking", {{"writers", "100"}, {"every", "1 s"}}},
    {"kv_cache", {{"rate", "4 ops/s"}, {"context", "2000"}, {"token", "64 KiB"}}},
    {"vector_database", {{"clients", "4"}}},
    {"flops", {{"tokens", "2000"}}},
    {"process", {{"mtbf", "1 h"}}},
    {"schedule", {{"gpus", "8"}}},
    {"storage",
     {{"on", "scratch"},
      {"part", "target"},
      {"at", "2 s"},
      {"failover", "1 s"},
      {"repair", "2 s"}}},
    {"rack", {{"mtbf", "10 h"}}},
};

// One row per storage kind.
const std::map<std::string, StorageNames> kStorageNames = {
    {"cephfs", {"osd.count", "osd"}},        {"chunkstore", {"node.count", "target"}},
    {"hdfs", {"datanode.count", "disk"}},    {"san", {"port.count", "media"}},
    {"daos", {"server.count", "target"}},    {"beegfs", {"target.count", "target"}},
    {"weka", {"backend.count", "drives"}},   {"gpfs", {"server.count", "nsd"}},
    {"lustre", {"ost.count", "ost"}},        {"nfs", {"head.count", "head"}},
    {"s3", {"server.count", "server.read"}}, {"cache", {"server.count", "space"}},
    {"local", {"drive.count", "drives"}},    {"cxl", {"device.count", "drives"}},
    {"nvmeof", {"target.count", "drives"}},  {"measured", {"servers", "read"}},
};

// What communication kinds need besides the model's parameters.
const std::map<std::string, std::vector<std::pair<const char*, const char*>>> kCommunication = {
    {"given", {{"exposed", "5 ms"}}},
    {"megatron", {{"tokens", "4096"}, {"microbatches", "4"}}},
};

Component with_defaults(Role role, const std::string& kind, std::string id, Settings settings) {
  Component out = component(role, kind, std::move(id), settings);
  const auto required = kRequiredFields.find(kind);
  if (required != kRequiredFields.end())
    for (const auto& [key, text] : required->second) set(out, role, key, text);
  return out;
}

/// Two threads that read, write and make durable what they wrote, one after the other: time between
/// their calls would be as long whatever the design is.
const std::string& a_trace() {
  static const std::string file = [] {
    std::vector<ReplayStep> steps;
    for (std::uint64_t i = 0; i < 100; ++i)
      for (const ReplayAction action :
           {ReplayAction::metadata, ReplayAction::read, ReplayAction::write, ReplayAction::sync})
        steps.push_back({.file = 1 + i % 7,
                         .offset = i << 22U,
                         .bytes = std::uint64_t{1} << 22U,
                         .action = action});
    return testing::program_file({{0, steps}, {1, steps}});
  }();
  return file;
}

}  // namespace

StorageNames storage_names(const std::string& kind) { return kStorageNames.at(kind); }

Design design_of(const Kinds& kinds) {
  Design design = small_design();
  design.storage[0] = with_defaults(Role::storage, kinds.storage, "scratch", {});
  if (kinds.storage == "cache")  // in front of the small design's Lustre
    design.storage.push_back(component(Role::storage, "lustre", "origin", {{"ost.count", "64"}}));
  design.fabric = component(Role::fabric, kinds.fabric, "fabric", {});
  JobDesign& job = design.jobs[0];
  job.model = component(Role::model, "dense", "model",
                        {{"parameters", "4e9"}, {"shape.layers", "32"}, {"shape.hidden", "3072"}});
  job.step = with_defaults(Role::step, kinds.step, "step", {{"jitter", "2 %"}});
  job.dataset = with_defaults(
      Role::dataset, kinds.format, "dataset",
      {{"on", "scratch"}, {"sample", "13 MB"}, {"sample_stdev", "3 MB"}, {"samples", "128000"}});
  job.loader = with_defaults(Role::loader, kinds.loader, "loader", {{"batch", "10"}});
  job.checkpoint = with_defaults(Role::checkpoint, kinds.checkpoint, "checkpoint",
                                 {{"to", "scratch"}, {"every", "8 s"}, {"size", "64 GB"}});
  job.communication = component(Role::communication, kinds.communication, "communication", {});
  if (const auto fields = kCommunication.find(kinds.communication); fields != kCommunication.end())
    for (const auto& [key, text] : fields->second)
      set(*job.communication, Role::communication, key, text);
  if (!kinds.tenant.empty()) {
    design.tenants.push_back(with_defaults(Role::tenant, kinds.tenant, "other", {}));
    set(design.tenants[0], Role::tenant, "on", "scratch");
    set(design.tenants[0], Role::tenant, "hosts", "gpu");
    if (kinds.tenant == "replay")
      set(design.tenants[0], Role::tenant, "program", a_trace().c_str());
  }
  if (!kinds.stage.empty()) {  // beside the job
    design.stages.push_back(with_defaults(Role::stage, kinds.stage, "move", {}));
    if (kinds.stage != "train") {
      for (const auto& [key, text] :
           {std::pair{"from", "scratch"}, {"hosts", "gpu"}, {"size", "5 GB"}})
        set(design.stages[0], Role::stage, key, text);
      if (kinds.stage == "copy" || kinds.stage == "transform")
        set(design.stages[0], Role::stage, "to", "scratch");
      job.job.values["after"].dimension = Dimension::text_list;
    } else {
      set(design.stages[0], Role::stage, "job", "train");
    }
  }
  if (!kinds.failure.empty()) {
    design.failures.push_back(with_defaults(Role::failure, kinds.failure, "fault", {}));
    job.recovery = component(Role::recovery, "restart", "recovery", {{"runs", "20"}});
  }
  if (!kinds.elastic.empty()) {
    job.elastic = with_defaults(Role::elastic, kinds.elastic, "elastic", {});
    job.recovery = component(Role::recovery, "restart", "recovery", {{"runs", "20"}});
  }
  if (kinds.outage) {
    design.failures.push_back(component(Role::failure, "host", "fault", {{"at", "15 s"}}));
    job.recovery =
        component(Role::recovery, "restart", "recovery",
                  {{"detect", "1 s"}, {"replace", "2 s"}, {"start", "1 s"}, {"init", "1 s"}});
  }
  if (kinds.stragglers) {
    set(design.hosts[0], Role::host, "slow.count", "1");
    set(design.hosts[0], Role::host, "slow.compute", "90 %");
    set(design.hosts[0], Role::host, "slow.nic", "10 %");
  }
  set(design.run, Role::run, "detail", "4");
  set(design.run, Role::run, "duration", "20 s");
  return design;
}

void for_each_component(Design& design, const ComponentVisitor& visit) {
  for (Component& host : design.hosts) visit(Role::host, host);
  visit(Role::fabric, design.fabric);
  for (Component& storage : design.storage) visit(Role::storage, storage);
  for (JobDesign& job : design.jobs) {
    visit(Role::job, job.job), visit(Role::model, job.model), visit(Role::step, job.step);
    if (job.dataset) visit(Role::dataset, *job.dataset), visit(Role::loader, *job.loader);
    if (job.checkpoint) visit(Role::checkpoint, *job.checkpoint);
    if (job.communication) visit(Role::communication, *job.communication);
    if (job.recovery) visit(Role::recovery, *job.recovery);
    if (job.elastic) visit(Role::elastic, *job.elastic);
  }
  for (Component& tenant : design.tenants) visit(Role::tenant, tenant);
  for (Component& stage : design.stages) visit(Role::stage, stage);
  for (Component& failure : design.failures) visit(Role::failure, failure);
  visit(Role::run, design.run);
}

Design half_as_fast(Design design) {
  for_each_component(design, [](Role, Component& component) {
    for (auto& [key, value] : component.values) {
      if (value.dimension == Dimension::time) value.number *= 2.0;
      if (value.dimension == Dimension::rate || value.dimension == Dimension::op_rate ||
          value.dimension == Dimension::flop_rate)
        value.number *= 0.5;
    }
    // Cores are a rate too: core-seconds per second are the same in slow time, so work doubles by
    // itself.
  });
  return design;
}

double slow_factor(const std::string& unit) {
  if (unit == "s" || unit == "d" || unit == "GPU h") return 2.0;
  return unit == "B/s" || unit == "1/s" ? 0.5 : 1.0;
}

void give_work(Design& design, const char* steps) {
  design.run.values.erase("duration");
  JobDesign& job = design.jobs[0];
  set(job.job, Role::job, "epochs", "1");
  set(job.job, Role::job, "steps", steps);
  job.checkpoint->values.erase("every");
  set(*job.checkpoint, Role::checkpoint, "every_steps", "20");
}

Seconds work_time(const RunResult& result) {
  return Seconds::from(metric(result, "job.train.step.time") * metric(result, "job.train.steps") +
                           metric(result, "job.train.checkpoint.stall") *
                               metric(result, "job.train.checkpoint.count"),
                       unit::s);
}

void leave_no_races(Design& design) {
  set(design.run, Role::run, "detail", "1");
  set(design.hosts[0], Role::host, "slow.nic", "100 %");
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "jitter", "0 %");
  set(*job.dataset, Role::dataset, "sample_stdev", "0 B");
  set(*job.loader, Role::loader, "workers", "1");
  set(*job.loader, Role::loader, "prefetch", "1");
  Component& storage = design.storage[0];
  if (storage.find("placement") != nullptr) set(storage, Role::storage, "placement", "round-robin");
}

std::vector<Kinds> all_kinds() {
  std::vector<Kinds> out;
  const auto vary = [&](Role role, std::string Kinds::*member) {
    for (const models::KindInfo& row : models::kinds(role)) {
      Kinds kinds;
      kinds.*member = std::string(row.id);
      out.push_back(kinds);
    }
  };
  vary(Role::storage, &Kinds::storage);
  vary(Role::fabric, &Kinds::fabric);
  vary(Role::dataset, &Kinds::format);
  vary(Role::loader, &Kinds::loader);
  vary(Role::step, &Kinds::step);
  vary(Role::checkpoint, &Kinds::checkpoint);
  vary(Role::communication, &Kinds::communication);
  vary(Role::tenant, &Kinds::tenant);
  vary(Role::stage, &Kinds::stage);
  vary(Role::failure, &Kinds::failure);
  vary(Role::elastic, &Kinds::elastic);
  out.push_back({.stragglers = true});
  out.push_back({.outage = true});
  return out;
}

}  // namespace stallcast::testing
