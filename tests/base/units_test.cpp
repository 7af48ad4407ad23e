#include "stallcast/units.hpp"

#include <catch2/catch.hpp>

namespace stallcast {

using namespace literals;

TEST_CASE("bits and bytes, decimal and binary prefixes are told apart") {
  CHECK(400_Gbps == 50_GBps);
  CHECK((1_GiB).in(unit::MiB) == 1024.0);
  CHECK((1_GB).in(unit::MB) == 1000.0);
  CHECK(Rate::from(1, unit::GiBps) > Rate::from(1, unit::GBps));
  CHECK((1_kB).in(unit::B) == 1000.0);
}

TEST_CASE("operators give the dimension physics gives") {
  CHECK((8_GB / 4_GBps) == 2_s);
  CHECK((8_GB / 2_s) == 4_GBps);
  CHECK((4_GBps * 2_s) == 8_GB);
  CHECK((2_s * 4_GBps) == 8_GB);
  CHECK((100_ops / 50_per_s) == 2_s);
  CHECK((100_ops / 2_s) == 50_per_s);
  CHECK((50_per_s * 2_s).in(unit::ops) == 100.0);
  CHECK((1000_per_s * 1_MB) == 1_GBps);
  CHECK((Flops::from(10, unit::TFLOP) / FlopRate::from(5, unit::TFLOPps)) == 2_s);
  // 3 USD/h for 2 h is 6 USD.
  CHECK((MoneyRate::from(3, unit::USD_per_h) * 2_h).in(unit::USD) == Approx(6.0).epsilon(1e-15));
  CHECK(6_GB / 2_GB == 3.0);
}

TEST_CASE("quantities of one dimension add, scale and compare") {
  Seconds t = 1_min + 30_s;
  CHECK(t == 90_s);
  t -= 30_s;
  t *= 2.0;
  t /= 4.0;
  CHECK(t == 30_s);
  CHECK(-t < 0_s);
  CHECK(2.0 * t == t * 2.0);
  CHECK((95_percent).in(unit::ratio) == Approx(0.95).epsilon(1e-15));
}

TEST_CASE("infinity is above everything and not finite") {
  CHECK(Rate::infinity() > 1000_TBps);
  CHECK_FALSE(Rate::infinity().finite());
  CHECK((1_GBps).finite());
  CHECK((1_GB / Rate::infinity()) == 0_s);
  CHECK(Bytes() == 0_B);
}

}  // namespace stallcast
