#include <algorithm>
#include <cmath>

#include "models/network/kinds.hpp"

/// Communication of Megatron-LM. Equations and sources: docs/models/communication.md.
namespace stallcast::models {
namespace {

using namespace base;

// An activation is bf16; each transformer layer reduces twice forward and twice backward, each
// layer of experts sends tokens there and back both times.    [docs/models/communication.md, eq. 8]
constexpr double kActivationBytes = 2.0;
constexpr double kPerLayer = 4.0;

struct Megatron {
  std::int64_t tokens = 1, microbatches = 1, expert = 1, moe_layers = 0, top_k = 2;
  double gradient = 2.0;
  Fraction backward;
};
constexpr std::array<Field<Megatron>, 7> kMegatron{
    field("tokens", &Megatron::tokens, kRequired, "tokens of one micro-batch: samples x sequence",
          up_to(1e9)),
    field("microbatches", &Megatron::microbatches, kRequired, "micro-batches per step", up_to(1e6)),
    field("expert", &Megatron::expert, "1", "data-parallel ranks the experts are spread over",
          up_to(1e5)),
    field("moe.layers", &Megatron::moe_layers, "0", "layers with experts",
          FieldLimits{.minimum = 0.0, .maximum = 1e5}),
    field("moe.top_k", &Megatron::top_k, "2", "experts each token is sent to",
          assumed(up_to(1024), "Mixtral")),
    field("gradient", &Megatron::gradient, "2", "bytes exchanged per parameter", kPositive),
    field("backward", &Megatron::backward, "67 %",
          "share of a step's compute that is the backward pass",
          between("60 %", "75 %",
                  assumed(kPositiveShare, "derived: two of the three matrix products of a step"),
                  "derived: 75 % with recomputed activations; optimizer and inputs take some"))};

// Sends between stages: `part` by each tensor rank, there and back, in every slot of a schedule of
// `micro` micro-batches. Ranks of a stage lie side by side. Where it fills hosts, all of them send
// to other hosts; where a host has several stages, those at its edge, others within.
// [docs/models/communication.md, eq. 9]
Traffic stages(const CommunicationSite& site, const CollectiveParams& common, Bytes part,
               double micro) {
  const double senders = std::min(site.ranks / site.hosts, site.ranks / site.pipeline);
  const double crossing = std::min(site.hosts, site.pipeline) - 1.0;
  RankGroup pair =
      rank_group(site, common, 2.0, 2.0, senders, std::max(1.0, site.hosts / site.pipeline));
  const Traffic across = collective(Collective::send, part, pair).side_by_side(senders);
  pair.hosts = 1.0;
  const Traffic within = collective(Collective::send, part, pair);
  // The first and the last micro-batch meet one boundary after the other, all others wait for the
  // slowest.
  Traffic out = (crossing > 0.0 ? across : within) * micro;
  out += across * crossing;
  out += within * (site.pipeline - 1.0 - crossing);
  return out * 2.0;
}

}  // namespace

std::span<const FieldInfo> communication_megatron_fields() { return kInfos<kMegatron>; }

StepTraffic megatron_traffic(const Component& component, const CommunicationSite& site) {
  const Megatron p = bind<kMegatron>(component);
  const CollectiveParams common = collective_params(component);
  const double micro = static_cast<double>(p.microbatches);
  const double layers = static_cast<double>(site.model.layers.value_or(1)) / site.pipeline;
  const double data = std::max(1.0, site.ranks / (site.tensor * site.pipeline));
  const double per_host = site.ranks / site.hosts;
  const Bytes activation =
      Bytes::from(static_cast<double>(p.tokens) *
                      static_cast<double>(site.model.hidden.value_or(0)) * kActivationBytes,
                  unit::B);
  // `ranks` ranks of which `stride` lie between neighbours: as many of them on one host as fit,
  // every other group of the host at the same time.
  const auto traffic = [&](Collective what, Bytes bytes, double ranks, double stride) {
    const double together = std::clamp(std::floor(per_host / stride), 1.0, ranks);
    const double groups = std::max(1.0, per_host / together);
    const double hosts = std::max(1.0, std::ceil(ranks / together));
    const double apart = std::max(1.0, stride / per_host);
    RankGroup group = rank_group(site, common, ranks, hosts, groups, apart);
    if (what == Collective::all_to_all) {
      group.network *= site.shares.spread / site.shares.ring;
      group.outside = site.shares.spread_outside(hosts * apart);
    }
    return collective(what, bytes, group).side_by_side(groups);
  };
  StepTraffic out{.exposed = {},
                  .hidden = {},
                  .window = common.overlap.in(unit::ratio)*p.backward.in(unit::ratio) / micro,
                  .slowdown = common.slowdown.in(unit::ratio),
                  .connections = static_cast<double>(common.channels)};
  out.exposed +=
      traffic(Collective::all_reduce, activation, site.tensor, 1.0) * (kPerLayer * layers * micro);
  if (site.pipeline > 1.0) out.exposed += stages(site, common, activation / site.tensor, micro);
  if (p.expert > 1)
    out.exposed += traffic(Collective::all_to_all, activation * static_cast<double>(p.top_k),
                           static_cast<double>(p.expert), site.tensor) *
                   (kPerLayer * static_cast<double>(p.moe_layers) / site.pipeline * micro);
  const Bytes gradients = Bytes::from(
      site.model.parameters.value_or(0.0) / (site.tensor * site.pipeline) * p.gradient, unit::B);
  const Traffic layer = traffic(Collective::all_reduce, gradients / layers, data, site.tensor);
  out.hidden = layer * (layers - 1.0);
  out.exposed += layer;
  return out;
}

}  // namespace stallcast::models
