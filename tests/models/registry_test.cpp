#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/quantity_text.hpp"
#include "models/contract/registry.hpp"

namespace registry_test {

using namespace stallcast;

TEST_CASE("rows of every role are sorted by id and have a summary") {
  for (const models::RoleInfo& role : models::roles()) {
    const auto rows = models::kinds(role.role);
    REQUIRE_FALSE(rows.empty());
    CHECK(std::is_sorted(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.id < b.id; }));
    for (const models::KindInfo& row : rows) CHECK_FALSE(row.summary.empty());
    if (!role.fallback.empty()) CHECK(models::find_kind(role.role, role.fallback) != nullptr);
  }
}

TEST_CASE("every default reads as its dimension and lies within its limits") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& row : models::kinds(role.role))
      for (const base::FieldInfo* known : models::fields_of(row)) {
        const base::FieldInfo& field = *known;
        INFO(row.id << "." << field.key);
        CHECK_FALSE(field.doc.empty());
        if (field.required() || field.optional()) continue;
        if (field.dimension == Dimension::text) {
          CHECK((field.limits.choices.empty() ||
                 std::find(field.limits.choices.begin(), field.limits.choices.end(),
                           field.fallback) != field.limits.choices.end()));
          continue;
        }
        if (field.dimension == Dimension::boolean || field.dimension == Dimension::text_list)
          continue;
        const base::ParsedQuantity parsed = base::parse_quantity(field.fallback, field.dimension);
        REQUIRE(parsed.value);
        CHECK(*parsed.value >= field.limits.minimum);
        CHECK(*parsed.value <= field.limits.maximum);
      }
}

}  // namespace registry_test
