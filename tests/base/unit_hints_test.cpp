#include <catch2/catch.hpp>
#include <string_view>

#include "engine/base/quantity_text.hpp"

/// A hint that is followed must not make a quantity eight or a thousand times as much.
namespace unit_hints_test {

using namespace stallcast;
using enum Dimension;

TEST_CASE("hints name the units that may have been meant") {
  struct Slip {
    std::string_view text;
    Dimension dimension;
    std::string_view message, hint;
  };
  const Slip slips[] = {
      {"114688", bytes, "\"114688\" has no unit; expected a size",
       "write \"114688 B\" or \"114688 GB\""},
      {"700", power, "\"700\" has no unit; expected a power", "write \"700 W\" or \"700 kW\""},
      {"500", op_rate, "\"500\" has no unit; expected an operation rate",
       "write \"500 ops/s\" or \"500 kops/s\""},
      {"2 USD", money_rate, "\"2 USD\" is a price; expected a price per time such as \"3 USD/h\"",
       "write \"2 USD/h\" or \"2 USD/month\""},
      {"8 Gib/s", rate,
       "\"8 Gib/s\" is in bits, with a binary prefix; expected a rate such as \"25 GB/s\" or "
       "\"25 Gb/s\"",
       "write \"8.589934592 Gb/s\""},
      {"16 Tib", bytes,
       "\"16 Tib\" is in bits, with a binary prefix; expected a size such as \"4 MiB\"",
       "write \"2 TiB\""},
      {"4 KB/s", rate, "unit \"KB/s\" is not known; case matters", "write \"4 kB/s\""},
      {"4 Kb/s", rate, "unit \"Kb/s\" is not known; case matters", "write \"4 kb/s\""},
      {"4 GB/min", rate,
       "unknown unit \"GB/min\"; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"66.7 MB/s\""},
      {"3 GB/min", rate,
       "unknown unit \"GB/min\"; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"50 MB/s\""},
      {"5 mins", time, "unknown unit \"mins\"; expected a duration such as \"200 ms\"",
       "write \"5 min\""},
      {"10 \u00b5s", time, "unknown unit \"\u00b5s\"; expected a duration such as \"200 ms\"",
       "write \"10 us\""},
      {"10 \u03bcs", time, "unknown unit \"\u03bcs\"; expected a duration such as \"200 ms\"",
       "write \"10 us\""},
      {"2 weeks", time, "unknown unit \"weeks\"; expected a duration such as \"200 ms\"",
       "write \"14 d\""},
      {"4 GB/sec", rate,
       "unknown unit \"GB/sec\"; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"4 GB/s\""},
      {"3 USD/hour", money_rate,
       "unknown unit \"USD/hour\"; expected a price per time such as \"3 USD/h\"",
       "write \"3 USD/h\""}};
  for (const Slip& slip : slips) {
    CAPTURE(slip.text);
    const base::ParsedQuantity got = base::parse_quantity(slip.text, slip.dimension);
    CHECK_FALSE(got.value.has_value());
    CHECK(got.message == slip.message);
    CHECK(got.hint == slip.hint);
  }
}

}  // namespace unit_hints_test
