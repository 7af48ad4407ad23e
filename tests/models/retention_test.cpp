#include "models/saving/retention.hpp"

#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// Which saves are kept: docs/models/checkpoint.md, eq. 10, and docs/models/capacity.md, eq. 4.
namespace retention_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("what is kept for ever grows as retention holds it") {
  for (const char* every : {"3", "7", "10", "12"}) {
    const Component save = component(models::Role::checkpoint, "sync", "checkpoint",
                                     {{"to", "store"},
                                      {"keep.last", "2"},
                                      {"keep.every", every},
                                      {"incremental.fraction", "20 %"},
                                      {"incremental.full_every", "4"}});
    const models::CheckpointParams p = models::checkpoint_params(save);
    models::Retention retention(p);
    const std::int64_t all = 4 * *p.keep_every;
    Bytes before;
    for (std::int64_t i = 0; i < 3 * all; ++i) {
      if (i == 2 * all) before = retention.most_held();
      const bool whole = i % 4 == 0;
      retention.saved(i + 1, Bytes::from(whole ? 1.0 : 0.2, unit::TB), 1.0, whole);
    }
    INFO(every);
    CHECK((retention.most_held() - before).in(unit::TB) ==
          Approx(p.left_part() * static_cast<double>(all)).epsilon(1e-9));
  }
}

TEST_CASE("what is still to be drained is not deleted") {
  const Component save = component(models::Role::checkpoint, "async", "checkpoint",
                                   {{"to", "store"}, {"keep.last", "2"}});
  models::Retention retention(models::checkpoint_params(save));
  const Bytes one = Bytes::from(1.0, unit::TB);
  for (std::int64_t i = 1; i <= 6; ++i) CHECK(retention.saved(i, one, 8.0, true, true) == 0.0);
  CHECK(retention.most_held().in(unit::TB) == 6.0);
  CHECK(retention.most_waiting().in(unit::TB) == 4.0);  // the last two are kept anyway
  CHECK(retention.drained(1) == 8.0);
  CHECK_FALSE(retention.holds(1, 1));
  CHECK(retention.drained(6) == 0.0);
  retention.abandon(2);  // it is gone with what comes next
  CHECK(retention.saved(7, one, 8.0, true, true) == 8.0);
  CHECK(retention.holds(3, 7));
}

TEST_CASE("saves that wait for their drain take room where they lie") {
  // 40 GB a host every 10 s; all of them drain in 5 s, or in 20 s and so not half of them.
  const auto needed = [](const char* ost, const char* lasts) {
    Design design = small_design();
    design.storage.push_back(component(models::Role::storage, "local", "near",
                                       {{"drive.count", "4"},
                                        {"drive.size", "1 TB"},
                                        {"drive.write", "10 GB/s"},
                                        {"drive.read", "20 GB/s"}}));
    save_by_steps(design, "async");
    set(design.storage[0], models::Role::storage, "ost.write", ost);
    set(design.run, models::Role::run, "duration", lasts);
    for (const auto& [key, text] : Settings{{"every_steps", "100"},
                                            {"size", "160 GB"},
                                            {"tiers", "near,scratch"},
                                            {"durable", "near"},
                                            {"keep.last", "2"}})
      set(*design.jobs[0].checkpoint, models::Role::checkpoint, key, text);
    return metric(run(design), "storage.near.capacity.needed") / 40e9;
  };
  CHECK(needed("4 GB/s", "100 s") == Approx(3.0).epsilon(1e-9));
  CHECK(needed("4 GB/s", "200 s") == Approx(3.0).epsilon(1e-9));
  const double short_run = needed("1 GB/s", "100 s"), long_run = needed("1 GB/s", "200 s");
  CHECK(short_run > 3.0 + 9.0 / 2.0 - 2.0);
  CHECK(long_run > short_run + 10.0 / 2.0 - 1.0);
}

}  // namespace retention_test
