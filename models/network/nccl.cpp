#include "models/network/nccl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

/// Constants of NVIDIA/nccl src/graph/tuning.cc, commit 01afd20a; NVLink SHARP of b6475625.
/// Equations: docs/models/communication.md.
namespace stallcast::models {
namespace {

using namespace literals;

/// A protocol of one algorithm: its start, its hop over NVLink and over the network, its share of
/// the bus bandwidth.
struct Protocol {
  Seconds base, nvlink, network;
  double share;         ///< on one host
  double share_across;  ///< over several hosts
  double hop_across;    ///< factor on the NVLink hop when there are several hosts
};
constexpr std::array<Protocol, 3> kRing{{{3.6_us, 0.47_us, 2.7_us, 1.0 / 4.0, 1.0 / 4.0, 1.8},
                                         {10.0_us, 1.9_us, 4.0_us, 0.92, 0.92, 1.0},
                                         {8.4_us, 3.4_us, 9.6_us, 1.0, 1.0, 1.0}}};
constexpr std::array<Protocol, 3> kTree{{{4.4_us, 0.52_us, 5.0_us, 1.0 / 3.8, 1.0 / 3.8, 1.8},
                                         {4.4_us, 1.2_us, 8.5_us, 7.0 / 9.0, 0.915, 1.0},
                                         {0.0_us, 28.0_us, 50.0_us, 1.0, 1.0, 1.0}}};
constexpr std::size_t kSimple = 2;
// What trees reach of that for messages of 64 B, 128 B, ... 128 MiB.
constexpr double kTreeCorrection[3][22] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .5, .5, .6, .6, .7, .8, .9}};
constexpr double kTreeShare = 0.9;
// Rings over several hosts slow down once every rank's part fills more than 4 KiB.
constexpr double kRingPlateau = 1.9;
constexpr Bytes kRingPlateauPart = 4_KiB;
// NVLink SHARP: start on one host and across, share of the bus bandwidth, and of that on Hopper.
constexpr Seconds kNvlsStart = 23_us, kNvlsNetwork = 18_us;
constexpr double kNvlsShare = 5.0 / 6.0;
constexpr double kNvlsEfficiency = 0.85;
constexpr Bytes kSmallest = 64_B;

bool several(const RankGroup& g) { return g.hosts > 1.0; }

// Bytes over a host's NICs, each direction, in a collective whose ring takes `steps` steps.
Bytes over_network(Bytes bytes, double share, const RankGroup& g) {
  return several(g) ? bytes * share : Bytes{};
}

// Of a transfer at the lesser of what NVLink and the NICs give it.
Traffic limited(Traffic t, Rate nvlink, Rate nics) {
  if (t.network > Bytes{} && nics <= nvlink) t.by_nics = t.transfer;
  return t;
}

Traffic faster(const Traffic& a, const Traffic& b) { return b.time() < a.time() ? b : a; }

// t = base + (steps - inter) nvlink + inter network + S steps / (n busbw)
// [docs/models/communication.md, eq. 1]
Traffic ring(Collective what, Bytes bytes, const RankGroup& g, std::size_t protocol) {
  const Protocol& p = kRing[protocol];
  const bool reduces = what == Collective::all_reduce;
  const double rounds = reduces ? 2.0 : 1.0;
  const double steps = rounds * (g.ranks - 1.0), inter = rounds * (g.hosts - 1.0);
  // LL carries 4 bytes of data in 8, and more of a gather on one host.
  double share = several(g) || reduces || protocol != 0 ? p.share : 1.0 / 3.0;
  if (protocol == 1 && g.ranks / g.hosts < 2.0) share = 0.7;  // one GPU both sends and receives
  const Rate bus = (several(g) ? std::min(g.link, g.network) : g.link) * share;
  const double hop = several(g) ? p.hop_across : 1.0;
  Traffic out{.latency = p.base + p.nvlink * (hop * (steps - inter)) + p.network * inter,
              .transfer = bytes * (steps / g.ranks) / bus,
              .network = over_network(bytes, steps / g.ranks, g)};
  if (reduces && protocol == kSimple && several(g) && bytes >= kRingPlateauPart * g.ranks)
    out.latency *= kRingPlateau;
  out.latency *= g.latency;
  return limited(out, g.link, g.network);
}

// t = base + 2 ((g - 1) nvlink + log2(N) network) + 2 S / (0.9 busbw)
// [docs/models/communication.md, eq. 2]
Traffic tree(Bytes bytes, const RankGroup& g, std::size_t protocol) {
  const Protocol& p = kTree[protocol];
  const double share = kTreeShare * (several(g) ? p.share_across : p.share);
  // Two hosts exchange every byte once each way, so the network bounds S / t, not the bus.
  const bool pair = g.hosts <= 2.0;
  Rate rate = (pair ? g.link : std::min(g.link, g.network)) * (share / 2.0);
  if (pair && several(g)) rate = std::min(rate, g.network * share);
  const double size = std::floor(std::log2(std::max(bytes, kSmallest) / kSmallest));
  if (size < 22.0) rate *= kTreeCorrection[protocol][static_cast<std::size_t>(size)];
  const double hop = several(g) ? p.hop_across : 1.0;
  const Seconds hops = p.nvlink * (hop * std::max(0.0, g.ranks / g.hosts - 1.0)) +
                       p.network * std::floor(std::log2(g.hosts));
  return limited({.latency = (p.base + hops * 2.0) * g.latency,
                  .transfer = bytes / rate,
                  .network = over_network(bytes, 2.0 * (g.hosts - 1.0) / g.hosts, g)},
                 g.link, g.network * (pair ? 2.0 : 1.0));
}

// t = 23 us (+ 18 us) + S / (5/6 x 0.85 busbw)    [docs/models/communication.md, eq. 3]
Traffic nvls(Bytes bytes, const RankGroup& g) {
  const Rate link = g.link * kNvlsEfficiency;
  const Rate bus = several(g) ? std::min(link, g.network) : link;
  return limited({.latency = (kNvlsStart + (several(g) ? kNvlsNetwork : Seconds{})) * g.latency,
                  .transfer = bytes / (bus * kNvlsShare),
                  .network = over_network(bytes, 1.0, g)},
                 link, g.network);
}

// All sends of a rank are started at one time.
Seconds one_hop(const RankGroup& g) {
  const Protocol& p = kRing[kSimple];
  return (p.base + (several(g) ? p.network : p.nvlink)) * g.latency;
}

// Every rank sends its part to every other: those on its host by NVLink, apart from the network.
// [docs/models/communication.md, eq. 4]
Traffic all_to_all(Bytes bytes, const RankGroup& g) {
  const double local = g.ranks / g.hosts;
  const Seconds within = bytes * ((local - 1.0) / g.ranks) / g.link;
  const Bytes across = bytes * (local * (g.ranks - local) / g.ranks);
  const Seconds sent = several(g) ? across / g.network : Seconds{};
  return {.latency = one_hop(g),
          .transfer = std::max(within, sent),
          .network = several(g) ? across : Bytes{},
          .by_nics = sent >= within ? sent : Seconds{}};
}

Traffic fastest(Collective what, Bytes bytes, const RankGroup& g) {
  if (g.ranks <= 1.0 || bytes <= Bytes{}) return {};
  if (what == Collective::all_to_all) return all_to_all(bytes, g);
  if (what == Collective::send) {
    return limited({.latency = one_hop(g),
                    .transfer = bytes / (several(g) ? std::min(g.link, g.network) : g.link),
                    .network = over_network(bytes, 1.0, g)},
                   g.link, g.network);
  }
  Traffic best = ring(what, bytes, g, kSimple);
  for (std::size_t p = 0; p < kSimple; ++p) best = faster(best, ring(what, bytes, g, p));
  if (what != Collective::all_reduce) return best;
  for (std::size_t p = 0; p <= kSimple; ++p) best = faster(best, tree(bytes, g, p));
  const bool offload =
      several(g) ? g.reduction == Reduction::nvswitch_and_network : g.reduction != Reduction::gpus;
  return offload ? faster(best, nvls(bytes, g)) : best;
}

}  // namespace

Traffic collective(Collective what, Bytes bytes, const RankGroup& g) {
  Traffic out = fastest(what, bytes, g);
  out.outside = out.network * g.outside;
  return out;
}

Traffic hierarchical_all_reduce(Bytes bytes, const RankGroup& g) {
  const double local = g.ranks / g.hosts;
  RankGroup within = g, across = g;
  within.ranks = local, within.hosts = 1.0;
  across.ranks = g.hosts, across.network = g.network / local;
  Traffic out = collective(Collective::reduce_scatter, bytes, within);
  // one ring for every GPU of the host
  out += collective(Collective::all_reduce, bytes / local, across).side_by_side(local);
  out += collective(Collective::all_gather, bytes, within);
  return out;
}

}  // namespace stallcast::models
