#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "stallcast/units.hpp"

namespace stallcast::models {

/// How a store keeps what is written: whole copies, or stripes of k data and p parity pieces.
/// docs/models/storage.md, equations 7 and 8.
struct Redundancy {
  double copies = 1.0;  ///< without parity
  double data = 0.0;    ///< k; 0: copies
  double parity = 0.0;  ///< p
  Bytes piece;          ///< bytes of one piece

  [[nodiscard]] bool coded() const { return data > 0.0; }
  /// Of StorageModel.
  [[nodiscard]] std::optional<std::string> single_copies() const {
    if (coded() ? parity > 0.0 : copies > 1.0) return {};
    return coded() ? "code.parity" : "replicas";
  }
  /// Bytes on media for a byte of a file of this size: stripes are written whole.
  ///     r, or ceil(q) / q x (k + p) / k with q = s / (k piece)    [storage.md, eq. 7]
  [[nodiscard]] double stored(Bytes file) const {
    if (!coded()) return copies;
    const double whole = (data + parity) / data;
    if (!file.finite() || file == Bytes{}) return whole;
    const double stripes = file / (piece * data);
    return whole * std::max(1.0, std::ceil(stripes - 1e-9)) / stripes;
  }
  /// Bytes servers send each other for a byte of a large file that one of them took in.
  ///     r - 1, or (k + p - 1) / k    [storage.md, eq. 8]
  [[nodiscard]] double forwarded() const {
    return coded() ? (data + parity - 1.0) / data : copies - 1.0;
  }
  /// Bytes servers send each other for a byte that one of them gives out: (k - 1) / k of a stripe
  /// lies elsewhere.
  [[nodiscard]] double gathered() const { return coded() ? (data - 1.0) / data : 0.0; }
};

}  // namespace stallcast::models
