#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/decide/gain/levers.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/client.hpp"
#include "stallcast/limit.hpp"

namespace library_gain_test {

using namespace stallcast;

namespace {

/// The most that any part gains alone, each simulated by itself: without the screening of owners.
/// GPUs that are lent are a choice, and stand behind what could be faster.
double greatest(client::Session& session, const Design& design, const Prediction& prediction) {
  std::vector<Design> designs = {design};
  for (const auto& [path, part] : gain::parts_of(design, prediction))
    if (!is_lending(path)) designs.push_back(gain::faster(design, part.levers));
  for (Design& d : designs) d.expect.clear();
  const auto found = session.predict_all(designs, {.replicas = 1});
  REQUIRE(found.front().ok());
  double most = 0.0;
  for (const auto& each : found)
    if (each.ok()) most = std::max(most, time_saved(*found.front(), *each));
  return most;
}

/// Of a job that loses most by waiting for its slowest rank that is tried, however few parts are.
void check_barriers(const Prediction& p) {
  for (const auto& [job, shares] : p.breakdown) {
    const auto sync = shares.find("sync");
    const auto more = [&](const auto& other) {
      return other.first != "compute" && other.first != "sync" && other.second > sync->second;
    };
    if (sync == shares.end() || sync->second < 0.01 || p.breakdown.size() > 1 ||
        std::any_of(shares.begin(), shares.end(), more))
      continue;
    INFO("job " << job);
    CHECK(std::any_of(p.bottlenecks.begin(), p.bottlenecks.end(), [&](const Bottleneck& row) {
      return row.resource == "job." + job + ".barrier" && row.gain.has_value();
    }));
  }
}

}  // namespace

// For each scenario of the library, every part is made twice as fast by itself. The first row of
// "What limits it" gains as much as any, but for noise; or the report says that several limit
// together, that nothing alone does, or that parts were left out.
TEST_CASE("the first that is blamed is what gains most, in all scenarios of the library") {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/library"))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 40);
  std::size_t compared = 0;
  for (const std::string& file : files) {
    INFO(file);
    const client::Reading reading = session.read({.file = file});
    REQUIRE(reading.scenario.has_value());
    const Design& design = reading.scenario->design();
    Result<Prediction> prediction = session.predict(design, {.replicas = 1});
    REQUIRE(prediction.ok());
    session.rank_by_gain(design, *prediction);
    REQUIRE(prediction->gains.has_value());
    const Gains& gains = *prediction->gains;
    if (gains.simulated > 0) check_barriers(*prediction);
    if (gains.simulated == 0 || gains.left_out > 0) continue;
    ++compared;
    const auto& rows = prediction->bottlenecks;
    const double first =
        rows.empty() || !rows.front().gain ? 0.0 : std::max(0.0, rows.front().gain->time);
    const double most = greatest(session, design, *prediction);
    INFO("first row " << first << ", greatest gain " << most << ", noise " << gains.noise);
    CHECK(first >= most - 2.0 * gains.noise);
  }
  CHECK(compared >= files.size() * 3 / 4);
}

}  // namespace library_gain_test
