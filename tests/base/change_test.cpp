#include "stallcast/change.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "engine/base/quantity_text.hpp"

namespace change_test {

using namespace stallcast;

TEST_CASE("an option that is read as a change is written as the same option") {
  for (const char* option :
       {"storage[scratch].ost.count=48", "n=96.0", "n=1e3", "n=-0.5", "jobs[train].every=20 min",
        "host.nic.rate=400 Gb/s", "loader.copy=pinned", "id=\"48\"", "shape=[1, 2]",
        "tiers=[\"a\",\"b\"]", "checkpoint.direct=true", "checkpoint.every_steps=null", "n=16 # 2",
        "x=a=b", "x=", "failures[+]={\"id\": \"f\", \"at\": \"0 s\"}"}) {
    const Result<Change> change = parse_change(option);
    REQUIRE(change.ok());
    CHECK(text_of(*change) == option);
  }
}

TEST_CASE("blanks around a value do not belong to it") {
  CHECK(text_of(parse_setting("  2 GB/s ")) == "2 GB/s");
  CHECK(text_of(parse_setting(" 48 ")) == "48");
}

TEST_CASE("JSON is told from words") {
  for (const char* json : {"48", "-1.5e3", "true", "null", "\"48\"", "[1, 2]", "{}"})
    CHECK(parse_setting(json) == Setting(JsonLiteral{json}));
  for (const char* words : {"direct", "2 GB/s", "True", "4_8", "[1, 2", ""})
    CHECK(parse_setting(words) == Setting(std::string(words)));
}

TEST_CASE("what is not path=value is refused with an example") {
  for (const char* option : {"", "storage.ost.count", "=48"}) {
    const Result<Change> change = parse_change(option);
    REQUIRE_FALSE(change.ok());
    CHECK(change.failure().exit == ExitCode::bad_input);
    CHECK(change.failure().hint.find("storage.ost.count=48") != std::string::npos);
  }
}

TEST_CASE("a number is set in a unit that people read, exactly") {
  CHECK(setting_of(64e9, Dimension::bytes) == Setting(Amount{64.0, "GB"}));
  CHECK(setting_of(4194304.0, Dimension::bytes) == Setting(Amount{4.0, "MiB"}));
  CHECK(setting_of(2.5e9, Dimension::rate) == Setting(Amount{2.5, "GB/s"}));
  CHECK(setting_of(0.25, Dimension::ratio) == Setting(Amount{25.0, "%"}));
  CHECK(setting_of(48.0, Dimension::count) == Setting(Amount{48.0, ""}));
  CHECK(text_of(setting_of(1.0, Dimension::boolean)) == "true");
}

TEST_CASE("a setting of a number has the text of the quantity, in every dimension") {
  for (const Dimension dimension :
       {Dimension::count, Dimension::number, Dimension::bytes, Dimension::time, Dimension::rate,
        Dimension::op_rate, Dimension::ratio, Dimension::money, Dimension::money_rate,
        Dimension::flops, Dimension::flop_rate})
    for (double value = 1.0 / 3.0e9; value < 1e22; value *= 7.3)
      for (const double number : {value, std::floor(value)})
        CHECK(text_of(setting_of(number, dimension)) == base::exact_quantity(number, dimension));
}

}  // namespace change_test
