#include "models/bounds/space.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/scenarios/support.hpp"

/// Whether data fit, by closed forms: docs/models/capacity.md.
namespace space_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// 4 hosts of 8 GPUs that read 1 PB from `storage` (id "store") and save 1 TB every 10 min.
Design with(const std::string& storage, const std::string& save = "",
            const std::string& more = "") {
  const std::string text = R"({ "id": "room",
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8, "memory": { "size": "8 TB" } } ] },
    "storage": [ { "id": "store", )" +
                           storage + R"( } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
      "dataset": { "on": "store", "format": "raw", "sample": "1 MB", "size": "1 PB" }, "loader": {},
      "checkpoint": { "to": "store", "every": "10 min", "size": "1 TB")" +
                           save + R"( } } ],
    )" + more + R"( "run": { "duration": "1 h" } })";
  const auto loaded = load_with({}, "", text.c_str());
  INFO(text);
  for (const Diagnostic& d : loaded.diagnostics().items()) {
    INFO(d.message);
    CHECK(d.severity == Severity::warning);
  }
  REQUIRE(loaded.ok());
  return loaded.design();
}

models::Room space(const Design& design) {
  const auto found = models::spaces(design);
  REQUIRE(found.size() == 1);
  return found[0];
}

double usable_tb(const std::string& storage) { return space(with(storage)).usable.in(unit::TB); }
double needed_tb(const std::string& save) {
  return space(with(R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" })", save))
      .needed()
      .in(unit::TB);
}

constexpr double kLeft = 0.97 * 0.85;  // by the file system, and filled

}  // namespace

TEST_CASE("room of parts by hand, of five designs") {
  CHECK(usable_tb(R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" })") ==
        Approx(1600.0 * kLeft));
  // 16 + 2 on 36 backends, and on 10, of which a stripe has 8 + 2.
  CHECK(usable_tb(R"("type": "weka", "backend": { "count": 36, "capacity": "180 TB" })") ==
        Approx(36 * 180.0 * 16 / 18 * kLeft));
  CHECK(usable_tb(R"("type": "weka", "backend": { "count": 10, "capacity": "180 TB" })") ==
        Approx(10 * 180.0 * 8 / 10 * kLeft));
  CHECK(usable_tb(R"("type": "cephfs", "osd": { "count": 60, "capacity": "20 TB" })") ==
        Approx(60 * 20.0 / 3 * kLeft));
  CHECK(usable_tb(R"("type": "cephfs", "osd": { "count": 60, "capacity": "20 TB" },
                     "code": { "data": 8, "parity": 2 })") == Approx(60 * 20.0 * 0.8 * kLeft));
  CHECK(usable_tb(R"("type": "nvmeof", "target": { "count": 4 },
                     "drive": { "count": 24, "size": "15 TB" })") == Approx(4 * 24 * 15.0 * kLeft));
  // Of one host.
  CHECK(usable_tb(R"("type": "local", "drive": { "count": 8, "size": "200 TB" },
                     "raid": { "level": "6" })") == Approx(8 * 200.0 * 6 / 8 * kLeft));
}

TEST_CASE("small files take more of codes that keep whole stripes or copies of them") {
  // 1 PB in files of 1 MB, less than a stripe of 16 x 128 KiB: 1 + 3 copies, of a large one 19
  // / 16.
  const auto needed = [](const char* storage) {
    return space(with(storage)).needed().in(unit::TB);
  };
  const double daos = 4.0 / (19.0 / 16.0);
  CHECK(needed(R"("type": "daos", "server": { "count": 32, "capacity": "100 TB" })") ==
        Approx(1000.0 * daos + 1.0).epsilon(1e-4));
  // Half a stripe of 8 x 250 kB is kept as a whole one, all of 4 x 250 kB are.
  const std::string nodes = R"("type": "chunkstore", "node": { "count": 32, "capacity": "100 TB" },
                               "code": { "parity": 2, "piece": "250 kB", "data": )";
  CHECK(needed((nodes + "8 }").c_str()) == Approx(2001.0).epsilon(1e-4));
  CHECK(needed((nodes + "4 }").c_str()) == Approx(1001.0).epsilon(1e-4));
  // What is paid for is data.
  CHECK(needed(R"("type": "daos", "server": { "count": 32 }, "capacity": { "size": "3 PB" })") ==
        Approx(1001.0));
  // An ingest of such files fills it as much sooner, and wears its drives as much.
  const auto ingest = [](const std::string& file) {
    return space(with(R"("type": "daos", "server": { "count": 320, "capacity": "100 TB" },
                         "endurance": { "dwpd": 1 })",
                      R"(, "keep": { "last": 1 })",
                      R"("tenants": [ { "id": "in", "type": "ingest", "hosts": "gpu", "on": "store",
                                        "rate": "10 GB/s", "file": ")" +
                          file + "\" } ],"));
  };
  const models::Room small = ingest("1 MB"), large = ingest("64 GiB");
  CHECK(*small.full_after() / *large.full_after() == Approx(1.0 / daos).epsilon(1e-3));
  CHECK((small.written - large.written).in(unit::GBps) ==
        Approx(10.0 * (daos - 1.0)).epsilon(1e-3));
}

TEST_CASE("parts that last are counted with the stripes that so many have") {
  // 1.667 GB/s of saves, 6 + 2 on 8 backends: 0.70 writes a day; 10 + 2 on 12: 0.42, 11 + 2 on 13:
  // 0.38. By wear alone it would be 8 x 0.7 / 0.4, 14.
  const std::string text = R"({ "id": "worn",
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 } ] },
    "storage": [ { "id": "store", "type": "weka", "backend": { "count": 8, "capacity": "51.43 TB" },
                   "endurance": { "dwpd": 0.4, "warranty": "1826 d", "amplification": 1.5 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
      "checkpoint": { "to": "store", "every": "10 min", "size": "1 TB", "keep": { "last": 2 } } } ],
    "run": { "duration": "2 h" } })";
  const auto loaded = load_with({}, "", text.c_str());
  std::string hint;
  for (const Diagnostic& d : loaded.diagnostics().items())
    if (d.code == "endurance") hint = d.hint;
  CHECK(hint.starts_with("13 backends would last"));
}

TEST_CASE("what is paid for is after parity, and filled as told") {
  CHECK(usable_tb(R"("type": "s3", "capacity": { "size": "2 PB" })") == Approx(2000.0 * 0.85));
  CHECK(usable_tb(R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" },
                     "capacity": { "fill": "90 %", "overhead": "0 %", "size": "7 PB" })") ==
        Approx(1600.0 * 0.9));
}

TEST_CASE("what is paid for in hosts is of one, as drives are") {
  // Of 4 hosts: all hold the data set and a quarter of a save.
  for (const char* each :
       {R"("type": "local", "drive": { "count": 8 }, "capacity": { "size": "1700 TB" })",
        R"("type": "measured", "scope": "host", "read": { "latency": "1 us", "rate": "1 GB/s" },
           "write": { "latency": "1 us", "rate": "1 GB/s" }, "capacity": { "size": "1700 TB" })"}) {
    const models::Room room = space(with(each));
    CHECK(room.needed().in(unit::TB) == Approx(1000.0 + 0.25));
    CHECK(room.full_after()->in(unit::s) == Approx((1700.0 * 0.85 - 1000.25) / 0.25 * 600.0));
  }
  const models::Room pool =
      space(with(R"("type": "cxl", "device": { "count": 8 }, "capacity": { "size": "1700 TB" })"));
  CHECK(pool.needed().in(unit::TB) == Approx(1000.0 + 1.0));
}

TEST_CASE("the lesser counts of what is paid for and what parts hold, and is named") {
  const auto room = [](const char* size) {
    return space(with(R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" },
                         "capacity": { "size": ")" +
                      std::string(size) + "\" }"));
  };
  const models::Room quota = room("1100 TB");
  CHECK(quota.usable.in(unit::TB) == Approx(1100.0 * 0.85));
  CHECK(quota.size == "capacity.size");
  CHECK(quota.formula == "1.1 PB x 85 % filled, less than what the OSTs hold");
  // 1001 TB / 85 % in three figures; more OSTs hold no more.
  CHECK(models::remedy(quota) == "\"capacity.size\" of 1.18 PB would hold it, not 1.1 PB");
  CHECK(quota.paid_needed()->in(unit::B) == 1.18e15);
  CHECK(quota.paid_needed(Bytes::from(318.0, unit::TB))->in(unit::B) == 1.56e15);  // 1319 TB
  CHECK_FALSE(quota.paid_needed(Bytes::from(320.0, unit::TB)));  // the OSTs hold 1319.2 TB
  CHECK_FALSE(room("1200 TB").paid_needed());                    // it fits
  const models::Room parts = room("1600 TB");
  CHECK(parts.usable.in(unit::TB) == Approx(1600.0 * kLeft));
  CHECK(parts.size == "ost.capacity");
  CHECK_FALSE(parts.paid_needed(Bytes::from(1000.0, unit::TB)));
  const models::Room whole = space(with(R"("type": "s3", "capacity": { "size": "1 PB" })"));
  CHECK(whole.paid_needed()->in(unit::B) == 1.18e15);
}

TEST_CASE("nothing is said of a storage system that does not say how much it holds") {
  const Design design = with(R"("type": "lustre", "ost": { "count": 16 })");
  CHECK(models::spaces(design).empty());
  CHECK(design.expect.empty());
  CHECK(design.storage[0].find("capacity.fill") == nullptr);
}

TEST_CASE("retention decides what checkpoints take") {
  CHECK(needed_tb("") == Approx(1000.0 + 1.0));
  CHECK(needed_tb(R"(, "keep": { "last": 3 })") == Approx(1000.0 + 4.0));
  // 3 + 5 saves: whole ones 1 and 6 of 8, six increments of a tenth.
  CHECK(needed_tb(
            R"(, "keep": { "last": 3 }, "incremental": { "fraction": "10 %", "full_every": 5 })") ==
        Approx(1000.0 + 2.0 + 0.6));
  CHECK(needed_tb(R"(, "compress": { "ratio": 2 })") == Approx(1000.5));
}

TEST_CASE("saves that stay and what arrives fill what is left") {
  const std::string lustre = R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" })";
  const double left = 1600.0 * kLeft - 1001.0;  // TB
  CHECK(space(with(lustre)).full_after()->in(unit::s) == Approx(left * 600.0));
  CHECK_FALSE(space(with(lustre, R"(, "keep": { "last": 3 })")).full_after());
  CHECK(space(with(lustre, R"(, "keep": { "last": 3, "every": 10 })")).full_after()->in(unit::s) ==
        Approx((left - 3.0) * 6000.0));
  // Of every fourth save only where no other comes, also of those that are kept there.
  const std::string drained = R"(, "mode": "async", "tiers": ["host-memory", "store"],
      "durable": "host-memory", "drain_every": 4)";
  CHECK(space(with(lustre, drained)).full_after()->in(unit::s) == Approx(left * 2400.0));
  CHECK(space(with(lustre, drained + R"(, "keep": { "last": 3, "every": 10 })"))
            .full_after()
            ->in(unit::s) == Approx((left - 3.0) * 24000.0));
  const std::string ingest = R"("tenants": [ { "id": "in", "type": "ingest", "on": "store",
      "hosts": "gpu", "rate": "1 GB/s", "stored": "10 TB" } ],)";
  CHECK(space(with(lustre, R"(, "keep": { "last": 3 })", ingest)).full_after()->in(unit::s) ==
        Approx((left - 3.0 - 10.0) * 1000.0));
}

TEST_CASE("an ingest fills from its start to its stop, within its limits") {
  const std::string lustre = R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" })";
  const auto full = [&](const std::string& ingest, const std::string& save = "") {
    return space(with(lustre, save,
                      R"("tenants": [ { "id": "in", "type": "ingest",
        "on": "store", "hosts": "gpu", "file": "100 MB", )" +
                          ingest + " } ],"))
        .full_after()
        ->in(unit::s);
  };
  const std::string kept = R"(, "keep": { "last": 3 })";
  const double left = 1600.0 * kLeft - 1001.0, less = left - 3.0;  // TB, with kept saves
  // 1 GB/s for a day, and saves of 1 TB every 600 s go on.
  CHECK(full(R"("rate": "1 GB/s", "stop": "1 d")") == Approx((left - 86.4) * 600.0));
  CHECK(full(R"("rate": "1 GB/s", "stop": "1 d")", kept) == Approx(1000 * 365.25 * 86400.0));
  CHECK(full(R"("rate": "100 GB/s", "stop": "1 d")", kept) == Approx(less * 10.0));
  CHECK(full(R"("rate": "1 GB/s", "start": "1 d")", kept) == Approx(86400.0 + less * 1000.0));
  // 3600 s by saves alone, then both.
  const double both = 1.0 / 600.0 + 0.1;  // TB/s
  CHECK(full(R"("rate": "100 GB/s", "start": "1 h")") == Approx(3600.0 + (left - 6.0) / both));
  // A file is a create and a write.
  CHECK(full(R"("rate": "1 GB/s", "limit": "500 MB/s")", kept) == Approx(less * 2000.0));
  CHECK(full(R"("rate": "1 GB/s", "limit": "2 GB/s")", kept) == Approx(less * 1000.0));
  CHECK(full(R"("rate": "1 GB/s", "limit_operations": "5 ops/s")", kept) == Approx(less * 4000.0));
}

TEST_CASE("when it is full is taken apart") {
  const std::string lustre = R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" })";
  const auto full = [](const Design& design) {
    for (models::Derivation& d : models::derive_spaces(design))
      if (d.name == "storage.store.capacity.full_after") return d;
    return models::Derivation{};
  };
  const models::Derivation found = full(with(lustre));
  CHECK(found.rule.equation == "headroom / growth");
  REQUIRE(found.rule.terms.size() == 2);
  CHECK(found.rule.terms[0].from == "storage.store.capacity.headroom");
  CHECK(found.value == Approx((1600.0 * kLeft - 1001.0) * 600.0));
  CHECK(full(with(lustre, R"(, "keep": { "last": 3 })")).name.empty());
  const models::Derivation dated = full(with(lustre, "", R"("tenants": [ { "id": "in",
      "type": "ingest", "on": "store", "hosts": "gpu", "rate": "1 GB/s", "stop": "1 d" } ],)"));
  CHECK(dated.rule.equation == "(headroom - dated) / growth");
  REQUIRE(dated.rule.terms.size() == 3);
  CHECK(dated.value == Approx((1600.0 * kLeft - 1001.0 - 86.4) * 600.0));
}

TEST_CASE("a host holds all of the data set and its part of a save") {
  const models::Room drives =
      space(with(R"("type": "local", "drive": { "count": 8, "size": "200 TB" })"));
  CHECK(drives.per_host);
  CHECK(drives.needed().in(unit::TB) == Approx(1000.0 + 0.25));
  // All that one rank writes is on its host.
  const models::Room alone = space(with(
      R"("type": "local", "drive": { "count": 8, "size": "200 TB" })", R"(, "layout": "rank0")"));
  CHECK(alone.needed().in(unit::TB) == Approx(1000.0 + 1.0));
  CHECK(alone.written.in(unit::Bps) == Approx(4.0 * drives.written.in(unit::Bps)));
}

TEST_CASE("what is kept for ever needs the increments it builds on") {
  const std::string lustre = R"("type": "lustre", "ost": { "count": 16, "capacity": "100 TB" })";
  const auto grows = [&](const std::string& every, const std::string& more = "") {
    const Design design = with(lustre, R"(, "keep": { "last": 2, "every": )" + every + R"( },
        "incremental": { "fraction": "20 %", "full_every": 5 })" +
                                           more);
    return models::come_by(space(design).coming, Seconds::from(600.0, unit::s)).in(unit::B) /
           1e12;  // TB of each save
  };
  // Number 10 is the last of 6 to 10; of 1 to 15, 3, 9 and 15 are the last that others need.
  CHECK(grows("10") == Approx(1.8 / 10));
  CHECK(grows("3") == Approx((1.4 + 1.6 + 1.8) / 15));
  CHECK(grows("1") == Approx(1.8 / 5));
  CHECK(grows("11") == Approx((1.0 + 1.2 + 1.4 + 1.6 + 1.8) / 55));
  // Of each fifth save, which are whole.
  CHECK(grows("10", R"(, "mode": "async", "tiers": ["host-memory", "store"],
      "durable": "host-memory", "drain_every": 5)") == Approx(1.0 / 10 / 5));
}

TEST_CASE("a cache stores nothing: what is behind it does") {
  const Design design =
      with(R"("type": "cache", "over": "bucket", "server": { "count": 2, "size": "1 TB" } },
                               { "id": "bucket", "type": "s3", "capacity": { "size": "1.1 PB" })");
  CHECK(space(design).storage == "bucket");
  CHECK(space(design).needed() > space(design).usable);
  CHECK(models::remedy(space(design)) == "\"capacity.size\" of 1.18 PB would hold it, not 1.1 PB");
}

TEST_CASE("more parts never hold less, and more data never need less") {
  double before = 0.0;
  for (int backends = 3; backends < 40; ++backends) {
    const double now = usable_tb(R"("type": "weka", "backend": { "capacity": "100 TB", "count": )" +
                                 std::to_string(backends) + " }");
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("what would hold it is the least that does, also where more parts have wider stripes") {
  for (const std::string kind :
       {R"("type": "weka", "backend": { "capacity": ")",
        R"("type": "local", "raid": { "level": "6" }, "drive": { "size": ")",
        R"("type": "lustre", "ost": { "capacity": ")"})
    for (const char* size : {"50 TB", "110 TB", "170 TB", "300 TB"})
      for (const int there : {4, 5, 11, 40}) {
        const auto room = [&](double parts) {
          return space(
              with(kind + size + R"(", "count": )" + std::to_string(std::lround(parts)) + " }"));
        };
        const double least = room(there).parts_needed();
        CAPTURE(kind, size, there, least);
        if (least < 4.0) continue;  // RAID 6 has no fewer
        CHECK(room(least).needed() <= room(least).usable);
        if (least > 4.0) CHECK(room(least - 1.0).needed() > room(least - 1.0).usable);
      }
}

TEST_CASE("data that do not fit miss a target of their own and are warned of") {
  const std::string text = R"({ "id": "room",
    "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": [ { "id": "store", "type": "lustre", "ost": { "count": 16, "capacity": "100 TB" } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
      "dataset": { "on": "store", "format": "raw", "sample": "1 MB", "size": "3 PB" },
      "loader": {} } ],
    "run": { "duration": "1 h" } })";
  const auto loaded = load_with({}, "", text.c_str());
  REQUIRE(loaded.ok());
  REQUIRE(loaded.diagnostics().items().size() == 1);
  CHECK(loaded.diagnostics().items()[0].code == "capacity");
  CHECK(loaded.diagnostics().items()[0].pointer == "/storage/0/ost/capacity");
  CHECK(loaded.diagnostics().items()[0].hint == "37 OSTs would hold it, not 16");
  REQUIRE(loaded.design().expect.size() == 1);
  CHECK(loaded.design().expect[0].implied());
  // A target of the user's own takes its place.
  const std::string said =
      text.substr(0, text.rfind('}')) +
      R"(, "expect": [ { "id": "half", "that": "storage.store.capacity.used <= 50 %" } ] })";
  REQUIRE(load_with({}, "", said.c_str()).design().expect.size() == 1);
  CHECK_FALSE(load_with({}, "", said.c_str()).design().expect[0].implied());
}

TEST_CASE("room that is full before a job has ended is warned of") {
  // 1320 TB for 1 TB every 10 min: 9 d 4 h. 2 M steps of 1 s take 23 d and leave 3,334 saves.
  const auto growing = [](const std::string& recovery, const std::string& save,
                          const std::string& more = "") {
    const std::string text = R"({ "id": "room",
      "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 } ] },
      "storage": [ { "id": "store", "type": "lustre",
                     "ost": { "count": 16, "capacity": "100 TB" } } ],
      "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" }, )" +
                             recovery + R"(
        "checkpoint": { "to": "store", "every": "10 min", "size": "1 TB")" +
                             save + R"( } } ],
      "run": { "duration": "2 h" })" +
                             more + " }";
    std::vector<Diagnostic> out = load_with({}, "", text.c_str()).diagnostics().items();
    std::erase_if(out, [](const Diagnostic& d) { return d.code != "growth"; });
    return out;
  };
  const std::string steps = R"("run": { "steps": 2e6 },)";
  const auto full = growing(steps, "");
  REQUIRE(full.size() == 1);
  CHECK(full[0].severity == Severity::warning);
  CHECK(full[0].message ==
        "\"store\" is full after 9 d 4 h, and the whole run of \"train\" takes at least 23 d 4 h");
  CHECK(full[0].hint.find(
            "or have " +
            std::to_string(static_cast<int>(std::ceil((1.0 + 2e6 / 600.0) / 100.0 / kLeft))) +
            " OSTs") != std::string::npos);
  CHECK(growing("", "").empty());
  CHECK(growing(R"("run": { "steps": 7e5 },)", "").empty());
  CHECK(growing(steps, R"(, "keep": { "last": 3 })").empty());
  // A horizon is how long it runs where somebody gave it.
  CHECK(growing(R"("recovery": { "start": "1 min" },)", "").empty());
  CHECK(growing(R"("recovery": { "horizon": "20 d" },)", "").size() == 1);
  // Who has a target for it knows.
  CHECK(growing(steps, "",
                R"(, "expect": [ { "that": "storage.store.capacity.full_after >= 7 d" } ])")
            .empty());
}

TEST_CASE("what fills a system to rounding has room") {
  models::Room room;
  for (const double tb : {0.1, 0.2}) room.stored.push_back({"", Bytes::from(tb, unit::TB), ""});
  room.usable = Bytes::from(0.3, unit::TB);
  CHECK(room.holds());
  CHECK_FALSE(room.holds(Bytes::from(1.0, unit::MB)));
}

}  // namespace space_test
