#include "scenarios/schema/schema.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "engine/base/jsonc.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/format.hpp"

/// The JSON Schema and the page of all fields say what the tables of the reader say.
namespace schema_test {

using namespace stallcast;
using Catch::Matchers::Contains;

namespace {

/// The part of the page from `heading` to the next one of its level or above.
std::string section(const std::string& page, const std::string& heading) {
  const std::size_t at = page.find("\n" + heading);
  INFO(heading);
  REQUIRE(at != std::string::npos);
  const std::string level = heading.substr(0, heading.find(' '));
  std::size_t end = page.find("\n## ", at + 1);
  if (level == "###") end = std::min(end, page.find("\n### ", at + 1));
  return page.substr(at, end - at);
}

/// The row of a field, "" where there is none.
std::string row(const std::string& table, std::string_view key) {
  const std::size_t at = table.find("\n| `" + std::string(key) + "` | ");
  if (at == std::string::npos) return "";
  return table.substr(at + 1, table.find('\n', at + 1) - at - 1);
}

}  // namespace

TEST_CASE("the page of all fields has each field of each kind once") {
  const std::string page = scenarios::reference();
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role)) {
      const bool one = models::kinds(role.role).size() == 1 && role.selector.empty();
      const std::string of_role = section(page, "## " + std::string(role.id) + ": `");
      const std::string table =
          one ? of_role : section(of_role, "### " + std::string(kind.id) + "\n");
      INFO(role.id << " " << kind.id);
      for (const base::FieldInfo& field : kind.fields) {
        INFO(field.key);
        const std::string said = row(table, field.key);
        REQUIRE(said != "");
        CHECK((said.find("| *required* |") != std::string::npos) == field.required());
        if (!field.required() && !field.optional())
          CHECK_THAT(said, Contains("| `" + std::string(field.fallback) + "` |"));
        for (const std::string_view choice : field.limits.choices)
          CHECK_THAT(said, Contains("`" + std::string(choice) + "`"));
        CHECK((said.find("*assumption") != std::string::npos) == field.limits.assumption);
        if (!field.limits.deprecated.empty())
          CHECK_THAT(said, Contains("*deprecated since " + std::string(field.limits.deprecated)));
      }
      for (const base::FieldInfo& field : kind.common) CHECK(row(of_role, field.key) != "");
    }
}

TEST_CASE("the page says where components stand and what chooses their kind") {
  const std::string page = scenarios::reference();
  for (const char* heading :
       {"## host: `cluster.hosts[]`", "## fabric: `cluster.fabric`", "## run: `run`",
        "## job: `jobs[]`", "## storage: `storage[]`", "## tenant: `tenants[]`",
        "## stage: `stages[]`", "## failure: `failures[]`", "## loader: `jobs[].loader`"})
    CHECK_THAT(page, Contains("\n" + std::string(heading) + "\n"));
  CHECK_THAT(section(page, "## storage: `"), Contains("\n`type` chooses the kind.\n"));
  CHECK_THAT(section(page, "## fabric: `"), Contains("chooses the kind; without it, `switched`."));
  CHECK_THAT(section(page, "## plan: `"), Contains("| `confidence` |"));
  CHECK_THAT(section(page, "## growth: `"), Contains("| `months` | a whole number | `36` |"));
}

TEST_CASE("the schema requires in a whole scenario what it leaves open in a part") {
  const base::Json schema = base::Json::parse(scenarios::schema());
  CHECK(schema["$id"] == "urn:stallcast:schema:scenario:" + std::string(kScenarioFormat));
  const base::Json &all = schema["definitions"]["complete"],
                   &part = schema["definitions"]["part"]["anyOf"][0];
  CHECK(all["required"] == base::Json::array({"cluster"}));
  CHECK_FALSE(part.contains("required"));
  for (const char* key : {"tenants", "stages", "failures", "plan", "growth", "sweep", "expect"}) {
    INFO(key);
    CHECK(all["properties"].contains(key));
    CHECK(part["properties"].contains(key));
  }
  CHECK(all["properties"]["cluster"]["required"] == base::Json::array({"hosts"}));
  const base::Json& item = all["properties"]["expect"]["anyOf"][0]["items"];
  CHECK(item["required"] == base::Json::array({"that"}));
  CHECK(item["dependencies"]["waive"] == base::Json::array({"until"}));
}

}  // namespace schema_test
