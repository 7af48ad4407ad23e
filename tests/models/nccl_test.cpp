#include <catch2/catch.hpp>

#include "models/network/nccl.hpp"

namespace nccl_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::models;

namespace {

// 8 GPUs of one host with 382.5 GB/s of bus bandwidth, 368 GB/s of network where there are more.
RankGroup gpus(double ranks, double hosts = 1.0) {
  return {.ranks = ranks, .hosts = hosts, .link = 382.5_GBps, .network = 368_GBps};
}
double microseconds(Collective what, Bytes bytes, const RankGroup& group) {
  return collective(what, bytes, group).time().in(unit::us);
}
// As nccl-tests counts it: S / t x 2 (n - 1) / n
double bus_bandwidth(Bytes bytes, const RankGroup& group) {
  const Traffic t = collective(Collective::all_reduce, bytes, group);
  return (bytes * (2.0 * (group.ranks - 1.0) / group.ranks) / t.time()).in(unit::GBps);
}

}  // namespace

TEST_CASE("nccl: a large all-reduce on one host is a ring with the simple protocol") {
  // 8.4 + 14 x 3.4 = 56 us; 2 x 7/8 x 1 GiB / 382.5 GB/s = 4912.5 us
  CHECK(microseconds(Collective::all_reduce, 1_GiB, gpus(8)) ==
        Approx(56.0 + 1.75 * 1073741824.0 / 382.5e3).epsilon(1e-9));
}

TEST_CASE("nccl: ring bus bandwidth of 8 H100 is the published 370 GB/s within 3 %") {
  CHECK(bus_bandwidth(1_GiB, gpus(8)) == Approx(370.0).epsilon(0.03));
}

TEST_CASE("nccl: NVLink SHARP on 8 H100 reaches the published 480 GB/s within 3 %") {
  // S / t = 5/6 x 0.85 x 382.5 = 270.9 GB/s; x 1.75 = 474 GB/s
  RankGroup group = gpus(8);
  group.reduction = Reduction::nvswitch;
  CHECK(bus_bandwidth(8_GiB, group) == Approx(480.0).epsilon(0.03));
  // beyond one host the network must reduce too
  group.hosts = 2.0, group.ranks = 16.0;
  CHECK(bus_bandwidth(8_GiB, group) == Approx(bus_bandwidth(8_GiB, gpus(16, 2))).epsilon(1e-9));
  group.reduction = Reduction::nvswitch_and_network;
  CHECK(bus_bandwidth(8_GiB, group) > bus_bandwidth(8_GiB, gpus(16, 2)));
}

TEST_CASE("nccl: small all-reduces use LL, as a ring on one host and as a tree on many") {
  // one host: the ring takes 3.6 + 14 x 0.47 = 10.18 us, the tree 4.4 + 2 x 7 x 0.52 = 11.68 us
  CHECK(collective(Collective::all_reduce, 64_B, gpus(8)).latency.in(unit::us) == Approx(10.18));
  // 64 hosts: 4.4 + 2 (7 x 0.52 x 1.8 + 6 x 5.0) = 77.504 us; the ring has 1022 hops
  CHECK(collective(Collective::all_reduce, 64_B, gpus(512, 64)).latency.in(unit::us) ==
        Approx(77.504));
}

TEST_CASE("nccl: trees give way to rings as messages grow") {
  // 128 GPUs, 16 hosts, 368 GB/s.
  // tree, LL128:  4.4 + 2 (7 x 1.2 + 4 x 8.5) = 89.2 us and 2 S / (0.9 x 0.915 x 368 GB/s)
  // ring, LL128:  10 + 224 x 1.9 + 30 x 4 = 555.6 us and 2 x 127/128 S / (0.92 x 368 GB/s)
  // ring, simple: 1.9 (8.4 + 224 x 3.4 + 30 x 9.6) = 2010.2 us and 2 x 127/128 S / 368 GB/s
  // The first two meet at S = 466.4 us / 7.384e-13 s/B = 632 MB, the last two at 3.1 GB.
  const auto tree = [](double s) { return 89.2 + 2.0 * s / (0.9 * 0.915 * 368e3); };
  const auto ring128 = [](double s) { return 555.6 + 1.984375 * s / (0.92 * 368e3); };
  const auto simple = [](double s) { return 2010.2 + 1.984375 * s / 368e3; };
  const auto model = [](double s) {
    return microseconds(Collective::all_reduce, Bytes::from(s, unit::B), gpus(128, 16));
  };
  CHECK(model(600e6) == Approx(tree(600e6)).epsilon(1e-6));
  CHECK(model(660e6) == Approx(ring128(660e6)).epsilon(1e-6));
  CHECK(model(3.0e9) == Approx(ring128(3.0e9)).epsilon(1e-6));
  CHECK(model(3.2e9) == Approx(simple(3.2e9)).epsilon(1e-6));
}

TEST_CASE("nccl: in a ring every host sends 2 (n - 1) / n of the buffer") {
  const Traffic t = collective(Collective::all_reduce, 8_GiB, gpus(128, 16));
  CHECK(t.network / (8_GiB) == Approx(2.0 * 127 / 128).epsilon(1e-12));
  CHECK(collective(Collective::all_reduce, 8_GiB, gpus(8)).network == 0_B);
  // a gather and a scatter are half of it each
  CHECK(collective(Collective::all_gather, 8_GiB, gpus(128, 16)).network / (8_GiB) ==
        Approx(127.0 / 128).epsilon(1e-12));
}

TEST_CASE("nccl: a ring with LL128 through hosts of one GPU is slower") {
  // (n - 1) / n S over 92 % of the link, or 70 % where the same GPU sends and receives
  const auto transfer = [](double per_host) {
    const RankGroup group{.ranks = 8 * per_host, .hosts = 8, .link = 100_GBps, .network = 100_GBps};
    const Traffic t = collective(Collective::all_gather, 2_MiB, group);
    return t.transfer / (2_MiB / 100_GBps) * group.ranks / (group.ranks - 1.0);
  };
  CHECK(transfer(2) == Approx(1.0 / 0.92).epsilon(1e-9));
  CHECK(transfer(1) == Approx(1.0 / 0.7).epsilon(1e-9));
}

TEST_CASE("nccl: two hosts with slow networks exchange every byte once, as a tree") {
  // NVIDIA H100, 2 x 8 GPUs, 8 x 200 Gb/s each (A3 Mega), nccl-tests: 6759 us for 1 GiB and 47535
  // us for 8 GiB, more than a ring of 200 GB/s could do. Its TCP transport is far slower than
  // NCCL's model for small messages.
  const RankGroup pair{.ranks = 16, .hosts = 2, .link = 382.5_GBps, .network = 200_GBps * 0.92};
  CHECK(microseconds(Collective::all_reduce, 1_GiB, pair) == Approx(6759.0).epsilon(0.04));
  CHECK(microseconds(Collective::all_reduce, 8_GiB, pair) == Approx(47535.0).epsilon(0.11));
}

TEST_CASE("nccl: pairs of GPUs on different hosts as nccl-tests measured them") {
  // 2 H100 on two hosts, alltoall_perf and sendrecv_perf: 23.73 GB/s is 95 % of a 200 Gb/s port
  const RankGroup pair{.ranks = 2, .hosts = 2, .link = 382.5_GBps, .network = 23.73_GBps};
  CHECK(microseconds(Collective::all_to_all, 32_MiB, pair) == Approx(758.4).epsilon(0.06));
  CHECK(microseconds(Collective::all_to_all, 1_GiB, pair) == Approx(22687.0).epsilon(0.01));
  CHECK(microseconds(Collective::send, 32_MiB, pair) == Approx(1478.5).epsilon(0.05));
  CHECK(microseconds(Collective::send, 16_GiB, pair) == Approx(724080.0).epsilon(0.01));
}

TEST_CASE("nccl: an all-to-all uses NVLink and the network at the same time") {
  // 16 GPUs on 2 hosts, 1 GiB each: 8 x 8/16 GiB over 368 GB/s; 7/16 GiB over NVLink meanwhile
  const Traffic t = collective(Collective::all_to_all, 1_GiB, gpus(16, 2));
  CHECK(t.transfer.in(unit::us) == Approx(4.0 * 1073741824.0 / 368e3).epsilon(1e-9));
  // all on one host: 7/8 GiB over NVLink
  CHECK(collective(Collective::all_to_all, 1_GiB, gpus(8)).transfer.in(unit::us) ==
        Approx(0.875 * 1073741824.0 / 382.5e3).epsilon(1e-9));
}

TEST_CASE("nccl: a hierarchical all-reduce sums its three parts") {
  const RankGroup group = gpus(16, 2);
  const RankGroup within = gpus(8);
  const RankGroup across{.ranks = 2, .hosts = 2, .link = 382.5_GBps, .network = 46_GBps};
  const Seconds sum = collective(Collective::reduce_scatter, 1_GiB, within).time() +
                      collective(Collective::all_reduce, 128_MiB, across).time() +
                      collective(Collective::all_gather, 1_GiB, within).time();
  const Traffic t = hierarchical_all_reduce(1_GiB, group);
  CHECK(t.time().in(unit::us) == Approx(sum.in(unit::us)).epsilon(1e-9));
  CHECK(t.network / (1_GiB) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("nccl: one GPU has nobody to talk to") {
  CHECK(collective(Collective::all_reduce, 1_GiB, gpus(1)).time() == 0_s);
}

}  // namespace nccl_test
