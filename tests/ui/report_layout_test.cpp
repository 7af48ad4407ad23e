#include <catch2/catch.hpp>
#include <numeric>
#include <sstream>

#include "tests/ui/report_samples.hpp"
#include "ui/report/layout.hpp"

using namespace stallcast;
using namespace stallcast::report;

TEST_CASE("rounded shares still sum to 100 %") {
  // Three thirds: 33.3 + 33.3 + 33.3 would be 99.9 %; the first stays as it is in the headline, so
  // another gets the missing tenth.
  const std::vector<int> tenths =
      tenths_of_percent({{"compute", 1.0 / 3}, {"data", 1.0 / 3}, {"sync", 1.0 / 3}});
  CHECK(std::accumulate(tenths.begin(), tenths.end(), 0) == 1000);
  CHECK(tenths[0] == 333);
  CHECK(tenths[2] == 334);
}

TEST_CASE("no line of a text report is wider than 80 columns") {
  for (const Prediction& p :
       {report::testing::missed_target(), report::testing::nothing_to_gain()}) {
    std::istringstream text(render(p, report::testing::context(), Format::text, {}));
    for (std::string line; std::getline(text, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("colour is added only when asked for") {
  const Prediction p = report::testing::missed_target();
  const std::string plain = render(p, report::testing::context(), Format::text, {false, false});
  const std::string coloured = render(p, report::testing::context(), Format::text, {true, false});
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(coloured.find("\x1b[31mFAIL\x1b[0m") != std::string::npos);
}

TEST_CASE("long resource names keep both ends") {
  CHECK(shortened("storage.a.ost", 20) == "storage.a.ost");
  CHECK(shortened("storage.a-very-long-name.oss.nic.read", 20) == "storage.a...nic.read");
}

TEST_CASE("waiting is everything but compute, communication and other ranks") {
  CHECK(waiting_share(report::testing::missed_target()) == Approx(0.0401 + 0.0607));
  CHECK(waiting_share(report::testing::nothing_to_gain()) == 0.0);
}

TEST_CASE("counts of one are singular") {
  CHECK(counted(1, "OSTs") == "1 OST");
  CHECK(counted(51, "OSTs") == "51 OSTs");
}
