#include <catch2/catch.hpp>
#include <utility>

#include "tests/support/designs.hpp"

/// What tenants have of the links of their hosts: docs/models/tenants.md, eq. 15.
namespace tenant_hosts_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

Component tenant(const char* kind, const char* id, Settings settings) {
  Component out = component(Role::tenant, kind, id, settings);
  set(out, Role::tenant, "on", "scratch");
  set(out, Role::tenant, "hosts", "other");
  return out;
}

// `tenant` alone on `hosts` hosts with a port of 1 GB/s; a Lustre that answers in no time has more
// than they take.
Design on_hosts_of_one_port(const char* hosts, Component tenant, const char* duration = "100 s") {
  Design design = small_design();
  design.jobs.clear();
  design.hosts[0] = component(
      Role::host, "host", "other",
      {{"count", hosts}, {"nic.count", "1"}, {"nic.rate", "1 GB/s"}, {"nic.efficiency", "100 %"}});
  for (const char* key : {"ost.read", "ost.write"})
    set(design.storage[0], Role::storage, key, "1000 TB/s");
  set(design.run, Role::run, "duration", duration);
  design.tenants = {std::move(tenant)};
  return design;
}

}  // namespace

TEST_CASE("processes of all hosts use the ports of all, however the hosts are folded") {
  // 3 hosts with a port of 1 GB/s; a slow GPU, which no tenant uses, makes the last a group. 3 x 8
  // reads of 1 MiB in flight fill the ports, so do 3 x 8 workers that read chunks of 100 MB,
  // compute 10 ms each and write nothing: 800 MB of a host every 0.81 s.
  const auto reads = [](const char* slow, const char* kind, Settings settings) {
    Design design = on_hosts_of_one_port("3", tenant(kind, "new", settings));
    set(design.hosts.back(), Role::host, "slow.count", slow);
    set(design.hosts.back(), Role::host, "slow.compute", "50 %");
    return metric(run(design), "tenant.new.read");
  };
  for (const char* slow : {"0", "1"}) {
    CHECK(reads(slow, "fio",
                {{"rw", "randread"}, {"bs", "1 MiB"}, {"iodepth", "8"}, {"direct", "true"}}) ==
          Approx(3e9).epsilon(0.07));  // of 9 ms a round each waits half of one for an answer
    CHECK(reads(slow, "preprocess",
                {{"workers", "8"}, {"chunk", "100 MB"}, {"cpu", "10 GB/s"}, {"ratio", "0"}}) ==
          Approx(2.4e9 / 0.81).epsilon(0.04));
  }
}

// Both read 4 KiB from Lustre: one 64 at a time, the other twice a second, and is done in some
// 0.2 ms, of which it has one under way 0.04 % of the time.
TEST_CASE("a tenant that hardly asks is hardly waited for, and two that ask alike count alike") {
  const auto share_of_idle = [](const char* rate) {
    Design design = on_hosts_of_one_port(
        "1", tenant("fio", "busy", {{"rw", "randread"}, {"iodepth", "64"}, {"direct", "true"}}),
        "20 s");
    design.storage.push_back(component(Role::storage, "nfs", "home", {{"head.count", "1"}}));
    Component idle = tenant("fio", "idle", {{"rw", "randread"}, {"direct", "true"}});
    if (*rate != '\0') set(idle, Role::tenant, "rate_iops", rate);
    set(idle, Role::tenant, "on", "home");
    design.tenants.push_back(std::move(idle));
    double share = 0.0;
    for (const ResourceUse& use : run(design).resources)
      if (use.name.starts_with("storage.home.") || use.name.find("client.home") != use.name.npos)
        share += use.blamed_share;
    return share;
  };
  CHECK(share_of_idle("2 ops/s") < 0.01);
  CHECK(share_of_idle("") > 0.3);
}

TEST_CASE("processes of quick hosts do not wait for those of a slow one") {
  // Three ports of 1 GB/s and one of 0.1: 3.1 GB/s, as of two classes of hosts that know nothing of
  // each other, not four times the slow one's.
  const auto reads = [](const char* kind, Settings settings) {
    Design design = on_hosts_of_one_port("4", tenant(kind, "new", settings));
    set(design.hosts.back(), Role::host, "slow.count", "1");
    set(design.hosts.back(), Role::host, "slow.nic", "10 %");
    return metric(run(design), "tenant.new.read");
  };
  CHECK(
      reads("fio", {{"rw", "randread"}, {"bs", "1 MiB"}, {"iodepth", "16"}, {"direct", "true"}}) ==
      Approx(3.1e9).epsilon(0.05));
  CHECK(reads("preprocess",
              {{"workers", "16"}, {"chunk", "50 MB"}, {"cpu", "50 GB/s"}, {"ratio", "0"}}) ==
        Approx(3.1e9).epsilon(0.05));
  CHECK(reads("vector_database", {{"clients", "16"},
                                  {"index", "lists"},
                                  {"lists", "8"},
                                  {"list", "4 MiB"},
                                  {"cached", "0 %"},
                                  {"compute", "0 s"}}) == Approx(3.1e9).epsilon(0.05));
}

TEST_CASE("what is read on one host comes through the port of one") {
  // One replica of 8 readers loads 10 GB through 1 GB/s, whatever other hosts there are; so does a
  // query that reads 32 lists of 4 MiB at a time, 134 MB.
  for (const char* hosts : {"1", "5"}) {
    const RunResult llm = run(on_hosts_of_one_port(hosts,
                                                   tenant("inference", "new",
                                                          {{"rate", "1 ops/s"},
                                                           {"request", "1 kB"},
                                                           {"weights", "10 GB"},
                                                           {"scale_every", "1000 s"}}),
                                                   "9000 s"));
    CHECK(metric(llm, "tenant.new.weights.load.p50") == Approx(10.0).epsilon(0.01));
    const RunResult search = run(on_hosts_of_one_port(hosts,
                                                      tenant("vector_database", "new",
                                                             {{"index", "lists"},
                                                              {"list", "4 MiB"},
                                                              {"cached", "0 %"},
                                                              {"compute", "0 s"},
                                                              {"rate", "0.1 ops/s"}}),
                                                      "900 s"));
    CHECK(metric(search, "tenant.new.query.p50") == Approx(0.134).epsilon(0.02));
  }
}

TEST_CASE("a query of a client that asks again reads through the port of its host") {
  // 32 lists of 4 MiB, 134 MB, through 1 GB/s, while other hosts compute. The port is waited for
  // where that takes longer than to compute: 32 reads at a time are one wait.
  const std::pair<const char*, const char*> ways[] = {{"100 ms", "host.other.nic.read"},
                                                      {"200 ms", "host.other.cpu"}};
  for (const char* hosts : {"1", "5"})
    for (const auto& [compute, limit] : ways) {
      const RunResult search = run(on_hosts_of_one_port(hosts, tenant("vector_database", "new",
                                                                      {{"index", "lists"},
                                                                       {"list", "4 MiB"},
                                                                       {"cached", "0 %"},
                                                                       {"clients", "1"},
                                                                       {"compute", compute}})));
      const double computed = limit == ways[0].second ? 0.1 : 0.2;
      CHECK(metric(search, "tenant.new.query") == Approx(0.134 + computed).epsilon(0.02));
      CHECK(search.limited_by.at("tenant.new") == limit);
    }
}

TEST_CASE("a limit of a tenant is as busy as what it moved of it") {
  // Two hosts ask for 100 MiB a second each. Of two limits the one nearer to its end counts.
  const RunResult result = run(on_hosts_of_one_port("2", tenant("fio", "new",
                                                                {{"rw", "randread"},
                                                                 {"bs", "1 MiB"},
                                                                 {"rate_iops", "100 ops/s"},
                                                                 {"limit_operations", "1000 ops/s"},
                                                                 {"limit", "524.288 MB/s"}})));
  CHECK(metric(result, "resource.tenant.new.limit.utilization") == Approx(0.4).epsilon(0.02));
  CHECK(metric(result, "resource.tenant.new.limit.throughput") == Approx(209.7152e6).epsilon(0.02));
}

}  // namespace tenant_hosts_test
