#include <catch2/catch.hpp>

#include "engine/sim/fluid_context.hpp"
#include "models/job/communicator.hpp"
#include "models/plant/fabric.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"

namespace converged_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::literals;
using models::Role;

/// Collectives and storage traffic on the links between leaves.    [docs/models/network.md, eq. 7]
namespace {

// 8 hosts with one port of 50 GB/s on two leaves of 4 ports down and 2 up: 2 : 1. Sprayed links
// carry 95 %. One all-reduce of 10 GB at the end of each step: every host sends 2 x 63/64 of it.
Design two_leaves(const char* kind = "fat-tree") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", "8");
  set(design.hosts[0], Role::host, "memory.bandwidth", "100 TB/s");
  set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
  design.fabric = component(Role::fabric, kind, "fabric", {{"converged", "true"}});
  set(design.fabric, Role::fabric, "efficiency", "100 %");
  if (std::string(kind) != "dragonfly") {
    set(design.fabric, Role::fabric, "leaf.ports", "6");
    set(design.fabric, Role::fabric, "oversubscription", "2");
  }
  for (const char* key : {"ost.read", "ost.write"})
    set(design.storage[0], Role::storage, key, "1000 TB/s");
  JobDesign& job = design.jobs[0];
  job.model = component(Role::model, "dense", "model", {{"parameters", "1e10"}});
  job.communication = component(Role::communication, "ddp", "communication",
                                {{"gradient", "1"}, {"bucket", "1 TB"}});
  return design;
}
constexpr double kGigabytes = 2.0 * 63 / 64 * 10;

// Seconds the all-reduce takes while `readers` processes of each host read all the time.
double seconds(const Design& design, double readers) {
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  const double hosts = static_cast<double>(plant.host("gpu").count);
  const models::Client client = plant.client("gpu", 0, "scratch", std::max(1.0, readers * hosts));
  models::Communicator communicator(design.jobs[0], plant, *context, 1);
  const auto read = [&]() -> sim::Task<void> {
    co_await context->transfer(
        {.path = client.read_path, .bytes = 1000_TB, .members = client.members});
  };
  double took = 0.0;
  const auto exchange = [&]() -> sim::Task<void> {
    co_await communicator.exposed();
    took = context->now().in(unit::s);
    context->stop();
  };
  if (readers > 0.0) context->spawn(read());
  context->spawn(exchange());
  context->run();
  return took;
}

models::CollectiveShares shares_on(const Component& fabric, double hosts, double ports = 1.0) {
  const models::Fabric there(fabric);
  return there.collectives({.hosts = hosts, .ports = ports, .port = 50_GBps}, 1, std::nullopt);
}

}  // namespace

TEST_CASE("alone, a ring that leaves its leaf takes no longer than on any network") {
  // one of 4 hosts sends 46 GB/s (92 % of its port) over uplinks of 2 x 50 x 95 % = 95 GB/s
  CHECK(seconds(two_leaves(), 0.0) == Approx(kGigabytes / 46).epsilon(0.01));
}

TEST_CASE("alongside reads, a ring gets its connections' share of the uplinks") {
  // A leaf's 95 GB/s go to 16 connections of the one ring that enters it and 4 x 2 readers: 3.96
  // GB/s each, more than a connection takes alone (46 / 16): the ports, with 50 GB/s for 16 and 2,
  // limit to 2.78.
  CHECK(seconds(two_leaves(), 2.0) == Approx(kGigabytes / (16 * 50.0 / 18)).epsilon(0.01));
  // 4 x 8 readers: 95 / (16 + 32) = 1.98 GB/s each, 31.7 of 46 GB/s for the ring; ports, with 50
  // GB/s for 24, would give 2.08.
  CHECK(seconds(two_leaves(), 8.0) == Approx(kGigabytes / (16 * 95.0 / 48)).epsilon(0.01));
  // 4 x 32 readers: 95 / 144 GB/s each, where ports alone would give 50 / 48
  CHECK(seconds(two_leaves(), 32.0) == Approx(kGigabytes / (16 * 95.0 / 144)).epsilon(0.01));
}

TEST_CASE("one layer of data parallelism is one bucket") {
  Design design = two_leaves();
  const double bucket = seconds(design, 32.0);
  set(design.jobs[0].model, Role::model, "shape.layers", "1");
  set(design.jobs[0].model, Role::model, "shape.hidden", "1");
  design.jobs[0].communication =
      component(Role::communication, "megatron", "communication",
                {{"gradient", "1"}, {"tokens", "1"}, {"microbatches", "1"}});
  CHECK(seconds(design, 32.0) == Approx(bucket).epsilon(1e-9));
}

TEST_CASE("a ring of one connection gets no more than one reader") {
  // 95 GB/s for the one that enters a leaf and 4 x 8 readers
  Design design = two_leaves();
  set(*design.jobs[0].communication, Role::communication, "channels", "1");
  CHECK(seconds(design, 8.0) == Approx(kGigabytes / (95.0 / 33)).epsilon(0.01));
}

TEST_CASE("on rails the same hosts' ring has the uplinks of every leaf") {
  // One port a host: a pod is one leaf, the same as above.
  CHECK(seconds(two_leaves("rail-optimized"), 32.0) ==
        Approx(kGigabytes / (16 * 95.0 / 144)).epsilon(0.01));
}

// Leaves of 4 hosts with one uplink, and not all of them full.
Design one_uplink(int hosts) {
  Design design = two_leaves();
  set(design.fabric, Role::fabric, "leaf.ports", "5");
  set(design.fabric, Role::fabric, "oversubscription", "4");
  set(design.hosts[0], Role::host, "count", std::to_string(hosts).c_str());
  return design;
}

TEST_CASE("a ring leaves each leaf with one host's traffic, however full the last one is") {
  // One host has one uplink, of which spraying leaves 95 %: as much of its 46 GB/s. An all-reduce
  // sends 2 (n - 1) / n of 10 GB.
  double before = 0.0;
  for (const int hosts : {8, 9, 10, 11, 12, 13}) {
    const double gpus = hosts * 8.0, took = seconds(one_uplink(hosts), 0.0);
    CAPTURE(hosts);
    CHECK(took == Approx(2.0 * (gpus - 1) / gpus * 10 / (46 * 0.95)).epsilon(0.01));
    CHECK(took >= before);
    before = took;
  }
}

TEST_CASE("an all-to-all is as fast as a full leaf lets it go, converged or not") {
  // 7 hosts of 8 ports a leaf, 8 up: of 16 hosts 7 send 9 / 16 of it over 8 x 95 %: 31.5 ports
  const Component tree = component(Role::fabric, "fat-tree", "fabric", {{"oversubscription", "7"}});
  const models::CollectiveShares shares = shares_on(tree, 16, 8);
  CHECK(shares.spread == Approx(8 / 31.5));
  CHECK(shares.area_hosts == 7.0);
  CHECK(shares.spread_outside(16) == Approx(9.0 / 16));
  // the two hosts of the last leaf send the most of what they have out of it
  const models::Fabric there(tree);
  const models::FabricSite site{.hosts = 16, .ports = 8, .port = 50_GBps};
  CHECK(there.beside(site, 0) == 7.0);
  CHECK(there.beside(site, 13) == 7.0);
  CHECK(there.beside(site, 14) == 2.0);
  CHECK(there.beside({.hosts = 7, .ports = 8, .port = 50_GBps}, 3) ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("a ring on one leaf, or on a network of its own, does not meet uplink traffic") {
  // one leaf: 4 ports down for 4 hosts; 32 readers a host share 95 GB/s of uplinks, 0.74 each, so
  // the port has 50 - 32 x 0.74 = 26.25 GB/s for 16 connections
  Design one = two_leaves();
  set(one.hosts[0], Role::host, "count", "4");
  const double sent = 2.0 * 31 / 32 * 10;
  CHECK(seconds(one, 32.0) == Approx(sent / (50 - 95.0 / 4)).epsilon(0.01));
  Design separate = two_leaves();
  set(separate.fabric, Role::fabric, "converged", "false");
  CHECK(seconds(separate, 32.0) == Approx(seconds(separate, 0.0)).epsilon(1e-12));
}

TEST_CASE("a ring leaves an area with one host's traffic, an all-to-all with most of it") {
  const Component tree = component(Role::fabric, "fat-tree", "fabric", {{"oversubscription", "3"}});
  // 48 hosts a leaf, 2 leaves: 1 / 48; half of an all-to-all over both, none of one on a leaf
  const models::CollectiveShares two = shares_on(tree, 96);
  CHECK(two.ring_outside() == Approx(1.0 / 48));
  CHECK(two.spread_outside(96) == Approx(0.5));
  CHECK(two.spread_outside(24) == 0.0);
  // stages of 32 and of 48 hosts: 32 of each leaf's 48 hosts send to the other leaf, and all
  CHECK(two.ring_outside(32) == Approx(32.0 / 48));
  CHECK(two.ring_outside(48) == 1.0);
  CHECK(shares_on(tree, 48).ring_outside() == 0.0);
  CHECK(shares_on(tree, 48).spread_outside(48) == 0.0);
  // rails of 4 ports: 48 hosts a pod all the same
  const Component rails =
      component(Role::fabric, "rail-optimized", "fabric", {{"oversubscription", "3"}});
  CHECK(shares_on(rails, 96, 4).ring_outside() == Approx(1.0 / 48));
}

TEST_CASE("dragonfly: a ring takes the links within its group, converged or not") {
  // 2 groups of 4 hosts, between whose 2 switches a link of 5 GB/s x 95 % goes each way: 9.5 GB/s
  // for the 47.5 of one host, of which collectives take 92 / 95. Four such links limit less than
  // the ports, and one switch has none.
  Design separate = two_leaves("dragonfly");
  for (const auto& [key, value] : {std::pair{"group.hosts", "4"},
                                   {"group.switches", "2"},
                                   {"global.links", "400"},
                                   {"routing", "valiant"},
                                   {"link.rate", "5 GB/s"},
                                   {"compute_link.rate", "5 GB/s"},
                                   {"efficiency", "95 %"},
                                   {"converged", "false"}})
    set(separate.fabric, Role::fabric, key, value);
  set(separate.hosts[0], Role::host, "compute_nic.rate", "400 Gb/s");
  set(separate.hosts[0], Role::host, "compute_nic.count", "1");
  Design converged = separate;
  set(converged.fabric, Role::fabric, "converged", "true");
  const auto both = [&](const char* key, const char* value) {
    set(separate.fabric, Role::fabric, key, value);
    set(converged.fabric, Role::fabric, key, value);
    const double alone = seconds(separate, 0.0);
    CHECK(seconds(converged, 0.0) == Approx(alone).epsilon(1e-6));
    return alone;
  };
  const double fast = both("local.links", "10");
  CHECK(fast == Approx(kGigabytes / 46).epsilon(0.01));
  CHECK(both("local.links", "1") == Approx(kGigabytes / (46 * 0.2)).epsilon(0.01));
  CHECK(both("group.switches", "1") == Approx(fast).epsilon(1e-9));
  // an all-to-all of both groups sends half of what 4 hosts have
  CHECK(
      shares_on(component(Role::fabric, "dragonfly", "fabric",
                          {{"group.hosts", "4"}, {"group.switches", "2"}, {"global.links", "400"}}),
                8)
          .spread == Approx(1.0));
  CHECK(shares_on(
            component(Role::fabric, "dragonfly", "fabric",
                      {{"group.hosts", "16"}, {"group.switches", "2"}, {"global.links", "400"}}),
            32)
            .spread == Approx(2.0 / 8));
}

TEST_CASE("dragonfly: direct links to other groups are not those to storage") {
  // 384 hosts in 3 of 10 groups, one of storage
  const auto shares = [](const char* routing, const char* storage) {
    return shares_on(
        component(Role::fabric, "dragonfly", "fabric",
                  {{"groups", "10"}, {"routing", routing}, {"storage.groups", storage}}),
        384);
  };
  const double ring = 1.0 / 128;
  CHECK(shares("minimal", "1").ring_outside() == 0.0);
  CHECK(shares("minimal", "1").spread_outside(384) == 0.0);
  // a third group passes both on: one pool of links
  CHECK(shares("valiant", "1").ring_outside() == Approx(ring));
  CHECK(shares("valiant", "1").spread_outside(384) == Approx(2.0 / 3));
  // adaptive: to 6 storage groups directly (6 > 9 / 2), the ring by a third group, over all 9
  // bundles alike, twice: 2 x 6 / 9 of its bytes cross those to storage
  CHECK(shares("adaptive", "6").ring_outside() == Approx(ring * 12 / 9));
}

}  // namespace converged_test
