#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/bounds/gpu_use.hpp"
#include "models/contract/replay_program.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of the other traffic on a design.
namespace stallcast::scenarios {
namespace {

constexpr double kRounding = 1e-9;  // of a sum of shares

const Component* hosts_of(const Design& design, const Component& tenant) {
  const Value* id = tenant.find("hosts");
  return id == nullptr ? nullptr : design.find_host(id->text);
}

// A replica has all its GPUs, and GPUs that make none do nothing.
void check_replicas(const Component& host, const Component& tenant, Diagnostics& report) {
  const double there = number(host, "count", 1.0) * number(host, "gpus", 1.0);
  const double each = number(tenant, "gpus", 1.0), idle = std::fmod(there, each);
  if (there <= 0.0) return;  // said already
  if (each > there)
    report.error("rule", pointer_of(tenant, "gpus"),
                 "a replica of \"" + tenant.id + "\" has " + base::shortest(each) +
                     " GPUs (\"gpus\", 8 unless given), and the hosts \"" + host.id + "\" have " +
                     base::shortest(there),
                 "\"gpus\" is at most " + base::shortest(there) + ", or add hosts");
  else if (idle > 0.0)
    report.warn("rule", pointer_of(tenant, "gpus"),
                base::shortest(idle) + " of the " + base::shortest(there) + " GPUs of \"" +
                    host.id + "\" stay idle: a replica of \"" + tenant.id + "\" has " +
                    base::shortest(each),
                "let \"gpus\" divide the GPUs of its hosts");
}

// Replicas are on all GPUs of their hosts: whoever else uses some has them twice.
void check_gpus_alone(const Design& design, const Component& host, const Component& tenant,
                      Diagnostics& report) {
  const double there = number(host, "count", 1.0) * number(host, "gpus", 1.0);
  const double served = models::serving_gpus(tenant, there);
  std::string other;
  double taken = 0.0;
  for (const JobDesign& job : design.jobs)
    if (host_of(design, job) == &host && accelerators(design, job) > taken) {
      taken = accelerators(design, job);
      other = "job \"" + job.job.id + "\"";
    }
  for (const Component& before : design.tenants) {
    if (&before == &tenant) break;
    if (hosts_of(design, before) != &host || models::serving_gpus(before, there) <= taken) continue;
    taken = models::serving_gpus(before, there);
    other = "tenant \"" + before.id + "\"";
  }
  if (taken > 0.0 && served + taken > there)
    report.warn("rule", pointer_of(tenant, "hosts"),
                "replicas of \"" + tenant.id + "\" are on " + base::shortest(served) + " of the " +
                    base::shortest(there) + " GPUs of \"" + host.id + "\", of which " + other +
                    " uses " + base::shortest(taken) +
                    ": either is simulated as if the other left it all of its GPUs",
                "give \"" + tenant.id + "\" a host class of its own");
}

void check_serving(const Design& design, const Component& tenant, Diagnostics& report) {
  const Component* host = hosts_of(design, tenant);
  if (host != nullptr && number(*host, "gpus", 1.0) <= 0.0)
    report.error("rule", pointer_of(tenant, "hosts"),
                 "\"" + tenant.id + "\" serves a model on \"" + host->id + "\", which has no GPUs",
                 "name a host class with \"gpus\", or give it some");
  if (host != nullptr) {
    check_replicas(*host, tenant, report);
    check_gpus_alone(design, *host, tenant, report);
  }
  // A context is found in one place, or nowhere.
  double found = 0.0;
  std::string_view most = "hit.gpu";
  for (const std::string_view share : {"hit.gpu", "hit.memory", "hit.storage"}) {
    found += number(tenant, share);
    if (number(tenant, share) > number(tenant, most)) most = share;
  }
  if (found > 1.0 + kRounding)
    report.error("rule", pointer_of(tenant, most),
                 "the contexts of " + base::print_quantity(found, Dimension::ratio) +
                     " of the requests of \"" + tenant.id + "\" are found: more than all",
                 "\"hit.gpu\", \"hit.memory\" (20 % unless given) and \"hit.storage\" (50 %) are "
                 "at most 100 % together");
}

// A client that asks again at once, of a search that takes no time, would ask for ever.
void check_search(const Component& tenant, Diagnostics& report) {
  if (tenant.find("rate") != nullptr || number(tenant, "cached") < 1.0) return;
  if (number(tenant, "compute", 1.0) > 0.0) return;
  report.error("rule", pointer_of(tenant, "compute"),
               "a query of \"" + tenant.id +
                   "\" takes no time: all that it reads is in memory (\"cached\"), and it computes "
                   "nothing (\"compute\")",
               "give \"compute\", lower \"cached\", or say in \"rate\" how many queries come");
}

// The program is there, is the one that is meant, and its processes have hosts.
void check_replay(const Design& design, const Component& tenant, Diagnostics& report) {
  const Value* program = tenant.find("program");
  if (program == nullptr || program->text.empty()) return;  // said already
  const Result<models::ReplayProgram> found = models::ReplayProgram::open(program->text);
  if (!found.ok())
    return report.error("file", pointer_of(tenant, "program"), found.failure().message,
                        found.failure().hint);
  if (!found->whole())
    return report.error("file", pointer_of(tenant, "program"),
                        program->text + ": the program of a replay is damaged",
                        "make it again with stallcast replay --keep-program");
  if (!found->ends())
    return report.error("file", pointer_of(tenant, "program"),
                        program->text + ": the program of a replay waits for what never comes",
                        "make it again with stallcast replay --keep-program");
  const Value* sha256 = tenant.find("sha256");
  if (sha256 != nullptr && sha256->text != found->sha256())
    return report.error(
        "file", pointer_of(tenant, "program"),
        "the program has the SHA-256 " + found->sha256() + ", not the one in \"sha256\"",
        "make it again with stallcast replay --keep-program, or correct it");
  const Value* also = tenant.find("also");
  for (const std::string& id : also == nullptr ? std::vector<std::string>{} : also->list)
    if (design.find_storage(id) == nullptr)
      report.error("reference", pointer_of(tenant, "also"),
                   "there is no storage system \"" + id + "\"",
                   "it has " + base::join(ids_of(design.storage), ", "));
  if (models::places_of(tenant).size() < found->header().places)
    report.error("missing", pointer_of(tenant, "also"),
                 "the files of the program lie on " + std::to_string(found->header().places) +
                     " storage systems, and one is named",
                 "name the others in \"also\", in the order of --map");
  const Component* host = hosts_of(design, tenant);
  if (host == nullptr) return;
  const double there = number(*host, "count", 1.0);
  const models::ReplayPlacement placed = models::replay_placement(
      found->header(), static_cast<std::uint64_t>(there), models::processes_per_host(tenant));
  if (static_cast<double>(placed.hosts) > there)
    report.error("rule", pointer_of(tenant, "per_host"),
                 "so many processes on each need " + std::to_string(placed.hosts) +
                     " hosts, and \"" + host->id + "\" has " + base::shortest(there),
                 "raise \"per_host\"");
}

}  // namespace

void check_tenant(const Design& design, const Component& tenant, Diagnostics& report) {
  check_reference(tenant, "on", ids_of(design.storage), "storage system", report);
  check_reference(tenant, "hosts", ids_of(design.hosts), "host class", report);
  if (tenant.kind == "kv_cache") check_serving(design, tenant, report);
  if (tenant.kind == "vector_database") check_search(tenant, report);
  if (tenant.kind == "replay") check_replay(design, tenant, report);
  const double burst = number(tenant, "burst", 1.0), share = number(tenant, "burst_share");
  if (burst > 1.0 && burst * share > 1.0)
    report.error("rule", pointer_of(tenant, "burst"),
                 "bursts of " + base::shortest(burst) + " times the mean rate during " +
                     base::print_quantity(share, Dimension::ratio) +
                     " of the time are more than all requests",
                 "\"burst\" x \"burst_share\" is at most 1");
  const Value *stop = tenant.find("stop"), *duration = design.run.find("duration");
  if (duration != nullptr && number(tenant, "start") >= duration->number)
    report.warn("rule", pointer_of(tenant, "start"),
                "the run ends before tenant \"" + tenant.id + "\" starts",
                "let it start earlier, or lengthen \"run\": { \"duration\": ... }");
  if (stop != nullptr && stop->number <= number(tenant, "start"))
    report.error("rule", pointer_of(tenant, "stop"),
                 "tenant \"" + tenant.id + "\" stops before it starts",
                 "\"stop\" is later than \"start\"");
}

}  // namespace stallcast::scenarios
