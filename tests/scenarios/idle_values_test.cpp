#include "tests/scenarios/support.hpp"

/// Values that count only beside another are remarked on without it.
namespace idle_values_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

constexpr const char* kFull = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" }, "model": { "parameters": "8B" },
              "dataset": { "on": "scratch", "format": "raw", "sample": "1 MB", "samples": 100000 },
              "loader": { "workers": 4 },
              "checkpoint": { "to": "scratch", "mode": "async", "every": "1 min" } } ],
  "tenants": [ { "id": "search", "type": "vector_database", "on": "scratch", "hosts": "gpu" } ],
  "run": { "duration": "10 min" } })";

/// What is said with these values: "" or one remark.
std::string said(std::vector<std::string> sets) {
  const Scenario loaded = load_with(std::move(sets), "", kFull);
  CHECK(loaded.ok());
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics().items())
    out += (out.empty() ? "" : "; ") + d.pointer + " " + d.message;
  return out;
}

}  // namespace

TEST_CASE("a value that counts only beside another is remarked on without it") {
  CHECK(said({}) == "");
  struct Case {
    const char *set, *remark, *beside;
  };
  const Case cases[] = {
      {"storage.credits.size=1 TB",
       R"(/storage/0/credits/size "credits.size" has no effect unless "credits.base" is given)",
       "storage.credits.base=1 GB/s"},
      {"storage.credits.start=50 %",
       R"(/storage/0/credits/start "credits.start" has no effect unless "credits.base" or )"
       R"("credits.ops" is given)",
       "storage.credits.ops=1 kops/s"},
      {"jobs.checkpoint.serialize=1 GB/s",
       "",  // torch has it
       "jobs.checkpoint.serializer=dcp"},
      {"jobs.checkpoint.restore.from=scratch",
       R"(/jobs/0/checkpoint/restore/from "restore.from" has no effect: nothing is restored)",
       "jobs.checkpoint.restore.read=own"},
      {"jobs.checkpoint.restore.deserialize=1 GB/s",
       R"(/jobs/0/checkpoint/restore/deserialize "restore.deserialize" has no effect: )"
       R"(nothing is restored)",
       "jobs.checkpoint.restore.read=once"},
      {"jobs.checkpoint.incremental.full_every=5",
       R"(/jobs/0/checkpoint/incremental/full_every "incremental.full_every" has no effect )"
       R"(unless "incremental.fraction" is below 100 %)",
       "jobs.checkpoint.incremental.fraction=10 %"},
      {"storage.endurance.dwpd=1",
       R"(/storage/0/endurance/dwpd "endurance.dwpd" has no effect unless "ost.capacity" is given)",
       "storage.ost.capacity=200 TB"},
      {"jobs.loader.pin.rate=9 GB/s",
       R"(/jobs/0/loader/pin/rate "pin.rate" has no effect unless "pin_memory" is true)",
       "jobs.loader.pin_memory=true"},
      {"jobs.loader.import.time=9 s",
       R"(/jobs/0/loader/import/time "import.time" has no effect unless "start_method" is "spawn")",
       "jobs.loader.start_method=spawn"},
      {"jobs.dataset.scan_names=10",
       R"(/jobs/0/dataset/scan_names "scan_names" has no effect unless "scan" is not "none")",
       "jobs.dataset.scan=list"},
      {"jobs.checkpoint.restore.broadcast=nics",
       R"(/jobs/0/checkpoint/restore/broadcast "restore.broadcast" has no effect unless )"
       R"("restore.read" is "once")",
       "jobs.checkpoint.restore.read=once"},
      {"jobs.checkpoint.peers=2",
       R"(/jobs/0/checkpoint/peers "peers" has no effect unless "tiers" have "peer-memory")",
       R"(jobs.checkpoint.tiers=["peer-memory", "scratch"])"},
      {"jobs.checkpoint.shard_group=16",
       R"(/jobs/0/checkpoint/shard_group "shard_group" has no effect unless "layout" is "fsdp-hybrid")",
       "jobs.checkpoint.layout=fsdp-hybrid"},
      {"cluster.hosts.slow.compute=50 %",
       R"(/cluster/hosts/0/slow/compute "slow.compute" has no effect unless "slow.count" is above 0)",
       "cluster.hosts.slow.count=1"},
      {"storage.pfl.count=4",
       R"(/storage/0/pfl/count "pfl.count" has no effect unless "pfl.end" is given)",
       "storage.pfl.end=1 GiB"},
      {"storage.raid.parity=1",
       R"(/storage/0/raid/parity "raid.parity" has no effect unless "raid.data" is given)",
       "storage.raid.data=8"},
      {"storage.hsm.agents=9",
       R"(/storage/0/hsm/agents "hsm.agents" has no effect unless "hsm.released" is above 0 %)",
       "storage.hsm.released=10 %"},
      {"storage.router.latency=5 us",
       R"(/storage/0/router/latency "router.latency" has no effect unless "router.count" is given)",
       "storage.router.count=4"},
      {"storage.oss.nic=200 Gb/s",
       R"(/storage/0/oss/nic "oss.nic" has no effect unless "oss.count" is given)",
       "storage.oss.count=4"},
      {"storage.ost.spindles=4",
       R"(/storage/0/ost/spindles "ost.spindles" has no effect unless "ost.seek" is above 0 s)",
       "storage.ost.seek=8 ms"},
      {"storage.ost.degraded_rate=20 %",
       R"(/storage/0/ost/degraded_rate "ost.degraded_rate" has no effect unless "ost.degraded" is )"
       R"(above 0)",
       "storage.ost.degraded=1"},
      {"tenants.lists=8", R"(/tenants/0/lists "lists" has no effect unless "index" is "lists")",
       "tenants.index=lists"},
      {"tenants.sampled=5 ops/s",
       R"(/tenants/0/sampled "sampled" has no effect unless "rate" is given)",
       "tenants.rate=50 ops/s"}};
  for (const Case& c : cases) {
    CHECK(said({c.set}) == c.remark);
    CHECK(said({c.set, c.beside}) == "");
  }
  // Kinds differ in what is on without a word of it.
  const auto of_kind = [](const std::string& storage) {
    std::string text = kFull;
    const std::string lustre = R"("type": "lustre", "ost": { "count": 8 })";
    return text.replace(text.find(lustre), lustre.size(), storage);
  };
  const auto said_of = [&](const std::string& storage) {
    const Scenario loaded = load_text(of_kind(storage), "x.json");
    CHECK(loaded.ok());
    return remarks(loaded.diagnostics());
  };
  CHECK(said_of(R"("type": "nfs", "head": { "count": 2 }, "shelf": { "read": "9 GB/s" })")
            .find("\"shelf.read\" has no effect unless \"shelf.count\" is given") !=
        std::string::npos);
  CHECK(said_of(R"("type": "cephfs", "osd": { "count": 24 }, "server": { "nic": "25 Gb/s" })")
            .find("\"server.nic\" has no effect unless \"server.count\" is given") !=
        std::string::npos);
  CHECK(said_of(R"("type": "beegfs", "target": { "count": 8 }, "server": { "nic": "25 Gb/s" })") ==
        "");
  CHECK(said_of(R"("type": "local", "drive": { "count": 8 }, "raid": { "chunk": "1 MiB" })")
            .find("has no effect") == std::string::npos);
  CHECK(said({"storage.endurance.amplification=2"}) ==
        R"(/storage/0/endurance/amplification "endurance.amplification" has no effect unless )"
        R"("endurance.dwpd" is given)");
  CHECK(said({"storage.endurance.amplification=2", "storage.endurance.dwpd=1",
              "storage.ost.capacity=200 TB"}) == "");
  CHECK(said({"tenants.clients=8"}) == "");
  CHECK(said({"tenants.clients=8", "tenants.rate=50 ops/s"}) ==
        R"(/tenants/0/clients "clients" has no effect unless "rate" is left out)");
  CHECK(said({"jobs.checkpoint.serialize=1 GB/s", "jobs.checkpoint.serializer=none"}) ==
        R"(/jobs/0/checkpoint/serialize "serialize" has no effect unless "serializer" is "torch" )"
        R"(or "dcp")");
  CHECK(said({"jobs.checkpoint.restore.deserialize=1 GB/s", "jobs.checkpoint.restore.read=own",
              "jobs.checkpoint.serializer=none"}) != "");
  CHECK(said({"storage.credits.start=50 %", "storage.credits.base=1 GB/s"}) == "");
  CHECK(said({"jobs.checkpoint.incremental.full_every=5",
              "jobs.checkpoint.incremental.fraction=100 %"}) != "");
  // A quota is after what the file system takes; where parts have room, too, either may be less.
  CHECK(
      said({"storage.capacity.overhead=5 %", "storage.capacity.size=1 PB"}) ==
      R"(/storage/0/capacity/overhead "capacity.overhead" has no effect: "capacity.size" is what )"
      "is left by it");
  CHECK(said({"storage.capacity.overhead=5 %", "storage.capacity.size=1 PB",
              "storage.ost.capacity=200 TB"}) == "");
  // As it is by default it is nobody's choice.
  CHECK(said({"jobs.loader.pin.rate=5 GB/s"}) == "");
}

namespace {

/// What is said of a job that reads and saves on drives inside hosts, but for `more`.
std::string said_inside(std::vector<std::string> sets) {
  const Scenario loaded = load_with(std::move(sets), "", R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": [ { "id": "drives", "type": "local", "drive": { "count": 4 } },
                 { "id": "bucket", "type": "s3" },
                 { "id": "array", "type": "san", "port": { "count": 4 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "steps": 10, "step": { "compute": "100 ms" },
                "dataset": { "on": "drives", "format": "raw", "sample": "1 MB", "samples": 100000 },
                "checkpoint": { "to": "drives", "size": "1 GB", "every_steps": 5 } } ] })");
  CHECK(loaded.ok());
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics().items())
    out += (out.empty() ? "" : "; ") + d.pointer + " " + d.message;
  return out;
}

}  // namespace

TEST_CASE("a limit of a job whose data are all inside its hosts is remarked on") {
  CHECK(said_inside({}) == "");
  CHECK(said_inside({"jobs.limit=1 GB/s"}) ==
        R"(/jobs/0/limit "limit" has no effect: all that job "train" reads and saves is on drives )"
        "inside its hosts");
  CHECK(said_inside({"jobs.limit_operations=1 kops/s"}) ==
        R"(/jobs/0/limit_operations "limit_operations" has no effect: all that job "train" reads )"
        "and saves is on drives inside its hosts");
  CHECK(said_inside({"jobs.limit=1 GB/s", "jobs.checkpoint.to=bucket"}) == "");
  CHECK(said_inside({"jobs.limit=1 GB/s", "jobs.dataset.on=array"}) == "");
}

TEST_CASE(
    "a rename that no object store knows, and a rating of drives of no size, are remarked on") {
  CHECK(said_inside({"jobs.checkpoint.commit=rename"}) == "");
  CHECK(said_inside({"jobs.checkpoint.to=bucket", "jobs.checkpoint.commit=rename"}) ==
        R"(/jobs/0/checkpoint/commit "bucket" renames nothing: a client copies each object to its )"
        "new name and deletes the old one");
  CHECK(said_inside({"storage[array].endurance.dwpd=1", "jobs.dataset.on=array"}) ==
        R"(/storage/2/endurance/dwpd "endurance.dwpd" has no effect: nothing says how much the )"
        R"(drives of a storage system of type "san" hold)");
}

}  // namespace idle_values_test
