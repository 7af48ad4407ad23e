#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "models/storage/fitted_station.hpp"
#include "models/storage/measured_range.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

/// Fields of storage that is known by measurements: docs/models/measured.md.
struct MeasuredParams {
  std::string scope;            ///< "host": a device of each host; "shared": one for all
  std::string read_law;         ///< of ResponseLaw: how reads wait for each other
  std::string read_latency_of;  ///< what pays the latency in law fifo: "request" or "file"
  std::string write_law;        ///< as read_law
  std::string write_line;       ///< "shared": writes queue with reads; "own": by themselves
  Seconds read_latency;         ///< alpha: does not grow with requests outstanding
  std::optional<Seconds> write_latency;  ///< the same; absent where nobody writes
  Seconds read_per_op, write_per_op;     ///< s: time of a server per request besides its bytes
  Fraction read_private;      ///< q: of a read among read_readers, what it takes by itself
  double read_readers = 1.0;  ///< N: reads in flight that read and read_latency were seen with
  double read_lanes = 1.0, write_lanes = 1.0;     ///< K: requests that a server serves at one time
  Rate read;                                      ///< B: of one server
  std::optional<Rate> write;                      ///< the same; absent where nobody writes
  std::optional<Rate> read_stream, write_stream;  ///< S: of one stream by itself
  std::optional<Rate> read_copy, write_copy;      ///< of one core of the process
  Seconds open_latency, create_latency;           ///< private part of an open, of a create
  Seconds open_per_op, create_per_op;             ///< serial part: of all processes together
  Seconds open_cached;      ///< an open of a file whose data the host's cache holds
  Seconds sync;             ///< an fsync besides the bytes it waits for
  double open_ops = 0.0;    ///< requests of the device per open, counted in limit_read_ops
  double cold_ops = 0.0;    ///< requests at the first open in a group of files, counted likewise
  double cold_files = 1.0;  ///< files of such a group
  Bytes request, write_request;          ///< largest read, largest write that is sent at once
  std::int64_t depth = 1;                ///< requests one process keeps in flight
  std::int64_t servers = 1, stripe = 1;  ///< servers of the device, and those one file is on
  Bytes stripe_size;                     ///< piece of a file on one server
  std::string placement;                 ///< "random" or in turn: the first server of a file
  std::optional<Rate> limit_read, limit_write;            ///< of the limiter in front
  std::optional<OpRate> limit_read_ops, limit_write_ops;  ///< of the limiter in front
  double coupling = 1.0;     ///< factor on times while reads and writes are both outstanding
  std::string limit_refill;  ///< "steady", "slices"
  Seconds limit_burst;       ///< what passes at once after a rest, as time at the limit
  Fraction jitter;           ///< exponential share of latencies
  std::optional<Bytes> smallest, largest;     ///< reads that were measured
  std::optional<double> shallowest, deepest;  ///< fewest, most reads in flight that were measured
  std::optional<Bytes> write_smallest, write_largest;  ///< the same of writes
  std::optional<double> write_shallowest, write_deepest;

  [[nodiscard]] MeasuredRange range(bool writes) const;
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
[[nodiscard]] std::span<const base::FieldInfo> measured_fields();

}  // namespace stallcast::models
