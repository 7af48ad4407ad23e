#include "engine/base/jsonc.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace stallcast::base {
namespace {

struct Fault {
  std::string text;
  int line;
  int column;
  std::string message;
};

std::string place(const Position& p) {
  return std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace

TEST_CASE("comments and trailing commas are accepted and change nothing") {
  Diagnostics diags;
  const JsonDocument d = parse_jsonc(
      "\xEF\xBB\xBF// head\n{ \"a\": [1, 2, /* two */ ], // tail\n  \"b\": \"/* // */,}\", }\n"
      "// end without newline",
      "f.json", diags);
  REQUIRE(diags.items().empty());
  CHECK(d.root == Json::parse(R"({"a":[1,2],"b":"/* // */,}"})"));
}

TEST_CASE("keys keep the order of the file") {
  Diagnostics diags;
  const JsonDocument d = parse_jsonc(R"({"z":1,"a":2,"m":{}})", "f", diags);
  CHECK(d.root.dump() == R"({"z":1,"a":2,"m":{}})");
}

TEST_CASE("objects of many keys are what nothing but their text is") {
  std::string text = R"({"list":[[],{"a":[null,true,-1,2.5,"x\u00e9"]},{}],"deep":{"b":{"c":{}}})";
  for (int i = 0; i < 3000; ++i)
    text += ",\"k" + std::to_string(i) + "\":{\"v\":[" + std::to_string(i) + "]}";
  text += "}";
  Diagnostics diags;
  const JsonDocument d = parse_jsonc(text, "f", diags);
  REQUIRE(diags.items().empty());
  CHECK(d.root == Json::parse(text));
  CHECK(d.root["k2999"]["v"][0] == 2999);
  CHECK(parse_jsonc("7", "f", diags).root == 7);
  CHECK(parse_jsonc(R"({"a":1,"a":2})", "f", diags).root == Json::parse(R"({"a":2})"));
}

TEST_CASE("syntax errors say what was expected and where") {
  const std::vector<Fault> faults = {
      {"", 1, 1, "the text is empty"},
      {" // only a comment", 1, 1, "the text is empty"},
      {"{\"a\": 1\n \"b\": 2}", 2, 2, "expected ',' or '}', found '\"'"},
      {"[1 2]", 1, 4, "expected ',' or ']', found '2'"},
      {"{\"a\" 1}", 1, 6, "expected ':' after key \"a\", found '1'"},
      {"{a: 1}", 1, 2, "key is not quoted: a"},
      {"{\"a\": }", 1, 7, "expected a value, found '}'"},
      {"{,}", 1, 2, "expected a key in double quotes, found ','"},
      {"[,]", 1, 2, "expected a value, found ','"},
      {"[1,,2]", 1, 4, "expected a value, found ','"},
      {"{\"a\": [1, 2}", 1, 12, "expected ',' or ']', found '}'"},
      {"\n{\"a\": 1", 2, 8, "the text ends before the '{' of line 2 is closed"},
      {"[1,", 1, 4, "the text ends before the '[' of line 1 is closed"},
      {"[", 1, 2, "the text ends before the '[' of line 1 is closed"},
      {"{\"a\": NaN}", 1, 7, "NaN is not a JSON number"},
      {"{\"a\": -Infinity}", 1, 7, "-Infinity is not a JSON number"},
      {"[True]", 1, 2, "unexpected word: True"},
      {"['a']", 1, 2, "unexpected single quote"},
      {"[\"a\n\"]", 1, 2, "the line ends before the string is closed"},
      {"[\"a", 1, 2, "the text ends before the string is closed"},
      {"[\"\\q\"]", 1, 3, "unknown escape \\ followed by 'q'"},
      {"[\"\\u12\"]", 1, 3, "\\u needs four hexadecimal digits"},
      {"[\"\\ud800\"]", 1, 2, "invalid \\u escape in a string"},
      {"[\"a\tb\"]", 1, 4, "control character in a string"},
      {"[01]", 1, 2, "a number does not start with 0"},
      {"[.5]", 1, 2, "a number does not start with '.'"},
      {"[+5]", 1, 2, "a number does not start with '+'"},
      {"[1.]", 1, 2, "a number lacks a digit"},
      {"[1e]", 1, 2, "a number lacks a digit"},
      {"[-]", 1, 2, "a number lacks a digit"},
      {"[0x10]", 1, 2, "not a number: 0x10"},
      {"[25GB]", 1, 2, "not a number: 25GB"},
      {"[1] 2", 1, 5, "unexpected '2' after the end of the document"},
      {"[1] /* open", 1, 5, "comment is never closed"},
      {"# no\n[1]", 1, 1, "unexpected '#'"},
      {"[\"\xC3\x28\"]", 1, 3, "invalid UTF-8"},
      {"[\"\xED\xA0\x80\"]", 1, 3, "invalid UTF-8"},
      {"[\xC3\xA9]", 1, 2, "expected a value, found '\xC3\xA9'"},
  };
  for (const Fault& fault : faults) {
    CAPTURE(fault.text);
    Diagnostics diags;
    const JsonDocument d = parse_jsonc(fault.text, "f.json", diags);
    REQUIRE(diags.items().size() == 1);
    const Diagnostic& got = diags.items().front();
    CHECK(got.code == "syntax");
    CHECK(got.message == fault.message);
    CHECK(place(got.position) == place({"", fault.line, fault.column}));
    CHECK(got.position.file == "f.json");
    CHECK(d.root.is_null());
  }
}

TEST_CASE("what is closed too early says where it was opened") {
  Diagnostics diags;
  (void)parse_jsonc("{ \"a\":\n  [ { \"b\": 1\n  ],\n \"c\": 2 }", "f.json", diags);
  REQUIRE(diags.items().size() == 1);
  CHECK(diags.items()[0].position.line == 3);
  CHECK(diags.items()[0].message == "expected ',' or '}', found ']'");
  CHECK(diags.items()[0].hint == "the '{' of line 2 is not closed: put a '}' before this");
}

TEST_CASE("of what begins with a word it is said that a scenario is JSON") {
  for (const char* text : {"base: &b\n  x: 1\n", "---\na: 1\n", "- a\n", "// why\ntru"}) {
    CAPTURE(text);
    Diagnostics diags;
    (void)parse_jsonc(text, "f.yaml", diags);
    CHECK(diags.items().front().hint == "a scenario is a JSON object: { ... }");
  }
  Diagnostics diags;
  (void)parse_jsonc("[True]", "f.json", diags);
  CHECK(diags.items().front().hint == "write true");
}

TEST_CASE("every duplicate key is reported where it is repeated") {
  Diagnostics diags;
  const JsonDocument d = parse_jsonc(
      "{ \"a\": 1,\n  \"b\": { \"x\": 1, \"\\u0078\": 2 },\n  \"a\": 3 }", "f.json", diags);
  REQUIRE(diags.items().size() == 2);
  CHECK(diags.items()[0].code == "duplicate-key");
  CHECK(diags.items()[0].pointer == "/b/x");
  CHECK(place(diags.items()[0].position) == "2:18");
  CHECK(diags.items()[1].pointer == "/a");
  CHECK(place(diags.items()[1].position) == "3:3");
  CHECK_FALSE(d.root.is_null());
}

TEST_CASE("a key that is repeated with the same value is refused by a code of its own") {
  Diagnostics diags;
  (void)parse_jsonc(R"({"a": "x", "b": 1, "a": "x", "b": 1.0})", "f.json", diags);
  REQUIRE(diags.items().size() == 2);
  CHECK(diags.items()[0].code == "repeated-key");
  CHECK(place(diags.items()[0].position) == "1:20");
  CHECK(diags.items()[1].code == "duplicate-key");
}

TEST_CASE("a number beyond a double is a fault and does not hide the faults after it") {
  Diagnostics diags;
  const JsonDocument d = parse_jsonc(R"({"a": [1, -1e999], "b": 1e-999, "b": 2})", "f.json", diags);
  REQUIRE(diags.items().size() == 2);
  CHECK(diags.items()[0].code == "number");
  CHECK(diags.items()[0].pointer == "/a/1");
  CHECK(diags.items()[0].message == "number -1e999 is too large");
  CHECK(place(diags.items()[0].position) == "1:11");
  CHECK(diags.items()[1].code == "duplicate-key");
}

TEST_CASE("hostile nesting is a diagnostic, not a crash") {
  for (const char open : {'[', '{'}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open == '[' ? "[" : "{\"a\":";
    Diagnostics diags;
    const JsonDocument d = parse_jsonc(text, "f", diags);
    REQUIRE(diags.items().size() == 1);
    CHECK(diags.items()[0].message == "nested deeper than 200 levels");
    CHECK(diags.items()[0].hint == "is a bracket not closed?");
    CHECK(d.root.is_null());
  }
  Diagnostics diags;
  const auto deep = parse_jsonc(std::string(200, '[') + std::string(200, ']'), "f", diags);
  CHECK(diags.items().empty());
}

TEST_CASE("locate finds values, keys, and the nearest parent of what is missing") {
  Diagnostics diags;
  const JsonDocument d = parse_jsonc(
      "// first\n{\n  \"a\": { \"b/c\": [ 10, /* 1 */ 20 ],\n    \"~\": null },\n  \"d\": "
      "\"x\",\n}",
      "f.json", diags);
  REQUIRE(diags.items().empty());
  CHECK(place(locate(d, "")) == "2:1");
  CHECK(place(locate(d, "/a")) == "3:8");
  CHECK(place(locate(d, "/a", PointAt::key)) == "3:3");
  CHECK(place(locate(d, "/a/b~1c")) == "3:17");
  CHECK(place(locate(d, "/a/b~1c/1")) == "3:31");
  CHECK(place(locate(d, "/a/b~1c/1", PointAt::key)) == "3:31");
  CHECK(place(locate(d, "/a/~0", PointAt::key)) == "4:5");
  CHECK(place(locate(d, "/a/missing/deeper")) == "3:8");
  CHECK(place(locate(d, "/a/b~1c/7")) == "3:17");
  CHECK(place(locate(d, "/nothing")) == "2:1");
  CHECK(locate(d, "/d").file == "f.json");
}

TEST_CASE("reference tokens are escaped as RFC 6901 says") {
  CHECK(pointer_token("a/b~c") == "/a~1b~0c");
  CHECK(pointer_token("") == "/");
  CHECK(pointer_token(std::size_t{3}) == "/3");
  CHECK(pointer_key("a~1b~0c") == "a/b~c");
  CHECK(pointer_key("~01") == "~1");
}

TEST_CASE("positions count lines and bytes from one") {
  CHECK(place(position_at("ab\ncd", 0, "")) == "1:1");
  CHECK(place(position_at("ab\ncd", 2, "")) == "1:3");
  CHECK(place(position_at("ab\ncd", 3, "")) == "2:1");
  CHECK(place(position_at("ab\ncd", 99, "")) == "2:3");
}

}  // namespace stallcast::base
