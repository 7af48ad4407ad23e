#pragma once

#include "models/storage/lustre_params.hpp"

namespace stallcast::models {

/// What the OSTs of a Lustre file system give: provisioned rates, degraded OSTs, seeks of disks,
/// parity of small writes. docs/models/lustre.md, equations 7 and 8.
class LustreOsts {
 public:
  explicit LustreOsts(const LustreParams& params) : p_(params) {}

  [[nodiscard]] double count() const { return static_cast<double>(p_.ost_count); }
  /// Of one OST when all work together: a degraded one holds all up.    [lustre.md, eq. 8]
  [[nodiscard]] Rate read_rate() const { return nominal(p_.ost_read) * slowest(); }
  [[nodiscard]] Rate write_rate() const { return nominal(p_.ost_write) * slowest(); }
  /// Of one OST that is asked for `request` bytes at a time by `streams` readers.
  [[nodiscard]] Rate reads(Bytes request, double streams) const {
    return seeking(read_rate(), request, streams);
  }
  /// Of one OST that `streams` writers send `request` bytes at a time.
  [[nodiscard]] Rate writes(Bytes request, double streams) const {
    return seeking(write_rate() / parity(request), request, streams);
  }
  /// Drive work of a write over that of the same bytes in full stripes, at least 1.
  [[nodiscard]] double parity(Bytes request) const;

 private:
  [[nodiscard]] Rate nominal(Rate own) const;
  [[nodiscard]] double slowest() const {
    return p_.ost_degraded > 0 ? p_.ost_degraded_rate.in(unit::ratio) : 1.0;
  }
  [[nodiscard]] Rate seeking(Rate rate, Bytes request, double streams) const;

  LustreParams p_;
};

}  // namespace stallcast::models
