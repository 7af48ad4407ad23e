#include "models/network/kinds.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/host.hpp"

/// Equations and sources: docs/models/communication.md.
namespace stallcast::models {
namespace {

using namespace base;

// Share of the data sheet that collectives reach: one NDR NIC 46-48 of 50 GB/s.
// [docs/models/communication.md, table 2]
constexpr double kNicShare = 0.92;
// The hop that NCCL's table of latencies has for a ring over the network.
constexpr Seconds kTableHop = Seconds::from(9.6, unit::us);

constexpr std::string_view kReductions[] = {"gpus", "nvswitch", "sharp"};
constexpr std::array<Field<CollectiveParams>, 5> kCommon{
    field("overlap", &CollectiveParams::overlap, "90 %",
          "share really used of the compute that collectives may overlap",
          between("60 %", "98 %", assumed(kShare),
                  "expert range: many small kernels and late launches leave 60 %")),
    field("slowdown", &CollectiveParams::slowdown, "5 %",
          "how much longer compute takes while collectives run alongside it",
          between("2 %", "12 %",
                  assumed(kShare, "3-8 %: their kernels take SMs and memory bandwidth"),
                  "as cited, widened: few channels take less, memory-bound kernels lose more")),
    field("reduction", &CollectiveParams::reduction, "gpus",
          "where all-reduces add up: gpus, nvswitch (NVLink SHARP), or sharp (also in the network)",
          one_of(kReductions)),
    field("channels", &CollectiveParams::channels, "16",
          "network connections one host's collectives keep busy, which decide their share against "
          "storage traffic",
          between("8", "32", assumed(up_to(4096), "NCCL channels, 16-32 on 8 GPUs"),
                  "as cited; NCCL takes fewer between few hosts")),
    field("hop", &CollectiveParams::hop, "9.6 us",
          "one hop of a ring over the network; all latencies of NCCL's table scale with it",
          between("6 us", "20 us",
                  cited(kPositive, "NVIDIA/nccl src/graph/tuning.cc, ring, simple protocol"),
                  "expert range: InfiniBand 6-10 us, RoCE and EFA up to 20 us"))};

struct Given {
  Seconds exposed;
};
constexpr std::array<Field<Given>, 1> kGiven{
    field("exposed", &Given::exposed, kRequired,
          "time training waits for communication in each step, as measured", kNonNegative)};

constexpr std::string_view kAlgorithms[] = {"nccl", "hierarchical"};
struct Ddp {
  double gradient = 2.0;
  Bytes bucket;
  Fraction backward;
  std::int64_t accumulation = 1;
  std::string algorithm;
};
constexpr FieldLimits kBackward =
    between("60 %", "75 %",
            assumed(kPositiveShare,
                    "derived: the backward pass has two of the three matrix products of a step"),
            "derived: 75 % with recomputed activations; optimizer and inputs take some");
constexpr std::array<Field<Ddp>, 5> kDdp{
    field("gradient", &Ddp::gradient, "2", "bytes exchanged per parameter (2: bf16, 4: fp32)",
          kPositive),
    field("bucket", &Ddp::bucket, "25 MB", "gradients reduced at one time",
          cited(kPositive, "PyTorch DistributedDataParallel, bucket_cap_mb = 25")),
    field("backward", &Ddp::backward, "67 %",
          "share of a step's compute that is the backward pass, during which buckets are reduced",
          kBackward),
    field("accumulation", &Ddp::accumulation, "1",
          "micro-batches per step; only the last one's backward pass hides communication",
          kAtLeastOne),
    field("algorithm", &Ddp::algorithm, "nccl",
          "nccl: ring or tree, whichever is faster; hierarchical: within hosts, then between them",
          one_of(kAlgorithms))};

struct Fsdp {
  double parameter = 2.0, gradient = 2.0;
  std::int64_t units = 32;
};
constexpr std::array<Field<Fsdp>, 3> kFsdp{
    field("parameter", &Fsdp::parameter, "2", "bytes gathered per parameter", kPositive),
    field("gradient", &Fsdp::gradient, "2", "bytes scattered per parameter", kPositive),
    field("units", &Fsdp::units, "32", "parts of the model gathered one at a time",
          assumed(up_to(1e6), "one per transformer layer"))};

Bytes per_parameter(const CommunicationSite& site, double bytes) {
  return Bytes::from(site.model.parameters.value_or(0.0) * bytes, unit::B);
}

}  // namespace

CollectiveParams collective_params(const Component& component) { return bind<kCommon>(component); }
std::span<const FieldInfo> communication_common_fields() { return kInfos<kCommon>; }
std::span<const FieldInfo> communication_given_fields() { return kInfos<kGiven>; }
std::span<const FieldInfo> communication_ddp_fields() { return kInfos<kDdp>; }
std::span<const FieldInfo> communication_fsdp_fields() { return kInfos<kFsdp>; }

Reduction CollectiveParams::reduced_in() const {
  if (reduction == "sharp") return Reduction::nvswitch_and_network;
  return reduction == "nvswitch" ? Reduction::nvswitch : Reduction::gpus;
}

RankGroup rank_group(const CommunicationSite& site, const CollectiveParams& params, double ranks,
                     double hosts, double groups, double stride) {
  const double share = std::min(kNicShare, site.nic_efficiency.in(unit::ratio));
  return {.ranks = ranks,
          .hosts = hosts,
          .link = site.nvlink * kNvlinkShare,
          .network = site.network * (share * site.shares.ring / groups),
          .reduction = params.reduced_in(),
          .latency = params.hop / kTableHop,
          .outside = site.shares.ring_outside(stride)};
}

StepTraffic given_traffic(const Component& component, const CommunicationSite&) {
  StepTraffic out;
  out.exposed.latency = bind<kGiven>(component).exposed;
  return out;
}

StepTraffic ddp_traffic(const Component& component, const CommunicationSite& site) {
  const Ddp p = bind<kDdp>(component);
  const CollectiveParams common = collective_params(component);
  const RankGroup group = rank_group(site, common, site.ranks, site.hosts, 1.0);
  const auto reduce = [&](Bytes bytes) {
    return p.algorithm == "hierarchical" ? hierarchical_all_reduce(bytes, group)
                                         : collective(Collective::all_reduce, bytes, group);
  };
  const Bytes all = per_parameter(site, p.gradient);
  const double buckets = std::max(1.0, std::ceil(all / p.bucket - 1e-9));
  const Bytes bucket = all / buckets;
  return {.exposed = reduce(bucket),  // the last one waits for the last gradient
          .hidden = reduce(bucket) * (buckets - 1.0),
          .window = common.overlap.in(unit::ratio)*p.backward.in(unit::ratio) /
                    static_cast<double>(p.accumulation),
          .slowdown = common.slowdown.in(unit::ratio),
          .connections = static_cast<double>(common.channels)};
}

StepTraffic fsdp_traffic(const Component& component, const CommunicationSite& site) {
  const Fsdp p = bind<kFsdp>(component);
  const CollectiveParams common = collective_params(component);
  const RankGroup group = rank_group(site, common, site.ranks, site.hosts, 1.0);
  const double units = static_cast<double>(p.units);
  const Traffic gather =
      collective(Collective::all_gather, per_parameter(site, p.parameter) / units, group);
  const Traffic scatter =
      collective(Collective::reduce_scatter, per_parameter(site, p.gradient) / units, group);
  // Every unit is gathered for the forward and for the backward pass and its gradient scattered;
  // nothing computes yet alongside the first gather, or still alongside the last scatter.
  StepTraffic out{.exposed = gather,
                  .hidden = gather * (2.0 * units - 1.0),
                  .window = common.overlap.in(unit::ratio),
                  .slowdown = common.slowdown.in(unit::ratio),
                  .connections = static_cast<double>(common.channels)};
  out.exposed += scatter;
  out.hidden += scatter * (units - 1.0);
  return out;
}

}  // namespace stallcast::models
