#pragma once

#include <optional>
#include <span>
#include <string>

#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Data that come evenly from one date to another, and stay.    [docs/models/capacity.md, eq. 4]
struct Coming {
  Rate rate;
  Seconds from{}, until = Seconds::infinity();
  std::string what{};  ///< "saves of job "llm" that are never deleted"
  std::string less{};  ///< what would let less of it stay, where something does
  std::string rule{};  ///< what its rate is made of: "240 GB each 25.2 s"

  /// Whether it has always come, and always will.
  [[nodiscard]] bool endless() const { return from <= Seconds{} && !until.finite(); }
  [[nodiscard]] Bytes by(Seconds date) const;
  friend bool operator==(const Coming&, const Coming&) = default;
};

/// What an ingest brings: its rate within its limits, from its start to its stop.
[[nodiscard]] Coming ingested(const Component& ingest);
/// All of them together by a date, and the date by which `bytes` > 0 have come; nullopt: never.
[[nodiscard]] Bytes come_by(std::span<const Coming> all, Seconds date);
[[nodiscard]] std::optional<Seconds> date_of(std::span<const Coming> all, Bytes bytes);

}  // namespace stallcast::models
