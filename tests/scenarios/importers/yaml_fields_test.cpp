#include "scenarios/importers/yaml_fields.hpp"

#include <catch2/catch.hpp>

namespace yaml_fields_test {

using namespace stallcast;
using namespace stallcast::scenarios;

namespace {

YamlFields read(const std::string& text, Diagnostics& diags) {
  return YamlFields(text, "w.yaml", "workload", diags);
}

/// "line:column code" of every diagnostic.
std::vector<std::string> faults(const Diagnostics& diags) {
  std::vector<std::string> out;
  for (const Diagnostic& d : diags.items())
    out.push_back(std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " +
                  d.code);
  return out;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a mapping is read into dotted keys with and without the wrapper") {
  for (const char* text :
       {"reader:\n  batch_size: 7\n", "workload:\n  reader: {batch_size: 7}\n"}) {
    Diagnostics diags;
    YamlFields fields = read(text, diags);
    CHECK(fields.whole("reader.batch_size", diags) == 7);
    CHECK(fields.all().size() == 1);
    CHECK(diags.items().empty());
  }
}

TEST_CASE("text that is not YAML is a fault with its line and column") {
  Diagnostics diags;
  // A scalar cannot have members: the example at the top of DLIO's own configuration page.
  read("model: unet3d\n  model_size_bytes: 1\n", diags);
  REQUIRE(diags.items().size() == 1);
  CHECK(faults(diags) == Lines{"2:19 syntax"});
  CHECK(diags.items()[0].position.file == "w.yaml");
}

TEST_CASE("a document that is not a mapping of sections is a fault") {
  for (const char* text : {"", "- a\n- b\n", "just text\n", "a: 1\n---\nb: 2\n"}) {
    Diagnostics diags;
    read(text, diags);
    CHECK(faults(diags) == Lines{"1:1 yaml"});
  }
}

TEST_CASE("every duplicate key is reported at its place") {
  Diagnostics diags;
  read("train:\n  epochs: 1\n  epochs: 2\ntrain: {}\n", diags);
  CHECK(faults(diags) == Lines{"3:3 duplicate-key", "4:1 duplicate-key"});
}

TEST_CASE("a reference to another value is a fault, not a text") {
  Diagnostics diags;
  read("a:\n  b: ${workload.x}\n", diags);
  CHECK(faults(diags) == Lines{"2:6 interpolation"});
}

TEST_CASE("an alias that contains itself ends in a fault instead of a crash") {
  Diagnostics diags;
  read("a: &x\n  b: *x\n", diags);
  CHECK(diags.has_errors());
}

TEST_CASE("aliases that multiply end in a fault instead of filling the memory") {
  std::string text = "a0: &a0 {x: 1, y: 1}\n";
  for (int i = 1; i < 15; ++i) {
    const std::string last = std::to_string(i - 1), self = std::to_string(i);
    text += "a" + self + ": &a" + self + " {x: *a" + last + ", y: *a" + last + "}\n";
  }
  Diagnostics diags;
  const YamlFields fields = read(text, diags);
  CHECK(diags.has_errors());
  CHECK(fields.all().size() < 20'000);
}

TEST_CASE("values of another kind than wanted are faults at their place") {
  Diagnostics diags;
  YamlFields fields = read("a: many\nb: 1.5\nc: perhaps\nd: [1, 2]\ne: nan\n", diags);
  CHECK_FALSE(fields.number("a", diags));
  CHECK_FALSE(fields.whole("b", diags));
  CHECK_FALSE(fields.boolean("c", diags));
  CHECK_FALSE(fields.number("d", diags));
  CHECK_FALSE(fields.number("e", diags));
  CHECK(faults(diags) == Lines{"1:4 value", "2:4 value", "3:4 value", "4:4 value", "5:4 value"});
}

TEST_CASE("keys are plain text, and lists keep their place") {
  Diagnostics diags;
  read("{[a, b]: 1}\n", diags);
  CHECK(faults(diags) == Lines{"1:2 yaml"});
  Diagnostics none;
  YamlFields fields = read("a: [1, {b: 2}, 3]\nb: +4\nc: 1e16\n", none);
  CHECK(fields.take("a")->list == Lines{"1", "...", "3"});
  CHECK(fields.number("b", none) == 4);
  CHECK(none.items().empty());
  CHECK_FALSE(fields.whole("c", none));
  CHECK(faults(none) == Lines{"3:4 value"});
}

TEST_CASE("merged mappings are read, the own keys win, then the first of a list") {
  Diagnostics diags;
  YamlFields fields = read(
      "a: &a {x: 1, y: 2, deep: {v: 1}}\nb: &b {<<: *a, y: 3, z: 4}\n"
      "one: {<<: *a, x: 7, deep: {w: 2}}\nlist: {<<: [*b, {z: 9, q: 5}], p: 6}\nnone: {<<: ~}\n",
      diags);
  CHECK(diags.items().empty());
  const auto is = [&](const char* key, double value) {
    INFO(key);
    CHECK(fields.number(key, diags) == value);
  };
  is("one.x", 7), is("one.y", 2), is("one.deep.w", 2);
  CHECK_FALSE(fields.has("one.deep.v"));
  is("list.x", 1), is("list.y", 3), is("list.z", 4), is("list.q", 5), is("list.p", 6);
  for (const auto& [key, field] : fields.all()) CHECK(key.find("<<") == std::string::npos);
}

TEST_CASE("a merge of itself, of a text or of too many ends in a fault") {
  std::string many = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1), self = "a" + std::to_string(i);
    many += self + ": &" + self + " {<<: [" + last + ", " + last + ", " + last + "]}\n";
  }
  for (const std::string& text : {std::string("a: &x {<<: *x}\n"), std::string("a: {<<: text}\n"),
                                  std::string("a: {<<: [text]}\n"),
                                  std::string("b: &b {x: 1}\na: {<<: *b, <<: *b}\n"), many}) {
    Diagnostics diags;
    (void)read(text, diags);
    INFO(text);
    CHECK(diags.has_errors());
  }
}

TEST_CASE("an absent or empty key is not a fault") {
  Diagnostics diags;
  YamlFields fields = read("a:\nb: ~\nc: 1e-3\n", diags);
  CHECK_FALSE(fields.number("a", diags));
  CHECK_FALSE(fields.text("b", diags));
  CHECK(fields.number("c", diags) == 1e-3);
  CHECK(diags.items().empty());
}

// yaml-cpp reads empty documents of these without end.
TEST_CASE("a text that is no YAML is a fault, and ends") {
  for (const char* text : {", a: 1}\nb: 2\n", "]", "a: 1\n---\n,"}) {
    Diagnostics diags;
    (void)read(text, diags);
    CHECK(diags.has_errors());
  }
}

TEST_CASE("an override replaces a value, whatever its prefix") {
  for (const char* assignment : {"++workload.train.time=2", "+workload.train.time=2",
                                 "workload.train.time=2", "train.time=2"}) {
    Diagnostics diags;
    YamlFields fields = read("train:\n  time: {mean: 1, stdev: 3}\n", diags);
    fields.set(assignment, "workload", diags);
    CHECK(fields.number("train.time", diags) == 2.0);
    CHECK_FALSE(fields.has("train.time.stdev"));
    CHECK(diags.items().empty());
  }
}

TEST_CASE("an override that sets nothing, or more than one value, is a fault") {
  for (const char* assignment : {"++", "reader", "=3", "++=3", "a=[1,2]", "a={b: 1}", "a=${b}"}) {
    Diagnostics diags;
    YamlFields fields = read("x: 1\n", diags);
    fields.set(assignment, "workload", diags);
    CHECK(diags.has_errors());
  }
}

TEST_CASE("an old name gives way to the new one when both are given") {
  Diagnostics diags;
  YamlFields fields = read("old: 1\nnew: 2\n", diags);
  fields.alias("old", "new", diags);
  CHECK(fields.number("new", diags) == 2.0);
  CHECK(faults(diags) == Lines{"1:6 duplicate-key"});
  CHECK_FALSE(diags.has_errors());
}

}  // namespace yaml_fields_test
