#include "engine/decide/plan/advice.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/values.hpp"

namespace advice_test {

using namespace stallcast;
using testing::number;

namespace {

Design design() {
  Design d;
  Component storage;
  storage.id = "scratch";
  storage.kind = "lustre";
  storage.values["ost.count"] = number(48, Dimension::count);
  storage.values["oss.count"] = number(10, Dimension::count);
  storage.values["mdt.count"] = number(2, Dimension::count);
  d.storage.push_back(storage);
  Component host;
  host.id = "gpu";
  host.values["nic.rate"] = number(50e9, Dimension::rate);
  d.hosts.push_back(host);
  JobDesign job;
  job.job.id = "train";
  Value on;
  on.dimension = Dimension::text;
  on.text = "gpu";
  job.job.values["hosts"] = on;
  job.loader.emplace();
  job.loader->values["workers"] = number(8, Dimension::count);
  job.checkpoint.emplace();
  job.checkpoint->kind = "sync";
  d.jobs.push_back(job);
  return d;
}

Prediction blaming(std::vector<std::string> resources, double checkpoint_share = 0.0) {
  Prediction p;
  for (const std::string& r : resources) p.bottlenecks.push_back({r, 0.9, 0.5, ""});
  p.breakdown["train"] = {{"checkpoint", checkpoint_share}, {"cpu", 0.05}};
  return p;
}

std::string first_set(const std::string& resource) {
  const auto changes = plan::candidate_changes(design(), blaming({resource}), 4);
  return changes.empty() ? "" : text_of(changes[0].change);
}

}  // namespace

TEST_CASE("what costs less than a simulation is worth is not tried, unless a target is missed") {
  Prediction p = blaming({"storage.scratch.ost.write"});
  p.bottlenecks[0].blamed_share = 0.5;
  p.breakdown["train"] = {{"compute", 0.9961}, {"data", 0.0039}};
  CHECK(plan::candidate_changes(design(), p, 4).empty());  // 0.5 x 0.39 % of the time
  p.breakdown["train"] = {{"compute", 0.9959}, {"data", 0.0041}};
  CHECK(plan::candidate_changes(design(), p, 4).size() == 1);
  p.breakdown["train"] = {{"compute", 1.0}};
  CHECK(plan::candidate_changes(design(), p, 4).empty());
  AssertionOutcome missed;
  missed.status = "fail";
  missed.limited_by = "storage.scratch.ost.write";
  p.assertions.push_back(missed);
  CHECK(plan::candidate_changes(design(), p, 4).size() == 1);
}

TEST_CASE("every kind of bottleneck has the change that relieves it") {
  CHECK(first_set("storage.scratch.ost.write") == "storage[scratch].ost.count=60");
  CHECK(first_set("storage.scratch.oss.nic.read") == "storage[scratch].oss.count=13");
  CHECK(first_set("storage.scratch.mdt") == "storage[scratch].mdt.count=4");
  CHECK(first_set("host.gpu.cpu") == "jobs[train].loader.workers=16");
  CHECK(first_set("host.gpu.nic.read").starts_with("cluster.hosts[gpu].nic.rate="));
}

TEST_CASE("of every storage system there is more of what answers metadata and moves data") {
  const auto first = [](const char* kind, const std::string& part, const char* field) {
    Design d = design();
    d.storage[0].kind = kind;
    d.storage[0].values[field] = number(4, Dimension::count);
    const auto changes = plan::candidate_changes(d, blaming({"storage.scratch." + part}), 4);
    return changes.size() == 1 ? text_of(changes[0].change) : "";
  };
  CHECK(first("beegfs", "mds", "mds.count") == "storage[scratch].mds.count=8");
  CHECK(first("beegfs", "target.read", "target.count") == "storage[scratch].target.count=5");
  CHECK(first("cephfs", "mds", "mds.count") == "storage[scratch].mds.count=8");
  CHECK(first("cephfs", "osd.ops", "osd.count") == "storage[scratch].osd.count=5");
  CHECK(first("chunkstore", "meta", "meta.count") == "storage[scratch].meta.count=8");
  CHECK(first("chunkstore", "node.nic.read", "node.count") == "storage[scratch].node.count=5");
  CHECK(first("cxl", "drives", "device.count") == "storage[scratch].device.count=5");
  CHECK(first("daos", "keys", "server.count") == "storage[scratch].server.count=5");
  CHECK(first("gpfs", "inodes", "server.count") == "storage[scratch].server.count=5");
  CHECK(first("hdfs", "namenode", "namenode.count") == "storage[scratch].namenode.count=8");
  CHECK(first("hdfs", "disk.read", "datanode.count") == "storage[scratch].datanode.count=5");
  CHECK(first("nfs", "head.ops", "head.count") == "storage[scratch].head.count=5");
  CHECK(first("nfs", "shelf.read", "shelf.count") == "storage[scratch].shelf.count=5");
  CHECK(first("nvmeof", "target.nic.read", "target.count") == "storage[scratch].target.count=5");
  CHECK(first("san", "port.nic.read", "port.count") == "storage[scratch].port.count=5");
  CHECK(first("weka", "metadata", "backend.count") == "storage[scratch].backend.count=5");
}

TEST_CASE("twice of a resource is twice of its field, and nothing where there is none") {
  const auto twice = [](const std::string& resource) {
    const auto change = plan::doubled(design(), blaming({resource}), resource);
    return change ? text_of(change->change) : "";
  };
  CHECK(twice("storage.scratch.ost.write") == "storage[scratch].ost.count=96");
  CHECK(twice("storage.scratch.oss.nic.read") == "storage[scratch].oss.count=20");
  CHECK(twice("host.gpu.nic.read") == "cluster.hosts[gpu].nic.rate=800 Gb/s");
  CHECK(twice("storage.other.ost").empty());
  CHECK(twice("host.gpu.gpu.copy").empty());  // relieved by another kind of memory, not by more
}

TEST_CASE("where cores limit, more workers are tried, and fewer: each of them takes cores, too") {
  const auto changes = plan::candidate_changes(design(), blaming({"host.gpu.cpu"}), 4);
  REQUIRE(changes.size() == 2);
  CHECK(text_of(changes[0].change) == "jobs[train].loader.workers=16");
  CHECK(text_of(changes[1].change) == "jobs[train].loader.workers=4");
}

TEST_CASE("what nobody waits for is tried where it gains, and not where that is noise") {
  Design threads = design();
  threads.jobs[0].checkpoint->values["threads"] = number(1, Dimension::count);
  Prediction p = blaming({"job.train.checkpoint.threads"}, 0.05);
  p.bottlenecks[0].blamed_share = 0.0;
  const auto tried = [&](double gain, double noise) {
    p.bottlenecks[0].gain.emplace();
    p.bottlenecks[0].gain->time = gain;
    p.gains.emplace();
    p.gains->noise = noise;
    const auto changes = plan::candidate_changes(threads, p, 4);
    return std::any_of(changes.begin(), changes.end(), [](const plan::Proposal& c) {
      return text_of(c.change) == "jobs[train].checkpoint.threads=2";
    });
  };
  CHECK(tried(0.013, 0.0005));
  CHECK_FALSE(tried(0.001, 0.0005));
  CHECK_FALSE(tried(0.013, 0.02));
}

TEST_CASE("stripes over more OSTs are tried where not all of them are used at a time") {
  Design stripes = design();
  stripes.storage[0].values["stripe.count"] = number(1, Dimension::count);
  Prediction p = blaming({"storage.scratch.ost"});
  ResourceUse& osts = p.resources.emplace_back();
  osts.name = "storage.scratch.ost";
  osts.capacity = 100.0;
  osts.in_use = 50.0;
  const auto tried = [&] {
    std::vector<std::string> out;
    for (const plan::Proposal& c : plan::candidate_changes(stripes, p, 4))
      out.push_back(text_of(c.change));
    return out;
  };
  CHECK(tried() == std::vector<std::string>{"storage[scratch].ost.count=60",
                                            "storage[scratch].stripe.count=2"});
  // Where some have more files than others they are filled in turn, which costs nothing.
  Value& placement = stripes.storage[0].values["placement"] = number(0, Dimension::text);
  placement.text = "random";
  CHECK(tried().front() == "storage[scratch].placement=round-robin");
  placement.text = "round-robin";
  osts.in_use = 99.0;
  CHECK(tried() == std::vector<std::string>{"storage[scratch].ost.count=60"});
}

TEST_CASE("full links of a fat tree: faster ones, and more of them") {
  Design tree = design();
  tree.fabric.kind = "fat-tree";
  tree.fabric.values["link.rate"] = number(50e9, Dimension::rate);
  tree.fabric.values["oversubscription"] = number(8, Dimension::number);
  const auto changes = plan::candidate_changes(tree, blaming({"fabric.gpu.area.uplink.write"}), 4);
  REQUIRE(changes.size() == 2);
  CHECK(text_of(changes[0].change) == "cluster.fabric.link.rate=800 Gb/s");
  CHECK(text_of(changes[1].change) == "cluster.fabric.oversubscription=4");
  CHECK(changes[1].relative_cost == Approx(1.0));
}

TEST_CASE("fields that were left out are not changed") {
  CHECK(first_set("host.gpu.nvme.drives").empty());
  CHECK(first_set("fabric.bisection").empty());
  CHECK(first_set("storage.other.ost").empty());
}

TEST_CASE("a blocking save that costs time suggests saving in the background") {
  const auto changes =
      plan::candidate_changes(design(), blaming({"storage.scratch.ost.write"}, 0.05), 4);
  REQUIRE(changes.size() == 2);
  CHECK(text_of(changes[0].change) == "jobs[train].checkpoint.mode=async");
  CHECK(changes[0].text == "job.train.checkpoint.mode sync -> async");
}

TEST_CASE("a stream that limits saves suggests what makes a save faster") {
  Design d = design();
  d.jobs[0].checkpoint->kind = "async";
  Value to = number(0, Dimension::text);
  to.text = "scratch";
  d.jobs[0].checkpoint->values["to"] = to;
  d.jobs[0].checkpoint->values["direct"] = number(0, Dimension::boolean);
  d.jobs[0].checkpoint->values["threads"] = number(1, Dimension::count);
  const auto changes =
      plan::candidate_changes(d, blaming({"storage.scratch.client.stream"}, 0.05), 4);
  REQUIRE(changes.size() == 2);  // the data set lies elsewhere: no advice about its loader
  CHECK(text_of(changes[0].change) == "jobs[train].checkpoint.direct=true");
  CHECK(changes[1].text == "job.train.checkpoint.threads 1 -> 2");
}

TEST_CASE("what a missed target is limited by is tried before what is waited for") {
  Prediction p = blaming({"storage.scratch.mdt"});
  p.assertions.push_back({"nic", "", 0.9, "ratio", "fail", "error", "storage.scratch.oss.nic", ""});
  const auto changes = plan::candidate_changes(design(), p, 4);
  REQUIRE(changes.size() == 2);
  CHECK(text_of(changes[0].change) == "storage[scratch].oss.count=13");
}

TEST_CASE("what a client of a storage system limits is relieved where its mount is set") {
  Design d = design();
  const auto set = [&](const char* resource) {
    const auto changes = plan::candidate_changes(d, blaming({resource}), 4);
    return changes.empty() ? "" : text_of(changes[0].change);
  };
  for (const std::string field : {"nconnect", "rpcs_in_flight", "slots", "connections", "dirty"}) {
    d.storage[0].values = {};
    d.storage[0].values["client." + field] = number(8, Dimension::count);
    CHECK(set("host.gpu.client.scratch.read") == "storage[scratch].client." + field + "=16");
    CHECK(set("host.gpu.client.other.read").empty());
  }
  CHECK(set("host.gpu.client").empty());
}

TEST_CASE("the limit of a job is a change that relieves the job") {
  Design d = design();
  d.jobs[0].job.values["limit"] = number(10e9, Dimension::rate);
  d.jobs[0].job.values["limit_operations"] = number(2400, Dimension::op_rate);
  const auto set = [&](const char* resource) {
    const auto changes = plan::candidate_changes(d, blaming({resource}), 4);
    return changes.size() == 1 ? text_of(changes[0].change) : "";
  };
  CHECK(set("job.train.limit") == "jobs[train].limit=20 GB/s");
  CHECK(set("job.train.limit_operations") == "jobs[train].limit_operations=4.8 kops/s");
}

TEST_CASE("two resources with one remedy give one change") {
  const auto changes = plan::candidate_changes(
      design(), blaming({"storage.scratch.ost.read", "storage.scratch.ost.write"}), 4);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].text == "storage.scratch.ost.count 48 -> 60");
  CHECK(changes[0].relative_cost == Approx(0.25));
}

TEST_CASE("what limits object storage has the change that relieves it") {
  Design d = design();
  d.storage[0].kind = "s3";
  d.storage[0].values["prefixes"] = number(3, Dimension::count);
  const auto set_for = [&](const std::string& resource) {
    const auto changes = plan::candidate_changes(d, blaming({resource}), 4);
    return changes.empty() ? "" : text_of(changes[0].change);
  };
  CHECK(set_for("storage.scratch.prefixes.get") == "storage[scratch].prefixes=6");
}

TEST_CASE("hardware that is idle and that nobody waits for is halved") {
  Prediction p = blaming({});
  p.breakdown["train"] = {{"compute", 1.0}};
  const auto use = [](const char* name, double busy, double blamed) {
    return ResourceUse{.name = name,
                       .unit = "B/s",
                       .capacity = 100.0,
                       .throughput = busy * 100.0,
                       .in_use = 0.0,
                       .blamed_share = blamed};
  };
  p.resources = {use("storage.scratch.ost", 0.2, 0.0),
                 use("storage.scratch.oss.nic.read", 0.6, 0.0),
                 use("storage.scratch.mdt", 0.1, 0.5)};
  std::vector<std::string> sets;
  for (const plan::Proposal& spare : plan::spare_changes(design(), p, 8))
    sets.push_back(text_of(spare.change));
  // 48 OSTs are 20 % busy; OSSs are busy, MDTs are waited for; no loader loses time with 8 workers
  CHECK(sets ==
        std::vector<std::string>{"storage[scratch].ost.count=24", "jobs[train].loader.workers=4"});
}

TEST_CASE("servers that one part of them keeps busy are not halved for another that is idle") {
  Design d = design();
  d.storage[0].kind = "chunkstore";
  d.storage[0].values["node.count"] = number(8, Dimension::count);
  Prediction p = blaming({});
  const auto use = [](const char* name, double busy) {
    return ResourceUse{.name = name,
                       .unit = "B/s",
                       .capacity = 100.0,
                       .throughput = busy * 100.0,
                       .in_use = 0.0,
                       .blamed_share = 0.0};
  };
  p.resources = {use("storage.scratch.target.read", 0.2),
                 use("storage.scratch.node.nic.read", 0.7)};
  const auto halved = [&] {
    const auto changes = plan::spare_changes(d, p, 8);
    return std::any_of(changes.begin(), changes.end(), [](const plan::Proposal& change) {
      return text_of(change.change) == "storage[scratch].node.count=4";
    });
  };
  CHECK_FALSE(halved());
  p.resources.back() = use("storage.scratch.node.nic.read", 0.4);
  CHECK(halved());
}

TEST_CASE("a job that waits for spare hosts is tried with twice as many") {
  Design d = design();
  d.jobs[0].recovery.emplace();
  d.jobs[0].recovery->values["spares"] = number(10, Dimension::count);
  Prediction p = blaming({});
  const auto tried = [&] {
    const auto changes = plan::further_changes(d, p, 8);
    return std::any_of(changes.begin(), changes.end(), [](const plan::Proposal& change) {
      return text_of(change.change) == "jobs[train].recovery.spares=20";
    });
  };
  CHECK_FALSE(tried());
  p.breakdown["train"]["restart"] = 0.5;
  CHECK(tried());
}

TEST_CASE("what failures cost is tried: the best save interval, and spares that are waited for") {
  Design d = design();
  d.jobs[0].checkpoint->values["every"] = number(3600, Dimension::time);
  d.jobs[0].recovery.emplace();
  d.jobs[0].recovery->values["spares"] = number(2, Dimension::count);
  Prediction p = blaming({});
  const auto metric = [&](const char* name, double value) {
    p.metrics[std::string("job.train.") + name] = {value, "", {}};
  };
  metric("goodput", 0.909);
  metric("step.time", 5.0);
  metric("checkpoint.best_interval", 1114.3);
  metric("checkpoint.best_interval.goodput", 0.93);
  auto changes = plan::candidate_changes(d, p, 4);
  REQUIRE(changes.size() == 1);
  CHECK(text_of(changes[0].change) == "jobs[train].checkpoint.every=19 min");
  CHECK(changes[0].text == "job.train.checkpoint.every 1 h -> 19 min");
  CHECK(changes[0].relative_cost == 0.0);
  metric("failures.waiting.share", 0.044);
  changes = plan::candidate_changes(d, p, 4);
  REQUIRE(changes.size() == 2);
  CHECK(text_of(changes[1].change) == "jobs[train].recovery.spares=4");
  CHECK(changes[1].count.has_value());
  metric("checkpoint.best_interval.goodput", 0.9095);  // not worth a simulation
  changes = plan::candidate_changes(d, p, 4);
  REQUIRE(changes.size() == 1);
  metric("failures.waiting.share", 0.001);
  CHECK(plan::candidate_changes(d, p, 4).empty());
  metric("checkpoint.best_interval", 88.4);
  metric("checkpoint.best_interval.goodput", 0.93);
  CHECK(text_of(plan::candidate_changes(d, p, 4).at(0).change) ==
        "jobs[train].checkpoint.every=88 s");
  d.jobs[0].checkpoint->values.erase("every");
  d.jobs[0].checkpoint->values["every_steps"] = number(700, Dimension::count);
  CHECK(text_of(plan::candidate_changes(d, p, 4).at(0).change) ==
        "jobs[train].checkpoint.every_steps=18");
}

TEST_CASE("where a target is missed the interval halfway to one that is far off is tried, too") {
  Design d = design();
  d.jobs[0].checkpoint->values["every"] = number(1800, Dimension::time);
  Prediction p = blaming({});
  const auto tried = [&](double best) {
    p.metrics["job.train.goodput"] = {0.893, "", {}};
    p.metrics["job.train.checkpoint.best_interval"] = {best, "", {}};
    p.metrics["job.train.checkpoint.best_interval.goodput"] = {0.97, "", {}};
    std::vector<std::string> out;
    for (const plan::Proposal& change : plan::candidate_changes(d, p, 4))
      out.push_back(text_of(change.change));
    return out;
  };
  CHECK(tried(25.0) == std::vector<std::string>{"jobs[train].checkpoint.every=25 s"});
  AssertionOutcome missed;
  missed.status = "fail";
  missed.limited_by = "job.train.failures";
  p.assertions.push_back(missed);
  CHECK(tried(25.0) == std::vector<std::string>{"jobs[train].checkpoint.every=25 s",
                                                "jobs[train].checkpoint.every=212 s"});
  CHECK(tried(600.0) == std::vector<std::string>{"jobs[train].checkpoint.every=10 min"});
}

TEST_CASE("a job that loses time to saves is tried with a longer interval") {
  Design d = design();
  d.jobs[0].checkpoint->values["every"] = number(600, Dimension::time);
  const auto changes = plan::further_changes(d, blaming({}, 0.05), 8);
  const bool longer = std::any_of(changes.begin(), changes.end(), [](const plan::Proposal& p) {
    return text_of(p.change) == "jobs[train].checkpoint.every=20 min";
  });
  CHECK(longer);
}

}  // namespace advice_test
