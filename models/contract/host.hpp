#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

/// Share of NVLink's data sheet that collectives reach.    [docs/models/communication.md, table 2]
inline constexpr double kNvlinkShare = 0.85;

/// Share of the data sheet's DRAM bandwidth that mixed traffic reaches.    [docs/models/host.md]
inline constexpr double kDramShare = 0.75;

/// One class of identical servers: what limits data between the fabric and a GPU.
/// Equations and sources: docs/models/host.md.
struct HostParams {
  std::int64_t count = 1;
  std::int64_t gpus = 8;
  FlopRate gpu_peak;
  Rate gpu_copy, gpu_copy_pageable;
  std::int64_t cores = 1;
  Bytes memory, memory_reserved, memory_process;
  Fraction memory_dirty;     ///< of the page cache that may wait to be written
  std::optional<Bytes> shm;  ///< of /dev/shm; half of the memory when not given
  Rate memory_bandwidth;
  Rate nic_rate;
  std::int64_t nic_count = 1;
  Fraction nic_efficiency;
  std::optional<Rate> nvme_read, nvme_write;
  Rate nvlink;
  Rate compute_nic_rate;
  std::optional<std::int64_t> compute_nic_count;
  Rate cpu_copy, cpu_direct;    ///< bytes one core moves in a second of reading
  Rate cpu_tcp, cpu_tls;        ///< bytes one core moves over TCP, en- or decrypts
  std::optional<OpRate> opens;  ///< files that all processes of a server open, on any storage
  double smt = 1.0;             ///< what a core does with all its threads, over one
  double reserved = 0.0;        ///< cores per GPU that loaders do not get
  std::int64_t switches = 1;    ///< PCIe switches
  std::optional<Rate> uplink;   ///< of one PCIe switch, each direction
  std::optional<Rate> socket_link;
  Fraction remote;        ///< of the data that crosses sockets
  std::string p2p;        ///< how drives and NICs reach GPUs: "switch", "root", "nvlink", "none"
  Fraction root_share;    ///< of the GPU's link that a root complex lets through
  Fraction socket_share;  ///< of that, what is left between sockets
  Rate gds_stream;        ///< most one process reads with cuFile
  std::int64_t slow_count = 0;      ///< stragglers, the last hosts of the class
  Fraction slow_compute, slow_nic;  ///< what they have of the speed of a GPU, of the ports' rate
  Seconds slow_from;
  std::optional<Seconds> slow_until;  ///< none: they stay so

  /// What all NICs of one host carry in each direction: count x rate x efficiency.
  [[nodiscard]] Rate nic() const {
    return nic_rate * (static_cast<double>(nic_count) * nic_efficiency.in(unit::ratio));
  }
  /// Line rate of the NICs that carry nothing but communication between GPUs.
  [[nodiscard]] Rate compute_nics() const {
    return compute_nic_rate * static_cast<double>(compute_nic_count.value_or(gpus));
  }
  /// Cores that loaders share, in cores of one thread; at least one.    [host.md, eq. 2]
  [[nodiscard]] double loader_cores() const {
    return std::max(1.0, static_cast<double>(cores) * smt - reserved * static_cast<double>(gpus));
  }
  /// What one GPU exchanges with others of its server, each direction, as payload.
  [[nodiscard]] Rate nvlink_payload() const { return nvlink * kNvlinkShare; }
  /// Whether there are stragglers from the start to the end of every run.
  [[nodiscard]] bool always_slow() const {
    return slow_count > 0 && slow_from == Seconds{} && !slow_until;
  }
  /// What one GPU takes in past host memory.    [host.md, eq. 4]
  [[nodiscard]] Rate peer() const;
};

[[nodiscard]] HostParams host_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> host_fields();

}  // namespace stallcast::models
