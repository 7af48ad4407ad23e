#include <catch2/catch.hpp>

#include "models/bounds/space.hpp"
#include "tests/scenarios/support.hpp"

/// How long drives last, by closed forms: docs/models/wear.md.
namespace wear_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// A job that saves 1 TB every 10 minutes to `storage` (id "store").
Scenario saving(const std::string& storage, const std::string& save = "",
                const std::string& more = "") {
  const std::string text = R"({ "id": "wear",
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8, "memory": { "size": "8 TB" } } ] },
    "storage": [ { "id": "store", )" +
                           storage + R"( } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
      "checkpoint": { "to": "store", "every": "10 min", "size": "1 TB", "keep": { "last": 3 })" +
                           save + R"( } } ],
    )" + more + R"( "run": { "duration": "1 h" } })";
  return load_with({}, "", text.c_str());
}

models::Room room(const std::string& storage, const std::string& save = "",
                  const std::string& more = "") {
  const auto loaded = saving(storage, save, more);
  for (const Diagnostic& d : loaded.diagnostics().items()) INFO(d.message);
  REQUIRE(loaded.ok());
  const auto found = models::spaces(loaded.design());
  REQUIRE(found.size() == 1);
  return found[0];
}

constexpr double kSaves = 144.0;  // a day

}  // namespace

TEST_CASE("drive writes a day and life of three designs by hand") {
  // 144 TB a day on 16 OSTs of 10 TB, rated once a day for five years.
  const auto lustre = room(R"("type": "lustre", "ost": { "count": 16, "capacity": "10 TB" },
                              "endurance": { "dwpd": 1 })");
  CHECK(*lustre.written_whole() == Approx(kSaves / 160.0));
  CHECK(lustre.worn_after()->in(unit::s) == Approx(1825.0 * 86400.0 * 160.0 / kSaves));
  // Three copies on 36 drives of 7.68 TB; an ingest of 1 GB/s beside; half the wear of the rating.
  const auto ceph = room(
      R"("type": "cephfs", "osd": { "count": 36, "capacity": "7.68 TB" }, "replicas": 3,
         "endurance": { "dwpd": 3, "amplification": 0.5, "warranty": "1000 d" })",
      "",
      R"("tenants": [ { "id": "new", "type": "ingest", "hosts": "gpu", "on": "store", "rate": "1 GB/s" } ],)");
  const double each_day = (kSaves + 86.4) * 3.0 * 0.5 / (36 * 7.68);
  CHECK(*ceph.written_whole() == Approx(each_day));
  CHECK(ceph.worn_after()->in(unit::s) == Approx(1000.0 * 86400.0 * 3.0 / each_day));
  // One of 100 days of these 1000, half as fast as it could be: a twentieth.
  const auto ends = room(
      R"("type": "cephfs", "osd": { "count": 36, "capacity": "7.68 TB" }, "replicas": 3,
         "endurance": { "dwpd": 3, "amplification": 0.5, "warranty": "1000 d" })",
      "",
      R"("tenants": [ { "id": "new", "type": "ingest", "hosts": "gpu", "on": "store", "rate": "1 GB/s",
                        "limit": "500 MB/s", "start": "10 d", "stop": "110 d" } ],)");
  CHECK(*ends.written_whole() == Approx((kSaves + 86.4 / 20.0) * 3.0 * 0.5 / (36 * 7.68)));
  // 16 + 2 on 36 backends; increments of a tenth, a whole save in five, every third is drained.
  const auto weka = room(R"("type": "weka", "backend": { "count": 36, "capacity": "60 TB" },
                            "endurance": { "dwpd": 1 })",
                         R"(, "mode": "async", "tiers": ["host-memory", "store"],
                            "durable": "host-memory", "drain_every": 3,
                            "incremental": { "fraction": "10 %", "full_every": 5 })");
  CHECK(*weka.written_whole() ==
        Approx(kSaves * (1.0 + 4 * 0.1) / 5.0 / 3.0 * 18.0 / 16.0 / (36 * 60.0)));
  // Nobody said what they are rated for.
  CHECK_FALSE(
      room(R"("type": "lustre", "ost": { "count": 16, "capacity": "10 TB" })").worn_after());
}

TEST_CASE("drives of jobs in a row are written over the whole of it") {
  // 1000 s with a save every 100 s, then 3000 s with one every 600 s: each for its own time.
  const std::string text = R"({ "id": "wear",
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8, "memory": { "size": "8 TB" } } ] },
    "storage": [ { "id": "store", "type": "lustre", "ost": { "count": 16, "capacity": "10 TB" },
                   "endurance": { "dwpd": 1 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "steps": 1000, "step": { "compute": "1 s" },
      "checkpoint": { "to": "store", "every": "100 s", "size": "1 TB", "keep": { "last": 1 } } },
              { "id": "tune", "hosts": "gpu", "after": [ "train" ], "steps": 3000,
      "step": { "compute": "1 s" },
      "checkpoint": { "to": "store", "every": "600 s", "size": "1 TB", "keep": { "last": 1 } } } ] })";
  const auto loaded = load_with({}, "", text.c_str());
  REQUIRE(loaded.ok());
  const models::Room room = models::spaces(loaded.design()).at(0);
  CHECK(room.written.in(unit::Bps) == Approx(15e12 / 4000.0));
}

TEST_CASE("drives that wear out early are warned of, and what is paid for has none") {
  const auto early = saving(R"("type": "lustre", "ost": { "count": 4, "capacity": "10 TB" },
                               "endurance": { "dwpd": 1 })");
  bool warned = false;
  for (const Diagnostic& d : early.diagnostics().items())
    if (d.code == "endurance") {
      warned = true;
      CHECK(d.severity == Severity::warning);
      CHECK(d.message ==
            "\"store\" has its drives written 3.6 times a day, for which they last "
            "506 d 23 h, not 1825 d");
    }
  CHECK(warned);
  CHECK_FALSE(
      room(
          R"("type": "lustre", "ost": { "count": 8 }, "capacity": { "size": "1 PB" }, "endurance": { "dwpd": 1 })")
          .written_whole());
}

TEST_CASE("a target of their life leaves the one of room as it is") {
  const auto loaded =
      saving(R"("type": "lustre", "ost": { "count": 16, "capacity": "10 TB" },
                                "endurance": { "dwpd": 1 })",
             "", R"("expect": [ { "that": "storage.store.wear.life >= 1000 d" } ],)");
  REQUIRE(loaded.ok());
  REQUIRE(loaded.design().expect.size() == 2);
  CHECK(loaded.design().expect[1].that == "storage.store.capacity.used <= 100 %");
}

}  // namespace wear_test
