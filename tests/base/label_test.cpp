#include <catch2/catch.hpp>

#include "engine/base/covers.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"

namespace label_test {

using namespace stallcast;

TEST_CASE("resources are named as people call them") {
  CHECK(label::of_resource("storage.scratch.ost") == "OSTs of scratch");
  CHECK(label::of_resource("storage.scratch.ost.write") == "OSTs of scratch (write)");
  CHECK(label::of_resource("storage.scratch.ost.lock") == "extent locks of scratch");
  CHECK(label::of_resource("storage.home.shared_file") == "pieces of shared files of home");
  CHECK(label::of_resource("storage.home.shared") == "pieces of shared files of home");
  CHECK(label::of_resource("storage.rgw") == "combined parts of rgw");
  CHECK(label::of_resource("storage.rgw.read") == "bandwidth of rgw (read)");
  CHECK(label::of_resource("host.gpu.gpu.copy") == "host-GPU copies");
  CHECK(label::of_resource("host.gpu.client.archive.read") ==
        "storage clients of gpu hosts, archive (read)");
  CHECK(label::of_resource("host.gpu.client.archive.requests") ==
        "storage clients of gpu hosts, archive (small requests in flight)");
  CHECK(label::of_resource("host.g.client.s.gds.write") ==
        "GPUDirect storage clients of g hosts, s (write)");
  CHECK(label::of_resource("fabric.compute_link") == "links of the compute network");
  CHECK(label::of_resource("host.a.nvme.drives.write") == "local NVMe drives of a hosts (write)");
  CHECK(label::of_resource("job.train.barrier") == "slowest rank of train");
  CHECK(label::of_resource("fabric.read") == "fabric (read)");
  CHECK(label::of_resource("fabric.gpu.area.uplink.read") == "fabric, area (uplinks, read)");
}

TEST_CASE("what limits together is named together, one owner once") {
  const std::string two = label::several(std::vector<std::string>{"fabric", "host.g.nic"});
  CHECK(two == "fabric and host.g.nic");
  CHECK(label::are_several(two));
  CHECK(label::each_of(two) == std::vector<std::string>{"fabric", "host.g.nic"});
  CHECK(label::of_resource(two) == "fabric and NICs of g hosts");
  CHECK(label::of_resource("host.g.nvlink and host.g.nic") == "NVLink and NICs of g hosts");
  CHECK_FALSE(label::are_several("host.g.nic"));
  CHECK(label::each_of("host.g.nic") == std::vector<std::string>{"host.g.nic"});
}

TEST_CASE("a part without a row is named by its own words") {
  CHECK_FALSE(label::knows("storage.s.new_thing.read"));
  CHECK(label::of_resource("storage.s.new_thing.read") == "new thing of s (read)");
  CHECK(label::of_resource("odd") == "odd");
  CHECK(label::of_resource("").empty());
}

TEST_CASE("every cause has words") {
  for (const char* cause : kBreakdownCauses) CHECK_FALSE(label::of_cause(cause).empty());
  CHECK(label::of_cause("lunch").empty());
}

TEST_CASE("figures are named as people call them, their statistic in words") {
  CHECK(label::of_metric("job.train.checkpoint.stall.max", "s") == "longest stall per save");
  CHECK(label::of_metric("job.train.checkpoint.duration.max", "s", true) ==
        "longest time to a durable save of train");
  CHECK(label::of_metric("job.train.checkpoint.stall.p99", "s") == "stall per save (p99)");
  CHECK(label::of_metric("job.train.gpu.utilization", "ratio") == "GPU utilization");
  CHECK(label::of_metric("tenant.chat.itl", "s") == "time between tokens of chat");
  CHECK(label::of_metric("storage.cache.hit", "ratio") == "reads found in the cache of cache");
  CHECK(label::of_metric("resource.storage.scratch.ost.utilization", "ratio") ==
        "utilization of the OSTs of scratch");
  CHECK(label::of_metric("cost.capex", "USD") == "cost of the system");
  CHECK(label::of_metric("job.train.checkpoint.took.host.gpu.gpu.copy", "s") ==
        "save in the host-GPU copies");
  CHECK(label::of_metric("job.train.checkpoint.took.storage.scratch.ost.write", "s", true) ==
        "save of train in the OSTs of scratch (write)");
  CHECK(label::of_metric("job.train.run.time", "s", true) == "time of the whole run of train");
  CHECK(label::of_metric("job.train.first_batch", "s") == "first batch after");
  CHECK(label::of_metric("job.train.first_batch", "s", true) == "time to the first batch of train");
  CHECK(label::of_metric("job.train.time.compute", "s", true) == "time of compute of train");
  CHECK(label::of_metric("job.train.checkpoint.size", "B") == "size of a save");
}

TEST_CASE("a figure without a row is named by its own words") {
  CHECK(label::of_metric("job.train.waited.host.gpu.gpu.copy", "s") ==
        "time waited for the host-GPU copies");
  CHECK(label::of_metric("job.train.waited.storage.scratch.ost.write", "s", true) ==
        "time waited for the OSTs of scratch (write) of train");
  CHECK(label::of_metric("job.train.waited.job.train.checkpoint.serialize", "s", true) ==
        "time waited for the serialization of saves of train");
  CHECK(label::of_metric("job.train.stall.cpu", "ratio") == "waiting for CPU cores");
  CHECK(label::of_metric("job.train.time.sync", "s") == "time waiting for the slowest rank");
  CHECK(label::of_metric("job.train.never.heard_of.max", "s") == "longest never heard of");
  CHECK(label::of_metric("pipeline.never.heard.of", "s") == "never heard of");
  CHECK(label::of_metric("odd", "s") == "odd");
  CHECK(label::of_metric("max(resource.*.utilization)", "ratio") == "max(resource.*.utilization)");
}

TEST_CASE("a limit is each of its ways and each of several, and nothing that only belongs to it") {
  for (const char* way : {"", ".read", ".write", ".get", ".put"})
    CHECK(base::covers("storage.a.ost", "storage.a.ost" + std::string(way)));
  CHECK(base::covers("fabric and host.g.nic", "fabric.read"));
  CHECK(base::covers("fabric and host.g.nic", "host.g.nic.write"));
  CHECK(base::covers("storage.nas.read", "storage.nas.read"));
  CHECK_FALSE(base::covers("storage.a.ost.read", "storage.a.ost"));
  CHECK_FALSE(base::covers("storage.a.ost.read", "storage.a.ost.write"));
  CHECK_FALSE(base::covers("storage.a.ost", "storage.a.ost.lock"));
  CHECK_FALSE(base::covers("host.g.nic", "host.g.nicotine"));
  CHECK_FALSE(base::covers("storage.nas", "storage.nas.read"));
  CHECK_FALSE(base::covers("", "fabric.read"));
}

TEST_CASE("inputs are named by their own words") {
  CHECK(label::of_input("storage[scratch].mdt.create") == "MDT create of scratch");
  CHECK(label::of_input("cluster.hosts[gpu].gpus") == "GPUs of gpu hosts");
  CHECK(label::of_input("storage[fs].provisioned") == "provisioned rate per TiB of fs");
  CHECK(label::of_input("jobs[train].checkpoint.restore.deserialize") ==
        "checkpoint restore deserialize of train");
  CHECK(label::of_input("jobs[train].barrier.per_sqrt") ==
        "barrier per square root of ranks of train");
  CHECK(label::of_input("params.n_ost") == "n_ost");
  CHECK(label::of_input("params.n_ost.value") == "n_ost");
  CHECK(label::of_input("jobs[research]") == "job research");
  CHECK(label::of_input("stages[tokenise].cpu") == "CPU of tokenise");
  CHECK(label::of_input("odd]name[") == "odd]name[");
}

}  // namespace label_test
