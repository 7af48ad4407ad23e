#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/sim/ledger.hpp"
#include "models/contract/phase_clock.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// What a job has done by some date: its steps, and where their time went.
struct Progress {
  std::int64_t steps = 0;
  Seconds useful, sync;                  ///< of GPUs; between arrival and release at barriers
  std::array<Seconds, kPhases> waits{};  ///< indexed by Phase
  Seconds once;                          ///< part of them: comes once, however long the job is

  [[nodiscard]] Seconds time() const {
    Seconds sum = useful + sync;
    for (const Seconds wait : waits) sum += wait;
    return sum;
  }
  Progress& operator+=(const Progress& other) { return add(other, 1); }
  Progress& operator-=(const Progress& other) { return add(other, -1); }
  void describe(sim::Ledger& ledger) {
    ledger.count(steps);
    ledger.count(useful);
    ledger.count(sync);
    for (Seconds& wait : waits) ledger.count(wait);
    ledger.count(once);
  }

 private:
  Progress& add(const Progress& other, std::int64_t sign) {
    steps += sign * other.steps;
    useful += other.useful * static_cast<double>(sign);
    sync += other.sync * static_cast<double>(sign);
    once += other.once * static_cast<double>(sign);
    for (std::size_t i = 0; i < kPhases; ++i)
      waits[i] += other.waits[i] * static_cast<double>(sign);
    return *this;
  }
};

}  // namespace stallcast::models
