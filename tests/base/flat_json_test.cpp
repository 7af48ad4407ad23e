#include "engine/base/flat_json.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace stallcast::base {
namespace {

using Tree = nlohmann::json;

/// The value as a tree of nlohmann/json, which keeps the last of members with one key.
Tree tree_of(const FlatValue& value) {
  if (value.is_null()) return nullptr;
  if (value.is_boolean()) return value.boolean();
  if (value.is_whole()) return value.whole();
  if (value.is_number()) return value.number();
  if (value.is_text()) return std::string(value.text());
  Tree out = value.is_array() ? Tree::array() : Tree::object();
  if (value.is_array()) {
    for (const FlatValue& element : value) out.push_back(tree_of(element));
    CHECK(out.size() == value.size());
  } else {
    value.each_member([&out](std::string_view key, const FlatValue& member) {
      out[std::string(key)] = tree_of(member);
    });
  }
  return out;
}

/// Both take a text, with the same values, or both refuse it.
void check_same(const std::string& text) {
  CAPTURE(text);
  const Tree expected = Tree::parse(text, nullptr, false);
  const auto flat = FlatJson::read(text);
  REQUIRE(flat.has_value() == !expected.is_discarded());
  if (flat) CHECK(tree_of(flat->root()) == expected);
}

constexpr const char* kDocument =
    R"({"a":[1,-2,0,-0.0,2.5e-3,1E+2,18446744073709551615,18446744073709551616,0.1],"b":{"c":{},"d":[]},)"
    R"( "text" : "t\u00e9\"\\\/\n\ud83d\ude00 plain" , "é": "ü", "t":true,"f":false,"n":null, "x":[[[]]]})";

TEST_CASE("a text is read as nlohmann/json reads it") {
  for (const char* text : {kDocument,
                           "",
                           " ",
                           "1",
                           "01",
                           "-",
                           "-1",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "123456789012345678901234567890",
                           "4.9e-324",
                           "0.1",
                           "tru",
                           "true",
                           "truex",
                           "[",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{",
                           "{}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{1:2}",
                           "{\"a\" 1}",
                           "\"",
                           "\"a",
                           "\"\\\"",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "\"\xff\"",
                           "\"\xc3\xa9\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "nul",
                           " [ ] ",
                           "[]]",
                           "{}{}",
                           "{\"a\":1,\"b\":{\"a\":2}}",
                           "'a'",
                           "+1",
                           "NaN",
                           "Infinity",
                           "-Infinity"})
    check_same(text);
}

TEST_CASE("a byte ends a text, is escaped or refused wherever it stands") {
  for (int c = 0; c < 256; ++c)
    for (std::size_t size = 1; size < 20; ++size)
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(c);
        check_same("[\"" + text + "\", 1]");
      }
}

TEST_CASE("whole numbers with a point are read as numbers") {
  for (const char* text : {"5.0", "0.0", "-0.0", "-5.0", "5.00", "5.01", "5.0e1", "4294967295.0",
                           "4294967296.0", "9007199254740993.0", "5.", "5.0.0", "05.0"})
    check_same(text);
  for (const char* text : {"5.0", "0.0"}) {
    const auto flat = FlatJson::read(text);
    REQUIRE(flat);
    CHECK_FALSE(flat->root().is_whole());
  }
  CHECK(std::signbit(FlatJson::read("-0.0")->root().number()));
}

TEST_CASE("a damaged text is refused, or read, as nlohmann/json does") {
  std::mt19937 random(1);
  const std::string bytes = "{}[]\",:\\ue0-+.9 \n\x01\xc3\xa9t";
  for (int i = 0; i < 20000; ++i) {
    std::string text = kDocument;
    for (int n = 0; n < 1 + i % 3; ++n) {
      const std::size_t at = random() % text.size();
      if (i % 2 == 0)
        text[at] = bytes[random() % bytes.size()];
      else
        text.erase(at, 1 + random() % 3);
    }
    check_same(text);
  }
}

TEST_CASE("members are found by key, the first of those with one") {
  const std::string text = R"({"a":{"b":1},"b":2,"b":3,"list":[7]})";
  const auto json = FlatJson::read(text);
  REQUIRE(json);
  CHECK(json->root().size() == 4);
  CHECK(json->root().find("b")->whole() == 2);
  CHECK(json->root().find("a")->find("b")->whole() == 1);
  CHECK(json->root().find("c") == nullptr);
  CHECK(json->root().find("b")->find("b") == nullptr);
  CHECK(json->root().find("list")->find("b") == nullptr);
}

TEST_CASE("nesting is followed so far and no farther") {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  CHECK(FlatJson::read(nested(201)));
  CHECK_FALSE(FlatJson::read(nested(202)));
  CHECK_FALSE(FlatJson::read(nested(1'000'000)));
}

}  // namespace
}  // namespace stallcast::base
