#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "models/contract/storage.hpp"

/// Drives (NVMe, SATA, disks) that serve blocks: docs/models/local.md.
namespace stallcast::models {

/// Equal drives behind one RAID level, and how requests reach them.
struct DriveParams {
  std::int64_t count = 1;                  ///< in one host, or in one target
  std::optional<Bytes> size;               ///< of one drive
  Rate read, write;                        ///< of one drive, sequential
  OpRate read_iops;                        ///< small random reads of one drive, deep queue
  OpRate write_iops = OpRate::infinity();  ///< small random writes, steady state
  Seconds latency;                         ///< of one read on an idle drive besides its data
  std::optional<Seconds> latency_p99;      ///< 99th percentile of it; absent: always the same
  Seconds write_latency;                   ///< until a flushed write is safe
  Seconds seek;                ///< time a drive does nothing else before a random request
  double write_cost = 1.0;     ///< drive time of a byte written while others read, over one alone
  double read_slowdown = 1.0;  ///< latency of a read while others write, over one alone
  Bytes burst;                 ///< what one drive takes in at `burst_write` before it slows down
  std::optional<Rate> burst_write;
  std::string raid;             ///< level: "0", "5", "6", "10"
  Bytes chunk;                  ///< bytes on one drive before the next
  Bytes request;                ///< most that is asked for at one time
  std::int64_t depth = 1;       ///< requests one process keeps in flight
  std::int64_t raid_width = 0;  ///< what the RAID level spans; 0: the drives
  Seconds open, create;         ///< of one file, on the host
  Rate stream;                  ///< most one process moves through the page cache
  double inflation = 1.0;       ///< bytes that leave the drives per byte read: where they decode
  bool memory = false;  ///< loaded in pieces of `request`, whatever is asked for at one time

  [[nodiscard]] double drives() const { return static_cast<double>(count); }
  /// Bytes on drives for one byte written.    [local.md, eq. 4]
  [[nodiscard]] double written() const;
  /// Writes of drives for one request smaller than a stripe.    [local.md, eq. 9]
  [[nodiscard]] double small_writes() const;
  /// Drives that one request of `bytes` touches.
  [[nodiscard]] double touched(Bytes bytes) const;
  /// Mean of the slowest of `n` (>= 1) such reads at one time.    [local.md, eq. 7]
  [[nodiscard]] Seconds slowest(double n) const;
  /// Mean of the part of a read's latency that differs from read to read.    [local.md, eq. 7]
  [[nodiscard]] Seconds tail() const;
  /// What one drive takes in at best.
  [[nodiscard]] Rate fastest_write() const {
    return burst > Bytes{} ? std::max(write, burst_write.value_or(write)) : write;
  }
};

/// Drives that share their work: those of one host group, or of all targets. Their time is the
/// resource: a second of one drive is a second, whether it seeks, reads or writes.
class DriveBank {
 public:
  /// `banks` sets of drives; `media` is the resource to blame, its time is "<media>.busy".
  /// `inside`: each set is that of one host.
  DriveBank(const DriveParams& params, double banks, std::string media, std::string group,
            bool inside);

  /// `streams` processes read at one time from each set of drives.
  void attach(sim::Context& context, ResourceTable& resources, double streams);
  /// The data part of a read. `turn`: time of one request besides the drive (network, target);
  /// `cap`: most one process moves; `stream`: resource to blame when that, or the drives' latency,
  /// limits.
  [[nodiscard]] sim::Task<Served> read(const Client& client, const ReadRequest& request,
                                       Seconds turn, Rate cap, ResourceIndex stream);
  /// The data part of a write, without the flush at its end. `sent`: bytes that cross the path for
  /// one that is written.
  [[nodiscard]] sim::Task<Served> write(const Client& client, const WriteRequest& request, Rate cap,
                                        ResourceIndex stream, double sent);
  void describe(sim::Ledger& ledger) const {
    ledger.state(reading_);
    ledger.state(writing_);
    ledger.state(left_);
    if (p_.burst_write) ledger.never();  // buffers fill over many saves
  }

 private:
  /// Moves bytes along `path`, from `after` on, while the drives work for `time` per member.
  sim::Task<Served> move(const Client& client, std::span<const sim::LinkId> path, Bytes bytes,
                         Rate cap, Seconds time, double drives, ResourceIndex stream,
                         Seconds after = {});
  /// Those that `client` may use.
  [[nodiscard]] double all_drives(const Client& client) const;
  void set_reading(double classes);
  /// Time in which any class has read.
  [[nodiscard]] Seconds read_so_far() const;
  /// Bytes of `bytes` that still go at burst speed, all drives together; takes note of them.
  Bytes take_burst(Bytes bytes);

  DriveParams p_;
  double banks_;
  std::string media_, group_;
  bool inside_;
  bool interleaved_ = false;  ///< more processes than drives: every request seeks
  sim::Context* context_ = nullptr;
  ResourceTable* resources_ = nullptr;
  sim::LinkId busy_;
  ResourceIndex resource_ = kNoResource, latency_ = kNoResource;
  double reading_ = 0.0, writing_ = 0.0;  ///< classes at it
  double left_ = 0.0;                     ///< pieces of writes under way
  Seconds read_, read_at_;                ///< time in which any read, at that date
  Bytes filled_;                          ///< of the burst buffers, at the date `filled_at_`
  Seconds filled_at_;
};

}  // namespace stallcast::models
