#include "models/catalogue/catalogue.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "scenarios/component_reader.hpp"

using namespace stallcast;

TEST_CASE("products are sorted and unique, and their id begins with their role") {
  const auto all = models::catalogue();
  REQUIRE(all.size() >= 15);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].id < all[i].id);
  for (const models::CatalogueEntry& entry : all) {
    INFO(entry.id);
    CHECK(entry.id.starts_with(std::string(models::role_info(entry.role).id) + "/"));
    CHECK_FALSE(entry.summary.empty());
    CHECK(models::find_product(entry.id) == &entry);
  }
  CHECK(models::find_product("host/none") == nullptr);
}

TEST_CASE("every value of a product is a field of its kind, parses, and has a source") {
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    const models::KindInfo* kind = models::find_kind(entry.role, entry.kind);
    INFO(entry.id);
    REQUIRE(kind != nullptr);
    CHECK_FALSE(entry.values.empty());
    const auto fields = scenarios::fields_of(*kind);
    std::set<std::string> keys;
    for (const models::CatalogueValue& value : entry.values) {
      INFO(value.key << " = " << value.text);
      CHECK(keys.insert(value.key).second);
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const auto* f) { return f->key == value.key; });
      REQUIRE(field != fields.end());
      const auto parsed = scenarios::value_of_text(**field, value.text);
      REQUIRE(parsed.has_value());
      const base::FieldLimits& limits = (*field)->limits;
      CHECK(parsed->number >= limits.minimum);
      CHECK(parsed->number <= limits.maximum);
      CHECK(value.source.size() > 5);
      CHECK(value.date.size() == 7);
    }
  }
}

TEST_CASE("every default of every kind parses") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      for (const base::FieldInfo* field : scenarios::fields_of(kind)) {
        INFO(role.id << " " << kind.id << " " << field->key);
        if (!field->required() && !field->optional())
          CHECK(scenarios::value_of_text(*field, field->fallback).has_value());
        CHECK_FALSE(field->doc.empty());
      }
}

TEST_CASE("no field hides another or a key of the scenario's structure") {
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role)) {
      std::set<std::string_view> keys;
      for (const base::FieldInfo* field : scenarios::fields_of(kind)) {
        INFO(role.id << " " << kind.id << " " << field->key);
        CHECK(keys.insert(field->key).second);
        CHECK(field->key != "id");
        CHECK(field->key != "use");
        CHECK(field->key != role.selector);
      }
    }
}
