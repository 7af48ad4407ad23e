#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

namespace checkpoint_rules_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kFull = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "memory": { "size": "2 TB" } } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "model": { "parameters": "70B" }, "step": { "compute": "1 s" },
    "checkpoint": { "to": "scratch", "every": "10 min", "mode": "async" }
  } ],
  "run": { "duration": "1 h" }
})";

// Pointer and text of the only error of the scenario with `sets`; "" when there is none.
std::string error(std::vector<std::string> sets) {
  const auto loaded = load_with(std::move(sets), "", kFull);
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics().items())
    if (d.severity == Severity::error) {
      CHECK(out.empty());
      out = d.pointer + " " + d.message;
    }
  return out;
}

std::string warnings(std::vector<std::string> sets) {
  std::string out;
  const auto loaded = load_with(std::move(sets), "", kFull);
  for (const Diagnostic& d : loaded.diagnostics().items())
    if (d.severity == Severity::warning) out += d.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("bad checkpoint values are errors that name their field") {
  struct Row {
    std::vector<std::string> sets;
    const char* part;
  };
  const std::string save = "jobs.checkpoint.";
  const std::vector<Row> rows{
      {{save + "incremental.fraction=120 %"}, "/jobs/0/checkpoint/incremental/fraction"},
      {{save + "incremental.full_every=0"}, "/jobs/0/checkpoint/incremental/full_every"},
      {{save + "keep.last=0"}, "/jobs/0/checkpoint/keep/last"},
      {{save + "keep.every=4"}, "/jobs/0/checkpoint/keep/every"},
      {{save + "corrupt=100 %"}, "/jobs/0/checkpoint/corrupt"},
      {{save + "verify=twice"}, "/jobs/0/checkpoint/verify"},
      {{save + "compress.ratio=0.5"}, "/jobs/0/checkpoint/compress/ratio"},
      {{save + "layout=zero4"}, "/jobs/0/checkpoint/layout"},
      {{save + "threads=0"}, "/jobs/0/checkpoint/threads"},
      {{save + "serializer=tensorstore"}, "\"chunk\" does not say how large"},
      {{save + "layout=fsdp-hybrid", save + "shard_group=5"}, "do not divide the 32 ranks"},
      {{save + "durable=local-nvme"}, "/jobs/0/checkpoint/durable no save passes"},
      {{save + "durable=host-memory"}, "no save passes through \"host-memory\""},
      {{save + "commit=cache"}, "does not wait for the writes of an asynchronous save"},
      {{save + "commit=cache", save + "mode=sync", save + "direct=true"}, "past the page cache"},
      {{save + "commit=cache", save + "mode=sync", save + "verify=read-back"},
       "reading back would read the page cache"},
      {{save + "commit=cache", save + "mode=sync", save + "to=host-memory"}, "no file is written"},
      {{save + "commit=in-place", save + "keep.last=2"}, "leaves one save"},
      {{save + "commit=in-place", save + "incremental.fraction=10 %"}, "leaves one save"},
      {{save + "commit=in-place", R"(storage=[{"id": "scratch", "use": "storage/s3-standard"}])"},
       "/jobs/0/checkpoint/commit an object is replaced when all of it is there"},
      {{save + "commit=cache", save + "mode=sync", save + "gds=true"}, "past the page cache"},
      {{save + R"(tiers=["tape", "scratch"])"},
       "/jobs/0/checkpoint/tiers/0 no checkpoint tier \"tape\""},
      {{save + R"(tiers=["scratch", "host-memory"])"},
       "/jobs/0/checkpoint/tiers/1 the last tier is \"host-memory\", but the checkpoint goes to "
       "\"scratch\""},
      {{save + "drain_every=4", save + "durable=scratch"}, "would be safe nowhere"},
      {{save + R"(tiers=["host-memory", "scratch"])", save + "durable=host-memory",
        "cluster.hosts.memory.size=400 GB"},
       "/jobs/0/checkpoint/durable the copies that one host holds"},
      {{save + R"(tiers=["host-memory", "peer-memory", "scratch"])", save + "durable=peer-memory",
        "cluster.hosts.memory.size=800 GB"},
       "/jobs/0/checkpoint/durable the copies that one host holds"},
      {{save + "to=tape"}, "no storage system \"tape\""},
      {{save + "to=host-memory", save + "drain_every=4", save + "durable=host-memory"},
       "ends in memory, and goes nowhere from there"},
      {{save + "to=host-memory", save + "incremental.fraction=10 %"}, "increments are files"},
      {{save + "to=peer-memory", save + "compress.ratio=2"}, "no CPU compresses it"},
      {{save + "to=peer-memory", save + "verify=read-back"}, "no file to read back"},
      {{save + "to=peer-memory", save + "peers=4"}, "4 copies in the memory of other hosts"},
      {{save + "to=peer-memory", "cluster.hosts.memory.size=800 GB"}, "do not fit in half"},
      {{save + "to=host-memory", save + R"(tiers=["scratch", "host-memory"])"},
       "passes through \"scratch\""},
      {{save + "drain_every=4"}, "/jobs/0/checkpoint/drain_every saves that are not drained"},
      {{save + "restore.from=local-nvme"}, "/jobs/0/checkpoint/restore/from no save passes"},
      {{save + R"(tiers=["host-memory", "local-nvme", "scratch"])"}, "has no local NVMe"},
      {{save + R"(tiers=["host-memory", "peer-memory", "scratch"])", save + "peers=4"},
       "4 copies in the memory of other hosts"},
      {{"jobs.parallel.tensor=8", "jobs.parallel.pipeline=8"}, "/jobs/0/parallel/tensor"},
      {{"jobs.parallel.pipeline=5"}, "tensor x pipeline = 5 does not divide the 32 ranks"},
      {{"jobs.model.shape.layers=80"}, "lacks \"shape.vocabulary\""}};
  for (const Row& row : rows) {
    INFO(row.sets.front());
    CHECK_THAT(error(row.sets), Contains(row.part));
  }
  CHECK(error({}) == "");
  CHECK(error({save + R"(tiers=["host-memory", "peer-memory", "scratch"])",
               save + "durable=peer-memory", save + "restore.from=peer-memory"}) == "");
  CHECK(error({save + "to=host-memory"}) == "");
  CHECK(error({save + "to=peer-memory", save + "mode=sync"}) == "");
  CHECK(error({save + R"(tiers=["host-memory", "scratch"])", save + "durable=host-memory",
               save + "drain_every=10"}) == "");
}

TEST_CASE("snapshots that the simulation would not stage are warned of, and nothing else") {
  // 70e9 parameters x 14 B = 980 GB over 4 hosts = 245 GB a snapshot; half of memory may be used.
  const std::string save = "jobs.checkpoint.";
  const auto with = [](const std::string& memory, std::vector<std::string> sets) {
    sets.push_back("cluster.hosts.memory.size=" + memory);
    return warnings(sets);
  };
  CHECK(with("500 GB", {save + "buffers=1"}) == "");
  CHECK_THAT(with("500 GB", {save + "buffers=2"}),
             Contains("490 GB, do not fit in half of") && !Contains("a host of job"));
  // Rank 0 stages all of it.
  CHECK_THAT(with("1.2 TB", {save + "layout=rank0"}),
             Contains("980 GB, do not fit in half of") && !Contains("a host of job"));
  // A copy for another host takes as much again.
  const std::string peers = save + R"(tiers=["host-memory", "peer-memory", "scratch"])";
  CHECK_THAT(with("600 GB", {peers}),
             Contains("490 GB, do not fit in half of") && !Contains("a host of job"));
  // What not even one copy fits in is too little for saves that training waits for, too.
  CHECK_THAT(
      with("240 GB", {save + "buffers=2"}),
      Contains("490 GB, do not fit in half of") && Contains("245 GB of the state that it saves"));
  // A GPU that compresses by two halves what is copied.
  CHECK(with("500 GB", {save + "buffers=2", save + "compress.ratio=2", save + "compress.on=gpu"}) ==
        "");
}

TEST_CASE("GPUDirect Storage is an error where saves go on from a snapshot") {
  CHECK_THAT(error({"jobs.checkpoint.gds=true"}), Contains("/jobs/0/checkpoint/gds"));
  CHECK(error({"jobs.checkpoint.gds=true", "jobs.checkpoint.mode=sync"}) == "");
}

TEST_CASE("a file that several write in pieces is refused where nobody says what that costs") {
  CHECK(error({"jobs.checkpoint.shared=interleaved"}) == "");
  CHECK_THAT(error({"jobs.checkpoint.shared=interleaved",
                    R"(storage=[{"id": "scratch", "use": "storage/s3-standard"}])"}),
             Contains("/jobs/0/checkpoint/shared") && Contains("write files and objects whole"));
  CHECK_THAT(error({"jobs.checkpoint.shared=interleaved",
                    R"(jobs.checkpoint.tiers=["host-memory", "local-nvme", "scratch"])",
                    "cluster.hosts.nvme.write=8 GB/s", "cluster.hosts.nvme.read=8 GB/s"}),
             Contains("\"local-nvme\" takes no file"));
  // What is of no kind that exists takes nothing.
  CHECK_THAT(error({"jobs.checkpoint.shared=interleaved", "storage.type=nowhere"}),
             Contains("/storage/0/type"));
}

TEST_CASE("a drain from local drives needs drives that can be read") {
  CHECK_THAT(error({R"(jobs.checkpoint.tiers=["host-memory", "local-nvme", "scratch"])",
                    "cluster.hosts.nvme.write=8 GB/s"}),
             Contains("no local NVMe to read from"));
}

TEST_CASE("increments that go on without what they build on are worth a warning") {
  const std::string save = "jobs.checkpoint.";
  const auto with = [&](const char* drains, const char* changed) {
    return warnings({save + R"(tiers=["host-memory", "scratch"])", save + "durable=host-memory",
                     save + "incremental.full_every=2", save + "incremental.fraction=" + changed,
                     save + "drain_every=" + drains});
  };
  CHECK_THAT(with("3", "20 %"), Contains("without what they build on"));
  CHECK_THAT(with("3", "100 %"), Contains("\"incremental.full_every\" has no effect") &&
                                     !Contains("without what they build on"));
  CHECK(with("4", "20 %") == "");
  CHECK(with("1", "20 %") == "");
}

TEST_CASE("too few checkpoints that may be bad are worth a warning") {
  const std::string save = "jobs.checkpoint.";
  // 5 %^2 = 0.25 % of the restarts; 5 %^3 is a tenth of what is worth a word
  const std::vector<std::string> two{save + "corrupt=5 %", save + "checksum=10 GB/s"};
  const auto with = [&](const char* keep) {
    auto sets = two;
    sets.push_back(save + keep);
    return warnings(sets);
  };
  CHECK_THAT(with("keep.last=2"), Contains("in 0.25 % of the restarts"));
  CHECK(with("keep.last=3") == "");
  CHECK(warnings(two) == "");
  CHECK(warnings({save + "corrupt=5 %", save + "keep.last=1", save + "verify=read-back"}) == "");
  CHECK_THAT(warnings({save + "corrupt=5 %"}), Contains("have no checksum"));
}

TEST_CASE("a run too short for the saves of several jobs is warned of once, with their names") {
  std::string two = kFull;
  two.replace(two.find("\"count\": 4"), 10, "\"count\": 2");
  two.replace(two.find("\"async\""), 7, "\"sync\"");
  const std::string host = "{ \"id\": \"gpu\"", job = "{\n    \"id\": \"train\"";
  const std::size_t hosts = two.find(host), hosts_end = two.find("} } ]", hosts) + 3;
  std::string other = two.substr(hosts, hosts_end - hosts);
  other.replace(other.find("gpu"), 3, "more");
  two.insert(hosts_end, ", " + other);
  const std::size_t jobs = two.find(job), jobs_end = two.find("  } ],", jobs) + 3;
  other = two.substr(jobs, jobs_end - jobs);
  other.replace(other.find("train"), 5, "tune");
  other.replace(other.find("gpu"), 3, "more");
  two.insert(jobs_end, ", " + other);
  const auto loaded = load_with({}, "", two.c_str());
  std::string said;
  for (const Diagnostic& d : loaded.diagnostics().items())
    if (d.message.find("lasts only") != std::string::npos) said += d.message + "\n";
  INFO(two);
  CHECK(said ==
        "the run lasts only 6 times as long as \"every\" of jobs \"train\", \"tune\", too short "
        "for the overhead of a long one\n");
}

}  // namespace checkpoint_rules_test
