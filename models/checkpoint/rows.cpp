#include <array>

#include "models/contract/rows.hpp"

/// Kinds of checkpoints.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kCheckpoints{
    CheckpointRow{{"async", "snapshot to host memory, written while training goes on",
                   checkpoint_common_fields(), checkpoint_async_fields()},
                  {.blocking = false}},
    CheckpointRow{{.id = "sync",
                   .summary = "training waits until the save is durable",
                   .common = checkpoint_common_fields(),
                   .successor = {"async", "checkpoint"}},
                  {.blocking = true}}};

}  // namespace

std::span<const CheckpointRow> checkpoint_rows() { return kCheckpoints; }

}  // namespace stallcast::models
