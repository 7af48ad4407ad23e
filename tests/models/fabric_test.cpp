#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "models/job/communicator.hpp"
#include "models/plant/ecmp.hpp"
#include "models/plant/fabric.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace fabric_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::literals;
using models::Role;

namespace {

double mean_share(double flows, double links, int draws = 20000) {
  base::RandomStream random(1, "test", "ecmp");
  double sum = 0.0;
  for (int i = 0; i < draws; ++i) sum += models::hashed_share(flows, links, random);
  return sum / draws;
}

Component fabric(const char* kind, Settings settings) {
  return component(Role::fabric, kind, "fabric", settings);
}

// Hosts with one port of 50 GB/s, links of 50 GB/s, no framing.
models::FabricSite hosts(double count, double ports = 1.0) {
  return {.hosts = count, .ports = ports, .port = 50_GBps};
}

// The largest flow between all storage and all of `count` hosts, with storage that does not limit.
Rate cut(const char* kind, Settings settings, const char* count, const char* ports = "1") {
  Design design = small_design();
  design.fabric = fabric(kind, settings);
  set(design.hosts[0], Role::host, "count", count);
  set(design.hosts[0], Role::host, "nic.count", ports);
  set(design.hosts[0], Role::host, "memory.bandwidth", "100 TB/s");
  for (const char* key : {"ost.read", "ost.write"})
    set(design.storage[0], Role::storage, key, "1000 TB/s");
  const models::Plant plant(design);
  const graph::NodeId source = plant.storage("scratch").read_source();
  return plant.topology().max_flow({&source, 1}, plant.mounts("gpu", "scratch", true)).value;
}

}  // namespace

TEST_CASE("hashed connections reach the mean over the most loaded link") {
  // 2 on 2: alone on a link each with probability 1/2: (1 + 1/2) / 2
  CHECK(mean_share(2, 2) == Approx(0.75).epsilon(0.01));
  // 2 on 4: alone with 3/4, half the links being of use: 0.5 (3/4 + 1/4 x 1/2)
  CHECK(mean_share(2, 4) == Approx(0.4375).epsilon(0.01));
  // 3 on 3: 6, 18 and 3 of 27 ways have most 1, 2 and 3
  CHECK(mean_share(3, 3) == Approx((6.0 + 9.0 + 1.0) / 27).epsilon(0.01));
  CHECK(mean_share(1, 1) == 1.0);
}

TEST_CASE("hashed connections reach half of four links, two thirds and four fifths as they grow") {
  // The usual rule says 40-50 %, 70 % and 85 % at 1, 4 and 16 connections per link.
  CHECK(mean_share(4, 4) == Approx(0.50).margin(0.03));
  CHECK(mean_share(16, 4) == Approx(0.70).margin(0.05));
  CHECK(mean_share(64, 4) == Approx(0.85).margin(0.06));
  // With 8 and 32 links they reach less: 41 and 29 % at one connection per link.
  CHECK(mean_share(8, 8) == Approx(0.41).margin(0.02));
  CHECK(mean_share(32, 32, 2000) == Approx(0.294).margin(0.02));
}

TEST_CASE("fat tree: a leaf's uplinks are its ports down over the oversubscription") {
  // 64 ports, 3 : 1: 48 down, 16 up. 96 hosts of one port fill 2 leaves: 2 x 16 x 50 GB/s x 95 %
  CHECK(cut("fat-tree", {{"oversubscription", "3"}}, "96").in(unit::GBps) ==
        Approx(2 * 16 * 50 * 0.95));
  // without oversubscription the hosts' own ports limit as much: 96 x 50 x 95 %
  CHECK(cut("fat-tree", {}, "96").in(unit::GBps) == Approx(96 * 50 * 0.95));
}

TEST_CASE("NICs run at the rate of the ports they are plugged into, links as well") {
  // 4 hosts of 400 Gb/s on ports of 100 and of 800 Gb/s
  CHECK(cut("switched", {{"port.rate", "100 Gb/s"}}, "4").in(unit::GBps) ==
        Approx(4 * 12.5 * 0.95));
  CHECK(cut("switched", {{"port.rate", "800 Gb/s"}}, "4").in(unit::GBps) == Approx(4 * 50 * 0.95));
  CHECK(cut("switched", {{"port.rate", "100 Gb/s"}}, "4", "2").in(unit::GBps) ==
        Approx(4 * 2 * 12.5 * 0.95));
  CHECK(cut("fat-tree", {{"oversubscription", "3"}, {"port.rate", "100 Gb/s"}}, "96")
            .in(unit::GBps) == Approx(2 * 16 * 12.5 * 0.95));
}

TEST_CASE("switches that are no slower have ports to match for faster NICs, slower ones do not") {
  Design design = small_design();
  for (const auto& [port, over] : {std::pair{"400 Gb/s", 1.0}, {"100 Gb/s", 0.25}}) {
    set(design.fabric, Role::fabric, "port.rate", port);
    CHECK(models::port_over_nic(design.hosts[0], design.fabric) == over);
    const Design trial = models::with_ports_to_match(design);
    CHECK((trial.fabric.find("port.rate") != nullptr) == (over < 1.0));
  }
}

namespace {

// 8 hosts of 8 GPUs on leaves of 8 ports, 4 toward hosts: storage ports of 100 Gb/s, compute ports
// of 400 Gb/s, one and two of a host.
Design two_networks(Settings links = {}, const char* over = "1") {
  Design design = small_design();
  design.fabric = fabric("fat-tree", {{"leaf.ports", "8"}, {"oversubscription", over}});
  for (const auto& [key, value] : links) set(design.fabric, Role::fabric, key, value);
  set(design.hosts[0], Role::host, "count", "8");
  set(design.hosts[0], Role::host, "nic.count", "1");
  set(design.hosts[0], Role::host, "nic.rate", "100 Gb/s");
  set(design.hosts[0], Role::host, "compute_nic.rate", "400 Gb/s");
  set(design.hosts[0], Role::host, "compute_nic.count", "2");
  design.jobs[0].model = component(Role::model, "dense", "model", {{"parameters", "1e9"}});
  design.jobs[0].communication = component(Role::communication, "ddp", "communication", {});
  return design;
}

// What storage gets, and how long collectives take.
std::pair<double, double> both(const Design& design) {
  const models::Plant plant(design);
  const graph::NodeId source = plant.storage("scratch").read_source();
  const models::StepTraffic traffic = models::step_traffic(design.jobs[0], plant);
  return {plant.topology()
              .max_flow({&source, 1}, plant.mounts("gpu", "scratch", true))
              .value.in(unit::GBps),
          (traffic.hidden.time() + traffic.exposed.time()).in(unit::s)};
}

}  // namespace

TEST_CASE("links of each network are as fast as its ports: to write that down changes nothing") {
  const Design as_it_is = two_networks();
  CHECK(both(models::with_link_rate(as_it_is)) == both(as_it_is));
  CHECK(both(two_networks({{"link.rate", "100 Gb/s"}, {"compute_link.rate", "400 Gb/s"}})) ==
        both(as_it_is));
  CHECK(both(two_networks({{"link.rate", "100 Gb/s"}})) == both(as_it_is));
  // Links that are faster than the ports of both are of both.
  const Design fast = two_networks({{"link.rate", "800 Gb/s"}}, "7");
  CHECK(both(models::with_link_rate(fast)) == both(fast));
  CHECK(both(fast).second < both(two_networks({}, "7")).second);
  const Design slow = two_networks({{"compute_link.rate", "100 Gb/s"}}, "3");
  CHECK(both(slow).first == both(two_networks({}, "3")).first);
  CHECK(both(slow).second > 1.5 * both(two_networks({}, "3")).second);
}

TEST_CASE("links of storage are written down also where compute ports differ, if none is slower") {
  const auto link_of = [](const char* other) {
    Design design = two_networks();
    design.hosts.push_back(design.hosts[0]);
    design.hosts[1].id = "other";
    set(design.hosts[1], Role::host, "compute_nic.rate", other);
    design.jobs.push_back(design.jobs[0]);
    design.jobs[1].job.id = "second";
    set(design.jobs[1].job, Role::job, "hosts", "other");
    const Design written = models::with_link_rate(design);
    CHECK(written.fabric.find("compute_link.rate") == nullptr);
    const Value* link = written.fabric.find("link.rate");
    return link == nullptr ? 0.0 : link->number;
  };
  CHECK(link_of("800 Gb/s") == 12.5e9);
  CHECK(link_of("50 Gb/s") == 0.0);
}

TEST_CASE("written down, links stay as they are where ports get faster, of each network") {
  Design faster = models::with_link_rate(two_networks({}, "3"));
  const auto before = both(faster);
  set(faster.hosts[0], Role::host, "nic.rate", "200 Gb/s");
  set(faster.hosts[0], Role::host, "compute_nic.rate", "800 Gb/s");
  CHECK(both(faster).first == before.first);
  CHECK(both(faster).second == Approx(before.second).epsilon(1e-3));
}

TEST_CASE("collectives that have less of links than of ports wait for links") {
  const auto limit = [](const Design& design) {
    const models::Plant plant(design);
    models::StepTraffic traffic = models::step_traffic(design.jobs[0], plant);
    traffic.hidden += traffic.exposed;
    return models::limit_of(traffic.hidden, design.jobs[0], plant);
  };
  // Rings of two ports leave a leaf over 4 links, or over one.
  CHECK(limit(two_networks()) == "host.gpu.compute_nic");
  CHECK(limit(two_networks({}, "7")) == "fabric.compute_link");
  Design converged = two_networks({{"converged", "true"}}, "7");
  set(converged.hosts[0], Role::host, "nic.count", "2");
  CHECK(limit(converged) == "fabric.gpu.area.uplink.write");
}

TEST_CASE("rails: hosts of a pod have all its leaves' uplinks") {
  // 4 ports a host; 48 hosts on 4 leaves of 48 down and 16 up: 4 x 16 x 50 x 95 %
  CHECK(cut("rail-optimized", {{"oversubscription", "3"}}, "48", "4").in(unit::GBps) ==
        Approx(4 * 16 * 50 * 0.95));
  // on a fat tree 12 such hosts fill a leaf: 4 leaves, the same
  CHECK(cut("fat-tree", {{"oversubscription", "3"}}, "48", "4").in(unit::GBps) ==
        Approx(4 * 16 * 50 * 0.95));
}

TEST_CASE("dragonfly: direct links to the storage group, or half of all links") {
  // 3 groups of 128 hosts and one of storage, 4 links of 47.5 GB/s between two groups.
  // minimal: 3 x 4 x 47.5; valiant: what storage sends leaves its group once, by 3 x 4 links
  CHECK(cut("dragonfly", {{"routing", "minimal"}}, "384").in(unit::GBps) == Approx(3 * 4 * 47.5));
  CHECK(cut("dragonfly", {{"routing", "valiant"}}, "384").in(unit::GBps) == Approx(3 * 4 * 47.5));
  // Two groups of storage of five: each passes on a third of what the other sends
  CHECK(cut("dragonfly", {{"routing", "valiant"}, {"storage.groups", "2"}}, "384").in(unit::GBps) ==
        Approx(std::min(2 * 4 * 4 * 0.75, 3 * 4 * 4 / 2.0) * 47.5));
  CHECK(cut("dragonfly", {}, "384").in(unit::GBps) == Approx(3 * 4 * 47.5));
  // A job in one group of ten: 4 links directly, 9 x 4 / 2 by other groups
  CHECK(cut("dragonfly", {{"routing", "minimal"}, {"groups", "10"}}, "128").in(unit::GBps) ==
        Approx(4 * 47.5));
  CHECK(cut("dragonfly", {{"routing", "valiant"}, {"groups", "10"}}, "128").in(unit::GBps) ==
        Approx(9 * 4 / 2.0 * 47.5));
}

TEST_CASE("dragonfly: links within a group may be fewer than those out of it") {
  // 4 switches, one link between each two, both ways: 12 x 47.5; 100 links lead out
  CHECK(cut("dragonfly", {{"group.switches", "4"}, {"global.links", "100"}}, "64").in(unit::GBps) ==
        Approx(12 * 47.5));
  // one switch needs none: 64 hosts' ports, and 100 links
  CHECK(cut("dragonfly", {{"group.switches", "1"}, {"global.links", "100"}}, "64").in(unit::GBps) ==
        Approx(64 * 47.5));
}

TEST_CASE("a ring leaves a fat tree's leaf once, and a rail's leaf with one port") {
  const auto ring = [](const char* kind, Settings settings, double count, double connections) {
    const models::Fabric there(fabric(kind, settings));
    double sum = 0.0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed)
      sum += there.collectives(hosts(count, 8), connections, seed).ring;
    return sum / 400;
  };
  // one leaf of 4 hosts: nothing leaves it
  CHECK(ring("fat-tree", {{"placement", "hash"}}, 4, 8) == 1.0);
  // 8 connections of one port each drawn onto 32 links: two meet nearly always (1 - 32!/24!/32^8 =
  // 61 %) on one leaf, on one of 16 leaves for certain; three on one of 16 in half the runs
  const double tree = ring("fat-tree", {{"placement", "hash"}}, 64, 8);
  CHECK(tree > 0.33);
  CHECK(tree < 0.51);
  // rails: 64 hosts are 2 pods, each leaf sends one connection: never two on one link
  CHECK(ring("rail-optimized", {{"placement", "hash"}}, 64, 8) == 1.0);
  // sprayed over 32 links 8 ports lose nothing; over 4 links (oversubscribed 15 : 1) half of it
  CHECK(ring("fat-tree", {}, 64, 8) == 1.0);
  CHECK(ring("fat-tree", {{"oversubscription", "15"}}, 64, 8) == Approx(0.95 * 4 / 8));
}

TEST_CASE("an all-to-all has the bisection, a ring does not need it") {
  // 3 : 1, 48 hosts of one port a leaf, 2 leaves: half of 48 x 47.5 GB/s leaves, over 16 x 47.5
  // GB/s
  const models::Fabric there(fabric("fat-tree", {{"oversubscription", "3"}}));
  const models::CollectiveShares shares = there.collectives(hosts(96), 1, 1);
  CHECK(shares.spread == Approx(0.95 * 16 / 24));
  CHECK(shares.ring == 1.0);
  // On rails four ports of a host are on four such leaves: as much of each.
  const models::Fabric rails(fabric("rail-optimized", {{"oversubscription", "3"}}));
  CHECK(rails.collectives(hosts(96, 4), 1, 1).spread == Approx(0.95 * 16 / 24));
}

TEST_CASE("a leaf of rails is a leaf of a tree whose hosts have one port") {
  // 15 : 1 are 60 ports down and 4 up, of half a port each. 120 hosts of 4 ports are 2 pods of 4
  // leaves, 480 hosts of one port 8 leaves: the same draws, and 4 connections a port on both.
  const Settings slow{{"oversubscription", "15"}, {"placement", "hash"}, {"link.rate", "25 GB/s"}};
  const models::Fabric rails(fabric("rail-optimized", slow)), tree(fabric("fat-tree", slow));
  double least = 1.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const double share = rails.collectives(hosts(120, 4), 16, seed).ring;
    CHECK(share == Approx(tree.collectives(hosts(480), 4, seed).ring).epsilon(1e-12));
    least = std::min(least, share);
  }
  CHECK(least < 1.0);
}

TEST_CASE("incast: pauses cost a tenth, overflowing buffers as much, credits nothing") {
  const auto share = [](const char* technology, double senders) {
    return models::fabric_params(fabric("switched", {{"technology", technology}}))
        .incast_share(senders);
  };
  CHECK(share("infiniband", 1000) == 1.0);
  CHECK(share("slingshot", 1000) == 1.0);
  CHECK(share("roce", 8) == 0.9);
  CHECK(share("roce", 1) == 1.0);
  CHECK(share("tcp", 32) == 1.0);
  CHECK(share("tcp", 33) == 0.9);
}

TEST_CASE("reads feel incast and the links they were hashed on") {
  // 32 processes on 4 hosts read 4.75 GB each: 152 GB through 4 x 47.5 GB/s
  Design design = small_design();
  set(design.storage[0], Role::storage, "ost.count", "400");
  set(design.storage[0], Role::storage, "stripe.count", "100");
  const auto seconds = [&] {
    return serve(design, {.bytes = 4.75_GB, .direct = true}, {.bytes = 1_MB}, 32.0)
        .read.in(unit::s);
  };
  CHECK(seconds() == Approx(0.8).epsilon(0.01));
  set(design.fabric, Role::fabric, "technology", "roce");
  CHECK(seconds() == Approx(0.8 / 0.9).epsilon(0.01));
  // 8 reads a host are no more than 32, and more than 7
  set(design.fabric, Role::fabric, "technology", "tcp");
  CHECK(seconds() == Approx(0.8).epsilon(0.01));
  set(design.fabric, Role::fabric, "incast.senders", "7");
  CHECK(seconds() == Approx(0.8 / 0.9).epsilon(0.01));
  set(design.fabric, Role::fabric, "incast.goodput", "50 %");
  CHECK(seconds() == Approx(1.6).epsilon(0.01));
  // a leaf of 4 hosts and 4 uplinks, sprayed: 95 %
  design.fabric = fabric("fat-tree", {{"leaf.ports", "8"}});
  CHECK(seconds() == Approx(0.8 / 0.95).epsilon(0.01));
  // 16 connections hashed on 4 uplinks: 16 / 4 / most, most being whole
  design.fabric =
      fabric("fat-tree", {{"leaf.ports", "8"}, {"placement", "hash"}, {"connections", "4"}});
  const double most = seconds() / 0.8 * 4.0;
  CHECK(most == Approx(std::round(most)).epsilon(0.01));
  CHECK(std::round(most) > 4.0);
}

}  // namespace fabric_test
