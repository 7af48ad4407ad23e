#include <array>

#include "models/contract/rows.hpp"
#include "models/network/kinds.hpp"

/// Kinds of fabrics and of communication.
namespace stallcast::models {
namespace {

constexpr std::array kFabricParts{
    whole("network"),
    included(
        counted_by(part<"switch">("switches", ""),
                   base::FieldInfo{"switch.count", Dimension::count, base::kOptional,
                                   "switches of all levels, for costs only", base::kAtLeastOne}))};

constexpr Remedy kFasterLinks{"", Remedy::Of::self, "link.rate", 2.0, {}, true};
constexpr Remedy kFasterComputeLinks{
    "compute_link", Remedy::Of::self, "compute_link.rate", 2.0, {}, true};
constexpr Remedy fewer_down(std::string_view part) {
  return {part, Remedy::Of::self, "oversubscription", 0.5, {}, false, false, true};
}
constexpr std::array kDragonflyRemedies{kFasterComputeLinks, kFasterLinks};
constexpr std::array kLeafRemedies{kFasterComputeLinks, fewer_down("compute_link"), kFasterLinks,
                                   fewer_down("")};

FabricRow fabric(std::string_view id, std::string_view summary,
                 std::span<const base::FieldInfo> fields, decltype(FabricRow::shape) shape,
                 std::span<const Remedy> remedies = {}) {
  return {{id, summary, fabric_fields(), fields, kFabricParts, {}, remedies}, shape};
}

// Sorted by id (registry_test.cpp holds them to it).
const std::array kFabrics{
    fabric("dragonfly", "groups of switches joined by global links", dragonfly_fields(),
           dragonfly_shape, kDragonflyRemedies),
    fabric("fat-tree", "leaves and spines, all ports of a host on one leaf", fat_tree_fields(),
           fat_tree_shape, kLeafRemedies),
    fabric("rail-optimized", "leaves and spines, every port of a host on a leaf of its own",
           rail_fields(), rail_shape, kLeafRemedies),
    fabric("switched", "switched network, non-blocking unless a bisection is given", {},
           switched_shape)};
const std::array kCommunications{
    CommunicationRow{
        {"ddp", "gradients all-reduced in buckets alongside the backward pass (ZeRO-1/2)",
         communication_common_fields(), communication_ddp_fields()},
        ddp_traffic},
    CommunicationRow{{"fsdp", "parameters gathered when used, gradients scattered (ZeRO-3)",
                      communication_common_fields(), communication_fsdp_fields()},
                     fsdp_traffic},
    CommunicationRow{
        {"given", "exposed time of a step as measured", {}, communication_given_fields()},
        given_traffic},
    CommunicationRow{{"megatron", "tensor, pipeline, expert and data parallelism",
                      communication_common_fields(), communication_megatron_fields()},
                     megatron_traffic}};

}  // namespace

std::span<const FabricRow> fabric_rows() { return kFabrics; }
std::span<const CommunicationRow> communication_rows() { return kCommunications; }

}  // namespace stallcast::models
