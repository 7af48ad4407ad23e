#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "models/storage/pooled_fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Parameters of a Lustre file system. Meaning, units and sources: the table in lustre_params.cpp;
/// equations: docs/models/lustre.md.
struct LustreParams : DeliveredParams, BufferedParams, HostClientParams {
  std::int64_t ost_count = 1;
  Rate ost_read, ost_write;
  Seconds ost_service;
  double ost_bulk = 1.0;
  std::optional<Bytes> ost_capacity;
  std::int64_t ost_degraded = 0;
  Fraction ost_degraded_rate;
  Seconds seek;
  std::int64_t spindles = 1;
  std::optional<Rate> provisioned;
  std::optional<std::int64_t> raid_data;
  std::int64_t raid_parity = 2;
  Bytes raid_chunk;
  std::optional<std::int64_t> oss_count;
  std::int64_t oss_failed = 0;
  Rate oss_nic;
  std::optional<std::int64_t> routers;  ///< LNet routers between clients and servers
  Rate router_rate;                     ///< what one forwards, each direction
  Seconds router_latency;               ///< of one message through one
  std::int64_t router_credits = 1;      ///< messages a client has under way to one
  std::optional<Rate> read_ceiling, write_ceiling;
  std::int64_t mdt_count = 1;
  OpRate mdt_open, mdt_create;
  Seconds mdt_service, mdt_data_service;
  Fraction object_cost;
  Rate mdt_read;
  std::optional<std::int64_t> directories;
  bool directory_striped = false;
  std::optional<OpRate> directory_creates;
  Bytes dom;
  std::optional<Bytes> pfl_end;
  std::int64_t pfl_count = 1;
  std::int64_t stripe_count = 1;
  Bytes stripe_size;
  std::string placement;
  Bytes rpc, short_io;
  std::int64_t rpcs_in_flight = 8;
  Bytes read_ahead, read_ahead_all, dirty;
  Rate stream_direct, stream_mdt;
  bool checksums = true;
  Rate checksum_rate;
  Seconds lock, piece_read;
  Seconds commit;
  std::int64_t hsm_agents = 1;
  Fraction hsm_released;
  Rate hsm_rate;
  Seconds hsm_latency;

  /// What a client has under way to one OST, where it holds `held` for it.
  [[nodiscard]] Bytes window(Bytes held = Bytes::infinity()) const {
    return std::min(rpc * static_cast<double>(rpcs_in_flight), held);
  }
};

[[nodiscard]] LustreParams lustre_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> lustre_fields();

}  // namespace stallcast::models
