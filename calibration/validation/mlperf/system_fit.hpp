#pragma once

#include <optional>
#include <string>

#include "calibration/validation/mlperf/step_law.hpp"

/// Parameters of one system from the one row that calibrates it, in closed form.
namespace stallcast::calibration::mlperf {

/// What a calibration row says of its system.
struct SystemFit {
  std::string key;
  double hosts = 1.0;
  DataSheet sheet;
  Rate rate;                           ///< C: delivered to all hosts of the row       [eq. 7-10]
  bool client_bound = false;           ///< one client was the limit, not the storage     [eq. 11]
  std::optional<Rate> worker;          ///< of a reading process, where these are slow    [eq. 12]
  std::optional<Rate> burst;           ///< of the opening burst                           [eq. 8]
  std::optional<Seconds> first_epoch;  ///< first step of epoch 1 beyond the others'       [eq. 8]
};

/// Accelerators of a row: as stated, else those whose batches its delivered rate is (whole ones per
/// host); nullopt without either.                                                         [eq. 23]
[[nodiscard]] std::optional<double> accelerators_of(const Submission& row);

/// `itself`: the row is to be reproduced rather than to predict others; then no second thoughts
/// about its rate. nullopt for a row without AU or a count (accelerators_of).
[[nodiscard]] std::optional<SystemFit> calibrate(const Submission& row, bool itself);

/// What the data sheets let a system deliver.                                             [eq. 13]
[[nodiscard]] Supply supply_of_sheet(const System& system);

/// What `system` delivers, by the fit of a row of the same system or a relative of it.
[[nodiscard]] Supply supply_of_fit(const System& system, const SystemFit& fit);

}  // namespace stallcast::calibration::mlperf
