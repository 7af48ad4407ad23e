#include "calibration/bindings.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "engine/base/fields.hpp"
#include "models/registry.hpp"

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

TEST_CASE("every field that a fit decides exists, in its dimension") {
  std::vector<Fit> fits;
  for (const char* id :
       {"io.read.random", "io.read.sequential", "io.write.random", "io.write.sequential",
        "io.write.sustained", "metadata.open", "metadata.create", "memory.h2d.pinned",
        "memory.h2d.pageable", "gds.read.p2p", "gds.read.nvidia-fs"}) {
    Fit fit = line(id, 1e-5);
    for (const char* name : {"S", "Z", "D", "B1", "C", "B2"})
      fit.parameters.push_back({name, "", 1.0, 1.0, 1.0});
    fit.ranges = {{"size", "B", 1.0, 2.0}, {"depth", "count", 1.0, 2.0}};
    for (const ProfileValue& v : values_of(fit)) {
      CAPTURE(id, v.role, v.kind, v.field);
      bool found = false;
      for (const models::RoleInfo& role : models::roles()) {
        if (role.id != v.role) continue;
        for (const models::KindInfo& kind : models::kinds(role.role)) {
          if (!v.kind.empty() && kind.id != v.kind) continue;
          for (const auto& fields : {kind.common, kind.fields})
            for (const base::FieldInfo& field : fields)
              found = found || (field.key == v.field && field.dimension == v.dimension);
        }
      }
      CHECK(found);
    }
  }
}

}  // namespace
}  // namespace stallcast::calibration
