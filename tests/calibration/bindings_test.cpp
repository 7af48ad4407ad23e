#include "calibration/fit/bindings.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "engine/base/fields.hpp"
#include "engine/base/files.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::calibration {
namespace {

Fit line(const char* id, double alpha, FitVerdict verdict = FitVerdict::accepted) {
  Fit fit;
  fit.id = id;
  fit.law = "line";
  fit.verdict = verdict;
  fit.parameters = {{"alpha", "s", alpha, alpha, alpha},
                    {"s", "s", 1e-5, 1e-5, 1e-5},
                    {"B", "B/s", 4e9, 4e9, 4e9}};
  return fit;
}

const ProfileValue* find(const std::vector<ProfileValue>& values, std::string_view field) {
  for (const ProfileValue& v : values)
    if (v.field == field) return &v;
  return nullptr;
}

TEST_CASE("the parameters of two laws never mix") {
  Fit sequential = line("io.write.sequential", 2e-5);
  sequential.law = "roofline";
  sequential.parameters.push_back({"S", "B/s", 1e9, 1e9, 1e9});
  const auto values = values_of(std::vector<Fit>{line("io.write.random", 1e-5), sequential});
  REQUIRE(find(values, "write.law"));
  CHECK(find(values, "write.law")->text == "roofline");
  for (const ProfileValue& v : values) CHECK(v.fit == "io.write.sequential");
}

TEST_CASE("a refused fit decides nothing, and the next takes its place") {
  const auto values = values_of(std::vector<Fit>{line("io.read.random", 1e-5, FitVerdict::refused),
                                                 line("io.read.sequential", 2e-5)});
  REQUIRE(find(values, "read.latency"));
  CHECK(find(values, "read.latency")->value == Approx(2e-5));
  CHECK(values_of(std::vector<Fit>{line("io.read.random", 1e-5, FitVerdict::refused)}).empty());
}

TEST_CASE("the fewest in flight that were measured are said where they are more than one") {
  Fit fit = line("io.read.random", 1e-5);
  fit.ranges = {{"depth", "count", 1.0, 64.0}};
  CHECK_FALSE(find(values_of(fit), "fitted.shallowest"));
  fit.ranges.front().low = 16.0;
  REQUIRE(find(values_of(fit), "fitted.shallowest"));
  CHECK(find(values_of(fit), "fitted.shallowest")->value == 16.0);
  fit.id = "io.write.random";
  CHECK_FALSE(find(values_of(fit), "fitted.shallowest"));
  REQUIRE(find(values_of(fit), "fitted.write.shallowest"));
  CHECK(find(values_of(fit), "fitted.write.deepest")->value == 64.0);
  fit.id = "io.read.random.working-set";  // no field takes its law
  CHECK(values_of(fit).empty());
}

TEST_CASE("fits that share no field decide theirs side by side") {
  Fit pinned = line("memory.h2d.pinned", 1e-5), pageable = line("memory.h2d.pageable", 1e-5);
  const auto values = values_of(std::vector<Fit>{pageable, pinned});
  CHECK(find(values, "gpu.copy"));
  CHECK(find(values, "gpu.copy_pageable"));
}

/// The field of a scenario that `value` sets; nullptr when there is none.
const base::FieldInfo* field_of(const ProfileValue& value) {
  for (const models::RoleInfo& role : models::roles()) {
    if (role.id != value.role) continue;
    for (const models::KindInfo& kind : models::kinds(role.role)) {
      if (!value.kind.empty() && kind.id != value.kind) continue;
      for (const auto& fields : {kind.common, kind.fields})
        for (const base::FieldInfo& field : fields)
          if (field.key == value.field) return &field;
    }
  }
  return nullptr;
}

TEST_CASE("every field that a fit decides exists, in its dimension") {
  for (const Binding& b : bindings()) {
    Fit fit = line(std::string(b.series).c_str(), 1e-5);
    fit.parameters.push_back({std::string(b.parameter), "", 1.0, 1.0, 1.0});
    fit.ranges = {
        {"size", "B", 1.0, 2.0}, {"depth", "count", 2.0, 2.0}, {"ranks", "count", 2.0, 8.0}};
    for (const ProfileValue& v : values_of(fit)) {
      CAPTURE(b.series, v.role, v.kind, v.field);
      REQUIRE(field_of(v));
      CHECK(field_of(v)->dimension == v.dimension);
    }
  }
}

TEST_CASE("a payload becomes the line rate that the host's efficiency makes it of") {
  ProfileValue efficiency;
  efficiency.role = "host";
  efficiency.field = "nic.efficiency";
  REQUIRE(field_of(efficiency));
  CHECK(field_of(efficiency)->fallback == "95 %");
  for (const Binding& b : bindings())
    if (b.field == "nic.rate") CHECK(b.factor == Approx(1.0 / 0.95));
}

/// The table of docs/calibration.md: a row for each series.
std::string bindings_table() {
  std::string out = "| fit | sets |\n|---|---|\n", component;
  std::string_view series;
  for (const Binding& b : bindings()) {
    const bool another = b.series != series;
    if (another)
      out += (series.empty() ? "" : " |\n") + std::string("| `") + std::string(b.series) + "` | ";
    else
      out += ", ";
    series = b.series;
    std::string of =
        std::string(b.role) + (b.kind.empty() ? "" : " `" + std::string(b.kind) + "`") + ": ";
    if (another || of != component) out += of;
    component = std::move(of);
    out += "`" + std::string(b.field) + "` = ";
    if (b.factor != 1.0) {
      char factor[16];
      std::snprintf(factor, sizeof factor, "%.4g ", b.factor);
      out += factor;
    }
    out += b.parameter;
  }
  return out + " |\n";
}

TEST_CASE("docs/calibration.md shows the table of bindings as it is") {
  const auto page = base::read_file(STALLCAST_SOURCE_DIR "/docs/calibration.md");
  REQUIRE(page.ok());
  INFO("the page should hold:\n" + bindings_table());
  CHECK(page.value().find(bindings_table()) != std::string::npos);
}

}  // namespace
}  // namespace stallcast::calibration
