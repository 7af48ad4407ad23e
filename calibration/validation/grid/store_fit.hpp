#pragma once

#include <map>
#include <optional>
#include <string>

#include "calibration/validation/grid/probe_files.hpp"

/// From the probes of a store to the parameters of storage kind `measured`.
namespace stallcast::calibration::grid {

/// What one read of a file asks of a store.
inline constexpr Bytes kRequest = Bytes::from(128.0, unit::KiB);

/// What one file (of a shard: one 128-KiB piece) costs behind the limits of a block device.
struct FileCost {
  Bytes size;     ///< the costs are of this many bytes
  Seconds cpu;    ///< of the reading process
  Seconds queue;  ///< of the device, one request at a time
  Seconds delay;  ///< besides both
};

/// A block device of the host, behind limits of bytes and of requests.
struct BlockStore {
  bool limited = false;  ///< else the two limits say nothing
  Rate limit;
  OpRate limit_operations;
  Seconds burst;  ///< the limits let through what they grant in this time at once
  Rate write;
  double open_operations = 0.0;  ///< requests an open costs besides tables of inodes, on average
  /// By format; formats that the probe did not read are scaled from the nearest.
  std::map<std::string, FileCost> files;
};

/// A file system behind a network.
struct RemoteStore {
  Seconds open_serial;   ///< part of an open that opens wait for each other in
  Seconds open_private;  ///< the rest
  Seconds latency;       ///< of a read, once a file
  Rate rate;             ///< of one server, for a file of one request
  Rate stream;           ///< of one server, for more than one request in a row
  Seconds write;         ///< of 1 MiB
  Fraction jitter;       ///< share of a round trip that is exponential
  int servers = 1;
  int stripe = 1;       ///< servers a file lies on
  double misfit = 0.0;  ///< mean |ln| of the probes of `servers` against their simulation
  std::map<std::string, Seconds> cpu;  ///< of the reading process, for a file of the format
};

struct StoreFit {
  std::optional<BlockStore> block;  ///< exactly one of the two
  std::optional<RemoteStore> remote;
};

/// A store is remote when its opens cost a round trip.              [docs/calibration-grid.md, eq.
/// 1] Faults name what the probe files lack; the fit is then of no use.
[[nodiscard]] StoreFit fit_store(const ProbeFiles& probes, const std::string& store,
                                 Diagnostics& faults);

/// Sets `servers`, `stripe` and `misfit` of `store`: those whose simulated readers are nearest to
/// the probed ones.                                                 [docs/calibration-grid.md, eq.
/// 9]
void fit_servers(const ProbeFiles& probes, const StoreProbe& probe, RemoteStore& store);

/// Files per second of `readers` that read files of one size in turn, in simulated time.
[[nodiscard]] OpRate simulate_readers(const RemoteStore& store, Bytes size, Seconds cpu, int files,
                                      int readers, std::uint64_t seed);

}  // namespace stallcast::calibration::grid
