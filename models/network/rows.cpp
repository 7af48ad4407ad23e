#include <array>

#include "models/rows.hpp"

/// Kinds of communication.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kCommunications{
    CommunicationRow{{"ddp", "gradients all-reduced in buckets beside the backward pass (ZeRO-1/2)",
                      communication_common_fields(), communication_ddp_fields()},
                     ddp_traffic},
    CommunicationRow{{"fsdp", "parameters gathered when used, gradients scattered (ZeRO-3)",
                      communication_common_fields(), communication_fsdp_fields()},
                     fsdp_traffic},
    CommunicationRow{
        {"given", "exposed time of a step as measured", {}, communication_given_fields()},
        given_traffic}};

}  // namespace

std::span<const CommunicationRow> communication_rows() { return kCommunications; }

}  // namespace stallcast::models
