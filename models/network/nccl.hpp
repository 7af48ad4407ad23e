#pragma once

#include "models/contract/communication.hpp"
#include "stallcast/units.hpp"

/// NCCL's own cost model of a collective. docs/models/communication.md.
namespace stallcast::models {

enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, send };

/// Where reductions are made besides the GPUs.
enum class Reduction { gpus, nvswitch, nvswitch_and_network };

/// The GPUs that take part, and what joins them.
struct RankGroup {
  double ranks = 1.0;
  double hosts = 1.0;               ///< they lie on so many hosts
  Rate link = Rate::infinity();     ///< bus bandwidth between GPUs of one host
  Rate network = Rate::infinity();  ///< of this group on one host, each direction
  Reduction reduction = Reduction::gpus;
  double latency = 1.0;  ///< all latencies over those of NCCL's table
  double outside = 0.0;  ///< share of what hosts send that takes the fabric's links to storage
};

/// The fastest algorithm and protocol for `bytes`: the buffer of one rank for all-reduce and
/// all-to-all, the whole for all-gather and reduce-scatter, the message of a send.
/// [docs/models/communication.md, eq. 1 to 4]
[[nodiscard]] Traffic collective(Collective what, Bytes bytes, const RankGroup& group);

/// Reduce-scatter in every host, all-reduce between hosts by each GPU for its part, all-gather:
/// what frameworks build from NCCL calls.    [docs/models/communication.md, eq. 5]
[[nodiscard]] Traffic hierarchical_all_reduce(Bytes bytes, const RankGroup& group);

}  // namespace stallcast::models
