#pragma once

#include <optional>
#include <span>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

/// One class of identical servers: what limits data between the fabric and a GPU.
/// Equations and sources: docs/models/host.md.
struct HostParams {
  std::int64_t count = 1;
  std::int64_t gpus = 8;
  FlopRate gpu_peak;
  Rate gpu_copy, gpu_copy_pageable;
  std::int64_t cores = 1;
  Bytes memory, memory_reserved, memory_process;
  std::optional<Bytes> shm;  ///< of /dev/shm; half of the memory when not given
  Rate memory_bandwidth;
  Rate nic_rate;
  std::int64_t nic_count = 1;
  Fraction nic_efficiency;
  std::optional<Rate> nvme_read, nvme_write;
  Rate nvlink;
  Rate compute_nic_rate;
  std::optional<std::int64_t> compute_nic_count;

  /// What all NICs of one host carry in each direction: count x rate x efficiency.
  [[nodiscard]] Rate nic() const {
    return nic_rate * (static_cast<double>(nic_count) * nic_efficiency.in(unit::ratio));
  }
  /// Line rate of the NICs that carry nothing but communication between GPUs.
  [[nodiscard]] Rate compute_nics() const {
    return compute_nic_rate * static_cast<double>(compute_nic_count.value_or(gpus));
  }
};

[[nodiscard]] HostParams host_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> host_fields();

}  // namespace stallcast::models
