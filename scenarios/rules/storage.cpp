#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/replay_program.hpp"
#include "scenarios/rules/support.hpp"
#include "stallcast/units.hpp"

/// Rules of networks and storage systems.
namespace stallcast::scenarios {
namespace {

// The fastest port on the market is 1.6 Tb/s (ConnectX-9); one that is faster, or a server network
// above four times 800 Gb/s, is nearly always bytes written for bits: 400 GB/s.
constexpr Rate kFastestPort = Rate::from(1.6, unit::Tbps);
constexpr Rate kImplausibleNic = Rate::from(3.2, unit::Tbps);

/// What a storage kind counts, and how it is called.
struct Counted {
  std::string_view key, one;
};
constexpr Counted kPlaces[] = {
    {"osd.count", "OSD"}, {"node.count", "node"}, {"datanode.count", "DataNode"}};

// Files lie on targets, targets in servers.
void check_counts(const Component& storage, Diagnostics& report) {
  const bool lustre = storage.find("ost.count") != nullptr;
  const double targets = number(storage, lustre ? "ost.count" : "target.count");
  const std::string noun = lustre ? "OST" : "target", servers = lustre ? "oss" : "server";
  for (const std::string& key : {std::string("stripe.count"), servers + ".count"})
    if (targets > 0.0 && number(storage, key) > targets &&
        (key != "stripe.count" || is_chosen(models::Role::storage, storage, key)))
      report.warn("rule", pointer_of(storage, key),
                  "storage \"" + storage.id + "\" has " + base::shortest(targets) + " " + noun +
                      (targets == 1.0 ? "" : "s") + ", fewer than \"" + key + "\"",
                  key == "stripe.count"
                      ? "files lie on all " + noun + "s at most"
                      : "each " + (lustre ? "OSS" : servers) + " serves at least one " + noun);
}

// Copies and pieces of a stripe lie on different ones.
void check_redundancy(const Component& storage, Diagnostics& report) {
  for (const Counted& places : kPlaces) {
    if (storage.find(places.key) == nullptr) continue;
    const bool coded = number(storage, "code.data") > 0.0;
    const double needed = coded ? number(storage, "code.data") + number(storage, "code.parity")
                                : number(storage, "replicas");
    if (needed > number(storage, places.key))
      report.error("rule", pointer_of(storage, coded ? "code.data" : "replicas"),
                   "storage \"" + storage.id + "\" has " +
                       base::shortest(number(storage, places.key)) + " " + std::string(places.one) +
                       "s for " + base::shortest(needed) +
                       (coded ? " pieces of a stripe" : " copies"),
                   "raise \"" + std::string(places.key) + "\", or lower \"" +
                       (coded ? "code" : "replicas") + "\"");
  }
  // By default Ceph puts them into different servers; it can be told to go by OSDs.
  const double servers = number(storage, "server.count");
  if (storage.find("osd.count") != nullptr && servers > 0.0) {
    const bool coded = number(storage, "code.data") > 0.0;
    const double needed = coded ? number(storage, "code.data") + number(storage, "code.parity")
                                : number(storage, "replicas");
    if (needed > servers)
      report.warn("rule", pointer_of(storage, "server.count"),
                  "storage \"" + storage.id + "\" has " + base::shortest(servers) +
                      (servers == 1.0 ? " server" : " servers") + " for " + base::shortest(needed) +
                      (coded ? " pieces of a stripe" : " copies"),
                  "one server has several of them then (failure domain osd), and is more than one "
                  "failure: raise \"server.count\", or lower \"" +
                      std::string(coded ? "code" : "replicas") + "\"");
  }
  // Cells of DAOS lie on targets, of which each server has as many.
  const double targets = number(storage, "server.count") * number(storage, "server.targets");
  const double cells = number(storage, "object.data") + number(storage, "object.parity");
  if (number(storage, "object.parity") > 0.0 && cells > targets)
    report.error("rule", pointer_of(storage, "object.data"),
                 "storage \"" + storage.id + "\" has " + base::shortest(targets) + " targets for " +
                     base::shortest(cells) + " cells of a stripe",
                 "raise \"server.count\" or \"server.targets\", or lower \"object\"");
  // Stripes of WEKA are as narrow as its backends ask for, down to one piece of data.
  const double backends = number(storage, "backend.count");
  const double data = number(storage, "stripe.data"), parity = number(storage, "stripe.parity");
  if (backends <= 0.0 || parity <= 0.0) return;
  const std::string there = "storage \"" + storage.id + "\" has " + base::shortest(backends) +
                            (backends == 1.0 ? " backend" : " backends") + " for ";
  if (parity >= backends) {
    // Of a system that somebody describes in few words it is told, and predicted with what is left.
    const std::string what =
        there + base::shortest(parity) + " pieces of parity, and none is left for data";
    const std::string hint = "raise \"backend.count\" to " + base::shortest(parity + 1.0) +
                             " or more, or lower \"stripe.parity\"";
    const std::string at = pointer_of(storage, "stripe.parity");
    if (is_chosen(models::Role::storage, storage, "stripe.parity"))
      report.error("rule", at, what, hint);
    else
      report.warn("rule", at, what, hint);
    return;
  }
  if (data + parity > backends && is_chosen(models::Role::storage, storage, "stripe.data"))
    report.warn("rule", pointer_of(storage, "stripe.data"),
                there + base::shortest(data + parity) + " pieces of a stripe",
                "stripes have " + base::shortest(backends - parity) +
                    " of data then: write that, or raise \"backend.count\"");
}

// A burst is taken in faster than what follows it.
void check_burst(const Component& storage, Diagnostics& report) {
  const double burst = number(storage, "drive.burst_write"), write = number(storage, "drive.write");
  if (number(storage, "drive.burst") > 0.0 && burst > 0.0 && burst < write)
    report.warn(
        "rule", pointer_of(storage, "drive.burst_write"),
        "storage \"" + storage.id + "\" takes a burst in more slowly than what follows: " +
            base::print_quantity(burst, Dimension::rate) + " against " +
            base::print_quantity(write, Dimension::rate) + " of \"drive.write\"",
        "\"drive.burst_write\" is the rate until \"drive.burst\" is full, and has no effect "
        "below \"drive.write\"");
}

// What Lustre fields say of each other.
void check_lustre(const Component& storage, Diagnostics& report) {
  const double osts = number(storage, "ost.count"), servers = number(storage, "oss.count");
  if (osts <= 0.0) return;
  if (storage.find("provisioned") != nullptr && lacks(storage, "ost.capacity", report))
    report.error("rule", pointer_of(storage, "provisioned"),
                 "storage \"" + storage.id + "\" has a rate for each TiB and no capacity",
                 "add \"ost\": { \"capacity\": \"1.2 TiB\" }");
  if (number(storage, "ost.degraded") > osts)
    report.error("rule", pointer_of(storage, "ost.degraded"),
                 "more OSTs are degraded than the " + base::shortest(osts) + " there are",
                 "one is enough to hold up even traffic");
  if (number(storage, "oss.failed") > servers / 2.0)
    report.error("rule", pointer_of(storage, "oss.failed"),
                 servers == 0.0 ? "\"oss.failed\" needs \"oss.count\""
                                : "more OSS have failed than have a partner",
                 "OSS fail over in pairs: at most half of \"oss.count\"");
}

// What fields of measured storage say of each other.
void check_measured(const Component& storage, Diagnostics& report) {
  const Value* reads = storage.find("read.law");
  const Value* writes = storage.find("write.law");
  const Value* line = storage.find("write.line");
  if (reads == nullptr || writes == nullptr || line == nullptr) return;
  if (line->text == "shared" && (reads->text == "fifo") != (writes->text == "fifo"))
    report.error("rule", pointer_of(storage, "write.law"),
                 "reads by law \"" + reads->text + "\" and writes by law \"" + writes->text +
                     "\" cannot wait in one line",
                 "give both law \"fifo\", or set \"write\": { \"line\": \"own\" }");
  if (number(storage, "stripe") > number(storage, "servers"))
    report.error("rule", pointer_of(storage, "stripe"),
                 "a file lies on " + base::shortest(number(storage, "stripe")) + " of " +
                     base::shortest(number(storage, "servers")) + " servers",
                 "lower \"stripe\", or raise \"servers\"");
  const double smallest = number(storage, "fitted.smallest");
  if (number(storage, "fitted.largest", smallest) < smallest)
    report.error("rule", pointer_of(storage, "fitted.largest"),
                 "the largest request measured is smaller than the smallest",
                 "exchange \"fitted.smallest\" and \"fitted.largest\"");
}

/// Whether `storage` is reached from `from`, itself or what a cache stands in front of.
bool reaches(const Design& design, std::string from, std::string_view storage) {
  for (std::size_t hops = 0; hops <= design.storage.size(); ++hops) {
    if (from == storage) return true;
    const Component* component = design.find_storage(from);
    const Value* over = component == nullptr ? nullptr : component->find("over");
    if (over == nullptr) return false;
    from = over->text;
  }
  return false;
}

/// Whether a tenant only reads: searches do, and what writes none of what it could.
bool only_reads(const Component& tenant) {
  if (tenant.kind == "inference" || tenant.kind == "vector_database") return true;
  if (tenant.kind == "kv_cache") return number(tenant, "offload", 1.0) == 0.0;
  if (tenant.kind == "preprocess") return number(tenant, "ratio", 1.0) == 0.0;
  const Value* pattern = tenant.find("rw");
  if (pattern == nullptr) return false;
  if (pattern->text == "read" || pattern->text == "randread") return true;
  return (pattern->text == "rw" || pattern->text == "randrw") && number(tenant, "rwmixread") >= 1.0;
}

/// Whether a tenant only writes.
bool only_writes(const Component& tenant) {
  const Value* pattern = tenant.find("rw");
  if (pattern != nullptr) return pattern->text == "write" || pattern->text == "randwrite";
  return tenant.kind == "ingest" || tenant.kind == "tracking";
}

/// "job \"train\"", "tenant \"in\"": who writes to a storage system; "" when nobody does.
std::string writer_of(const Design& design, const std::string& storage) {
  const auto named = [&](const Value* on) {
    return on != nullptr && reaches(design, on->text, storage);
  };
  for (const JobDesign& job : design.jobs) {
    if (!job.checkpoint) continue;
    const Value* tiers = job.checkpoint->find("tiers");
    const bool passes = tiers != nullptr && std::any_of(tiers->list.begin(), tiers->list.end(),
                                                        [&](const std::string& tier) {
                                                          return reaches(design, tier, storage);
                                                        });
    if (passes || named(job.checkpoint->find("to"))) return "job \"" + job.job.id + "\"";
  }
  for (const Component& stage : design.stages)
    if (named(stage.find("to"))) return "stage \"" + stage.id + "\"";
  for (const Component& tenant : design.tenants) {
    if (only_reads(tenant)) continue;
    const std::optional<ReplayHeader> trace = models::replayed(tenant);
    const std::vector<std::string> places = models::places_of(tenant);
    for (std::size_t place = 0; place < places.size(); ++place)
      if (reaches(design, places[place], storage) &&
          (!trace || (trace->written >> place & 1U) != 0))
        return "tenant \"" + tenant.id + "\"";
  }
  return "";
}

}  // namespace

bool is_written(const Design& design, const std::string& storage) {
  return !writer_of(design, storage).empty();
}

bool is_read(const Design& design, const std::string& storage) {
  const auto named = [&](const Value* on) {
    return on != nullptr && reaches(design, on->text, storage);
  };
  for (const JobDesign& job : design.jobs)
    if (job.dataset && (named(job.dataset->find("on")) || named(job.dataset->find("also.on"))))
      return true;
  for (const Component& stage : design.stages)
    if (named(stage.find("from"))) return true;
  for (const Component& tenant : design.tenants) {
    if (only_writes(tenant)) continue;
    for (const std::string& place : models::places_of(tenant))
      if (reaches(design, place, storage)) return true;
  }
  return false;
}

// Every rate of a "nic": bytes written for bits are eight times too fast.
void check_networks(const Component& component, Diagnostics& report) {
  for (const auto& [key, value] : component.values) {
    if (value.dimension != Dimension::rate) continue;
    const std::vector<std::string> parts = base::split(key, '.');
    const bool port = key == "nic.rate" || key == "compute_nic.rate";
    const bool network = std::find(parts.begin(), parts.end(), "nic") != parts.end();
    const Rate most = port ? kFastestPort : kImplausibleNic;
    if (!(port || network) || value.number <= most.in(unit::Bps)) continue;
    report.warn("unit-slip", pointer_of(component, key),
                (port ? "a port of " : "a network of ") +
                    base::print_quantity(value.number, Dimension::rate) + " is beyond any product",
                "GB/s are bytes and Gb/s are bits: did you mean \"" +
                    base::shortest(value.number / 1e9) + " Gb/s\"?");
  }
}

// Who writes needs to know how fast: a profile may hold no law of writes.
void check_writers(const Design& design, Diagnostics& report) {
  for (const Component& storage : design.storage) {
    if (storage.kind != "measured") continue;
    const std::string missing = lacks(storage, "write.rate", report)      ? "write.rate"
                                : lacks(storage, "write.latency", report) ? "write.latency"
                                                                          : "";
    const std::string writer = missing.empty() ? "" : writer_of(design, storage.id);
    if (!writer.empty())
      report.error(
          "missing", storage.pointer,
          "storage \"" + storage.id + "\" lacks \"" + missing + "\", and " + writer +
              " writes to it",
          "write it, or measure it: \"stallcast probe io\", then \"stallcast calibrate\"; a "
          "profile "
          "says under \"refused\" why it has no law of writes");
  }
}

// What is assumed of a connection is what one core receives of a TCP flow.    [nfs.md, eq. 2]
void check_nfs(const Component& storage, Diagnostics& report) {
  const Value* transport = storage.find("client.transport");
  const Value* connection = storage.find("client.connection");
  if (transport == nullptr || transport->text != "rdma" || connection == nullptr ||
      connection->source.kind != Source::Kind::default_value)
    return;
  report.warn("rule", pointer_of(storage, "client.transport"),
              "\"client.connection\" is not stated, and " +
                  base::print_quantity(connection->number, Dimension::rate) +
                  " is what one TCP connection carries",
              "write what a connection carries over RDMA: as a rule what the host's port does");
}

void check_storage(const Component& storage, Diagnostics& report) {
  check_networks(storage, report);
  check_counts(storage, report);
  check_redundancy(storage, report);
  check_burst(storage, report);
  check_lustre(storage, report);
  check_measured(storage, report);
  check_nfs(storage, report);
}

}  // namespace stallcast::scenarios
