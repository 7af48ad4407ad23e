#pragma once

#include <catch2/catch.hpp>
#include <utility>

#include "stallcast/client.hpp"

namespace stallcast::testing {

/// The prediction of a scenario, with what gains most first.
inline Prediction ranked(const ScenarioFile& file) {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  client::Reading reading = session.read(file);
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  Result<Prediction> found = session.predict(reading.scenario->design());
  REQUIRE(found.ok());
  session.rank_by_gain(reading.scenario->design(), *found);
  REQUIRE(found->gains.has_value());
  return *std::move(found);
}

}  // namespace stallcast::testing
