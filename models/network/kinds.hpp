#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/fields.hpp"
#include "models/contract/communication.hpp"
#include "models/contract/fabric.hpp"
#include "models/network/nccl.hpp"
#include "stallcast/design.hpp"

/// Kinds of fabrics and of communication. docs/models/network.md, docs/models/communication.md.
namespace stallcast::models {

/// What fields of these rates say, of every kind that has links between switches.
inline constexpr std::string_view
    kLinkDoc = "one link between switches; absent: as one port of a host (nic)",
    kComputeLinkDoc =
        "one link between switches of the network of compute_nic (not converged); absent: as one "
        "port there, or link.rate where that is faster";
/// Line rate of links between switches, where a fabric says `link`, and `compute` of the network of
/// `compute_nic`: what it does not say is that of a port, there or `link` where that is faster.
/// [docs/models/network.md, eq. 5]
[[nodiscard]] inline Rate link_between_switches(std::optional<Rate> link,
                                                std::optional<Rate> compute,
                                                const FabricSite& site) {
  if (!site.compute) return link.value_or(site.port);
  return compute.value_or(std::max(link.value_or(site.port), site.port));
}

/// How a fabric joins the hosts of a class.
[[nodiscard]] FabricShape switched_shape(const Component& component, const FabricSite& site);
[[nodiscard]] FabricShape fat_tree_shape(const Component& component, const FabricSite& site);
[[nodiscard]] FabricShape rail_shape(const Component& component, const FabricSite& site);
[[nodiscard]] FabricShape dragonfly_shape(const Component& component, const FabricSite& site);
[[nodiscard]] std::span<const base::FieldInfo> fat_tree_fields();
[[nodiscard]] std::span<const base::FieldInfo> rail_fields();
[[nodiscard]] std::span<const base::FieldInfo> dragonfly_fields();

/// What all kinds that compute their collectives have.
struct CollectiveParams {
  Fraction overlap, slowdown;
  std::string reduction;
  std::int64_t channels = 1;
  Seconds hop;

  [[nodiscard]] Reduction reduced_in() const;
};
[[nodiscard]] CollectiveParams collective_params(const Component& component);

/// A group of `ranks` of the site that lie on `hosts` hosts, `groups` of which share each host's
/// NICs; neighbours are `stride` hosts apart. Bus bandwidths are 0.85 of NVLink and 0.92 of the
/// NICs.
[[nodiscard]] RankGroup rank_group(const CommunicationSite& site, const CollectiveParams& params,
                                   double ranks, double hosts, double groups, double stride = 1.0);

/// Kinds: the exposed time as measured; gradients all-reduced in buckets (DDP, ZeRO-1/2);
/// parameters gathered twice and gradients scattered (FSDP, ZeRO-3).
[[nodiscard]] StepTraffic given_traffic(const Component& component, const CommunicationSite& site);
[[nodiscard]] StepTraffic ddp_traffic(const Component& component, const CommunicationSite& site);
[[nodiscard]] StepTraffic fsdp_traffic(const Component& component, const CommunicationSite& site);
/// Tensor, pipeline, expert and data parallelism: models/network/megatron.cpp.
[[nodiscard]] StepTraffic megatron_traffic(const Component& component,
                                           const CommunicationSite& site);
[[nodiscard]] std::span<const base::FieldInfo> communication_megatron_fields();
[[nodiscard]] std::span<const base::FieldInfo> communication_given_fields();
[[nodiscard]] std::span<const base::FieldInfo> communication_ddp_fields();
[[nodiscard]] std::span<const base::FieldInfo> communication_fsdp_fields();
/// Fields of every kind that computes its collectives.
[[nodiscard]] std::span<const base::FieldInfo> communication_common_fields();

}  // namespace stallcast::models
