#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Parameters of an object store. Meaning, units and sources: the table in s3_params.cpp; model:
/// docs/models/s3.md.
struct S3Params {
  std::int64_t prefixes = 1;
  OpRate get_rate, put_rate;
  Seconds burst;
  std::optional<Seconds> ramp_every;
  double ramp_factor = 2.0, ramp_most = 1.0;
  Seconds first_byte, answer;
  double spread = 1.0;
  Rate connection, copy;
  Seconds setup;
  std::optional<double> requests_per_connection;
  std::int64_t get_parallel = 1, put_parallel = 1;
  Bytes get_part, put_part;
  Rate client, client_put;
  bool tls = true;
  double open_requests = 0.0;
  Seconds retry_base, retry_cap;
  std::int64_t retry_tries = 1;
  std::optional<Rate> read_ceiling, write_ceiling;
  std::optional<std::int64_t> servers;
  Rate server_read, server_write, server_nic;
};

[[nodiscard]] S3Params s3_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> s3_fields();

}  // namespace stallcast::models
