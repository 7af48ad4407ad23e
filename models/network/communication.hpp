#pragma once

#include <span>

#include "engine/base/fields.hpp"
#include "models/compute/step.hpp"
#include "models/host.hpp"
#include "models/network/fabric.hpp"
#include "models/network/nccl.hpp"
#include "stallcast/design.hpp"

/// What the ranks of a job exchange in a step. docs/models/communication.md.
namespace stallcast::models {

/// Where a job runs, as its collectives see it.
struct CommunicationSite {
  ModelParams model;
  double ranks = 1.0;
  double hosts = 1.0;                   ///< that the ranks fill
  double tensor = 1.0, pipeline = 1.0;  ///< ranks that hold one copy of the model: their product
  Rate nvlink;                          ///< of one GPU, each direction
  Rate network;             ///< line rate of all NICs of one host for this, each direction
  Fraction nic_efficiency;  ///< payload share of it
  CollectiveShares shares;  ///< what the fabric leaves them of it
};

/// The traffic of one step, undisturbed.
struct StepTraffic {
  Traffic exposed;        ///< what training waits for
  Traffic hidden;         ///< runs beside compute
  double window = 0.0;    ///< share of a step's compute, at its end, that `hidden` may run beside
  double slowdown = 0.0;  ///< compute takes so much longer while `hidden` runs
  double connections = 1.0;  ///< that a host's collectives keep busy

  /// What is added to a step of `compute`.    [docs/models/communication.md, eq. 6]
  [[nodiscard]] Seconds added(Seconds compute) const;
};

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
