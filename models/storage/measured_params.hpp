#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "models/storage/fitted_station.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

/// Fields of storage that is known by measurements: docs/models/measured.md.
struct MeasuredParams {
  std::string scope;
  std::string read_law, read_latency_of, write_law, write_line;
  Seconds read_latency, write_latency, read_per_op, write_per_op;
  Rate read, write;
  std::optional<Rate> read_stream, write_stream, read_copy, write_copy;
  Seconds open_latency, open_per_op, open_cached, create_latency, create_per_op, sync;
  double open_ops = 0.0, cold_ops = 0.0, cold_files = 1.0;
  Bytes request, write_request;
  std::int64_t depth = 1;
  std::int64_t servers = 1, stripe = 1;
  Bytes stripe_size;
  std::string placement;
  std::optional<Rate> limit_read, limit_write;
  std::optional<OpRate> limit_read_ops, limit_write_ops;
  double coupling = 1.0;
  Seconds limit_burst;
  Fraction jitter;
  std::optional<Bytes> smallest, largest;
  std::optional<double> deepest;

  [[nodiscard]] bool shared() const { return scope == "shared"; }
  [[nodiscard]] bool one_line() const { return write_line == "shared"; }
  /// What all servers of one device read and write a second at most, limits included.
  [[nodiscard]] Rate most_read() const;
  [[nodiscard]] Rate most_write() const;
  [[nodiscard]] ResponseParams reads() const;
  [[nodiscard]] ResponseParams writes() const;
  [[nodiscard]] ResponseParams opens() const;
  [[nodiscard]] ResponseParams creates() const;
};

[[nodiscard]] MeasuredParams measured_params(const Component& component);

}  // namespace stallcast::models
