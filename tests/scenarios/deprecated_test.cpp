#include <catch2/catch.hpp>

#include "scenarios/resolve/ranges.hpp"
#include "scenarios/schema/schema_parts.hpp"
#include "tests/scenarios/support.hpp"

// No field is deprecated yet: one of a table of its own stands for those to come.
namespace deprecated_test {

using namespace stallcast;
using namespace stallcast::scenarios;
using Catch::Matchers::Contains;

namespace {

constexpr base::FieldInfo kField{"ost.speed", Dimension::rate, "1 GB/s", "how fast one is",
                                 base::deprecated("1.1", "write \"ost.read\"", base::kPositive)};

/// What reading the value at /speed of `text` as `field` says.
Diagnostics said_of(const base::FieldInfo& field, const std::string& text) {
  Diagnostics out;
  Documents documents;
  const Tree tree = read_with_bases(text, "test.json", false, "", documents, out);
  Reporter report(documents, tree, out);
  Parameters params(tree, report);
  ReadContext context{tree, params, report};
  const auto exact = [&](const std::string& pointer, const Json& node) {
    return read_value(context, field, pointer, node);
  };
  const auto value = read_ranged(context, field, "/speed", tree.root.at("speed"), exact);
  REQUIRE(value.has_value());
  CHECK(value->number == 2e9);
  return out;
}

}  // namespace

TEST_CASE("a deprecated field is read as before, with one warning at its key") {
  for (const char* value :
       {"\"2 GB/s\"", "\"2 GB/s +- 10 %\"",
        "{ \"value\": \"2 GB/s\", \"low\": \"1 GB/s\", \"high\": \"3 GB/s\" }"}) {
    const Diagnostics out = said_of(kField, std::string("{\n  \"speed\": ") + value + "\n}");
    REQUIRE(out.items().size() == 1);
    const Diagnostic& d = out.items()[0];
    CHECK(d.severity == Severity::warning);
    CHECK(d.code == "deprecated");
    CHECK(d.message == "\"ost.speed\" is deprecated since 1.1");
    CHECK(d.hint == "write \"ost.read\"");
    CHECK(d.position.line == 2);
    CHECK(d.position.column == 3);
  }
  base::FieldInfo usual = kField;
  usual.limits = base::kPositive;
  CHECK(said_of(usual, "{ \"speed\": \"2 GB/s\" }").items().empty());
}

TEST_CASE("the schema marks a deprecated field for editors") {
  const base::Json schema = field_schema(kField, Ranges::allowed);
  CHECK(schema.at("deprecated") == true);
  CHECK(schema.at("deprecationMessage") == "write \"ost.read\"");
  CHECK_THAT(schema.at("description").get<std::string>(),
             Contains("Deprecated since 1.1: write \"ost.read\""));
}

}  // namespace deprecated_test
