#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

namespace rules_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kFull = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "memory": { "size": "500 GB" } } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "model": { "parameters": "70B" }, "step": { "compute": "1 s" },
    "dataset": { "on": "scratch", "format": "webdataset", "sample": "1 MB", "size": "10 TB",
                 "shard": "1 GB" },
    "checkpoint": { "to": "scratch", "every": "10 min", "mode": "async" }
  } ],
  "run": { "duration": "1 h" }
})";

// The only remark about the scenario with `sets`; "" when there is none.
std::string warning(std::vector<std::string> sets, const std::string& text = kFull) {
  const auto loaded = load_with(std::move(sets), "", text.c_str());
  if (loaded.diagnostics().items().empty()) return "";
  REQUIRE(loaded.diagnostics().items().size() == 1);
  const Diagnostic& d = loaded.diagnostics().items()[0];
  CHECK(d.severity == Severity::warning);
  CHECK(loaded.ok());
  return d.pointer + " " + d.message;
}

}  // namespace

TEST_CASE("likely slips are warned of and do not stop the run") {
  CHECK(warning({}) == "");
  // 8 GPUs x 16 workers on 64 cores
  CHECK_THAT(warning({"jobs.loader.workers=16"}), Contains("128 workers share the 64 cores"));
  // 10 TB / 200 GB = 50 shards for 32 GPUs x 4 workers
  CHECK_THAT(warning({"jobs.dataset.shard=200 GB"}), Contains("fewer shards than the 128"));
  // Of a map-style data set any of them reads any shard.
  CHECK_THAT(remarks(load_with({"jobs.dataset.shard=200 GB"}, "", kFull).diagnostics()),
             Contains("any worker reads any shard") && !Contains("read nothing"));
  CHECK_THAT(warning({"storage.stripe.count=16"}), Contains("fewer than \"stripe.count\""));
  CHECK_THAT(warning({"storage.oss.count=9"}), Contains("fewer than \"oss.count\""));
  CHECK_THAT(warning({"jobs.dataset.sample_stdev=3 MB"}), Contains("twice the sample"));
  CHECK_THAT(warning({"jobs.checkpoint.every=2 h"}), Contains("no save falls into the 1 h"));
}

// 10,000,000 samples in batches of 32 on 32 GPUs are 9,766 steps of 1 s, of which "steps" may be
// fewer: what ends first decides, and a longer duration would not help.
TEST_CASE("too few saves are told by what ends the job first") {
  const auto said = [](const char* steps, const char* mode) {
    return warning({std::string("jobs.steps=") + steps, "jobs.epochs=2",
                    std::string("jobs.checkpoint.mode=") + mode});
  };
  CHECK(said("1000", "async") == "");
  CHECK(said("200", "async") ==
        "/jobs/0/checkpoint/every if no GPU waits job \"train\" has done its \"epochs\" after "
        "6 min 40 s, before a save is due");
  CHECK_THAT(said("1000", "sync"),
             Contains("if no GPU waits the \"epochs\" of job \"train\" last only 3.33 times as "
                      "long as \"every\""));
  CHECK_THAT(warning({"jobs.checkpoint.mode=sync"}), Contains("the run lasts only 6 times"));
}

TEST_CASE("hosts that nothing names are warned of where the file itself has them") {
  const std::string others = R"(cluster.hosts[+]={ "id": "spare", "count": 28, "gpus": 8 })";
  CHECK(warning({others}) ==
        "/cluster/hosts/1 nothing runs on the hosts \"spare\": no job, tenant or stage names them");
  const std::string named =
      R"(tenants[+]={ "id": "x", "type": "fio", "on": "scratch", "hosts": "spare" })";
  CHECK(warning({others, named}) == "");
  std::string own = kFull;
  const std::string hosts = R"("hosts": [ )";
  own.insert(own.find(hosts) + hosts.size(), R"({ "id": "spare", "count": 28 }, )");
  CHECK_THAT(warning({}, own), Contains("nothing runs on the hosts \"spare\""));
}

TEST_CASE("hosts of a scenario in which nothing runs yet are not idle") {
  const char* const on = R"({"id": "on", "cluster": {"hosts": [{"id": "h", "count": 1, "gpus": 0}]},
      "storage": [{"id": "s", "type": "local", "drive": {"count": 1, "read": "1 GB/s"}}]})";
  const Scenario scenario = Scenario::read({.file = "on.json", .text = on, .idle = true});
  REQUIRE(scenario.ok());
  for (const Diagnostic& d : scenario.diagnostics().items())
    CHECK(d.message.find("nothing runs on the hosts") == std::string::npos);
}

TEST_CASE("jobs without their list are one error") {
  std::string text = kFull;
  const std::string list = R"("jobs": [ {)";
  text.replace(text.find(list), list.size(), R"("jobs": {)");
  text.replace(text.find("} ],\n  \"run\""), 4, "},");
  text.insert(text.find("\"run\""),
              R"("expect": [ { "that": "job.train.gpu.utilization > 90 %" } ],
  "tenants": [ { "id": "x", "type": "fio", "on": "scratch", "hosts": "gpu" } ],
  )");
  CHECK_THAT(only_fault(load_with({}, "", text.c_str())),
             Contains("\"jobs\" is a list, not an object"));
  CHECK_THAT(only_fault(load_with({"run.duration=null"}, "", text.c_str())),
             Contains("\"jobs\" is a list, not an object"));
}

TEST_CASE("more stripes or servers than BeeGFS targets are warned of") {
  std::string bee = kFull;
  const std::string lustre = R"("lustre", "ost")";
  bee.replace(bee.find(lustre), lustre.size(), R"("beegfs", "target")");
  CHECK(warning({}, bee) == "");
  CHECK_THAT(warning({"storage.stripe.count=16"}, bee), Contains("has 8 targets, fewer"));
  CHECK_THAT(warning({"storage.server.count=9"}, bee), Contains("fewer than \"server.count\""));
  // Files lie on four by default: nobody asked for so many.
  CHECK(warning({"storage.target.count=2"}, bee) == "");
}

TEST_CASE("NFS over RDMA with what a TCP connection carries is warned of") {
  const std::string text = R"({ "id": "x", "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": [ { "id": "filer", "type": "nfs", "head": { "count": 2 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
                "dataset": { "on": "filer", "format": "webdataset", "sample": "1 MB", "size": "1 TB" } } ],
    "run": { "duration": "1 h" } })";
  CHECK(warning({}, text) == "");
  CHECK_THAT(warning({"storage.client.transport=rdma"}, text),
             Contains("1.5 GB/s is what one TCP connection carries"));
  CHECK(warning({"storage.client.transport=rdma", "storage.client.connection=47 GB/s"}, text) ==
        "");
}

TEST_CASE("rules leave out what a faulty component cannot tell them") {
  // A cache asks what it stands in front of whether that is inside the hosts.
  const std::string text = R"({ "id": "x", "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": [ { "id": "near", "type": "cache", "over": "bucket",
                   "server": { "count": 4, "size": "1 TB" } },
                 { "id": "bucket", "type": "s3" } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" } } ],
    "run": { "duration": "1 h" } })";
  CHECK(load_with({}, "", text.c_str()).ok());
  const auto loaded = load_with({"storage[bucket].prefixes=0.5"}, "", text.c_str());
  REQUIRE(loaded.diagnostics().items().size() == 1);
  CHECK(loaded.diagnostics().items()[0].pointer == "/storage/1/prefixes");
}

TEST_CASE("a field that was written with a fault is not missed as well") {
  const auto fault = [](std::vector<std::string> sets) {
    const auto loaded = load_with(std::move(sets), "", kFull);
    INFO(remarks(loaded.diagnostics()));
    CHECK(loaded.diagnostics().items().size() == 1);
    return loaded.diagnostics().items()[0].pointer;
  };
  const std::string on = "jobs.dataset.also.on=other", share = "jobs.dataset.also.share=",
                    other = R"(storage=[{"id":"scratch","type":"lustre","ost":{"count":8}},)"
                            R"({"id":"other","type":"lustre","ost":{"count":8}}])";
  CHECK(fault({other, on, share + "120 %"}) == "/jobs/0/dataset/also/share");
  CHECK(fault({other, on, share + R"({"value":"120 %","low":"1 %","high":"9 %"})"}) ==
        "/jobs/0/dataset/also/share/value");
  CHECK(fault({other, on}) == "/jobs/0/dataset/also/on");
  const std::string lru = "jobs.dataset.cache.policy=lru", nvme = "jobs.dataset.cache.medium=nvme",
                    drives = "cluster.hosts.nvme.read=4 GB/s", writes = "cluster.hosts.nvme.write=";
  CHECK(fault({lru, nvme, drives, writes + "2 GB/s", "jobs.dataset.cache.size=25"}) ==
        "/jobs/0/dataset/cache/size");
  CHECK(fault({lru, nvme, drives, writes + "2", "jobs.dataset.cache.size=25 GB"}) ==
        "/cluster/hosts/0/nvme/write");
  CHECK(fault({"jobs.checkpoint.every=10"}) == "/jobs/0/checkpoint/every");
  CHECK(fault({"jobs.model.parameters=-1"}) == "/jobs/0/model/parameters");
}

TEST_CASE("RAID levels need drives, and data sets fit on them") {
  const auto error = [](const std::string& storage, const std::string& dataset = "") {
    const std::string text =
        R"({ "id": "small", "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
             "storage": [ )" +
        storage + R"( ],
             "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
                         "dataset": { "on": "disk", "format": "raw", "sample": "1 MB",
                                      "samples": 4000000 )" +
        dataset + R"( }, "loader": {} } ],
             "run": { "duration": "1 min" } })";
    const auto loaded = load_with({}, "", text.c_str());
    return loaded.diagnostics().items().empty() ? "" : loaded.diagnostics().items()[0].message;
  };
  const std::string disk = R"({ "id": "disk", "type": "local", "drive": { "count": 2)";
  CHECK(error(disk + "} }") == "");
  CHECK_THAT(error(disk + R"(}, "raid": { "level": "5" } })"), Contains("needs 3 drives, not 2"));
  CHECK(error(disk + R"(}, "raid": { "level": "10" } })") == "");
  // 4 TB on 2 drives, 3 % of which are lost to the file system and 15 % stay free.
  CHECK(error(disk + R"(, "size": "2.43 TB" } })") == "");
  CHECK_THAT(error(disk + R"(, "size": "2.42 TB" } })"), Contains("each host's \"disk\""));
  CHECK_THAT(error(disk + R"(} }, { "id": "near", "type": "cache", "over": "disk",
                     "server": { "count": 2, "size": "1 TB" } })"),
             Contains("inside the hosts"));
}

TEST_CASE("Lustre fields that need each other are checked") {
  const auto error = [](std::vector<std::string> sets) {
    const auto loaded = load_with(std::move(sets), "", kFull);
    return loaded.diagnostics().items().empty() ? "" : loaded.diagnostics().items()[0].message;
  };
  CHECK_THAT(error({"storage.provisioned=125 MB/s"}), Contains("no capacity"));
  CHECK(error({"storage.provisioned=125 MB/s", "storage.ost.capacity=1.8 TiB"}) == "");
  CHECK_THAT(error({"storage.ost.degraded=9"}), Contains("more OSTs are degraded than the 8"));
  CHECK_THAT(error({"storage.oss.failed=1"}), Contains("needs \"oss.count\""));
  CHECK_THAT(error({"storage.oss.failed=3", "storage.oss.count=4"}), Contains("have a partner"));
}

TEST_CASE("fields of measured storage that contradict each other are faults") {
  const auto error = [](std::vector<std::string> sets) {
    std::string text = kFull;
    const std::string lustre = R"("lustre", "ost": { "count": 8 })";
    text.replace(text.find(lustre), lustre.size(),
                 R"("measured", "servers": 4, "read": { "latency": "1 ms", "rate": "1 GB/s" },
                    "write": { "latency": "1 ms", "rate": "1 GB/s" })");
    const auto loaded = load_with(std::move(sets), "", text.c_str());
    return loaded.diagnostics().items().empty() ? "" : loaded.diagnostics().items()[0].message;
  };
  CHECK(error({}) == "");
  CHECK_THAT(error({"storage.read.law=fifo"}), Contains("cannot wait in one line"));
  CHECK(error({"storage.read.law=fifo", "storage.write.line=own"}) == "");
  CHECK(error({"storage.read.law=fifo", "storage.write.law=fifo"}) == "");
  CHECK_THAT(error({"storage.stripe=5"}), Contains("on 5 of 4 servers"));
  // The job saves, so somebody writes; without saves nobody asks how fast that is.
  CHECK_THAT(error({"storage.write.rate=null"}),
             Contains("lacks \"write.rate\", and job \"train\""));
  CHECK_THAT(error({"storage.write=null"}), Contains("lacks \"write.rate\""));
  CHECK(error({"storage.write=null", "jobs.checkpoint=null"}) == "");
  CHECK_THAT(error({"storage.fitted.smallest=8 KiB", "storage.fitted.largest=4 KiB"}),
             Contains("smaller than the smallest"));
}

TEST_CASE("copies and pieces of a stripe need as many places") {
  const auto error = [](const char* type, const char* counted, std::vector<std::string> sets) {
    std::string text = kFull;
    const std::string lustre = R"("lustre", "ost")";
    text.replace(text.find(lustre), lustre.size(),
                 "\"" + std::string(type) + "\", \"" + counted + "\"");
    const auto loaded = load_with(std::move(sets), "", text.c_str());
    return loaded.diagnostics().items().empty() ? "" : loaded.diagnostics().items()[0].message;
  };
  CHECK(error("hdfs", "datanode", {}) == "");
  CHECK_THAT(error("hdfs", "datanode", {"storage.replicas=9"}), Contains("8 DataNodes for 9 cop"));
  CHECK_THAT(error("cephfs", "osd", {"storage.code.data=8", "storage.code.parity=3"}),
             Contains("8 OSDs for 11 pieces"));
  CHECK_THAT(error("chunkstore", "node", {"storage.replicas=9"}), Contains("8 nodes for 9 copies"));
  CHECK(error("daos", "server", {"storage.server.targets=3"}) == "");  // 16 + 3 on 24
  CHECK_THAT(error("daos", "server", {"storage.server.targets=2"}),
             Contains("16 targets for 19 cells"));
  CHECK(error("daos", "server", {"storage.server.targets=2", "storage.object.parity=0"}) == "");
  // Stripes of WEKA are narrower on few backends: 6 + 2 on 8.
  CHECK(error("weka", "backend", {}) == "");
  CHECK_THAT(error("weka", "backend", {"storage.stripe.parity=8"}),
             Contains("8 backends for 8 pieces of parity"));
  CHECK_THAT(error("weka", "backend", {"storage.backend.count=2"}), Contains("2 backends for 2"));
  CHECK_THAT(error("weka", "backend", {"storage.stripe.data=8"}),
             Contains("8 backends for 10 pieces of a stripe"));
  CHECK(error("weka", "backend", {"storage.stripe.data=6"}) == "");
}

TEST_CASE("a run of few blocking saves is warned of") {
  // 60 min / 10 min = 6 intervals: the overhead may be off by a sixth
  CHECK_THAT(warning({"jobs.checkpoint.mode=sync"}), Contains("lasts only 6 times"));
  CHECK(warning({"jobs.checkpoint.mode=sync", "run.duration=100 min"}) == "");
  CHECK(warning({"run.duration=1 h"}) == "");
}

TEST_CASE("batches that do not fit in shared memory are a fault, not slow") {
  // 8 ranks x 4 workers x 2 batches of 2 samples of 1 MB = 128 MB
  const std::vector<std::string> sets{"jobs.loader.batch=2", "cluster.hosts.shm.size=64 MiB"};
  const std::string fault = only_fault(load_with(sets, "", kFull));
  CHECK_THAT(fault, Contains("8 ranks x 8 batches of 2 MB in shared memory, 128 MB of the"));
  CHECK_THAT(fault, Contains("\"shm.size\""));
  CHECK(warning({"jobs.loader.batch=2", "cluster.hosts.shm.size=128 MB"}) == "");
  // without workers, or with threads, nothing is handed over
  CHECK(warning({"jobs.loader.batch=2", "cluster.hosts.shm.size=64 MiB",
                 "jobs.loader.workers=0"}) == "");
  CHECK(warning({"jobs.loader.batch=2", "cluster.hosts.shm.size=64 MiB",
                 "jobs.loader.type=tensorflow"}) == "");
  // by default half of the 500 GB: 64 batches of 4 GB are 256 GB; decoded, a sample may be larger
  CHECK_THAT(only_fault(load_with({"jobs.loader.batch=4", "jobs.dataset.tensor=1 GB"}, "", kFull)),
             Contains("256 GB of the 250 GB"));
}

TEST_CASE("an iterable data set needs a shard for every rank and a batch for every worker") {
  const std::string iterable = "jobs.loader.style=iterable";
  CHECK(warning({iterable}) == "");
  // 10 TB / 500 GB = 20 shards for 32 ranks
  CHECK_THAT(load_with({iterable, "jobs.dataset.shard=500 GB"}, "", kFull)
                 .diagnostics()
                 .items()[1]
                 .message,
             Contains("20 shards are too few for the 32 ranks"));
  // 10 TB / 50 GB / 32 = 6 shards of a rank for 4 workers: two read 2, two read 1
  CHECK_THAT(warning({iterable, "jobs.dataset.shard=50 GB"}), Contains("do not divide by its 4"));
  // 1280 samples in shards of 10: 4 shards of a rank, one for each worker
  CHECK_THAT(only_fault(load_with({iterable, "jobs.dataset.shard=10 MB", "jobs.loader.batch=11",
                                   "jobs.dataset.size=1280 MB"},
                                  "", kFull)),
             Contains("no worker owns enough samples for one batch"));
  CHECK_THAT(only_fault(load_with({"jobs.loader.import.on=nowhere"}, "", kFull)),
             Contains("no storage system \"nowhere\""));
}

TEST_CASE("only workers of an iterable data set have a shuffle buffer") {
  const std::string buffer = "jobs.loader.shuffle.buffer=1000";
  CHECK_THAT(only_fault(load_with({buffer}, "", kFull)),
             Contains("a loader of style \"map\" has no shuffle buffer"));
  CHECK(warning({buffer, "jobs.loader.style=iterable"}) == "");
  CHECK(warning({buffer, "jobs.loader.type=tensorflow"}) == "");
  CHECK(warning({"jobs.loader.shuffle.buffer=1"}) == "");
}

TEST_CASE("a cache stands in front of another storage system") {
  const std::string tiers = R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
    "storage": [ { "id": "near", "type": "cache", "over": "mid", "server": { "count": 4, "size": "1 TB" } },
                 { "id": "mid", "type": "cache", "over": "far", "server": { "count": 4, "size": "9 TB" } },
                 { "id": "far", "type": "lustre", "ost": { "count": 8 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
                "dataset": { "on": "near", "format": "raw", "sample": "1 MB", "size": "10 TB" } } ]
  })";
  CHECK(warning({}, tiers) == "");
  const auto faults = [&](std::vector<std::string> sets) {
    std::string out;
    const auto loaded = load_with(std::move(sets), "", tiers.c_str());
    for (const Diagnostic& d : loaded.diagnostics().items())
      out += d.pointer + " " + d.message + "\n";
    return out;
  };
  CHECK_THAT(faults({"storage[near].over=nowhere"}),
             Contains("/storage/0/over no storage system \"nowhere\""));
  CHECK_THAT(faults({"storage[near].over=near"}),
             Contains("\"near\" is a cache in front of itself"));
  CHECK_THAT(faults({"storage[mid].over=near"}), Contains("\"mid\" is a cache in front of itself"));
  CHECK_THAT(faults({"storage[far].type=local", "storage[far].drive.count=4"}),
             Contains("\"far\" is inside the hosts"));
}

TEST_CASE("what hosts keep of a data set fits on them and holds a piece of it") {
  const auto faults = [](std::vector<std::string> sets, const std::string& text = kFull) {
    std::string out;
    const auto loaded = load_with(std::move(sets), "", text.c_str());
    for (const Diagnostic& d : loaded.diagnostics().items())
      out += (d.severity == Severity::error ? "error " : "warning ") + d.pointer + " " + d.message +
             "\n";
    return out;
  };
  const std::string lru = "jobs.dataset.cache.policy=lru";
  CHECK(faults({lru, "jobs.dataset.cache.size=400 GB"}) == "");
  CHECK_THAT(faults({lru, "jobs.dataset.cache.size=501 GB"}),
             Contains("error /jobs/0/dataset/cache/size") && Contains("larger than the 500 GB"));
  CHECK_THAT(faults({lru, "jobs.dataset.cache.size=900 MB"}),
             Contains("error /jobs/0/dataset/cache/size") && Contains("does not hold one shard"));
  CHECK_THAT(faults({"jobs.dataset.cache.size=400 GB"}),
             Contains("warning /jobs/0/dataset/cache/size no cache is used"));
  for (const std::string unused :
       {"medium=nvme", "scope=cooperative", "warm=true", "opens=false", "copy=1 GB/s"})
    CHECK_THAT(faults({"jobs.dataset.cache." + unused}),
               Contains("warning /jobs/0/dataset/cache/" + unused.substr(0, unused.find('=')) +
                        " no cache is used"));
  CHECK_THAT(faults({lru, "jobs.dataset.direct=true"}),
             Contains("warning /jobs/0/dataset/direct O_DIRECT goes past"));
  // GPUDirect Storage passes it by, unless it falls back to bounce buffers.
  const std::string gds = "jobs.loader.copy=gds";
  CHECK_THAT(faults({lru, gds}),
             Contains("warning /jobs/0/loader/copy GPUDirect Storage reads past"));
  CHECK(faults({lru, gds, "cluster.hosts.gds.p2p=none"}) == "");
  CHECK(faults({lru, gds, "jobs.dataset.decode=2 ms"}) == "");
  CHECK(faults({gds}) == "");
  const std::string drives = "jobs.dataset.cache.medium=nvme";
  CHECK_THAT(faults({lru, drives, "jobs.dataset.cache.size=4 TB"}),
             Contains("error /jobs/0/dataset/cache/medium") && Contains("no local NVMe"));
  CHECK_THAT(faults({lru, drives}), Contains("needs its size"));
  std::string mds = kFull;
  mds.replace(mds.find("webdataset"), 10, "mds");
  CHECK_THAT(faults({lru, "jobs.dataset.cache_limit=0.9 GB"}, mds),
             Contains("error /jobs/0/dataset/cache_limit") && Contains("does not hold one shard"));
  CHECK(faults({lru, "jobs.dataset.cache_limit=90 GB"}, mds) == "");
  CHECK_THAT(faults({lru, "jobs.dataset.cache_limit=600 GB"}, mds),
             Contains("warning /jobs/0/dataset/cache_limit a limit of 600 GB limits nothing"));
  // Without a cache a limit matters where data are read again.
  CHECK_THAT(faults({"jobs.epochs=2", "jobs.dataset.cache_limit=90 GB"}, mds),
             Contains("warning /jobs/0/dataset/cache_limit every epoch downloads all shards"));
  CHECK(faults({"jobs.epochs=1", "jobs.dataset.cache_limit=90 GB"}, mds) == "");
}

}  // namespace rules_test
