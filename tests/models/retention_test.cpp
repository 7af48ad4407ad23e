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

}  // namespace retention_test
